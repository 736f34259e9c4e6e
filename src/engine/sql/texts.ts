import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import type { Sought } from '../../filters/filter.ts'
import { all, integerOf } from '../../filters/sql.ts'
import type { Search } from '../conditions/search.ts'
import { MAX_BYTES, MAX_LIST, MAX_TESTED } from '../limits.ts'
import { listPath } from './paths.ts'
import { type ListRow, matchesOf, type Plan, statement } from './plan.ts'

/** The most bytes of texts of one dictionary in a read. Eight dictionaries are read at once. */
export const TEXTS_AT_ONCE = MAX_BYTES / 8

/** Writes a row as a JSON array of its id and of some columns. */
const arrayOf = (columns: readonly SQLWrapper[]): SQL =>
  sql`json_array(${events.id}, ${sql.join([...columns], sql`, `)})`

/**
 * Lists the columns of the matches as arrays. An array with only an id stands for a long row. It reads one row more than
 * allowed, to notice that there are too many.
 */
export const textsOf = (plan: Plan, columns: readonly SQLWrapper[], may: SQL | null): SQL<ListRow> => {
  const share = integerOf(Math.floor(MAX_LIST / MAX_TESTED))
  const matches = matchesOf(plan, sql`${events.id} AS id, ${arrayOf(columns)} AS row`, may)
  return statement(
    plan,
    sql<ListRow>`SELECT count(*) AS count, group_concat(iif(octet_length(row) <= ${share}, row, json_array(id))) AS list
      FROM (SELECT * FROM (${matches}) LIMIT ${integerOf(MAX_TESTED + 1)})`,
  )
}

/** Reads the columns of rows by id as arrays, as many as fit into one read. */
export const textsByIds = (
  { visible }: Search,
  columns: readonly SQLWrapper[],
  ids: readonly number[],
): SQL<{ readonly id: number; readonly row: string }> => {
  const { from, enter } = listPath(ids)
  const rows = sql`SELECT ${events.id} AS id, ${arrayOf(columns)} AS row FROM ${from} WHERE ${all([enter, visible])}`
  return fitting(sql`SELECT *, octet_length(row) AS bytes FROM (${rows})`, MAX_BYTES)
}

/** An entry of a dictionary. `total` has the bytes of the texts up to it. */
export interface EntryRow {
  readonly id: number
  readonly text: string | null
  readonly total: number
}

/** Reads entries after an id with their texts, as many as fit into one read. */
export const entryTexts = (
  { dictionary: { id, table, text, counts }, match }: Sought,
  level: number,
  after: number,
  most: number,
): SQL<EntryRow> => {
  const seen = counts === undefined ? null : sql`${counts(level)} > 0`
  return fitting(
    sql`SELECT ${id} AS id, octet_length(${text}) AS bytes, ${text} AS text FROM ${table}
    WHERE ${all([sql`${id} > ${integerOf(after)}`, match, seen])} ORDER BY ${id} LIMIT ${integerOf(most)}`,
    TEXTS_AT_ONCE,
  )
}

/** Leaves out rows after so many bytes of text. The first row is always read. */
const fitting = <R>(rows: SQL, most: number): SQL<R> =>
  sql`SELECT * FROM (SELECT *, sum(bytes) OVER (ORDER BY id) AS total FROM (${rows})) WHERE total - bytes < ${integerOf(most)} OR bytes IS NULL`
