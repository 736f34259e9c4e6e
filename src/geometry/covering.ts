import { at, bisect } from '../collections.ts'
import { bboxOf, overlap } from './bbox.ts'
import { CELL_LEVELS, type Cell, cellBounds, cellChildren, cellRange } from './cell.ts'
import { meeting } from './near.ts'
import { type Area, turned } from './within.ts'

/** The members of an area that a covering needs. */
export type CellShape = Pick<Area, 'edges' | 'turns' | 'contains'>

/** The first and last number of a run of finest cells, both included. */
export type CellRange = [first: number, last: number]

/** The cells that cover an area, as sorted and disjoint ranges. Adjacent ranges of one kind are merged. */
export interface Covering {
  /** The area contains every point in these cells. */
  interior: CellRange[]
  /** The area may contain points in these cells. It contains no point that is in no range. */
  boundary: CellRange[]
  /** Each interior cell as its range. The ranges are sorted, not merged. */
  interiorCells: CellRange[]
  boundaryCells: BoundaryCell[]
  /** The edges of the area, one copy for each turn of longitude. Boundary cells refer to them by index. */
  edges: Float64Array
}

/** A cell that edges may meet. A test of a point in the cell needs these edges only. */
export interface BoundaryCell {
  readonly cell: Cell
  readonly range: CellRange
  /** Indexes into `edges` of the covering. */
  readonly edges: Int32Array
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

// The maximum number of tests of an edge against a cell. They take about 300 ms. A coastline of 68,000 edges needs 2.3
// million.
const MAX_TESTS = 12_000_000

const NONE = new Int32Array()

/** The cells of a covering while it is made. */
interface Cells {
  readonly interior: CellRange[]
  /** The boundary cells that may be split, ascending by expected events. */
  readonly waiting: Boundary[]
  /** The boundary cells that are not split. */
  readonly settled: Boundary[]
}

/**
 * Covers an area with cells of a quadtree. Starts with the world and always splits the cell with the most expected
 * events. Each cell lists only the edges that may meet it.
 * A cell without edges is completely inside or completely outside. A test of its centre tells which.
 */
export const covering = (area: CellShape, options: CoveringOptions = {}): Covering => {
  const edges = turned(area)
  const { interior, waiting, settled } = splitWorld(area, edges, options)
  const boundaryCells = [...waiting, ...settled].sort((a, b) => a.range[0] - b.range[0])
  interior.sort((a, b) => a[0] - b[0])
  return {
    interior: merged(interior),
    boundary: merged(boundaryCells.map(({ range }) => range)),
    interiorCells: interior,
    boundaryCells,
    edges,
  }
}

/** Splits the world until a limit of the options, or of the tests, is reached. */
const splitWorld = (area: CellShape, edges: Float64Array, options: CoveringOptions): Cells => {
  const { maxCells = 2000, enough = 0, worth = 0, weight = (level) => 4 ** -level } = options
  const bbox = bboxOf(edges)
  const [interior, waiting, settled]: [CellRange[], Boundary[], Boundary[]] = [[], [], []]
  let [tests, expected] = [MAX_TESTS, 0]

  const place = (cell: Cell, meetingEdges: Int32Array): void => {
    const range = cellRange(cell)
    if (meetingEdges.length === 0) {
      if (holdsCentre(area, cell)) interior.push(range)
      return
    }
    const item = { cell, range, edges: meetingEdges, expected: weight(cell.level, ...range) }
    expected += item.expected
    waiting.splice(rank(waiting, item.expected), 0, item)
  }

  const world = { level: 0, column: 0, row: 0 }
  const all = Int32Array.from({ length: edges.length / 4 }, (_, e) => e)
  place(world, meet(edges, all, world))
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
    const cost = near.length === 1 ? 0 : near.length * item.edges.length
    if (item.cell.level === CELL_LEVELS || cost > tests) {
      settled.push(item)
      continue
    }
    tests -= cost
    expected -= item.expected
    for (const child of children) {
      if (!near.includes(child)) place(child, NONE)
      else place(child, near.length === 1 ? item.edges : meet(edges, item.edges, child))
    }
  }
  return { interior, waiting, settled }
}

/** Returns the listed edges that may meet a cell with MARGIN around it. Never misses one that does. */
export const meet = (edges: Float64Array, listed: Int32Array, cell: Cell): Int32Array => {
  const [west, south, east, north] = cellBounds(cell)
  const [x, y] = [(west + east) / 2, (south + north) / 2]
  return meeting(edges, listed, x, y, x - west + MARGIN, y - south + MARGIN / 2)
}

const holdsCentre = (area: CellShape, cell: Cell): boolean => {
  const [west, south, east, north] = cellBounds(cell)
  return area.contains((west + east) / 2, (south + north) / 2)
}

/** Returns the index for a new item by binary search. The items ascend by expected events. */
const rank = (items: Boundary[], expected: number): number =>
  bisect(0, items.length, (middle) => at(items, middle).expected < expected)

/** Merges adjacent ranges of a sorted list. */
export const merged = (ranges: readonly (readonly [first: number, last: number])[]): CellRange[] => {
  const result: CellRange[] = []
  for (const [first, last] of ranges) {
    const before = result.at(-1)
    if (before !== undefined && before[1] + 1 === first) before[1] = last
    else result.push([first, last])
  }
  return result
}
