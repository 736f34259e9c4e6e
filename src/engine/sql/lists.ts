import { type SQL, sql } from 'drizzle-orm'
import { integerOf } from '../../filters/sql.ts'
import type { Row } from '../conditions/table.ts'
import { matchesOf, statement } from './matches.ts'
import type { Plan } from './plan.ts'

/** The most rows that one query returns as a text of numbers. */
const MOST_ROWS = 50_000
/** The longest such text, because D1 allows 2 MB, and the longest number in it with its comma. Both are in characters. */
const [MOST_TEXT, LONGEST_NUMBER] = [1_800_000, 18]

/** Returns the most rows of one list, given the numbers of a row. */
export const mostListed = ({ length }: readonly SQL[]): number =>
  Math.min(MOST_ROWS, Math.floor(MOST_TEXT / (LONGEST_NUMBER * length)))

/** The numbers of matches as a text, if they are not too many. `chosen` are the rows of the path, if they are known. */
export interface ListRow {
  readonly count: number
  readonly list: string | null
  readonly chosen: number | null
}

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
export const listQuery = (plan: Plan, columns: readonly SQL[]): SQL<ListRow> => {
  const chosen = plan.choice === null ? sql`NULL` : sql`(SELECT "rows" FROM choice)`
  return statement(
    plan,
    sql`SELECT count(*) AS count, group_concat(${namesOf(columns, sql` || ',' || `)}) AS list, ${chosen} AS chosen
      FROM (SELECT * FROM (${matchesOf(plan, named(columns))}) LIMIT ${integerOf(mostListed(columns) + 1)})`,
  )
}

/** Lists numbers of the matches as columns n0, n1 and so on. Equal rows come as one row with their number. */
export const groupsQuery = (plan: Plan, columns: readonly SQL[]): SQL<Row> => {
  const names = namesOf(columns)
  return statement(
    plan,
    sql<Row>`SELECT ${names}, count(*) AS "rows" FROM (${matchesOf(plan, named(columns))}) GROUP BY ${names}`,
  )
}
