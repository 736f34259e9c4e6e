import { type SQL, sql } from 'drizzle-orm'
import { DURATIONS } from '../../schema/durations.ts'
import { eventCounts, events } from '../../schema/tables.ts'
import { TREES, type TreeName } from '../../schema/trees.ts'
import { at, bisect, keptFor, type ValueRange } from '../collections.ts'
import { type ColumnRange, integerOf, numberOf } from '../filters/sql.ts'
import { CELL_LEVELS } from '../geometry/cell.ts'
import type { Weight } from '../geometry/covering.ts'
import type { Row } from './conditions/table.ts'
import { nodesOf, seenIn, total } from './events.ts'
import { CROWDED, MAX_AGE, UNKNOWN_ROWS } from './limits.ts'

/** The sizes of the nodes of cells in estimates, largest first: from 5.6 by 2.8 to 0.09 by 0.04 degrees. */
const [LARGEST, SMALLER, SMALLEST] = [at(TREES.cell.shifts, 3), at(TREES.cell.shifts, 1), at(TREES.cell.shifts, 0)]
/** A node of cells has 2 ** STEP smaller ones. */
const STEP = SMALLER - SMALLEST
/** The number of finest cells in the world. */
const WORLD = 4 ** CELL_LEVELS

/** The estimates read nodes of 25 days and of 32,768 ids. */
const SHIFTS = { start: 31, id: 15 } as const

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
  readonly total: number
  readonly cells: Spread
  readonly starts: Spread
  readonly ids: Spread
  readonly durations: Spread
}

/** `greatest` is the last value in use, if known. It shortens the last node. */
const spreadOf = (rows: readonly NodeRow[], shift: number, greatest = Number.POSITIVE_INFINITY): Spread =>
  spread(rows.map(({ node, rows }) => [node * 2 ** shift, Math.min((node + 1) * 2 ** shift, greatest + 1), rows]))

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

/** Plans use these estimates until the isolate has read others. */
export const UNKNOWN: Estimates = {
  total: UNKNOWN_ROWS,
  cells: spread([[0, WORLD, UNKNOWN_ROWS]]),
  starts: spread([[0, 2 ** 41, UNKNOWN_ROWS]]),
  ids: spread([[0, UNKNOWN_ROWS, UNKNOWN_ROWS]]),
  durations: spreadOfDurations(DURATIONS.map((node) => ({ node, rows: UNKNOWN_ROWS / DURATIONS.length }))),
}

/** The visible rows from the cell `first` to before the cell `end`. */
interface CellsRow {
  readonly first: number
  readonly end: number
  readonly rows: number
}

/**
 * Reads nodes of cells that share no row. A crowded node is read as its smaller ones, so the estimates know towns.
 * These are at most 52,000 nodes, and 6,600 for a million events of the skewed bench.
 */
const cellsQuery = (level: number): SQL<CellsRow> => {
  const { shift, node } = eventCounts
  const columns = sql`${shift} AS shift, ${node} AS node, ${seenIn(level)} AS "rows"`
  const [step, last] = [integerOf(STEP), integerOf(2 ** STEP - 1)]
  const isCut = sql`found.shift > ${integerOf(SMALLEST)} AND found."rows" > ${CROWDED} * ${total(level)}`
  return sql`WITH RECURSIVE found AS (SELECT ${columns} FROM ${eventCounts} WHERE ${nodesOf('cell', LARGEST)}
      UNION ALL SELECT ${columns} FROM found CROSS JOIN ${eventCounts} WHERE ${isCut}
        AND ${nodesOf('cell', sql`found.shift - ${step}`)} AND ${node} BETWEEN found.node << ${step} AND (found.node << ${step}) + ${last})
    SELECT node << shift AS first, (node + 1) << shift AS "end", "rows" FROM found WHERE NOT (${isCut}) ORDER BY 1`
}

/** An isolate that has seen no row covers areas for rows that come later. */
const spreadOfCells = (rows: readonly CellsRow[]): Spread =>
  rows.length === 0 ? UNKNOWN.cells : spread(rows.map(({ first, end, rows }) => [first, end, rows]))

/** Returns how many rows probably lie in a cell, for a covering. No cell counts as empty. */
export const weightOf =
  (cells: Spread): Weight =>
  (_level, first, last) =>
    rowsIn(cells, first, last) + (last - first + 1) / WORLD

/** Estimates, and the time of their read, in milliseconds since 1970. */
interface Remembered {
  at: number
  estimates: Estimates
}

export const NOTHING_KNOWN: Remembered = { at: Number.NEGATIVE_INFINITY, estimates: UNKNOWN }

/** What an isolate remembers of a database, by level. A Worker may have several databases. */
const levelsOf = keptFor((_: D1Database) => new Map<number, Remembered>())

/** Returns what the isolate remembers of a database, as an access level sees it. */
export const rememberedOf = (d1: D1Database, level: number): Remembered => {
  const ofLevels = levelsOf(d1)
  const remembered = ofLevels.get(level) ?? { ...NOTHING_KNOWN }
  ofLevels.set(level, remembered)
  return remembered
}

/** Returns the queries for estimates as an access level sees them. There are none while the remembered ones are new. */
export const renewalOf = ({ at }: Remembered, level: number): readonly SQL<Row>[] => {
  if (Date.now() - at < MAX_AGE) return []
  const nodes = (tree: TreeName, shift: number): SQL<Row> =>
    sql`SELECT ${eventCounts.node} AS node, ${seenIn(level)} AS "rows" FROM ${eventCounts}
      WHERE ${nodesOf(tree, shift)} ORDER BY ${eventCounts.node}`
  return [
    sql`SELECT ${total(level)} AS count`,
    cellsQuery(level) as SQL<unknown> as SQL<Row>,
    nodes('start', SHIFTS.start),
    nodes('id', SHIFTS.id),
    nodes('duration', 0),
    sql`SELECT max(${events.id}) AS count FROM ${events}`,
  ]
}

/** Remembers the answers to the queries of `renewalOf`. */
export const renew = (remembered: Remembered, answers: readonly (readonly Row[])[]): void => {
  const rowsAt = (i: number) =>
    (answers[i] ?? []) as unknown as readonly (CellsRow & NodeRow & { readonly count: number })[] // as the queries select
  remembered.at = Date.now()
  remembered.estimates = {
    total: numberOf(rowsAt(0)),
    cells: spreadOfCells(rowsAt(1)),
    starts: spreadOf(rowsAt(2), SHIFTS.start),
    ids: spreadOf(rowsAt(3), SHIFTS.id, numberOf(rowsAt(5))),
    durations: spreadOfDurations(rowsAt(4)),
  }
}
