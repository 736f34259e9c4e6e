import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { codeOf, durationsWith, possibleDurations } from '../../../schema/durations.ts'
import { DENSE, TREES, type TreeName } from '../../../schema/trees.ts'
import { at } from '../../collections.ts'
import { all, type ColumnRange, integerOf, rangesTable, within } from '../../filters/sql.ts'
import { decompose, type NodeSpan } from '../candidates/nodes.ts'
import { idsOf, isEmpty, numbersOf, type ValueRange } from '../conditions/criteria.ts'
import type { Access, Table } from '../conditions/table.ts'

/** Selects the nodes of one size in the table of counts. */
export const nodesOf = ({ counts }: Access, tree: TreeName, shift: SQLWrapper | number): SQL =>
  sql`${counts.tree} = ${sql.raw(`'${tree}'`)} AND ${counts.shift} = ${typeof shift === 'number' ? integerOf(shift) : shift}`

/** Returns the number of all rows that a caller of this level sees. */
export const total = (access: Access, level: number): SQL =>
  sql`coalesce((SELECT ${access.counts.visible(level)} FROM ${access.counts.table}
    WHERE ${nodesOf(access, 'id', at(TREES.id.complete, -1))} AND ${access.counts.node} = 0), 0)`

type DenseTree = 'start' | 'end' | 'duration'

/** If the finest complete node has at most this many rows, the index counts them. Else dense nodes help. */
const FEW = 256

/**
 * Counts the visible rows with a time in an extent. Complete nodes give most of it. The index counts the rest at both
 * ends, or dense nodes do if the rest has many rows.
 */
export const countInTime = (
  table: Table,
  access: Access,
  tree: 'start' | 'end',
  extent: ColumnRange,
  level: number,
): SQL => {
  const [first, last] = numbersOf(extent)
  const { nodes, rest } = decompose(TREES[tree].complete, [[first, last]])
  const finest = TREES[tree].complete[0]
  const ends = rest.map((range) => {
    const node = Math.floor(range[0] / 2 ** finest)
    // A rest is smaller than a node, so it lies in at most two nodes.
    const around = sql`(SELECT coalesce(sum(${access.counts.visible(Number.POSITIVE_INFINITY)}), 0) FROM ${access.counts.table}
      WHERE ${nodesOf(access, tree, finest)} AND ${access.counts.node} BETWEEN ${integerOf(node)} AND ${integerOf(node + 1)})`
    return sql`(SELECT CASE WHEN ${around} <= ${integerOf(FEW)} THEN (SELECT count(*) FROM ${inIndex(table, access, tree, [range], level)})
      ELSE ${countDense(table, access, tree, range, level)} END)`
  })
  return sql.join([countComplete(access, tree, nodes, level), ...ends], sql` + `)
}

/**
 * Counts the visible rows with an id in an extent. Complete nodes give most of it, and the table the rest at both ends.
 */
export const countInIds = ({ table, id, visible }: Table, access: Access, extent: ColumnRange, level: number): SQL => {
  const { nodes, rest } = decompose(TREES.id.complete, [idsOf(extent)])
  const ends = rest.map(
    ([first, last]) =>
      sql`(SELECT count(*) FROM ${table} NOT INDEXED
        WHERE ${all([sql`${id} BETWEEN ${integerOf(first)} AND ${integerOf(last)}`, visible(level)])})`,
  )
  return sql.join([countComplete(access, 'id', nodes, level), ...ends], sql` + `)
}

const [FINE] = TREES.duration.dense

/** Returns the least and the greatest duration in a fine node. */
const durationsIn = (node: number): readonly [least: bigint, greatest: bigint] => [
  durationsWith(node * 2 ** FINE)[0],
  durationsWith((node + 1) * 2 ** FINE - 1)[1],
]

/** Counts the visible rows with a duration in an extent. Nodes give most of it, and the fine nodes at both ends the rest. */
export const countInDurations = (table: Table, access: Access, extent: ColumnRange, level: number): SQL => {
  const [least, greatest] = possibleDurations(extent)
  const [first, last] = [codeOf(least) >> FINE, codeOf(greatest) >> FINE]
  const ends = [...new Set([first, last])].filter((node) => {
    const [from, to] = durationsIn(node)
    return from < least || to > greatest
  })
  const whole = [first + (ends.includes(first) ? 1 : 0), last + (ends.includes(last) ? 0 : 1)] as const
  const { nodes, rest } = decompose(TREES.duration.complete, [[whole[0] << FINE, (whole[1] << FINE) - 1]])
  return sql.join(
    [
      countComplete(access, 'duration', nodes, level),
      ...rest.map((range) => countCodes(table, access, range, level)),
      ...ends.map((node) => countInFine(table, access, node, [least, greatest], level)),
    ],
    sql` + `,
  )
}

