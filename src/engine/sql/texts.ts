import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { TREES } from '../../../schema/trees.ts'
import { all, integerOf } from '../../filters/sql.ts'
import type { NodeRow } from '../candidates/nodes.ts'
import type { ValueRange } from '../conditions/criteria.ts'
import type { Search } from '../conditions/search.ts'
import type { Plan } from '../plan/plan.ts'
import { fromIndex } from './columns.ts'
import { nodesOf } from './counts.ts'
import { blocksSource, type Source, sourceOf } from './sources.ts'
import { whereOf } from './where.ts'

/** The most rows of one query, and the most characters of its answer. D1 allows 2 MB. */
export const MAX_ROWS = 20_000
const MAX_TEXT = 1_800_000

/** The texts of rows as one JSON array. A row is its id and its texts, or its id and its bytes if it is long. */
export interface TextsRow {
  readonly count: number
  readonly list: string | null
}

const [, NODE] = TREES.id.complete

/** Reads the nodes of ids that have visible rows, from an id on. */
export const idNodesQuery = ({ access, level }: Search, least: number): SQL<NodeRow> => {
  const { table, node, visible } = access.counts
  const from = sql`${node} >= ${integerOf(least)} >> ${integerOf(NODE)}`
  return sql`SELECT ${node} AS node, ${visible(level)} AS "rows" FROM ${table}
    WHERE ${all([nodesOf(access, 'id', NODE), from, sql`${visible(level)} > 0`])} ORDER BY ${node}`
}

/** Joins nodes to ranges of ids. A range has at most `most` visible rows, or one node. */
export const rangesOfIds = (nodes: readonly NodeRow[], most: number): readonly ValueRange[] => {
  const ranges: ValueRange[] = []
  let sum = Number.POSITIVE_INFINITY
  for (const { node, rows } of nodes) {
    const [first, last] = [node * 2 ** NODE, (node + 1) * 2 ** NODE - 1]
    const [start] = sum + rows <= most ? (ranges.pop() ?? []) : []
    sum = start === undefined ? rows : sum + rows
    ranges.push([start ?? first, last])
  }
  return ranges
}

/**
 * Reads the texts of the rows of the path. It reads one row more than allowed, to notice that there are too many.
 * To read all rows, it skips blocks of ids that have no visible rows.
 */
export const textsOfPath = (search: Search, plan: Plan, texts: readonly SQLWrapper[]): SQL<TextsRow> => {
  const { range, entries } = plan.narrow
  const source = range.path === 'everything' ? blocksSource(search, null) : sourceOf(search, plan.narrow)
  return textsFrom(search, source, whereOf(search, plan, entries), texts)
}

/** Reads the texts of the rows in a range of ids. */
export const textsOfIds = (
  search: Search,
  plan: Plan,
  texts: readonly SQLWrapper[],
  range: ValueRange,
): SQL<TextsRow> => textsFrom(search, idsSource(search, range), whereOf(search, plan), texts)

/** Enters the table by a range of ids. */
export const idsSource = ({ table }: Search, [first, last]: ValueRange): Source => ({
  source: fromIndex(table, null),
  enter: sql`${table.id} BETWEEN ${integerOf(first)} AND ${integerOf(last)}`,
})

const textsFrom = ({ table }: Search, { source, enter }: Source, where: SQL, texts: readonly SQLWrapper[]) => {
  const share = integerOf(Math.floor(MAX_TEXT / MAX_ROWS))
  const listed = sql.join([...texts], sql`, `)
  const row = sql`iif(octet_length(row) <= ${share}, row, json_array(id, octet_length(row)))`
  return sql<TextsRow>`SELECT count(*) AS count, '[' || group_concat(${row}) || ']' AS list
    FROM (SELECT ${table.id} AS id, json_array(${table.id}, ${listed}) AS row FROM ${source}
      WHERE ${all([enter, where])} LIMIT ${integerOf(MAX_ROWS + 1)})`
}
