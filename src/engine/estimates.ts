import { type SQL, sql } from 'drizzle-orm'
import { DURATIONS } from '../../schema/durations.ts'
import { eventCounts, events } from '../../schema/tables.ts'
import { TREES, type TreeName } from '../../schema/trees.ts'
import { at, bisect } from '../collections.ts'
import { asCount, type ColumnRange, numberOf } from '../filters/sql.ts'
import { CELL_LEVELS } from '../geometry/cell.ts'
import type { Weight } from '../geometry/covering.ts'
import type { ValueRange } from './conditions/search.ts'
import type { Row } from './conditions/table.ts'
import { nodesOf, seenIn, total } from './events.ts'
import { UNKNOWN_ROWS } from './limits.ts'

/**
 * Nodes of one size: the numbers of the first and the last. A node counts the rows whose value has its number after a
 * right shift by `shift` bits.
 */
export type NodeSpan = readonly [shift: number, first: number, last: number]

/** Ranges of values that were split into nodes. `rest` has the parts that are smaller than a node. */
export interface Decomposed {
  readonly nodes: readonly NodeSpan[]
  readonly rest: readonly ValueRange[]
}

/** Splits ranges of values into the largest possible nodes. `shifts` has the allowed sizes, finest first. */
export const decompose = (shifts: readonly number[], ranges: readonly ValueRange[]): Decomposed => {
  const nodes: NodeSpan[] = []
  const rest: ValueRange[] = []
  const take = (first: number, last: number, depth: number): void => {
    if (first > last) return
    const shift = shifts[depth]
    if (shift === undefined) {
      rest.push([first, last])
      return
    }
    const size = 2 ** shift
    const [low, high] = [Math.ceil(first / size), Math.floor((last + 1) / size) - 1]
    if (low > high) {
      take(first, last, depth - 1)
      return
    }
    nodes.push([shift, low, high])
    take(first, low * size - 1, depth - 1)
    take((high + 1) * size, last, depth - 1)
  }
  for (const [first, last] of ranges) take(first, last, shifts.length - 1)
  return { nodes, rest }
}

/** The sizes of nodes of cells by which an area is covered again, finest first. */
export const FINE_SHIFTS = TREES.cell.shifts.slice(0, 3)
/** The number of finest cells in the world. */
export const WORLD = 4 ** CELL_LEVELS

/** The statistics read nodes of 5.6 by 2.8 degrees, of 25 days and of 32,768 ids. */
export const STATISTICS_SHIFTS = { cell: 40, start: 31, id: 15 } as const

/** The visible rows of a node. */
export interface NodeRow {
  readonly node: number
  readonly rows: number
}

/** The rows in nodes of one size, in ascending order of the nodes. */
export interface Spread {
  readonly shift: number
  readonly nodes: readonly number[]
  /** The rows before each node. The last sum is the total. */
  readonly sums: readonly number[]
  /** The last value in use, if known. It shortens the last node. */
  readonly greatest: number
}

/** Estimates of the rows by place, time, id and duration. They steer plans, and never decide an answer. */
export interface Statistics {
  readonly total: number
  readonly cells: Spread
  readonly starts: Spread
  readonly ids: Spread
  /** The rows of each node of durations. */
  readonly durations: readonly NodeRow[]
}

export const spreadOf = (rows: readonly NodeRow[], shift: number, greatest = Number.POSITIVE_INFINITY): Spread => {
  const sums = [0]
  for (const { rows: held } of rows) sums.push(at(sums, -1) + held)
  return { shift, nodes: rows.map(({ node }) => node), sums, greatest }
}

/** Estimates the rows in a range of values. It assumes that the rows of a node are spread evenly. */
export const rowsIn = (spread: Spread, first: number, last: number): number =>
  Math.max(0, rowsBelow(spread, last + 1) - rowsBelow(spread, first))

const rowsBelow = ({ shift, nodes, sums, greatest }: Spread, value: number): number => {
  const size = 2 ** shift
  const node = Math.floor(value / size)
  const i = bisect(0, nodes.length, (middle) => at(nodes, middle) < node)
  if (nodes[i] !== node) return at(sums, i)
  const width = Math.min(size, greatest + 1 - node * size)
  const part = Math.min(1, Math.max(0, (value - node * size) / Math.max(1, width)))
  return at(sums, i) + (at(sums, i + 1) - at(sums, i)) * part
}

/** Estimates the rows in some ranges of values. */
export const rowsInRanges = (spread: Spread, ranges: readonly ValueRange[]): number =>
  ranges.reduce((sum, range) => sum + rowsIn(spread, ...range), 0)

/** Estimates the rows in an extent of starts or ids. */
export const rowsInExtent = (spread: Spread, [least, greatest]: ColumnRange): number =>
  rowsIn(spread, Number(least ?? -Infinity), Number(greatest ?? Infinity))

