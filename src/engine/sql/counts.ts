import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { codeOf, durationsWith, possibleDurations } from '../../../schema/durations.ts'
import { eventCounts, events } from '../../../schema/tables.ts'
import { DENSE, hasValue, TREES, type TreeName } from '../../../schema/trees.ts'
import { at } from '../../collections.ts'
import { all, type ColumnRange, integer, integerOf, rangesTable, within } from '../../filters/sql.ts'
import { idsOf, isEmpty, numbersOf, type Search, type ValueRange } from '../conditions/search.ts'
import { decompose, type NodeSpan } from '../estimates.ts'
import { seenIn, through } from '../events.ts'
import { FEW } from '../limits.ts'

/** An access level, and the condition for the rows that it sees. */
export type Viewer = Pick<Search, 'level' | 'visible'>

/** Selects the nodes of one size in the table of counts. */
export const nodesOf = (tree: TreeName, shift: SQLWrapper | number): SQL =>
  sql`${eventCounts.tree} = ${sql.raw(`'${tree}'`)} AND ${eventCounts.shift} = ${typeof shift === 'number' ? integerOf(shift) : shift}`

/** Returns the number of all rows that a caller of this level sees. */
export const total = (level: number): SQL =>
  sql`coalesce((SELECT ${seenIn(level)} FROM ${eventCounts}
    WHERE ${nodesOf('id', at(TREES.id.complete, -1))} AND ${eventCounts.node} = 0), 0)`

type DenseTree = Exclude<TreeName, 'id'>

/**
 * Counts the visible rows with a time in an extent. Complete nodes give most of it. The index counts the rest at both
 * ends, or dense nodes do if the rest has many rows.
 */
export const countInTime = (viewer: Viewer, tree: 'start' | 'end', extent: ColumnRange): SQL => {
  const [first, last] = numbersOf(extent)
  const { nodes, rest } = decompose(TREES[tree].complete, [[first, last]])
  const finest = TREES[tree].complete[0]
  const ends = rest.map((range) => {
    const node = Math.floor(range[0] / 2 ** finest)
    // A rest is smaller than a node, so it lies in at most two nodes.
    const around = sql`(SELECT coalesce(sum(${seenIn(Number.POSITIVE_INFINITY)}), 0) FROM ${eventCounts}
      WHERE ${nodesOf(tree, finest)} AND ${eventCounts.node} BETWEEN ${integerOf(node)} AND ${integerOf(node + 1)})`
    return sql`(SELECT CASE WHEN ${around} <= ${integerOf(FEW)} THEN (SELECT count(*) FROM ${inIndex(viewer, tree, [range])})
      ELSE ${countDense(viewer, tree, [range])} END)`
  })
  return sql.join([countComplete(viewer, tree, nodes), ...ends], sql` + `)
}

/**
 * Counts the visible rows with an id in an extent. Complete nodes give most of it, and the table the rest at both ends.
 */
export const countInIds = (viewer: Viewer, extent: ColumnRange): SQL => {
  const { nodes, rest } = decompose(TREES.id.complete, [idsOf(extent)])
  const ends = rest.map(
    ([first, last]) =>
      sql`(SELECT count(*) FROM ${through(null)}
        WHERE ${all([sql`${events.id} BETWEEN ${integerOf(first)} AND ${integerOf(last)}`, viewer.visible])})`,
  )
  return sql.join([countComplete(viewer, 'id', nodes), ...ends], sql` + `)
}

const [FINE] = TREES.duration.dense

/** Returns the least and the greatest duration in a fine node. */
const durationsIn = (node: number): readonly [least: bigint, greatest: bigint] => [
  durationsWith(node * 2 ** FINE)[0],
  durationsWith((node + 1) * 2 ** FINE - 1)[1],
]

/** Counts the visible rows with a duration in an extent. Nodes give most of it, and the fine nodes at both ends the rest. */
export const countInDurations = (viewer: Viewer, extent: ColumnRange): SQL => {
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
      countComplete(viewer, 'duration', nodes),
      ...rest.map((range) => countCodes(viewer, range)),
      ...ends.map((node) => countInFine(viewer, node, [least, greatest])),
    ],
    sql` + `,
  )
}

/** Counts the visible rows with a code in a range. If it is most of a complete node, it subtracts the other rows. */
const countCodes = (viewer: Viewer, [first, last]: ValueRange): SQL => {
  const [shift] = TREES.duration.complete
  const node = Math.floor(first / 2 ** shift)
  const [from, to] = [node * 2 ** shift, (node + 1) * 2 ** shift - 1]
  const count = (range: ValueRange) => sql`(${countDense(viewer, 'duration', [range])})`
  if (last > to || 2 * (last - first) < to - from) return count([first, last])
  const stored = countComplete(viewer, 'duration', [[shift, node, node]])
  return sql.join([stored, count([from, first - 1]), count([last + 1, to])], sql` - `)
}

/**
 * Counts the visible rows of a fine node with a duration in an extent. If these are many, such as all that last exactly
 * an hour, it subtracts the others of the node. A node with so many rows is stored.
 */
