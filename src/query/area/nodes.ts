import { TREES } from '../../../schema/counts.ts'
import { CELL_LEVELS } from '../../geometry/cell.ts'
import { merged, type Weight } from '../../geometry/covering.ts'
import type { Statistics } from '../db/cache.ts'
import { decompose, type Range } from '../db/counts.ts'
import { CELL_SHIFT } from '../plan/statistics.ts'
import type { Row } from '../table.ts'

/** The nodes of cells that are kept, finest first. */
export const SHIFTS = [...TREES.cell.dense, ...TREES.cell.complete] as const
const COARSEST = SHIFTS.at(-1) ?? 0
const STEP = 4
export const [FINEST_COMPLETE] = TREES.cell.complete
/** The finest cells of the world. */
export const WORLD = 4 ** CELL_LEVELS

/** The nodes that were read, by shift and number: how many rows each holds. */
export type Nodes = ReadonlyMap<number, ReadonlyMap<number, number>>

export const nodesFrom = (rows: readonly Row[]): Nodes => {
  const nodes = new Map<number, Map<number, number>>(SHIFTS.map((shift) => [shift, new Map()]))
  for (const { shift, node, rows: held } of rows) nodes.get(shift)?.set(node, held)
  return nodes
}

/** The rows in a cell of a kept size, or in the four that make it up, where nodes tell; else null. */
export const knownRows = (nodes: Nodes, [first, last]: Range): number | null => {
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

/** Cells counted by their nodes, as far as these are kept: each node by its first finest cell, and how many rows it holds. */
export interface Counted {
  readonly counted: readonly (readonly [first: number, rows: number])[]
  readonly uncounted: Range[]
}

export const countedIn = (nodes: Nodes, cells: readonly Range[]): Counted => {
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
 * How many rows to expect in a cell, by the nodes that were read; of a cell that has none by the smallest node around it,
 * and of what is larger than their largest by statistics.
 */
export const weightBy = (nodes: Nodes, { inCells }: Statistics): Weight => {
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