/** Estimates the rows with a duration in an extent. It assumes that the rows of a node are spread evenly. */
export const rowsInDurations = ({ durations }: Statistics, [shortest, longest]: ColumnRange): number => {
  const [least, greatest] = [Number(shortest ?? 0n), Number(longest ?? Infinity)]
  const rowsOf = ({ node, rows }: NodeRow): number => {
    const end = DURATIONS[DURATIONS.indexOf(node) + 1] ?? 2 * node
    const inside = Math.min(end, greatest + 1) - Math.max(node, least)
    return (rows * Math.max(0, inside)) / (end - node)
  }
  return durations.reduce((sum, node) => sum + rowsOf(node), 0)
}

export const partOf = (rows: number, total: number): number => Math.min(1, rows / Math.max(1, total))

/** One node with rows. It has a greatest value, and spreads them evenly up to it. */
const evenly = (shift: number, rows: number, greatest: number): Spread => ({
  shift,
  nodes: [0],
  sums: [0, rows],
  greatest,
})

/** Plans use these statistics until the isolate has read others. */
export const UNKNOWN: Statistics = {
  total: UNKNOWN_ROWS,
  cells: evenly(2 * CELL_LEVELS, UNKNOWN_ROWS, WORLD - 1),
  starts: evenly(41, UNKNOWN_ROWS, 2 ** 41),
  ids: evenly(53, UNKNOWN_ROWS, UNKNOWN_ROWS),
  durations: DURATIONS.map((node) => ({ node, rows: UNKNOWN_ROWS / DURATIONS.length })),
}

/** A node of cells in the table of counts, with its visible rows. */
export interface CellNodeRow {
  readonly shift: number
  readonly node: number
  readonly rows: number
}

/**
 * Returns how many rows probably lie in a cell, for a covering. The smallest of the nodes around the cell knows best.
 * Without such a node the statistics do. No cell counts as empty.
 */
export const weightOf = ({ cells }: Statistics, nodes: readonly CellNodeRow[] = []): Weight => {
  const known = new Map(nodes.map(({ shift, node, rows }) => [`${shift} ${node}`, rows]))
  const around = (first: number, last: number): number => {
    const size = last - first + 1
    for (const shift of FINE_SHIFTS) {
      const rows = 2 ** shift < size ? undefined : known.get(`${shift} ${Math.floor(first / 2 ** shift)}`)
      if (rows !== undefined) return (rows * size) / 2 ** shift
    }
    return rowsIn(cells, first, last)
  }
  return (_level, first, last) => around(first, last) + (last - first + 1) / WORLD
}

/** Reads the total, the nodes of cells, starts, ids and durations, and the greatest id. */
export const statisticsQueries = (level: number): readonly SQL<Row>[] => {
  const nodes = (tree: TreeName, shift: number): SQL<Row> =>
    sql`SELECT ${eventCounts.node} AS node, ${seenIn(level)} AS "rows" FROM ${eventCounts}
      WHERE ${nodesOf(tree, shift)} ORDER BY ${eventCounts.node}`
  return [
    asCount(total(level)) as SQL<unknown> as SQL<Row>,
    nodes('cell', STATISTICS_SHIFTS.cell),
    nodes('start', STATISTICS_SHIFTS.start),
    nodes('id', STATISTICS_SHIFTS.id),
    nodes('duration', 0),
    sql`SELECT max(${events.id}) AS count FROM ${events}`,
  ]
}

/** Converts the answers of `statisticsQueries`. */
export const statisticsFrom = (answers: readonly (readonly Row[])[]): Statistics => {
  const rowsAt = (i: number) => (answers[i] ?? []) as unknown as readonly (NodeRow & { readonly count: number })[] // as the queries select
  return {
    total: numberOf(rowsAt(0)),
    cells: spreadOf(rowsAt(1), STATISTICS_SHIFTS.cell),
    starts: spreadOf(rowsAt(2), STATISTICS_SHIFTS.start),
    ids: spreadOf(rowsAt(3), STATISTICS_SHIFTS.id, numberOf(rowsAt(5))),
    durations: rowsAt(4),
  }
}

/** Statistics, and the time of their read, in milliseconds since 1970. */
interface Remembered {
  at: number
  statistics: Statistics
}

export const NOTHING_KNOWN: Remembered = { at: Number.NEGATIVE_INFINITY, statistics: UNKNOWN }

/** What an isolate remembers of each database by level, because a Worker may have several databases. */
const memory = new WeakMap<D1Database, Map<number, Remembered>>()

/** Returns what the isolate remembers of a database, as an access level sees it. */
export const rememberedOf = (d1: D1Database, level: number): Remembered => {
  const ofLevels = memory.get(d1) ?? new Map<number, Remembered>()
  memory.set(d1, ofLevels)
  const remembered = ofLevels.get(level) ?? { ...NOTHING_KNOWN }
  ofLevels.set(level, remembered)
  return remembered
}
