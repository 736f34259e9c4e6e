import { numberAt } from '../../collections.ts'
import { CELL_LEVELS, cellAt, cellIn } from '../../geometry/cell.ts'
import { classifier } from '../../geometry/covering.ts'
import type { Region } from '../candidates/region.ts'

/**
 * Receives a number of rows that lie in one finest cell. The cell is -1 for rows without coordinates. Their extra
 * numbers start at `offset` in `extras`.
 */
export type OnRow = (rows: number, cell: number, extras: Float64Array, offset: number) => void

/**
 * Receives rows with a place of `placeColumn` instead of a cell, and passes them on with their cell. A place of a coarse
 * level becomes the first finest cell in it.
 */
export const byPlace = (level: number, onRow: OnRow): OnRow => {
  const side = 2 ** level
  const size = 4 ** (CELL_LEVELS - level)
  return (rows, place, extras, offset) => {
    const column = Math.floor(place / side)
    onRow(rows, place < 0 ? place : cellIn(column, place - column * side) * size, extras, offset)
  }
}

/**
 * Passes rows in the area to a sink. The edges of the boundary cell around a finest cell decide most of them. If an edge
 * crosses the finest cell itself, it is added to `undecided`, because only its points decide.
 */
export const testerOf = ({ covering, area }: Region, undecided: Set<number>, onRow: OnRow): OnRow => {
  const sideOf = classifier(area, covering)
  const locate = locator(covering)
  return (rows, finest, extras, offset) => {
    if (finest < 0) return
    const cell = locate(finest)
    const { column, row } = cellAt(CELL_LEVELS, finest)
    const side = typeof cell === 'number' ? sideOf(cell, column, row) : cell
    if (side === 'inside') onRow(rows, finest, extras, offset)
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
