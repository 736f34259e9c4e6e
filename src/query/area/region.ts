import { type SQL, sql } from 'drizzle-orm'
import { DENSE } from '../../../schema/counts.ts'
import { CELL_LEVELS } from '../../geometry/cell.ts'
import { type Covering, covering, merged, type Weight } from '../../geometry/covering.ts'
import type { Area } from '../../geometry/within.ts'
import type { Statistics } from '../db/cache.ts'
import { decompose, nodesOf, type Range } from '../db/counts.ts'

import { all, NOTHING, spans } from '../db/sql.ts'
import { asksOnlyArea } from '../plan/conditions.ts'
import type { Search } from '../search.ts'
import type { Access, Row } from '../table.ts'
import { countedIn, FINEST_COMPLETE, knownRows, type Nodes, nodesFrom, SHIFTS, WORLD, weightBy } from './nodes.ts'

/** A cell, and how many rows to expect in it. */
export interface WeighedCell {
  readonly range: Range
  readonly rows: number
}

/** The cells of an area, as fine as the rows in them are worth. */
export interface Region {
  readonly area: Area
  readonly covering: Covering
  /** All cells in which rows may be within, in their order, and whether an edge may meet them. */
  readonly cells: readonly (WeighedCell & { readonly isBoundary: boolean })[]
  /** The same as ranges. */
  readonly ranges: readonly Range[]
  /** Those that an edge may meet. */
  readonly boundary: readonly Range[]
  /** How many rows to expect in cells wholly inside, and in the others. */
  readonly inside: number
  readonly atBoundary: number
  /** How many rows to expect in a cell. */
  readonly rowsIn: (range: Range) => number
  /** How many rows to expect in the bbox. */
  readonly inBounds: number
  /** How many rows are in cells wholly inside: those counted, and the ranges in which they are still to be counted. */
  readonly counted: number
  readonly uncounted: readonly Range[]
  /** What these were counted by. */
  readonly nodes: Nodes
  /** What the database asks of a row: all of it where `exact`, else what leaves few that are not within. */
  readonly condition: SQL
  readonly exact: boolean
}

/** The finest level of which all nodes are kept that hold rows. */
const COMPLETE_LEVEL = CELL_LEVELS - FINEST_COMPLETE / 2
/** How many cells the first covering has at most, and how many nodes in a cell are worth a split: all of these are read. */
const OUTLINE_CELLS = 400
const NODES_WORTH = 8
/** How many cells a covering has at least, where there is something to cover. */
const ROUGH_CELLS = 64
/** How many cells the second one has at most: each range of them costs two rows. */
const MAX_CELLS = 4000
/** How many rows make a cell at the boundary worth a split. */
const WORTH = 12

/** A first covering, and the query for the nodes in it. */
export interface Outline {
  readonly area: Area
  readonly covering: Covering
  readonly nodes: SQL
}

/** Covers an area roughly, and asks for the nodes in its cells: inside, those that make them up; at the boundary, all. */
export const outlineOf = ({ access, level }: Search, area: Area, { inCells }: Statistics): Outline => {
  // A row more than is known, over the whole world: statistics may be out of date, and no cell is to be taken for empty.
  const weight: Weight = (level, first, last) => {
    const rows = inCells(level, first, last) + (last - first + 1) / WORLD
    return Math.min(rows, 4 ** Math.max(0, COMPLETE_LEVEL - level)) + rows / DENSE
  }
  const rough = covering(area, { weight, maxCells: OUTLINE_CELLS, worth: NODES_WORTH })
  const { table, shift, node, first, tree, visible } = access.counts
  const columns = sql`${shift} AS shift, ${node} AS node, ${visible(level)} AS "rows"`
  return {
    area,
    covering: rough,
    nodes: sql`SELECT ${columns} FROM ${spans(rough.boundary)} CROSS JOIN ${table} INDEXED BY event_count_by_first
        WHERE ${tree} = 'cell' AND ${first} BETWEEN span.value ->> 0 AND span.value ->> 1
      UNION ALL SELECT ${columns} FROM ${spans(rough.interiorCells.flatMap((range) => decompose(SHIFTS, [range]).nodes))} CROSS JOIN ${table}
        WHERE ${nodesOf(access, 'cell', sql`span.value ->> 0`)} AND ${node} BETWEEN span.value ->> 1 AND span.value ->> 2`,
  }
}

