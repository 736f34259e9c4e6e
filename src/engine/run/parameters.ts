import type { SQL, SQLWrapper } from 'drizzle-orm'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'

/** The most parameters that D1 allows in a statement. */
const MAX_PARAMETERS = 100
/** Longer texts remain separate parameters, because D1 allows 2 MB for each parameter. */
const MAX_PACKED = 1_000 // characters

const DIALECT = new SQLiteAsyncDialect()

/**
 * Converts a query to SQL and its parameters. If there are more than D1 allows, one JSON parameter holds all short
 * ones.
 */
export const textOf = (query: SQLWrapper): { sql: string; parameters: readonly unknown[] } => {
  const { sql, params } = DIALECT.sqlToQuery(query.getSQL())
  return params.length > MAX_PARAMETERS ? packed(query.getSQL()) : { sql, parameters: params }
}

/** The key of a query in memory. Equal queries have equal keys. */
export const keyOf = (query: SQLWrapper): string => JSON.stringify(textOf(query))

const packed = (query: SQL): { sql: string; parameters: readonly unknown[] } => {
  const values = new Map<unknown, number>()
  const others: unknown[] = []
  const escapeParam = (_index: number, value?: unknown): string => {
    if (isShort(value)) {
      values.set(value, values.get(value) ?? values.size)
      return `(?1->>${values.get(value)})`
    }
    others.push(value)
    return `?${others.length + 1}`
  }
  const { sql } = Object.assign(new SQLiteAsyncDialect(), { escapeParam }).sqlToQuery(query)
  return { sql, parameters: [`[${Array.from(values.keys(), jsonOf)}]`, ...others] }
}

const isShort = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_PACKED)

/**
 * Writes an integer with ".0". D1 binds numbers as doubles, so a packed number has to be a double for the same results.
 */
const jsonOf = (value: unknown): string =>
  Number.isInteger(value) && Math.abs(Number(value)) < 1e21 ? `${value}.0` : JSON.stringify(value)