/** Counts the visible rows with a code in a range. If it is most of a complete node, it subtracts the other rows. */
const countCodes = (table: Table, access: Access, [first, last]: ValueRange, level: number): SQL => {
  const [shift] = TREES.duration.complete
  const node = Math.floor(first / 2 ** shift)
  const [from, to] = [node * 2 ** shift, (node + 1) * 2 ** shift - 1]
  const count = (range: ValueRange) => sql`(${countDense(table, access, 'duration', range, level)})`
  if (last > to || 2 * (last - first) < to - from) return count([first, last])
  const stored = countComplete(access, 'duration', [[shift, node, node]], level)
  return sql.join([stored, count([from, first - 1]), count([last + 1, to])], sql` - `)
}

/**
 * Counts the visible rows of a fine node with a duration in an extent. If these are many, such as all that last exactly
 * an hour, it subtracts the others of the node. A node with so many rows is stored.
 */
const countInFine = (
  table: Table,
  access: Access,
  node: number,
  [least, greatest]: readonly [bigint, bigint],
  level: number,
): SQL => {
  const [first, last] = durationsIn(node)
  const [from, to] = [least > first ? least : first, greatest < last ? greatest : last]
  const others = [[first, from - 1n] as const, [to + 1n, last] as const].filter((range) => !isEmpty(range))
  const index = indexOf(table, 'duration')
  const lasts = (range: ColumnRange) => within(access.time.durationColumn, range)
  const count = (range: ColumnRange) =>
    sql`(SELECT count(*) FROM ${index} WHERE ${all([lasts(range), table.visible(level)])})`
  const stored = countInNode(table, access, 'duration', FINE, integerOf(node << FINE), level)
  return sql`(SELECT CASE WHEN (SELECT count(*) FROM (SELECT 1 FROM ${index} WHERE ${lasts([from, to])}
      LIMIT ${integerOf(DENSE)})) < ${integerOf(DENSE)} THEN ${count([from, to])}
    ELSE ${sql.join([stored, ...others.map(count)], sql` - `)} END)`
}

const countComplete = (access: Access, tree: TreeName, nodes: readonly NodeSpan[], level: number): SQL =>
  sql`(SELECT coalesce(sum(${access.counts.visible(level)}), 0) FROM ${rangesTable(nodes)} CROSS JOIN ${access.counts.table}
    WHERE ${nodesOf(access, tree, sql`span.value ->> 0`)} AND ${access.counts.node} BETWEEN span.value ->> 1 AND span.value ->> 2)`

/**
 * Counts the visible rows in a dense node, given its least value. A node without a stored count has few rows, so the
 * index counts them.
 */
export const countInNode = (
  table: Table,
  access: Access,
  tree: DenseTree,
  shift: SQLWrapper | number,
  least: SQL,
  level: number,
): SQL => {
  const { counts } = access
  const bits = typeof shift === 'number' ? integerOf(shift) : shift
  const stored = sql`(SELECT ${counts.visible(level)} FROM ${counts.table}
    WHERE ${nodesOf(access, tree, shift)} AND ${counts.node} = ${least} >> ${bits})`
  const inside = counts.hasValue(tree, least, sql`${least} + (1 << ${bits}) - 1`)
  return sql`coalesce(${stored}, (SELECT count(*) FROM ${indexOf(table, tree)} WHERE ${all([inside, table.visible(level)])}))`
}

const countDense = (table: Table, access: Access, tree: DenseTree, range: ValueRange, level: number): SQL => {
  const { nodes, rest } = decompose(TREES[tree].dense, [range])
  const each = nodes.flatMap(([shift, low, high]) =>
    Array.from({ length: high - low + 1 }, (_, i) => [shift, (low + i) * 2 ** shift]),
  )
  return sql`(SELECT coalesce(sum(${countInNode(table, access, tree, sql`(span.value ->> 0)`, sql`(span.value ->> 1)`, level)}), 0) FROM ${rangesTable(each)})
    + (SELECT count(*) FROM ${inIndex(table, access, tree, rest, level)})`
}

/** Selects the visible rows with a value in some ranges, through the index of a tree. */
export const inIndex = (
  table: Table,
  { counts }: Access,
  tree: TreeName,
  ranges: readonly ValueRange[],
  level: number,
): SQL =>
  sql`${rangesTable(ranges)} CROSS JOIN ${indexOf(table, tree)}
    WHERE ${all([counts.hasValue(tree, sql`span.value ->> 0`, sql`span.value ->> 1`), table.visible(level)])}`

const indexOf = ({ table }: Table, tree: TreeName): SQL => sql`${table} INDEXED BY ${sql.identifier(TREES[tree].index)}`
