import type { SQL } from 'drizzle-orm'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'

/** D1's limit for the parameters of a statement. */
const MAX_PARAMETERS = 100
/** Longer texts stay parameters of their own, as D1 takes 2 MB for each. */
const MAX_PACKED = 1_000 // characters

/** Writes queries as SQL. */
const DIALECT = new SQLiteAsyncDialect()

/** SQL with its parameters. Beyond D1's limit the short ones become one JSON parameter. */
export const textOf = (query: SQL): { sql: string; parameters: readonly unknown[] } => {
  const { sql, params } = DIALECT.sqlToQuery(query)
  return params.length > MAX_PARAMETERS ? packed(query) : { sql, parameters: params }
}

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

/** D1 binds each number as a fraction, so that a whole one is written as a fraction, too. */
const jsonOf = (value: unknown): string =>
  Number.isInteger(value) && Math.abs(Number(value)) < 1e21 ? `${value}.0` : JSON.stringify(value)
