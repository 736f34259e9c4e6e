import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { integerOf } from '../../filters/sql.ts'
import { CELL_LEVELS, cellIn } from '../../geometry/cell.ts'
import type { Row } from '../conditions/table.ts'
import { LONGEST_NUMBER, MAX_LIST, MAX_LISTED, SAMPLED } from '../limits.ts'
import { matchesOf, type Plan, statement } from './plan.ts'

/** Returns the most rows of one list, given the numbers of a row. */
export const mostListed = ({ length }: readonly SQL[]): number =>
  Math.min(MAX_LISTED, Math.floor(MAX_LIST / (LONGEST_NUMBER * length)))

/** The numbers of matches as a text. */
export interface ListRow {
  readonly count: number
  readonly list: string | null
}

/** Parses the numbers of a list. `JSON.parse` is faster than a loop over the characters. */
export const numbersIn = (row: Pick<ListRow, 'list'> | undefined): Float64Array =>
  new Float64Array(JSON.parse(`[${row?.list ?? ''}]`))

const nameOf = (i: number): SQL => sql.raw(`n${i}`)
const namesOf = (columns: readonly SQL[], separator = sql`, `): SQL =>
  sql.join(
    columns.map((_, i) => nameOf(i)),
    separator,
  )
const named = (columns: readonly SQL[]): SQL =>
  sql.join(
    columns.map((column, i) => sql`${column} AS ${nameOf(i)}`),
    sql`, `,
  )

/** Lists numbers of the matches. It reads one row more than allowed, to notice that there are too many. */
export const listQuery = (plan: Plan, columns: readonly SQL[]): SQL<ListRow> =>
  statement(
    plan,
    sql`SELECT count(*) AS count, group_concat(${namesOf(columns, sql` || ',' || `)}) AS list
      FROM (SELECT * FROM (${matchesOf(plan, named(columns))}) LIMIT ${integerOf(mostListed(columns) + 1)})`,
  )

/** Lists the keys of a sample of the matches. The ids of a feed may be evenly spaced, so the sample is not. */
export const sampleQuery = (plan: Plan, key: SQLWrapper): SQL<Pick<ListRow, 'list'>> =>
  statement(plan, sql`SELECT group_concat(value) AS list FROM (${matchesOf(plan, sql`${key} AS value`, SAMPLE)})`)

const SAMPLE = sql`(${events.id} * 40503 >> 10) % ${sql.raw(String(SAMPLED))} = 0`

/** Lists numbers of the matches as columns n0, n1 and so on. Equal rows come as one row with their number. */
export const groupsQuery = (plan: Plan, columns: readonly SQL[]): SQL<Row> => {
  const names = namesOf(columns)
  return statement(
    plan,
    sql<Row>`SELECT ${names}, count(*) AS "rows" FROM (${matchesOf(plan, named(columns))}) GROUP BY ${names}`,
  )
}

/** Writes the column and row of the cell of a row. Default: its finest cell. geometry/cell.ts has the same formula. */
export const columnsOfCell = (level = CELL_LEVELS): { readonly column: SQL; readonly row: SQL } => {
  const side = 2 ** level
  const last = sql.raw(String(side - 1))
  const part = (value: SQL) => sql`min(CAST(${value} * ${sql.raw(`${side}.0`)} AS INTEGER), ${last})`
  return { column: part(sql`(${events.x} + 180.0) / 360.0`), row: part(sql`(${events.y} + 90.0) / 180.0`) }
}

/** Writes the place of a row: the column of its cell * 2^level + the row. It is -1 without coordinates. */
export const placeColumn = (level: number): SQL => {
  const { column, row } = columnsOfCell(level)
  return sql`coalesce(${column} * ${sql.raw(String(2 ** level))} + ${row}, -1)`
}

/** Returns a function that converts a place to the first finest cell in it. It is negative without coordinates. */
export const cellOfPlace = (level: number): ((place: number) => number) => {
  const side = 2 ** level
  const size = 4 ** (CELL_LEVELS - level)
  return (place) => {
    const column = Math.floor(place / side)
    return place < 0 ? place : cellIn(column, place - column * side) * size
  }
}
