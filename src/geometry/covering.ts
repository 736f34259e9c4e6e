import { at, bisect } from '../collections.ts'
import { atOnce, type Steps } from '../work.ts'
import { bboxOf, overlap } from './bbox.ts'
import { CELL_LEVELS, type Cell, type CellRange, cellBounds, cellChildren, cellRange, merged } from './cell.ts'
import { meeting } from './edge.ts'
import { anchoredAt, type Edges, type Part, partOfAll, partWith } from './walk.ts'
import { type Area, turned } from './within.ts'

/** The members of an area that a covering needs. */
export type CellShape = Pick<Area, 'edges' | 'owners' | 'turns' | 'contains'>

/** The cells that cover an area, as sorted and disjoint ranges. Adjacent ranges of one kind are merged. */
export interface Covering {
  /** The area contains every point in these cells. */
  interior: CellRange[]
  /** The area may contain points in these cells. It contains no point that is in no range. */
  boundary: CellRange[]
  /** Each interior cell as its range. The ranges are sorted, not merged. */
  interiorCells: CellRange[]
  boundaryCells: BoundaryCell[]
  /** The edges of the area, one copy for each turn of longitude. The parts refer to them. */
  all: Edges
}

/** A cell that edges may meet. A test of a point in the cell needs its part only. */
export interface BoundaryCell {
  readonly cell: Cell
  readonly range: CellRange
  readonly part: Part
}

/** Estimates the number of events in a cell, given as its level and its range of finest cells. */
export type Weight = (level: number, first: number, last: number) => number

export interface CoveringOptions {
  /** The maximum number of cells before merging. It must be at least 4 if the area needs a split. */
  maxCells?: number
  /** Splitting stops if all boundary cells together have at most this many expected events. */
  enough?: number
  /** A cell with at most this many expected events is not split. */
  worth?: number
  /** Default: the cell's share of the world. */
  weight?: Weight
}

/** A boundary cell with its expected number of events. */
interface Boundary extends BoundaryCell {
  expected: number
}

// A margin around cells in degrees. It is the width of a finest cell and twice its height. The rounding in cellOf and
// in x + 360 is far smaller, about 1e-8 of a cell.
const MARGIN = 360 / 2 ** CELL_LEVELS

// The maximum number of tests of an edge. They take about 300 ms. A coastline of 68,000 edges needs 2.3 million.
const MAX_TESTS = 12_000_000

/**
 * Covers an area with cells of a quadtree. Starts with the world and always splits the cell with the most expected
 * events. Each cell lists only the edges that may meet it.
 * A cell without edges is completely inside or completely outside.
 */
export function* coveringOf(area: CellShape, options: CoveringOptions = {}): Steps<Covering> {
  const all = turned(area)
  const { interior, waiting, settled } = yield* splitWorld(area, all, options)
  const boundaryCells = [...waiting, ...settled].sort((a, b) => a.range[0] - b.range[0])
  interior.sort((a, b) => a[0] - b[0])
  return {
    interior: merged(interior),
    boundary: merged(boundaryCells.map(({ range }) => range)),
    interiorCells: interior,
    boundaryCells,
    all,
  }
}

/** Covers an area at once. */
export const covering = (area: CellShape, options?: CoveringOptions): Covering => atOnce(coveringOf(area, options))

/**
 * Splits the world until it reaches a limit of the options, or of the tests. `waiting` are the boundary cells that it
 * may split, ascending by expected events. It does not split `settled`.
 */
function* splitWorld(area: CellShape, all: Edges, options: CoveringOptions) {
  const { maxCells = 2000, enough = 0, worth = 0, weight = (level) => 4 ** -level } = options
  const bbox = bboxOf(all.edges)
  const [interior, waiting, settled]: [CellRange[], Boundary[], Boundary[]] = [[], [], []]
  let [tests, expected] = [MAX_TESTS, 0]

  const place = (cell: Cell, part: Part | null): void => {
    const range = cellRange(cell)
    if (part === null || part.edges.length === 0) {
      if (isFilled(area, cell, part)) interior.push(range)
      return
    }
    const item = { cell, range, part, expected: weight(cell.level, ...range) }
    expected += item.expected
    waiting.splice(rank(waiting, item.expected), 0, item)
  }

  const world = { level: 0, column: 0, row: 0 }
  place(world, bbox && partIn(all, anchoredAt(all, partOfAll(all, bbox), 0, 0), world))
  while (interior.length + waiting.length + settled.length + 3 <= maxCells && expected > enough) {
    const item = waiting.pop()
    if (item === undefined) break
    if (item.expected <= worth) {
      settled.push(item) // the waiting cells expect no more events than this one
      break
    }
    const children = cellChildren(item.cell)
    const near = children.filter((child) => bbox !== null && overlap(bbox, cellBounds(child), MARGIN))
    // While only one child is near a small area, it takes all edges without tests.
    const cost = near.length === 1 ? 0 : near.length * item.part.edges.length
    if (item.cell.level === CELL_LEVELS || cost > tests) {
      settled.push(item)
      continue
    }
    yield
    tests -= cost
    expected -= item.expected
    const [x, y] = middleOf(item.cell)
    const part = near.length === 1 ? item.part : anchoredAt(all, item.part, x, y)
    for (const child of children) {
      if (!near.includes(child)) place(child, null)
      else place(child, near.length === 1 ? part : partIn(all, part, child))
    }
  }
  return { interior, waiting, settled }
}

/** Returns the part in a cell with MARGIN around it. Never misses an edge there. */
const partIn = (all: Edges, larger: Part, cell: Cell): Part => {
  const [x, y, reachX, reachY] = middleOf(cell)
  return partWith(all, larger, meeting(all.edges, larger.edges, x, y, reachX + MARGIN, reachY + MARGIN / 2))
}

/** Returns the middle of a cell, and half of its width and height. */
const middleOf = (cell: Cell): [x: number, y: number, reachX: number, reachY: number] => {
  const [west, south, east, north] = cellBounds(cell)
  const [x, y] = [(west + east) / 2, (south + north) / 2]
  return [x, y, x - west, y - south]
}

/** Tests if an area contains a cell without edges. `part` is null if the cell is far from the edges. */
const isFilled = (area: CellShape, cell: Cell, part: Part | null): boolean => {
  if (part !== null && area.owners !== null) return part.whole
  const [x, y] = middleOf(cell)
  return area.contains(x, y)
}

/** Returns the index for a new item by binary search. The items ascend by expected events. */
const rank = (items: Boundary[], expected: number): number =>
  bisect(0, items.length, (middle) => at(items, middle).expected < expected)
