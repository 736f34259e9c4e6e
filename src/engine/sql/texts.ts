import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { all, integerOf } from '../../filters/sql.ts'
import type { Group, Search } from '../conditions/search.ts'
import type { Row } from '../conditions/table.ts'
import { MAX_BYTES, MAX_LIST, MAX_TESTED } from '../limits.ts'
import { listPath } from './paths.ts'
import type { Plan } from './plan.ts'
import { matchesOf, statement } from './plan.ts'

/** The most bytes of texts of one dictionary in a read. Eight dictionaries are read at once. */
export const TEXTS_AT_ONCE = MAX_BYTES / 8

/** The texts of rows as one JSON array. A row is its id and its texts, or its id and its bytes if it is long. */
export interface TextsRow {
  readonly count: number
  readonly list: string | null
}

/** Reads the texts of the matches. It reads one row more than allowed, to notice that there are too many. */
export const textsOf = (plan: Plan, texts: readonly SQLWrapper[], may: SQL | null): SQL<TextsRow> => {
  const share = integerOf(Math.floor(MAX_LIST / MAX_TESTED))
  const columns = sql`${events.id} AS id, json_array(${events.id}, ${sql.join([...texts], sql`, `)}) AS row`
  const row = sql`iif(octet_length(row) <= ${share}, row, json_array(id, octet_length(row)))`
  return statement(
    plan,
    sql<TextsRow>`SELECT count(*) AS count, '[' || group_concat(${row}) || ']' AS list
      FROM (SELECT * FROM (${matchesOf(plan, columns, may)}) LIMIT ${integerOf(MAX_TESTED + 1)})`,
  )
}

/** Reads the texts of rows by id, as columns, as many as fit into one read. */
export const textsByIds = ({ visible }: Search, texts: readonly SQLWrapper[], ids: readonly number[]): SQL<Row> => {
  const { from, enter } = listPath(ids)
  const named = sql.join(
    texts.map((text, i) => sql`${text} AS ${sql.raw(`text${i}`)}`),
    sql`, `,
  )
  return fitting(
    sql`SELECT ${events.id} AS id, octet_length(json_array(${sql.join([...texts], sql`, `)})) AS bytes, ${named}
    FROM ${from} WHERE ${all([enter, visible])}`,
    MAX_BYTES,
  )
}

/** Reads the entries of a group after an id with their texts, as many as fit into one read. */
export const entryTexts = (
  { dictionary: { id, table, text, counts }, match }: Group,
  level: number,
  after: number,
  most: number,
): SQL<{ readonly id: number; readonly text: string; readonly total: number }> => {
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
