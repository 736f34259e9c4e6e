import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { ValueKind } from '../../question/fields.ts'
import { doubleOfKey, type Extent } from '../../question/range.ts'

/** A statement with its parameters. */
export interface PreparedStatement {
  readonly text: string
  readonly values: unknown[]
}

/** Writes SQL with the parameters `$1`, `$2` and so on. */
export const statementOf = (query: SQL): PreparedStatement => {
  const { sql, params } = query.toQuery({
    casing: { getColumnCasing: (column: { readonly name: string }) => column.name } as never, // no column is named here
    escapeName: (name) => `"${name.replaceAll('"', '""')}"`,
    escapeParam: (index) => `$${index + 1}`,
    escapeString: (text) => `'${text.replaceAll("'", "''")}'`,
  })
  return { text: sql, values: params }
}

const joined =
  (word: 'AND' | 'OR', empty: SQL) =>
  (conditions: readonly (SQL | null)[]): SQL => {
    const given = conditions.filter((each) => each !== null)
    const [only = empty] = given
    return given.length < 2 ? only : sql`(${sql.join(given, word === 'AND' ? sql` AND ` : sql` OR `)})`
  }

/** Joins conditions with AND. An empty list is true. */
export const all = joined('AND', sql`true`)

/** Joins conditions with OR. An empty list is false. */
export const either = joined('OR', sql`false`)

/**
 * Stands at the end of a selection. PostgreSQL then computes its columns once for each row, and knows nothing about their
 * values. It takes a plain 0 for an expression, and keeps such a selection out of its parallel plans.
 */
export const FENCE = sql`OFFSET '0'`

/** Writes an expression that is null for a row without the value. A condition is then unknown. */
export const ifPresent = (value: SQLWrapper, expression: SQL): SQL =>
  sql`CASE WHEN ${value} IS NOT NULL THEN ${expression} END`

/** Writes parts with commas between them. */
export const listOf = (parts: SQLWrapper[]): SQL => sql.join(parts, sql`, `)

/** Writes values with their names, as the list of a SELECT. */
export const named = (values: Readonly<Record<string, SQLWrapper>>): SQL =>
  listOf(Object.entries(values).map(([name, value]) => sql`${value} AS ${sql.identifier(name)}`))

/** The greatest integer of PostgreSQL. */
const LIMIT = 2n ** 63n - 1n
const bounded = (value: bigint): bigint => (value > LIMIT ? LIMIT : value < -LIMIT ? -LIMIT : value)

/** Writes an integer. Without a type, PostgreSQL would read it in the type of the column, which may be smaller. */
export const integer = (value: bigint | number): SQL => sql`${String(bounded(BigInt(value)))}::bigint`

export const double = (value: number): SQL => sql`${String(value)}::float8`

/** Writes a list of integers. */
export const integers = (values: readonly (bigint | number)[]): SQL => sql`${sql.param(values.map(String))}::bigint[]`

/** Writes a list of texts. No stored text has the character NUL, and no parameter may have it. */
export const texts = (values: readonly string[]): SQL =>
  sql`${sql.param(values.filter((value) => !value.includes('\0')))}::text[]`

/** The ends of ranges in the type of a column. */
type Bound = (end: bigint) => SQL

export const doubleOf: Bound = (key) => double(doubleOfKey(key))

/** Tests if a value is in one of some extents. It is unknown for a row without the value. */
export const inExtents = (value: SQLWrapper, extents: readonly Extent[], bound: Bound = integer): SQL => {
  const single = extents.flatMap(([least, greatest]) => (least !== null && least === greatest ? [least] : []))
  if (single.length === extents.length && single.length > 1 && bound === integer)
    return sql`${value} = ANY(${integers(single.map(bounded))})`
  if (extents.length === 0) return ifPresent(value, sql`false`)
  return either(
    extents.map(([least, greatest]) =>
      between(value, least === null ? null : bound(least), greatest === null ? null : bound(greatest)),
    ),
  )
}

const between = (value: SQLWrapper, least: SQL | null, greatest: SQL | null): SQL =>
  least === null && greatest === null
    ? ifPresent(value, sql`true`)
    : all([least && sql`${value} >= ${least}`, greatest && sql`${value} <= ${greatest}`])

/** Writes a number into the statement where no parameter may stand. Throws for a value that is no whole number. */
export const literal = (value: number): SQL => {
  if (!Number.isSafeInteger(value)) throw new RangeError(`Not a safe integer: ${value}`)
  return sql.raw(String(value))
}

/** The types of the values of each kind. */
export const SQL_TYPES: Readonly<Record<ValueKind, string>> = {
  integer: 'bigint',
  number: 'float8',
  text: 'text',
  instant: 'timestamptz',
  duration: 'interval',
  json: 'json',
}

/** Writes the null of a kind of values. */
export const absent = (kind: ValueKind): SQL => sql.raw(`NULL::${SQL_TYPES[kind]}`)
