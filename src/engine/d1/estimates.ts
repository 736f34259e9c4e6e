import { type SQL, sql } from 'drizzle-orm'
import { DURATIONS } from '../../../schema/durations.ts'
import { eventCounts, events } from '../../../schema/tables.ts'
import { TREES } from '../../../schema/trees.ts'
import { at, bisect, keptFor, type ValueRange } from '../../base/collections.ts'
import { CELL_LEVELS } from '../../geometry/cell.ts'
import type { Row } from '../engine.ts'
import { CROWDED, MAX_AGE, UNKNOWN_ROWS } from '../limits.ts'
import { nodesOf, seenIn, total } from './indexes.ts'
import { type ColumnRange, integerOf } from './sql.ts'

/**
 * The sizes of the nodes in estimates, largest first. Cells: from 5.6 by 2.8 to 0.09 by 0.04 degrees. Starts: from 17 years
 * to 25 days.
 */
const SHIFTS = {
  cell: [at(TREES.cell.shifts, 3), at(TREES.cell.shifts, 0)],
  start: [at(TREES.start.shifts, 3), at(TREES.start.shifts, 1)],
} as const
/** A node of cells or starts has 2 ** STEP smaller ones. */
const STEP = 4
/** The number of finest cells in the world. */
const WORLD = 4 ** CELL_LEVELS

/** The visible rows of a node. */
export interface NodeRow {
  readonly node: number
  readonly rows: number
}

/** The rows in some nodes, in ascending order. Between its first value and `end`, a node has `rows` evenly spread. */
export interface Spread {
  readonly firsts: readonly number[]
  readonly ends: readonly number[]
  /** The rows before each node. The last sum is the total. */
  readonly sums: readonly number[]
}

/** Estimates of the rows by place, time, id and duration. They steer plans, and never decide an answer. */
export interface Estimates {
  /** The time of their read, in milliseconds since 1970. */
  readonly at: number
  readonly total: number
  readonly cells: Spread
  readonly starts: Spread
  readonly ids: Spread
  readonly durations: Spread
}

const spreadOfDurations = (rows: readonly NodeRow[]): Spread =>
  spread(rows.map(({ node, rows }) => [node, DURATIONS[DURATIONS.indexOf(node) + 1] ?? 2 * node, rows]))

const spread = (nodes: readonly (readonly [first: number, end: number, rows: number])[]): Spread => {
  const sums = [0]
  for (const [, , rows] of nodes) sums.push(at(sums, -1) + rows)
  return { firsts: nodes.map(([first]) => first), ends: nodes.map(([, end]) => end), sums }
}

/** Estimates the rows in a range of values. */
export const rowsIn = (spread: Spread, first: number, last: number): number =>
  Math.max(0, rowsBelow(spread, last + 1) - rowsBelow(spread, first))

const rowsBelow = ({ firsts, ends, sums }: Spread, value: number): number => {
  const after = bisect(0, firsts.length, (i) => at(firsts, i) < value)
  if (after === 0) return 0
  const [first, end] = [at(firsts, after - 1), at(ends, after - 1)]
  const [before, below] = [at(sums, after - 1), at(sums, after)]
  return before + (below - before) * Math.min(1, (value - first) / Math.max(1, end - first))
}

/** Estimates the rows in some ranges of values. */
export const rowsInRanges = (spread: Spread, ranges: readonly ValueRange[]): number =>
  ranges.reduce((sum, range) => sum + rowsIn(spread, ...range), 0)

/** Estimates the rows in an extent of values. */
export const rowsInExtent = (spread: Spread, [least, greatest]: ColumnRange): number =>
  rowsIn(spread, Number(least ?? -Infinity), Number(greatest ?? Infinity))

export const fractionOf = (rows: number, total: number): number => Math.min(1, rows / Math.max(1, total))

/** The visible rows from the value `first` to before the value `end`. */
interface RangeRow {
  readonly first: number
  readonly end: number
  readonly rows: number
}

const spreadOf = (rows: readonly RangeRow[]): Spread => spread(rows.map(({ first, end, rows }) => [first, end, rows]))

/** The rows of the world, while no place is known. */
const EVERYWHERE: RangeRow = { first: 0, end: WORLD, rows: UNKNOWN_ROWS }

