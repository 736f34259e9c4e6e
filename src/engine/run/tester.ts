import { numberAt } from '../../collections.ts'
import { CELL_LEVELS, cellAt, cellIn } from '../../geometry/cell.ts'
import { classifier } from '../../geometry/covering.ts'
import type { Region } from '../candidates/region.ts'
import type { ValueRange } from '../conditions/criteria.ts'

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
  const insideCell = finder(covering.interior)
  const boundaryCell = finder(covering.boundaryCells.map(({ range }) => range))
  return (rows, finest, extras, offset) => {
    if (finest < 0) return
    const cell = boundaryCell(finest)
    if (cell < 0) {
      if (insideCell(finest) >= 0) onRow(rows, finest, extras, offset)
      return
    }
    const { column, row } = cellAt(CELL_LEVELS, finest)
    const side = sideOf(cell, column, row)
    if (side === 'inside') onRow(rows, finest, extras, offset)
    else if (side === 'unknown') undecided.add(finest)
  }
}

/**
 * Finds the range that contains a value by binary search. Returns its number, or -1 if there is none. Neighbouring rows
 * often lie in one range, so it tries the range of the value before first.
 */
const finder = (ranges: readonly ValueRange[]) => {
  const ends = Float64Array.from(ranges.flat())
  let near = 0
  const isIn = (range: number, value: number) =>
    2 * range < ends.length && numberAt(ends, 2 * range) <= value && value <= numberAt(ends, 2 * range + 1)
  return (value: number): number => {
    if (isIn(near, value)) return near
    let low = 0
    let high = ends.length / 2
    while (low < high) {
      const middle = (low + high) >> 1
      if (numberAt(ends, 2 * middle + 1) < value) low = middle + 1
      else high = middle
    }
    near = low
    return isIn(low, value) ? low : -1
  }
}

/** Parses a comma-separated list of integers. `JSON.parse` is faster than a loop over the characters. */
export const numbersIn = (list: string): Float64Array => new Float64Array(JSON.parse(`[${list}]`))
