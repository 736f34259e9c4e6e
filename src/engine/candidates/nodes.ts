import { TREES } from '../../../schema/trees.ts'
import { at, bisect } from '../../collections.ts'
import type { ColumnRange } from '../../filters/sql.ts'
import { CELL_LEVELS, merged } from '../../geometry/cell.ts'
import type { Weight } from '../../geometry/covering.ts'
import type { ValueRange } from '../conditions/criteria.ts'

/**
 * Nodes of one size: the numbers of the first and the last. A node counts the rows whose value has its number after a
 * right shift by `shift` bits.
 * A complete size has every node with rows. A dense size has only nodes with many rows, see schema/trees.ts.
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

/** The shifts of all nodes of cells that the table of counts may hold, finest first. */
export const CELL_SHIFTS = [...TREES.cell.dense, ...TREES.cell.complete] as const
const COARSEST = at(CELL_SHIFTS, -1)
const STEP = 4
export const [FINEST_COMPLETE] = TREES.cell.complete
/** The number of finest cells in the world. */
export const WORLD = 4 ** CELL_LEVELS

/** A node of cells in the table of counts, with its visible rows. */
export interface CellNodeRow {
  readonly shift: number
  readonly node: number
  readonly rows: number
}

/** Rows per node that was read. The outer key is the shift, the inner key is the node number. */
export type RowsByNode = ReadonlyMap<number, ReadonlyMap<number, number>>

export const nodesFrom = (rows: readonly CellNodeRow[]): RowsByNode => {
  const nodes = new Map<number, Map<number, number>>(CELL_SHIFTS.map((shift) => [shift, new Map()]))
  for (const { shift, node, rows: held } of rows) nodes.get(shift)?.set(node, held)
  return nodes
}

/** Returns the number of bits that separate the finest cells of a range. The range is a cell. */
const bitsOf = ([first, last]: ValueRange): number => Math.round(Math.log2(last - first + 1))

/**
 * Returns the exact number of rows in a cell. It reads the node of the cell, or adds the nodes inside it. Returns null
 * if a node is missing.
 */
export const knownRows = (nodes: RowsByNode, [first, last]: ValueRange): number | null => {
  const bits = bitsOf([first, last])
  const shift = bits - (bits % STEP)
  const held = nodes.get(shift)
  if (held === undefined) return null
  let sum = 0
  for (let value = first; value <= last; value += 2 ** shift) {
    const rows = held.get(Math.floor(value / 2 ** shift))
    if (rows === undefined) return null
    sum += rows
  }
  return sum
}

/**
 * The result of counting cells by nodes. `counted` has the first finest cell and the rows of each node. `uncounted` has
 * the ranges without a node.
 */
export interface CountedNodes {
  readonly counted: readonly (readonly [first: number, rows: number])[]
  readonly uncounted: readonly ValueRange[]
}

export const countedIn = (nodes: RowsByNode, cells: readonly ValueRange[]): CountedNodes => {
  const counted: [number, number][] = []
  const uncounted: ValueRange[] = []
  for (const cell of cells) {
    const { nodes: parts, rest } = decompose(CELL_SHIFTS, [cell])
    for (const [shift, low, high] of parts)
      for (let node = low; node <= high; node++) {
        const rows = nodes.get(shift)?.get(node)
        if (rows === undefined) uncounted.push([node * 2 ** shift, (node + 1) * 2 ** shift - 1])
        else counted.push([node * 2 ** shift, rows])
      }
    uncounted.push(...rest)
  }
  return { counted, uncounted: merged(uncounted) }
}

/**
 * Estimates the rows in a cell. Uses the node of that cell if it was read, else the smallest node around it. Cells
 * larger than the largest node use the statistics.
 */
export const weightBy = (nodes: RowsByNode, { cells }: Statistics): Weight => {
  const inNode = (shift: number, node: number): number => {
    const rows = nodes.get(shift)?.get(node)
    if (rows !== undefined) return rows
    for (let above = shift + STEP; above <= COARSEST; above += STEP) {
      const around = nodes.get(above)?.get(Math.floor(node / 2 ** (above - shift)))
      if (around !== undefined) return shift >= FINEST_COMPLETE ? 0 : around / 2 ** (above - shift)
    }
    const first = node * 2 ** shift
    return rowsIn(cells, first, first + 2 ** shift - 1)
  }
  return (_level, first, last) => {
    const bits = bitsOf([first, last])
    const least = (last - first + 1) / WORLD
    if (bits >= STATISTICS_SHIFTS.cell) return rowsIn(cells, first, last) + least
    const shift = Math.max(CELL_SHIFTS[0], bits - (bits % STEP))
    if (bits < shift) return inNode(shift, Math.floor(first / 2 ** shift)) / 2 ** (shift - bits) + least
    let sum = least
    for (let value = first; value <= last; value += 2 ** shift) sum += inNode(shift, value / 2 ** shift)
    return sum
  }
}

/** The statistics read nodes of 5.6 by 2.8 degrees, of 25 days and of 32,768 ids, and of 64 codes of durations. */
export const STATISTICS_SHIFTS = {
  cell: TREES.cell.complete[1],
  start: TREES.start.complete[1],
  id: TREES.id.complete[2],
  duration: TREES.duration.complete[0],
} as const

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

/** Estimates of the rows by place, time, id and code of the duration. They may be stale: they steer plans and never change an answer. */
export interface Statistics {
  readonly total: number
  readonly cells: Spread
  readonly starts: Spread
  readonly ids: Spread
  readonly durations: Spread
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

/** Estimates the rows in an extent of starts or ids. */
export const rowsInExtent = (spread: Spread, [least, greatest]: ColumnRange): number =>
  rowsIn(spread, Number(least ?? -Infinity), Number(greatest ?? Infinity))

export const partOf = (rows: number, total: number): number => Math.min(1, rows / Math.max(1, total))
