import { bboxOf, overlap } from './bbox.ts'
import { CELL_LEVELS, type Cell, cellBounds, cellChildren, cellRange } from './cell.ts'
import { meeting } from './near.ts'
import { type Area, turned } from './within.ts'

/** What a covering asks of an area. */
export type Shape = Pick<Area, 'edges' | 'turns' | 'contains'>

/** Finest cells from first to last, inclusive. */
export type Range = [first: number, last: number]

/** Sorted, disjoint ranges; neighbours of one kind are merged. */
export interface Covering {
  /** Every point in these cells is within the area. */
  interior: Range[]
  /** Points in these may be within; points in no range are not. */
  boundary: Range[]
  /** The same, cell by cell, each as its range: sorted, not merged. */
  interiorCells: Range[]
  boundaryCells: BoundaryCell[]
  /** The edges that the numbers of boundary cells are of: those of the area, once for each turn in which it is tested. */
  edges: Float64Array
}

/** A cell that edges meet: a point in it is compared with these alone. */
export interface BoundaryCell {
  readonly cell: Cell
  readonly range: Range
  /** Their numbers. */
  readonly edges: Int32Array
}

/** How many events to expect in a cell of a level, given as its range of finest cells. */
export type Weight = (level: number, first: number, last: number) => number

export interface CoveringOptions {
  /** The most cells to end with, before merging; at least 4 when the area needs a split. */
  maxCells?: number
  /** Splitting stops when no more than this is expected in all boundary cells together. */
  enough?: number
  /** No cell is split in which no more than this is expected. */
  worth?: number
  /** By default the part of the world's area. */
  weight?: Weight
}

/** A cell that edges meet, and the events expected in it. */
interface Boundary extends BoundaryCell {
  expected: number
}

// The width of a finest cell, twice its height: far more than the rounding in cellOf (some 1e-8 of one) and in x + 360 (1e-8 of one).
const MARGIN = 360 / 2 ** CELL_LEVELS

// Tests of an edge against a cell before splitting stops, at most some 300 ms; a coast of 68,000 edges takes 2.3 million.
const MAX_TESTS = 12_000_000

const NONE = new Int32Array()

/**
 * Covers an area with cells: splits the world's cell, that with the most expected events first, keeping for each cell only
 * the edges that meet it; a cell that none meets is wholly within or wholly outside, as one point of it tells.
 */
export const covering = (area: Shape, options: CoveringOptions = {}): Covering => {
  const { maxCells = 2000, enough = 0, worth = 0, weight = (level) => 4 ** -level } = options
  const edges = turned(area)
  const bbox = bboxOf(edges)
  const interior: Range[] = []
  const waiting: Boundary[] = [] // ascending by expected events
  const settled: Boundary[] = [] // not to be split
  let [tests, expected] = [MAX_TESTS, 0]

  const place = (cell: Cell, meeting: Int32Array): void => {
    const range = cellRange(cell)
    if (meeting.length === 0) {
      if (holdsCentre(area, cell)) interior.push(range)
      return
    }
    const item = { cell, range, edges: meeting, expected: weight(cell.level, ...range) }
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
      settled.push(item) // nothing to gain, nor in those that wait
      break
    }
    const children = cellChildren(item.cell)
    const near = children.filter((child) => bbox !== null && overlap(bbox, cellBounds(child), MARGIN))
    // On the way down to a small area its edges are handed on, untested.
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

/** Those of the listed edges that may meet a cell, with a margin around it; none that does is left out. */
export const meet = (edges: Float64Array, listed: Int32Array, cell: Cell): Int32Array => {
  const [west, south, east, north] = cellBounds(cell)
  const [x, y] = [(west + east) / 2, (south + north) / 2]
  return meeting(edges, listed, x, y, x - west + MARGIN, y - south + MARGIN / 2)
}

const holdsCentre = (area: Shape, cell: Cell): boolean => {
  const [west, south, east, north] = cellBounds(cell)
  return area.contains((west + east) / 2, (south + north) / 2)
}

/** Where a number belongs among items ascending by expected events. */
const rank = (items: Boundary[], expected: number): number => {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((items[middle] as Boundary).expected < expected) low = middle + 1
    else high = middle
  }
  return low
}

/** Sorted ranges, neighbours as one. */
export const merged = (ranges: readonly (readonly [first: number, last: number])[]): Range[] => {
  const result: Range[] = []
  for (const [first, last] of ranges) {
    const before = result.at(-1)
    if (before !== undefined && before[1] + 1 === first) before[1] = last
    else result.push([first, last])
  }
  return result
}
