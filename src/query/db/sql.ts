import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Extent } from '../../filters/lookups.ts'
import { integer } from '../../filters/lookups.ts'
import type { Row, Table } from '../table.ts'

export { NOTHING } from '../../filters/lookups.ts'

/** All of these conditions; true where there are none. A balanced tree, as D1 takes expressions 100 deep. */
export const all = (conditions: readonly (SQL | null)[]): SQL => {
  const given = conditions.filter((condition) => condition !== null)
  const [first = sql`1`] = given
  if (given.length < 2) return first
  const half = given.length >> 1
  return sql`(${all(given.slice(0, half))} AND ${all(given.slice(half))})`
}

/** The columns of a resource, by their names. */
export const columnsOf = ({ columns }: Table): SQL =>
  sql.join(
    Object.entries(columns).map(([name, column]) => sql`${column} AS ${sql.identifier(name)}`),
    sql`, `,
  )

/** A column within an extent. */
export const within = (column: SQLWrapper, [least, greatest]: Extent): SQL =>
  all([
    least === null ? null : sql`${column} >= ${integer(least)}`,
    greatest === null ? null : sql`${column} <= ${integer(greatest)}`,
  ])

/** A column among ids. */
export const among = (column: SQLWrapper, ids: readonly number[]): SQL =>
  ids.length === 1 ? sql`${column} = ${integerOf(ids[0] ?? 0)}` : sql`${column} IN (${each(ids)})`

/** A parameter of D1 holds at most 2 MB; an id has at most 16 digits. */
const MAX_IDS = 110_000

/** Ids as rows of one column, value, passed as JSON: a statement takes 100 parameters, a list has any length. */
export const each = (ids: readonly number[]): SQL => {
  const parts: SQL[] = []
  for (let from = 0; from === 0 || from < ids.length; from += MAX_IDS)
    parts.push(sql`(${JSON.stringify(ids.slice(from, from + MAX_IDS))})`)
  // Not a UNION ALL of lists, of which D1 takes five.
  return sql`SELECT list.value FROM (VALUES ${sql.join(parts, sql`, `)}) AS texts CROSS JOIN json_each(texts.column1) AS list`
}

/** Ranges, or any tuples of numbers, as rows of a table `span`, whose parts are `span.value ->> 0` and so on. */
export const spans = (tuples: readonly (readonly number[])[]): SQL => sql`json_each(${JSON.stringify(tuples)}) AS span`

/** A whole number written into the SQL: as a parameter it would be one with a fraction. */
export const integerOf = (value: number): SQL => sql.raw(String(value))

/** A query of one number, named count. */
export const asCount = (expression: SQL): SQL => sql`SELECT ${expression} AS count`

/** The number that such a query answers. */
export const numberOf = (rows: readonly Row[] | undefined): number => rows?.[0]?.count ?? 0
