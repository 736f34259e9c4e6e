import { DENSE } from '../../../schema/trees.ts'
import { CELL_LEVELS, merged } from '../../geometry/cell.ts'
import { type Covering, covering, coveringOf, type Weight } from '../../geometry/covering.ts'
import type { Area } from '../../geometry/within.ts'
import type { Steps } from '../../work.ts'
import type { ValueRange } from '../conditions/criteria.ts'
import {
  type CellNodeRow,
  FINEST_COMPLETE,
  knownRows,
  nodesFrom,
  type RowsByNode,
  rowsIn,
  type Statistics,
  WORLD,
  weightBy,
} from './nodes.ts'

/** A cell and the estimated number of rows in it. */
export interface WeighedCell {
  readonly range: ValueRange
  readonly rows: number
}

/** The cells that cover an area. They are finer in places with many rows. */
export interface Region {
  readonly area: Area
  readonly covering: Covering
  /** The cells inside the area, and those that an edge of the area may cross. Both are sorted, without empty cells. */
  readonly interior: readonly WeighedCell[]
  readonly boundary: readonly WeighedCell[]
  /** All of them, sorted, and as merged ranges. */
  readonly cells: readonly WeighedCell[]
  readonly ranges: readonly ValueRange[]
  /** Estimated rows in cells inside the area, and in boundary cells. */
  readonly inside: number
  readonly atBoundary: number
  /** The estimated rows in the bbox of the area. */
  readonly inBounds: number
  /** The nodes that were read for the covering. */
  readonly nodes: RowsByNode
}

/** The finest complete level: the table of counts has every node of it that contains rows. */
const COMPLETE_LEVEL = CELL_LEVELS - FINEST_COMPLETE / 2
/**
 * The most cells of the first covering. All its nodes are read, so a cell with at most NODES_WORTH nodes is not split.
 */
const OUTLINE_CELLS = 400
const NODES_WORTH = 8
/** The second covering may have at least this many cells, even for an area with few rows. */
const ROUGH_CELLS = 64
/** The most cells of the second covering. Each range of cells costs about two rows read. */
const MAX_CELLS = 4000
/** A boundary cell with at most this many rows is not split. */
const WORTH = 12

/** Covers an area roughly. The nodes in this covering are facts. */
export const outlineOf = (area: Area, { cells }: Statistics): Steps<Covering> => {
  // Statistics may be stale, so no cell counts as empty. One row is spread over the whole world for that.
  const weight: Weight = (level, first, last) => {
    const rows = rowsIn(cells, first, last) + (last - first + 1) / WORLD
    return Math.min(rows, 4 ** Math.max(0, COMPLETE_LEVEL - level)) + rows / DENSE
  }
  return coveringOf(area, { weight, maxCells: OUTLINE_CELLS, worth: NODES_WORTH })
}

/** Refines the outline of an area with the nodes that were read. */
export function* regionOf(
  area: Area,
  outline: Covering,
  rows: readonly CellNodeRow[],
  statistics: Statistics,
): Steps<Region> {
  const nodes = nodesFrom(rows)
  const weight = weightBy(nodes, statistics)
  const weigh = (range: ValueRange): WeighedCell => ({ range, rows: weight(0, ...range) })
  const sumOf = (cells: readonly WeighedCell[]) => cells.reduce((sum, { rows }) => sum + rows, 0)
  const atStake = sumOf(outline.boundaryCells.map(({ range }) => weigh(range)))
  const maxCells = Math.min(MAX_CELLS, Math.max(ROUGH_CELLS, Math.ceil(atStake / 10)))
  const fine = yield* coveringOf(area, { weight, maxCells, worth: WORTH })
  const isEmpty = (range: ValueRange) => knownRows(nodes, range) === 0
  const boundaryCells = fine.boundaryCells.filter(({ range }) => !isEmpty(range))
  const interior = fine.interiorCells.filter((range) => !isEmpty(range)).map(weigh)
  const boundary = boundaryCells.map(({ range }) => weigh(range))
  const cells = [...interior, ...boundary].sort((a, b) => a.range[0] - b.range[0])
  return {
    area,
    covering: { ...fine, boundaryCells },
    interior,
    boundary,
    cells,
    ranges: rangesOfCells(cells),
    inside: sumOf(interior),
    atBoundary: sumOf(boundary),
    inBounds: rowsInBox(area, statistics),
    nodes,
  }
}

/** Returns cells as merged ranges. */
export const rangesOfCells = (cells: readonly WeighedCell[]): readonly ValueRange[] =>
  merged(cells.map(({ range }) => range))

/** Estimates the rows in the bbox of an area, with a rough covering of about 64 cells. */
const rowsInBox = ({ bbox, turns, parts }: Area, { cells, total }: Statistics): number => {
  if (bbox === null || turns.length > 1 || parts.length === 0) return total
  const [west, south, east, north] = bbox
  const ring = [west, south, east, south, east, south, east, north, east, north, west, north, west, north, west, south]
  const inside = (x: number, y: number) => west < x && x < east && south < y && y < north
  const box = { bbox, turns, edges: Float64Array.from(ring), owners: null, contains: inside }
  const { interior, boundary } = covering(box, { maxCells: ROUGH_CELLS })
  const sum = (ranges: readonly ValueRange[]) =>
    ranges.reduce((rows, [first, last]) => rows + rowsIn(cells, first, last), 0)
  return sum(interior) + sum(boundary) / 2
}
