import { type Column, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'

const DIALECT = new SQLiteSyncDialect()

/**
 * Returns the SQL of a template that names tables and columns. Its parameters stay `?1`, `?2`. Other values become part
 * of the SQL.
 */
export const sqlText = (query: SQL): string => DIALECT.sqlToQuery(query.inlineParams()).sql

/** Returns the name of a column without its table, as an assignment needs it. */
export const nameOf = (column: Column): SQL => sql`${sql.identifier(column.name)}`

/** Joins parts by commas. */
export const listed = (parts: readonly SQLWrapper[]): SQL => sql.join(parts as SQLWrapper[], sql`, `)

/** The time of a write in SQL, in milliseconds since 1970. */
export const NOW = sql`CAST(1000 * unixepoch('subsec') AS INTEGER)`

/** A new key for the marks of changes, in hexadecimal. */
export const NEW_KEY = sql`lower(hex(randomblob(32)))`
