import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { DURATIONS } from '../../../schema/durations.ts'
import { eventCounts, events } from '../../../schema/tables.ts'
import { TREES, type TreeName } from '../../../schema/trees.ts'
import { at } from '../../collections.ts'
import { all, type ColumnRange, integer, integerOf, rangesTable, within } from '../../filters/sql.ts'
import { isEmpty, type Search, type ValueRange } from '../conditions/search.ts'
import { decompose } from '../estimates.ts'
import { indexOf, seenIn, through } from '../events.ts'

/** An access level, and the condition for the rows that it sees. */
export type Viewer = Pick<Search, 'level' | 'visible'>

/** Selects the nodes of one size in the table of counts. */
export const nodesOf = (tree: TreeName, shift: SQLWrapper | number): SQL =>
  sql`${eventCounts.tree} = ${sql.raw(`'${tree}'`)} AND ${eventCounts.shift} = ${typeof shift === 'number' ? integerOf(shift) : shift}`

/** Returns the number of all rows that a caller of this level sees. */
export const total = (level: number): SQL =>
  sql`coalesce((SELECT ${seenIn(level)} FROM ${eventCounts}
    WHERE ${nodesOf('id', at(TREES.id.shifts, -1))} AND ${eventCounts.node} = 0), 0)`

/** The index in which the values of a tree are adjacent. Null: the table. */
const INDEXES = {
  id: null,
  cell: 'event_of_cell',
  start: indexOf(events.start),
  end: indexOf(events.end),
} as const satisfies Partial<Record<TreeName, string | null>>

/** A tree with nodes of several sizes. */
type SizedTree = keyof typeof INDEXES

/**
 * Counts the visible rows with a value in some ranges. Nodes give most of it, and an index counts the rest at the ends. It
 * skips nodes without visible rows, so many hidden rows cost nothing.
 */
export const countIn = (viewer: Viewer, tree: SizedTree, ranges: readonly ValueRange[]): SQL => {
  const { value, shifts } = TREES[tree]
  const { nodes, rest } = decompose(shifts, ranges)
  const stored = sql`(SELECT coalesce(sum(${seenIn(viewer.level)}), 0) FROM ${rangesTable(nodes)} CROSS JOIN ${eventCounts}
    WHERE ${nodesOf(tree, sql`span.value ->> 0`)} AND ${eventCounts.node} BETWEEN span.value ->> 1 AND span.value ->> 2)`
  const bits = integerOf(shifts[0])
  const first = sql`${eventCounts.node} << ${bits}`
  const around = sql`${nodesOf(tree, shifts[0])} AND ${seenIn(viewer.level)} > 0
    AND ${eventCounts.node} BETWEEN (span.value ->> 0) >> ${bits} AND (span.value ->> 1) >> ${bits}`
  const inside = sql`${value} BETWEEN max(span.value ->> 0, ${first}) AND min(span.value ->> 1, (${first}) + ${integerOf(2 ** shifts[0] - 1)})`
  return sql`${stored} + (SELECT count(*) FROM ${rangesTable(rest)} CROSS JOIN ${eventCounts} CROSS JOIN ${through(INDEXES[tree])}
    WHERE ${all([around, inside, viewer.visible])})`
}

/** The first and the last duration of each node. */
const NODES = DURATIONS.map((first, i) => [BigInt(first), BigInt(DURATIONS[i + 1] ?? 2 ** 54) - 1n] as const)
const [, LONGEST] = at(NODES, -1)

/** Counts the visible rows with a duration in an extent. Nodes give most of it, and the index the rest at both ends. */
export const countInDurations = (viewer: Viewer, [shortest, longest]: ColumnRange): SQL => {
  const [least, greatest] = [shortest ?? 0n, longest ?? LONGEST]
  const inIndex = (range: ColumnRange) =>
    sql`(SELECT count(*) FROM ${through(indexOf(events.duration))} WHERE ${all([within(events.duration, range), viewer.visible])})`
  const whole = NODES.filter(([first, last]) => first >= least && last <= greatest)
  if (whole.length === 0) return inIndex([least, greatest])
  const [[first], [final, last]] = [at(whole, 0), at(whole, -1)]
  const nodes = sql`(SELECT coalesce(sum(${seenIn(viewer.level)}), 0) FROM ${eventCounts}
    WHERE ${nodesOf('duration', 0)} AND ${within(eventCounts.node, [first, final])})`
  const rest: ColumnRange[] = [
    [least, first - 1n],
    [last + 1n, greatest],
  ]
  return sql.join([nodes, ...rest.filter((range) => !isEmpty(range)).map(inIndex)], sql` + `)
}

const [BLOCK] = TREES.id.shifts

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