const countInFine = (viewer: Viewer, node: number, [least, greatest]: readonly [bigint, bigint]): SQL => {
  const [first, last] = durationsIn(node)
  const [from, to] = [least > first ? least : first, greatest < last ? greatest : last]
  const others = [[first, from - 1n] as const, [to + 1n, last] as const].filter((range) => !isEmpty(range))
  const index = indexOf('duration')
  const lasts = (range: ColumnRange) => within(events.duration, range)
  const count = (range: ColumnRange) =>
    sql`(SELECT count(*) FROM ${index} WHERE ${all([lasts(range), viewer.visible])})`
  const stored = countInNode(viewer, 'duration', FINE, integerOf(node << FINE))
  return sql`(SELECT CASE WHEN (SELECT count(*) FROM (SELECT 1 FROM ${index} WHERE ${lasts([from, to])}
      LIMIT ${integerOf(DENSE)})) < ${integerOf(DENSE)} THEN ${count([from, to])}
    ELSE ${sql.join([stored, ...others.map(count)], sql` - `)} END)`
}

/** Counts the visible rows in some ranges of finest cells. Ranges of whole cells are counted by their nodes. */
export const countInCells = (viewer: Viewer, ranges: readonly ValueRange[]): SQL => {
  const { complete } = TREES.cell
  const { nodes, rest } = decompose(complete, ranges)
  return sql`${countComplete(viewer, 'cell', nodes)} + (${countDense(viewer, 'cell', rest)})`
}

const countComplete = (viewer: Viewer, tree: TreeName, nodes: readonly NodeSpan[]): SQL =>
  sql`(SELECT coalesce(sum(${seenIn(viewer.level)}), 0) FROM ${rangesTable(nodes)} CROSS JOIN ${eventCounts}
    WHERE ${nodesOf(tree, sql`span.value ->> 0`)} AND ${eventCounts.node} BETWEEN span.value ->> 1 AND span.value ->> 2)`

/**
 * Counts the visible rows in a dense node, given its least value. A node without a stored count has few rows, so the
 * index counts them.
 */
export const countInNode = (viewer: Viewer, tree: DenseTree, shift: SQLWrapper | number, least: SQL): SQL => {
  const bits = typeof shift === 'number' ? integerOf(shift) : shift
  const stored = sql`(SELECT ${seenIn(viewer.level)} FROM ${eventCounts}
    WHERE ${nodesOf(tree, shift)} AND ${eventCounts.node} = ${least} >> ${bits})`
  const inside = hasValue(tree, least, sql`${least} + (1 << ${bits}) - 1`)
  return sql`coalesce(${stored}, (SELECT count(*) FROM ${indexOf(tree)} WHERE ${all([inside, viewer.visible])}))`
}

const countDense = (viewer: Viewer, tree: DenseTree, ranges: readonly ValueRange[]): SQL => {
  const { nodes, rest } = decompose(TREES[tree].dense, ranges)
  const each = nodes.flatMap(([shift, low, high]) =>
    Array.from({ length: high - low + 1 }, (_, i) => [shift, (low + i) * 2 ** shift]),
  )
  return sql`(SELECT coalesce(sum(${countInNode(viewer, tree, sql`(span.value ->> 0)`, sql`(span.value ->> 1)`)}), 0) FROM ${rangesTable(each)})
    + (SELECT count(*) FROM ${inIndex(viewer, tree, rest)})`
}

/** Selects the visible rows with a value in some ranges, through the index of a tree. */
export const inIndex = (viewer: Viewer, tree: TreeName, ranges: readonly ValueRange[]): SQL =>
  sql`${rangesTable(ranges)} CROSS JOIN ${indexOf(tree)}
    WHERE ${all([hasValue(tree, sql`span.value ->> 0`, sql`span.value ->> 1`), viewer.visible])}`

const indexOf = (tree: TreeName): SQL => through(TREES[tree].index)

const [BLOCK] = TREES.id.complete

/** Reads the table in blocks of ids, and skips blocks without visible rows. `near` limits the blocks. */
export const blocks = (
  { level }: Pick<Search, 'level'>,
  [least, greatest]: ColumnRange,
  near: SQL | null = null,
): { readonly from: SQL; readonly enter: SQL | null } => {
  const { node } = eventCounts
  const first = sql`${node} * ${integerOf(2 ** BLOCK)}`
  const last = sql`${first} + ${integerOf(2 ** BLOCK - 1)}`
  // One bound at each end: SQLite enters an index with only one.
  const inside = sql`${events.id} BETWEEN ${least === null ? first : sql`max(${first}, ${integer(least)})`}
    AND ${greatest === null ? last : sql`min(${last}, ${integer(greatest)})`}`
  const nodes = within(node, [least && least >> BigInt(BLOCK), greatest && greatest >> BigInt(BLOCK)])
  return {
    from: sql`${eventCounts} CROSS JOIN ${through(null)}`,
    enter: all([nodesOf('id', BLOCK), sql`${seenIn(level)} > 0`, nodes, near, inside]),
  }
}
