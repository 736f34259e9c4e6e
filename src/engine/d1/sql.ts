import { is, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { SQLiteAsyncDialect, SQLiteReal } from 'drizzle-orm/sqlite-core'
import { at } from '../../base/collections.ts'
import { doubleOfKey } from '../../question/range.ts'

/** A range of column values, both ends included. Null: no end. Doubles are given by their keys, see `keyOfDouble`. */
export type ColumnRange = readonly [least: bigint | null, greatest: bigint | null]

/**
 * A condition that no row meets. SQLite would merge a plain 0 with the condition of a partial index, and then find no
 * plan.
 */
export const NOTHING = sql`1 = 0`

/**
 * Joins conditions with AND. An empty list is true. D1 limits expressions to a depth of 100, so the result is a
 * balanced tree.
 */
export const all = (conditions: readonly (SQL | null)[]): SQL => {
  const given = conditions.filter((condition) => condition !== null)
  const [first = sql`1`] = given
  if (given.length < 2) return first
  const half = given.length >> 1
  return sql`(${all(given.slice(0, half))} AND ${all(given.slice(half))})`
}

/** Joins a few conditions with OR. An empty list is false. */
export const either = (conditions: readonly SQL[]): SQL =>
  conditions.length === 0 ? NOTHING : sql`(${sql.join([...conditions], sql` OR `)})`

/** SQL and its depth in operators. D1 limits an expression to 100 levels. */
export interface Nested {
  readonly sql: SQL
  readonly depth: number
}

export type Word = 'AND' | 'OR'

/** Wraps SQL that has no operator that joins conditions. */
export const nested = (text: SQL): Nested => ({ sql: text, depth: 1 })

export const negated = ({ sql: text, depth }: Nested): Nested => ({ sql: sql`NOT (${text})`, depth: depth + 1 })

/** Joins SQL by AND or OR. There is at least one part. It joins the parts of least depth first. */
export const join = (word: Word, parts: readonly Nested[]): Nested => {
  const [a, b, ...others] = [...parts].sort((one, other) => one.depth - other.depth)
  if (a === undefined || b === undefined) return at(parts, 0)
  return join(word, [...others, { sql: sql`(${a.sql} ${OPERATORS[word]} ${b.sql})`, depth: b.depth + 1 }])
}

/** Writes columns with their names, as the list of a SELECT. */
export const namedColumns = (columns: Readonly<Record<string, SQLWrapper>>): SQL => {
  const named = Object.entries(columns).map(([name, column]) => sql`${column} AS ${sql.identifier(name)}`)
  return sql.join(named, sql`, `)
}

/** Tests if a column is in a range. `written` stands for the column in the SQL. */
export const within = (column: SQLWrapper, extent: ColumnRange, written = column): SQL =>
  is(column, SQLiteReal) ? doublesWithin(written, extent) : between(written, extent, integer)

/** Tests if a column is in one of some ranges. `written` stands for the column in the SQL. */
export const inRanges = (column: SQLWrapper, extents: readonly ColumnRange[], written = column): SQL => {
  const values = extents.flatMap(([least, greatest]) => (least !== null && least === greatest ? [least] : []))
  if (extents.length === 0) return NOTHING
  if (values.length === extents.length && values.length > 1)
    return is(column, SQLiteReal)
      ? sql`${written} ${isOneOf(values.map(doubleOfKey), sql`CAST(value AS REAL)`)}`
      : isIn(written, values)
  const each = extents.map((extent) => within(column, extent, written))
  return sql`(${sql.join(each, sql` OR `)})`
}

/** Returns the ranges before, between and after some ranges. These are sorted and disjoint. */
export const gapsOf = (extents: readonly ColumnRange[]): readonly ColumnRange[] => {
  const firsts = [null, ...extents.map(([, greatest]) => (greatest === null ? undefined : greatest + 1n))]
  const lasts = [...extents.map(([least]) => (least === null ? undefined : least - 1n)), null]
  return firsts.flatMap((first, i) => {
    const last = lasts[i]
    const isNone = first === undefined || last === undefined || (first !== null && last !== null && first > last)
    return isNone ? [] : [[first, last] as const]
  })
}

/** Tests if a double is in a range of keys. */
export const doublesWithin = (double: SQLWrapper, extent: ColumnRange): SQL => between(double, extent, doubleOf)

/** Tests if a value is in a range. `bound` writes an end of it. */
export const between = (value: SQLWrapper, [least, greatest]: ColumnRange, bound: (end: bigint) => SQL): SQL => {
  // SQLite reads a row less than with two comparisons.
  if (least !== null && least === greatest) return sql`${value} = ${bound(least)}`
  return all([
    least === null ? null : sql`${value} >= ${bound(least)}`,
    greatest === null ? null : sql`${value} <= ${bound(greatest)}`,
  ])
}

/** Writes the double of a key. A key beyond the greatest double becomes infinity. No column has that value. */
const doubleOf = (key: bigint): SQL => {
  const number = doubleOfKey(key)
  return Number.isFinite(number) ? sql`${number}` : sql.raw(number < 0 ? '-9e999' : '9e999')
}

/** Tests if a column is one of these integers. */
export const isIn = (column: SQLWrapper, values: readonly (number | bigint)[]): SQL =>
  values.length === 1 ? sql`${column} = ${integer(BigInt(at(values, 0)))}` : sql`${column} IN (${numbersTable(values)})`

/** Writes the end of a test if a value is one of these. `each` reads one of several. */
export const isOneOf = (values: readonly (string | number)[], each = sql`value`): SQL =>
  values.length === 1 ? sql`= ${values[0]}` : sql`IN (SELECT ${each} FROM json_each(${JSON.stringify(values)}))`

/** A parameter of D1 holds at most 2 MB, and an id has at most 16 digits. */
const MAX_IDS = 110_000

/**
 * Turns ids into a query with one column, `value`. The ids are passed as JSON, so the list may be longer than the 100
 * parameters of a statement.
 */
export const numbersTable = (ids: readonly (number | bigint)[]): SQL => {
  const parts: SQL[] = []
  for (let from = 0; from === 0 || from < ids.length; from += MAX_IDS)
    parts.push(sql`(${`[${ids.slice(from, from + MAX_IDS)}]`})`)
  // D1 allows only five terms in UNION ALL, so this uses VALUES.
  return sql`SELECT list.value FROM (VALUES ${sql.join(parts, sql`, `)}) AS texts CROSS JOIN json_each(texts.column1) AS list`
}

/**
 * Turns ranges or other tuples of numbers into rows of a table `span`. Their parts are `span.value ->> 0` and so on.
 */
export const rangesTable = (tuples: readonly (readonly number[])[]): SQL =>
  sql`json_each(${JSON.stringify(tuples)}) AS span`

const LIMIT = 2n ** 62n

/** Limits an integer to 2^62 on both sides, because SQLite has 64 bits. All ids and instants are smaller. */
const bounded = (value: bigint): bigint => (value > LIMIT ? LIMIT : value < -LIMIT ? -LIMIT : value)

/** Writes an integer into the SQL. D1 accepts no bigint as a parameter, and a number is inexact above 2^53. */
export const integer = (value: bigint): SQL => sql.raw(String(bounded(value)))

/** Writes an integer into the SQL. D1 would bind a parameter as a double. Throws for any other value. */
export const integerOf = (value: number): SQL => {
  if (!Number.isSafeInteger(value)) throw new RangeError(`Not a safe integer: ${JSON.stringify(value)}`)
  return sql.raw(String(value))
}

/** Writes a letter, or a short text, into the SQL, because D1 limits a statement to 100 parameters. */
export const letter = (text: string): SQL => sql.raw(`'${text.replaceAll("'", "''")}'`)

/** Writes bytes into the SQL, from hexadecimal digits. */
export const blob = (digits: string): SQL => sql.raw(`x'${digits}'`)

/** The operators of SQL by their signs. */
export const OPERATORS = {
  '<': sql`<`,
  '>': sql`>`,
  '<=': sql`<=`,
  '>=': sql`>=`,
  '=': sql`=`,
  '<>': sql`<>`,
  AND: sql`AND`,
  OR: sql`OR`,
}

/** Selects one number under the name `count`. */
export const asCount = (expression: SQL): SQL<{ readonly count: number }> => sql`SELECT ${expression} AS count`

/** Reads the number from the answer of `asCount`. */
export const numberOf = ([row]: readonly { readonly count?: number }[]): number => row?.count ?? 0

/** The most parameters that D1 allows in a statement. */
const MAX_PARAMETERS = 100
/** Longer texts remain separate parameters, because D1 allows 2 MB for each parameter. */
const MAX_PACKED = 1_000 // characters

const DIALECT = new SQLiteAsyncDialect()

/**
 * Converts a query to SQL and its parameters. If there are more than D1 allows, one JSON parameter holds all short
 * ones.
 */
export const preparedText = (query: SQLWrapper): { sql: string; parameters: readonly unknown[] } => {
  const { sql, params } = DIALECT.sqlToQuery(query.getSQL())
  return params.length > MAX_PARAMETERS ? packed(query.getSQL()) : { sql, parameters: params }
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

/**
 * Writes an integer with ".0". D1 binds numbers as doubles, so a packed number has to be a double for the same results.
 */
const jsonOf = (value: unknown): string =>
  Number.isInteger(value) && Math.abs(Number(value)) < 1e21 ? `${value}.0` : JSON.stringify(value)