/** Plans use these estimates until the isolate has read others. */
export const UNKNOWN: Estimates = {
  at: Number.NEGATIVE_INFINITY,
  total: UNKNOWN_ROWS,
  cells: spreadOf([EVERYWHERE]),
  starts: spread([[0, 2 ** 41, UNKNOWN_ROWS]]),
  ids: spread([[0, UNKNOWN_ROWS, UNKNOWN_ROWS]]),
  durations: spreadOfDurations(DURATIONS.map((node) => ({ node, rows: UNKNOWN_ROWS / DURATIONS.length }))),
}

/**
 * Reads nodes of cells or starts that share no row. A crowded node is read as its smaller ones, so the estimates know towns.
 * These are at most 52,000 nodes, and 6,600 for a million events of the skewed bench.
 */
const nodesQuery = (level: number, tree: keyof typeof SHIFTS): SQL<RangeRow> => {
  const { shift, node } = eventCounts
  const [largest, smallest] = SHIFTS[tree]
  const columns = sql`${shift} AS shift, ${node} AS node, ${seenIn(level)} AS "rows"`
  const [step, last] = [integerOf(STEP), integerOf(2 ** STEP - 1)]
  const isCut = sql`found.shift > ${integerOf(smallest)} AND found."rows" > ${CROWDED} * ${total(level)}`
  return sql`WITH RECURSIVE found AS (SELECT ${columns} FROM ${eventCounts} WHERE ${nodesOf(tree, largest)}
      UNION ALL SELECT ${columns} FROM found CROSS JOIN ${eventCounts} WHERE ${isCut}
        AND ${nodesOf(tree, sql`found.shift - ${step}`)} AND ${node} BETWEEN found.node << ${step} AND (found.node << ${step}) + ${last})
    SELECT node << shift AS first, (node + 1) << shift AS "end", "rows" FROM found WHERE NOT (${isCut}) ORDER BY 1`
}

/** Returns how many rows probably lie in a cell, for a covering. No cell counts as empty. */
export const weightOf =
  (cells: Spread) =>
  (_level: number, first: number, last: number): number =>
    rowsIn(cells, first, last) + (last - first + 1) / WORLD

/** The estimates that an isolate remembers of a database, by level. A Worker may have several databases. */
export const rememberedOf = keptFor((_: D1Database) => new Map<number, Estimates>())

/** Returns the queries for estimates as an access level sees them. There are none while the remembered ones are new. */
export const renewalOf = ({ at }: Estimates, level: number): readonly SQL<Row>[] => {
  if (Date.now() - at < MAX_AGE) return []
  const durations = sql<Row>`SELECT ${eventCounts.node} AS node, ${seenIn(level)} AS "rows" FROM ${eventCounts}
    WHERE ${nodesOf('duration', 0)} ORDER BY ${eventCounts.node}`
  // Ids may have gaps of any length, so any number of their nodes may have rows. They count as evenly spread.
  const ids = sql<Row>`SELECT coalesce((SELECT min(${events.id}) FROM ${events}), 0) AS first,
    coalesce((SELECT max(${events.id}) FROM ${events}), 0) + 1 AS "end",
    ${total(level)} AS "rows"`
  const nodes = TREES_OF_NODES.map((tree) => nodesQuery(level, tree) as SQL<unknown> as SQL<Row>)
  return [ids, ...nodes, durations]
}

const TREES_OF_NODES = ['cell', 'start'] as const

/** Returns the estimates in the answers to the queries of `renewalOf`. */
export const estimatesIn = (answers: readonly D1Result<Row>[]): Estimates => {
  const rowsAt = (i: number) => (answers[i]?.results ?? []) as unknown as readonly (RangeRow & NodeRow)[] // as the queries select
  const [[ids], cells] = [rowsAt(0), rowsAt(1)]
  return {
    at: Date.now(),
    total: ids?.rows ?? 0,
    // An isolate that has seen no place covers areas for rows that come later.
    cells: spreadOf(cells.some(({ first }) => first >= 0) ? cells : [...cells, EVERYWHERE]),
    starts: spreadOf(rowsAt(2)),
    ids: spreadOf(ids === undefined ? [] : [ids]),
    durations: spreadOfDurations(rowsAt(3)),
  }
}
