import type { Bbox } from '../../../geometry/bbox.ts'
import { cellAt, columnOf } from '../../../geometry/cell.ts'
import type { CountedGroups } from './histogram.ts'

/** The last column of cells before a gap, and the first one after it. */
export type Gap = readonly [before: number, after: number]

/**
 * Returns the gap for bounds across 180 degrees: the most empty columns of cells side by side, not at 180 degrees. Null: the
 * columns on both sides of 180 degrees have at least as many together, so the bounds do not cross it.
 */
export const gapOf = ({ level, cells }: Pick<CountedGroups, 'level' | 'cells'>): Gap | null => {
  const columns = [...new Set(Array.from(cells.keys(), (cell) => cellAt(level, cell).column))].sort((a, b) => a - b)
  const [first = 0, last = 0] = [columns[0], columns.at(-1)]
  let [gap, size]: [Gap | null, number] = [null, first + 2 ** level - last]
  for (const [i, after] of columns.entries()) {
    const before = columns[i - 1] ?? after
    if (after - before > size) [gap, size] = [[before, after], after - before]
  }
  return gap
}

/** Receives places, and returns their bounds. A column of cells has this level. */
export const boundsCounter = (level: number) => {
  const least = new Float64Array(2 ** level).fill(Infinity)
  const greatest = new Float64Array(2 ** level).fill(-Infinity)
  let [south, north] = [Infinity, -Infinity]
  return {
    add: (x: number, y: number): void => {
      const column = columnOf(level, x)
      if (x < (least[column] as number)) least[column] = x // the column is below the length
      if (x > (greatest[column] as number)) greatest[column] = x
      if (y < south) south = y
      if (y > north) north = y
    },
    bounds: (groups: CountedGroups): Bbox | null => {
      if (south > north) return null
      const gap = gapOf(groups)
      const size = 2 ** (level - groups.level)
      const west = gap === null ? least : least.subarray(gap[1] * size)
      const east = gap === null ? greatest : greatest.subarray(0, (gap[0] + 1) * size)
      return [Math.min(...west), south, Math.max(...east), north]
    },
  }
}