/** The region of an area, refined by the nodes that were read. */
export const regionOf = (
  { access, criteria }: Search,
  outline: Outline,
  rows: readonly Row[],
  statistics: Statistics,
): Region => {
  const { area } = outline
  const nodes = nodesFrom(rows)
  const weight = weightBy(nodes, statistics)
  const rowsIn = ([first, last]: Range) => weight(0, first, last)
  const sumOf = (cells: readonly WeighedCell[]) => cells.reduce((sum, { rows }) => sum + rows, 0)
  const atStake = outline.covering.boundaryCells.reduce((sum, { range }) => sum + rowsIn(range), 0)
  const maxCells = Math.min(MAX_CELLS, Math.max(ROUGH_CELLS, Math.ceil(atStake / 10)))
  const fine = covering(area, { weight, maxCells, worth: WORTH })
  const isEmpty = (range: Range) => knownRows(nodes, range) === 0
  const boundary = fine.boundaryCells.filter(({ range }) => !isEmpty(range))
  const inside = fine.interiorCells.filter((range) => !isEmpty(range))
  const cells = [
    ...inside.map((range) => ({ range, rows: rowsIn(range), isBoundary: false })),
    ...boundary.map(({ range }) => ({ range, rows: rowsIn(range), isBoundary: true })),
  ].sort((a, b) => a.range[0] - b.range[0])
  const { counted, uncounted } = asksOnlyArea(criteria) ? countedIn(nodes, inside) : { counted: [], uncounted: [] }
  return {
    area,
    covering: { ...fine, boundaryCells: boundary },
    cells,
    rowsIn,
    ranges: merged(cells.map(({ range }) => range)),
    boundary: merged(boundary.map(({ range }) => range)),
    inside: sumOf(cells.filter(({ isBoundary }) => !isBoundary)),
    atBoundary: sumOf(cells.filter(({ isBoundary }) => isBoundary)),
    inBounds: inBox(area, statistics),
    counted: counted.reduce((sum, [, rows]) => sum + rows, 0),
    uncounted,
    nodes,
    condition: all(area.parts.map((part) => inBounds(access, part))),
    exact: isExact(area),
  }
}

/** Whether the database decides what is within: it compares with the sides of rectangles as exactly as the tests here. */
export const isExact = (area: Area): boolean =>
  area.parts.length > 0 && area.parts.every(({ rectangles }) => rectangles !== null)

/** How many rows to expect in the bbox of an area, as far as cells of 8 by 8 in it tell. */
const inBox = ({ bbox, turns, parts }: Area, { inCells, total }: Statistics): number => {
  if (bbox === null || turns.length > 1 || parts.length === 0) return total
  const [west, south, east, north] = bbox
  const ring = [west, south, east, south, east, south, east, north, east, north, west, north, west, north, west, south]
  const inside = (x: number, y: number) => west < x && x < east && south < y && y < north
  const box = { bbox, turns, edges: Float64Array.from(ring), contains: inside }
  const { interior, boundary } = covering(box, { maxCells: ROUGH_CELLS })
  const rowsIn = (ranges: readonly Range[]) => ranges.reduce((sum, [first, last]) => sum + inCells(0, first, last), 0)
  return rowsIn(interior) + rowsIn(boundary) / 2
}

/** Whether a row is in the rectangles of an area, exactly, or else in its bbox or on the sides of it. */
const inBounds = ({ place: { x, y } }: Access, { bbox, turns, rectangles, closed }: Area): SQL => {
  if (bbox === null) return NOTHING
  const [more, less] = rectangles === null || closed ? [sql`>=`, sql`<=`] : [sql`>`, sql`<`]
  const between = (column: SQL, least: number, greatest: number) =>
    sql`(${column} ${more} ${real(least)} AND ${column} ${less} ${real(greatest)})`
  const boxes = (rectangles ?? [bbox]).flatMap(([west, south, east, north]) =>
    turns.map((turn) => {
      const longitude = turn === 0 ? sql`${x}` : sql`(${x} + ${real(turn)})`
      return sql`(${between(longitude, west, east)} AND ${between(sql`${y}`, south, north)})`
    }),
  )
  return sql`(${sql.join(boxes, sql` OR `)})`
}

/** A double as a parameter: D1 binds every number as one. */
const real = (value: number): SQL => sql`${value}`
