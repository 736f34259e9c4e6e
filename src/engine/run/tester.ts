import { numberAt } from '../../collections.ts'
import { CELL_LEVELS, cellIn } from '../../geometry/cell.ts'
import { classifier } from '../../geometry/covering.ts'
import type { Region } from '../candidates/region.ts'
import { SIDE } from '../sql/points.ts'

/**
 * Receives a number of matching rows that lie in one finest cell. Column and row are null for rows without coordinates.
 * Their extra numbers start at `offset` in `extras`.
 */
export type OnRow = (
  rows: number,
  column: number | null,
  row: number | null,
  extras: Float64Array,
  offset: number,
) => void

/** Tests rows in the finest cell of a place. */
export type PlaceTest = (place: number, rows: number, extras: Float64Array, offset: number) => void

/**
 * Passes rows to a sink without a test. The place is -1 for rows without coordinates. Otherwise it is a cell of a level,
 * and the sink receives its first finest cell.
 */
export const passTo = (onRow: OnRow, level = CELL_LEVELS): PlaceTest => {
  const side = 2 ** level
  const size = SIDE / side
  return (place, rows, extras, offset) => {
    const column = Math.floor(place / side)
    if (place < 0) onRow(rows, null, null, extras, offset)
    else onRow(rows, column * size, (place - column * side) * size, extras, offset)
  }
}

/**
 * Passes rows in the area to a sink. The edges of the boundary cell around a place decide most places. If an edge
 * crosses the finest cell itself, the cell is added to `undecided`, because only its points decide.
 */
export const testerOf = ({ covering, area }: Region, undecided: Set<number>, onRow: OnRow): PlaceTest => {
  const sideOf = classifier(area, covering)
  const locate = locator(covering)
  return (place, rows, extras, offset) => {
    if (place < 0) return
    const column = Math.floor(place / SIDE)
    const row = place % SIDE
    const finest = cellIn(column, row)
    const cell = locate(finest)
    const side = typeof cell === 'number' ? sideOf(cell, column, row) : cell
    if (side === 'inside') onRow(rows, column, row, extras, offset)
    else if (side === 'unknown') undecided.add(finest)
  }
}

/**
 * Locates a finest cell: outside the covering, in a cell inside the area, or in a boundary cell, whose number it
 * returns.
 */
const locator = ({ interior, boundaryCells }: Region['covering']) => {
  const inside = Float64Array.from(interior.flat())
  const boundary = Float64Array.from(boundaryCells.flatMap(({ range }) => range))
  return (cell: number): number | 'inside' | 'outside' => {
    const boundaryCell = rangeAt(boundary, cell)
    return boundaryCell >= 0 ? boundaryCell : rangeAt(inside, cell) >= 0 ? 'inside' : 'outside'
  }
}

/** Finds the range that contains a value by binary search. Returns its number, or -1 if there is none. */
const rangeAt = (ends: Float64Array, value: number): number => {
  let low = 0
  let high = ends.length / 2
  while (low < high) {
    const middle = (low + high) >> 1
    if (numberAt(ends, 2 * middle + 1) < value) low = middle + 1
    else high = middle
  }
  return low < ends.length / 2 && numberAt(ends, 2 * low) <= value ? low : -1
}

/** Parses a comma-separated list of integers. `JSON.parse` is faster than a loop over the characters. */
export const numbersIn = (list: string): Float64Array => new Float64Array(JSON.parse(`[${list}]`))
