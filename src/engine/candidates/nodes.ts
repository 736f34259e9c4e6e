import { TREES } from '../../../schema/counts.ts'
import { at } from '../../collections.ts'
import { CELL_LEVELS } from '../../geometry/cell.ts'
import { merged, type Weight } from '../../geometry/covering.ts'
import type { Row } from '../conditions/table.ts'
import type { Statistics } from '../run/cache.ts'
import { decompose, type ValueRange } from '../sql/counts.ts'
import { CELL_SHIFT } from './statistics.ts'

/** The shifts of all nodes of cells that the table of counts may hold, finest first. */
export const SHIFTS = [...TREES.cell.dense, ...TREES.cell.complete] as const
const COARSEST = at(SHIFTS, -1)
const STEP = 4
export const [FINEST_COMPLETE] = TREES.cell.complete
/** The number of finest cells in the world. */
export const WORLD = 4 ** CELL_LEVELS

/** Rows per node that was read. The outer key is the shift, the inner key is the node number. */
export type RowsByNode = ReadonlyMap<number, ReadonlyMap<number, number>>

export const nodesFrom = (rows: readonly Row[]): RowsByNode => {
  const nodes = new Map<number, Map<number, number>>(SHIFTS.map((shift) => [shift, new Map()]))
  for (const { shift, node, rows: held } of rows) nodes.get(shift)?.set(node, held)
  return nodes
}

/**
 * Returns the exact number of rows in a cell. It reads the node of the cell, or adds the nodes inside it. Returns null
 * if a node is missing.
 */
export const knownRows = (nodes: RowsByNode, [first, last]: ValueRange): number | null => {
  const bits = Math.round(Math.log2(last - first + 1))
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
  readonly uncounted: ValueRange[]
}

export const countedIn = (nodes: RowsByNode, cells: readonly ValueRange[]): CountedNodes => {
  const counted: [number, number][] = []
  const uncounted: [number, number][] = []
  for (const cell of cells) {
    const { nodes: parts, rest } = decompose(SHIFTS, [cell])
    for (const [shift, low, high] of parts)
      for (let node = low; node <= high; node++) {
        const rows = nodes.get(shift)?.get(node)
        if (rows === undefined) uncounted.push([node * 2 ** shift, (node + 1) * 2 ** shift - 1])
        else counted.push([node * 2 ** shift, rows])
      }
    uncounted.push(...rest.map(([first, last]): [number, number] => [first, last]))
  }
  return { counted, uncounted: merged(uncounted) }
}

/**
 * Estimates the rows in a cell. Uses the node of that cell if it was read, else the smallest node around it. Cells
 * larger than the largest node use the statistics.
 */
export const weightBy = (nodes: RowsByNode, { inCells }: Statistics): Weight => {
  const inNode = (shift: number, node: number): number => {
    const rows = nodes.get(shift)?.get(node)
    if (rows !== undefined) return rows
    for (let above = shift + STEP; above <= COARSEST; above += STEP) {
      const around = nodes.get(above)?.get(Math.floor(node / 2 ** (above - shift)))
      if (around !== undefined) return shift >= FINEST_COMPLETE ? 0 : around / 2 ** (above - shift)
    }
    const first = node * 2 ** shift
    return inCells(0, first, first + 2 ** shift - 1)
  }
  return (_level, first, last) => {
    const bits = Math.round(Math.log2(last - first + 1))
    const least = (last - first + 1) / WORLD
    if (bits >= CELL_SHIFT) return inCells(0, first, last) + least
    const shift = Math.max(SHIFTS[0], bits - (bits % STEP))
    if (bits < shift) return inNode(shift, Math.floor(first / 2 ** shift)) / 2 ** (shift - bits) + least
    let sum = least
    for (let value = first; value <= last; value += 2 ** shift) sum += inNode(shift, value / 2 ** shift)
    return sum
  }
}
