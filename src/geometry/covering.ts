import { at, bisect, type ValueRange } from '../base/collections.ts'
import type { Steps } from '../base/work.ts'
import { CELL_LEVELS, type Cell, cellBounds, cellChildren, cellRange, merged } from './cell.ts'
import type { PreparedArea } from './within.ts'

/** The cells that cover an area, as sorted and disjoint ranges. Adjacent ranges of one kind are merged. */
interface Covering {
  /** The area contains every point in these cells. */
  interior: ValueRange[]
  /** The area may contain points in these cells. It contains no point that is in no range. */
  boundary: ValueRange[]
}

/** A cell that edges may meet, with its expected number of events. */
interface Boundary {
  readonly cell: Cell
  readonly range: ValueRange
  readonly expected: number
}

/**
 * A margin around cells in degrees. It is the width of a finest cell and twice its height. The rounding in cellOf and in
 * x + 360 is far smaller, about 1e-8 of a cell.
 */
const MARGIN = 360 / 2 ** CELL_LEVELS

/** Returns the share of the world of a cell. */
const shareOf = (level: number, _first: number, _last: number): number => 4 ** -level

/**
 * Covers an area with cells of a quadtree. Starts with the world and always splits the cell with the most expected
 * events. A cell without edges is completely inside or completely outside. There are at most `maxCells` before merging, which
 * must be at least 4 if the area needs a split. A cell with at most `worth` expected events is not split. The function
 * `weight` takes the level of a cell and its range of finest cells. It estimates the events in the cell.
 */
export function* coveringOf(
  area: Pick<PreparedArea, 'meets' | 'contains'>,
  { maxCells = 2000, worth = 0, weight = shareOf } = {},
): Steps<Covering> {
  const interior: ValueRange[] = []
  const boundary: Boundary[] = [] // ascending by expected events
  const place = (cell: Cell): void => {
    const range = cellRange(cell)
    const [west, south, east, north] = cellBounds(cell)
    if (area.meets([west - MARGIN, south - MARGIN / 2, east + MARGIN, north + MARGIN / 2])) {
      const expected = cell.level === CELL_LEVELS ? 0 : weight(cell.level, ...range) // a finest cell cannot be split
      const rank = bisect(0, boundary.length, (middle) => at(boundary, middle).expected < expected)
      boundary.splice(rank, 0, { cell, range, expected })
    } else if (area.contains((west + east) / 2, (south + north) / 2)) interior.push(range)
  }
  place({ level: 0, column: 0, row: 0 })
  while (interior.length + boundary.length + 3 <= maxCells) {
    const item = boundary.pop()
    if (item === undefined) break
    if (item.expected <= worth) {
      boundary.push(item) // the others expect no more events than this one
      break
    }
    cellChildren(item.cell).forEach(place)
    yield
  }
  const inOrder = (ranges: ValueRange[]) => merged(ranges.sort((a, b) => a[0] - b[0]))
  return { interior: inOrder(interior), boundary: inOrder(boundary.map(({ range }) => range)) }
}
