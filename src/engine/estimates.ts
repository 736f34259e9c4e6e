import { type SQL, sql } from 'drizzle-orm'
import { DURATIONS } from '../../schema/durations.ts'
import { eventCounts, events } from '../../schema/tables.ts'
import { TREES, type TreeName } from '../../schema/trees.ts'
import { at, bisect, type ValueRange } from '../collections.ts'
import { type ColumnRange, integerOf, numberOf, rangesTable } from '../filters/sql.ts'
import { CELL_LEVELS } from '../geometry/cell.ts'
import type { Weight } from '../geometry/covering.ts'
import type { Row } from './conditions/table.ts'
import { nodesOf, seenIn, total } from './events.ts'

/** Estimates that are older are read again, with the next queries. Milliseconds. */
const MAX_AGE = 30_000
/** The rows of a data set of which nothing is known. The first read of an isolate replaces this guess. */
const UNKNOWN_ROWS = 100_000
/** The most nodes that are read to cover an area by counts. D1 bills each, also if few points are tested. */
const MAX_NODES = 5000

/** The sizes of the nodes of cells in estimates, finest first: from 0.09 by 0.04 to 5.6 by 2.8 degrees. */
const CELL_SHIFTS: readonly number[] = TREES.cell.shifts.slice(0, 4)
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

/** A node of cells in the table of counts, with its visible rows. */
export interface CellNodeRow extends NodeRow {
  readonly shift: number
}

/** Reads the nodes of some cells, the largest nodes first. `known` has larger nodes, which are left out. */
export const cellNodesQuery = (level: number, cells: readonly ValueRange[], known: Spread): SQL<CellNodeRow> => {
  const { shift, node } = eventCounts
  const size = (known.ends[0] ?? WORLD) - (known.firsts[0] ?? 0)
  const sizes = JSON.stringify(CELL_SHIFTS.filter((each) => 2 ** each < size).reverse())
  return sql`SELECT ${shift} AS shift, ${node} AS node, ${seenIn(level)} AS "rows"
    FROM json_each(${sizes}) AS size CROSS JOIN ${rangesTable(cells)} CROSS JOIN ${eventCounts}
    WHERE ${nodesOf('cell', sql`size.value`)} AND ${node} BETWEEN (span.value ->> 0) >> size.value AND (span.value ->> 1) >> size.value
    LIMIT ${integerOf(MAX_NODES)}`
}

/** Returns the rows in nodes of the finest size that was read whole. Null: there is none. */
export const spreadOfCells = (nodes: readonly CellNodeRow[]): Spread | null => {
  const finest = Math.min(...nodes.map(({ shift }) => shift))
  const whole = nodes.length < MAX_NODES ? finest : CELL_SHIFTS.find((shift) => shift > finest)
  const read = nodes.filter(({ shift }) => shift === whole)
  if (whole === undefined || read.length === 0) return null
  return spreadOf(
    read.sort((a, b) => a.node - b.node),
    whole,
  )
}

/**
 * Returns how many rows probably lie in a cell, for a covering. The smallest of the nodes around the cell knows best.
 * Without such a node the estimates do. No cell counts as empty.
 */
export const weightOf = (cells: Spread, nodes: readonly CellNodeRow[] = []): Weight => {
  const counted = new Map(nodes.map(({ shift, node, rows }) => [`${shift} ${node}`, rows]))
  const around = (first: number, last: number): number => {
    const size = last - first + 1
    for (const shift of counted.size > 0 ? CELL_SHIFTS : []) {
      const rows = 2 ** shift < size ? undefined : counted.get(`${shift} ${Math.floor(first / 2 ** shift)}`)
      if (rows !== undefined) return (rows * size) / 2 ** shift
    }
    return rowsIn(cells, first, last)
  }
  return (_level, first, last) => around(first, last) + (last - first + 1) / WORLD
}

/** Estimates, and the time of their read, in milliseconds since 1970. */
interface Remembered {
  at: number
  estimates: Estimates
}

export const NOTHING_KNOWN: Remembered = { at: Number.NEGATIVE_INFINITY, estimates: UNKNOWN }

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

/** Returns the queries for estimates as an access level sees them. There are none while the remembered ones are new. */
export const renewalOf = ({ at }: Remembered, level: number): readonly SQL<Row>[] => {
  if (Date.now() - at < MAX_AGE) return []
  const nodes = (tree: TreeName, shift: number): SQL<Row> =>
    sql`SELECT ${eventCounts.node} AS node, ${seenIn(level)} AS "rows" FROM ${eventCounts}
      WHERE ${nodesOf(tree, shift)} ORDER BY ${eventCounts.node}`
  return [
    sql`SELECT ${total(level)} AS count`,
    cellNodesQuery(level, [[0, WORLD - 1]], UNKNOWN.cells) as SQL<unknown> as SQL<Row>,
    nodes('start', SHIFTS.start),
    nodes('id', SHIFTS.id),
    nodes('duration', 0),
    sql`SELECT max(${events.id}) AS count FROM ${events}`,
  ]
}

/** Remembers the answers to the queries of `renewalOf`. */
export const renew = (remembered: Remembered, answers: readonly (readonly Row[])[]): void => {
  const rowsAt = (i: number) => (answers[i] ?? []) as unknown as readonly (CellNodeRow & { readonly count: number })[] // as the queries select
  remembered.at = Date.now()
  remembered.estimates = {
    total: numberOf(rowsAt(0)),
    cells: spreadOfCells(rowsAt(1)) ?? UNKNOWN.cells,
    starts: spreadOf(rowsAt(2), SHIFTS.start),
    ids: spreadOf(rowsAt(3), SHIFTS.id, numberOf(rowsAt(5))),
    durations: spreadOfDurations(rowsAt(4)),
  }
}
