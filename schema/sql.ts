import { type Column, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'

const DIALECT = new SQLiteSyncDialect()

/** The SQL of a template that names tables and columns. Its parameters are `?1`, `?2`; values stand in it as they are. */
export const textOf = (query: SQL): string => DIALECT.sqlToQuery(query.inlineParams()).sql

/** The name of a column without its table, as it stands where it is set. */
export const nameOf = (column: Column): SQL => sql`${sql.identifier(column.name)}`

/** Parts with commas between them. */
export const listed = (parts: readonly SQLWrapper[]): SQL => sql.join(parts as SQLWrapper[], sql`, `)
