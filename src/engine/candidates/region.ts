import { type SQL, sql } from 'drizzle-orm'
import { DENSE } from '../../../schema/counts.ts'
import { all, NOTHING, rangesTable } from '../../filters/sql.ts'
import { CELL_LEVELS } from '../../geometry/cell.ts'
import { type Covering, covering, merged, type Weight } from '../../geometry/covering.ts'
import type { Area } from '../../geometry/within.ts'
import { asksOnlyArea } from '../conditions/criteria.ts'
import type { Access, Row } from '../conditions/table.ts'
import type { Statistics } from '../run/cache.ts'
import type { Search } from '../search.ts'
import { decompose, nodesOf, type ValueRange } from '../sql/counts.ts'
import { countedIn, FINEST_COMPLETE, knownRows, nodesFrom, type RowsByNode, SHIFTS, WORLD, weightBy } from './nodes.ts'

/** A cell and the estimated number of rows in it. */
export interface WeighedCell {
  readonly range: ValueRange
  readonly rows: number
}

/** The cells that cover an area. They are finer in places with many rows. */
export interface Region {
  readonly area: Area
  readonly covering: Covering
  /** All cells that may have rows in the area, sorted. `isBoundary`: an edge of the area may cross the cell. */
  readonly cells: readonly (WeighedCell & { readonly isBoundary: boolean })[]
  /** All cells as merged ranges. */
  readonly ranges: readonly ValueRange[]
  /** The boundary cells as merged ranges. */
  readonly boundary: readonly ValueRange[]
  /** Estimated rows in cells inside the area, and in boundary cells. */
  readonly inside: number
  readonly atBoundary: number
  /** Estimates the rows in a cell. */
  readonly rowsIn: (range: ValueRange) => number
  /** The estimated rows in the bbox of the area. */
  readonly inBounds: number
  /**
   * Rows in cells inside the area. `counted` comes from stored counts. `uncounted` has ranges without a stored count.
   */
  readonly counted: number
  readonly uncounted: readonly ValueRange[]
  /** The nodes that gave these counts. */
  readonly nodes: RowsByNode
  /**
   * A condition that SQL can test. If `exact`, it decides the area. Else it tests only the bbox, and the Worker tests
   * the rest.
   */
  readonly condition: SQL
  readonly exact: boolean
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

/** A first, rough covering, and the query that reads the nodes in it. */
export interface Outline {
  readonly area: Area
  readonly covering: Covering
  readonly nodes: SQL
}

/**
 * Covers an area roughly and prepares the query for its nodes. A cell inside the area needs only the nodes that cover
 * it. A boundary cell needs all nodes in it, because it will be refined.
 */
export const outlineOf = ({ access, level }: Search, area: Area, { inCells }: Statistics): Outline => {
  // Statistics may be stale, so no cell counts as empty. One row is spread over the whole world for that.
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
    nodes: sql`SELECT ${columns} FROM ${rangesTable(rough.boundary)} CROSS JOIN ${table} INDEXED BY event_count_by_first
        WHERE ${tree} = 'cell' AND ${first} BETWEEN span.value ->> 0 AND span.value ->> 1
      UNION ALL SELECT ${columns} FROM ${rangesTable(rough.interiorCells.flatMap((range) => decompose(SHIFTS, [range]).nodes))} CROSS JOIN ${table}
        WHERE ${nodesOf(access, 'cell', sql`span.value ->> 0`)} AND ${node} BETWEEN span.value ->> 1 AND span.value ->> 2`,
  }
}

/** Refines the covering of an area with the nodes that were read. */
export const regionOf = (
  { access, criteria }: Search,
  outline: Outline,
  rows: readonly Row[],
  statistics: Statistics,
): Region => {
  const { area } = outline
  const nodes = nodesFrom(rows)
  const weight = weightBy(nodes, statistics)
  const rowsIn = ([first, last]: ValueRange) => weight(0, first, last)
  const sumOf = (cells: readonly WeighedCell[]) => cells.reduce((sum, { rows }) => sum + rows, 0)
  const atStake = outline.covering.boundaryCells.reduce((sum, { range }) => sum + rowsIn(range), 0)
  const maxCells = Math.min(MAX_CELLS, Math.max(ROUGH_CELLS, Math.ceil(atStake / 10)))
  const fine = covering(area, { weight, maxCells, worth: WORTH })
  const isEmpty = (range: ValueRange) => knownRows(nodes, range) === 0
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

/**
 * Returns true if SQL alone decides the area. Its comparisons with the sides of rectangles are as exact as the tests
 * here.
 */
export const isExact = (area: Area): boolean =>
  area.parts.length > 0 && area.parts.every(({ rectangles }) => rectangles !== null)

/** Estimates the rows in the bbox of an area, with a rough covering of about 64 cells. */
const inBox = ({ bbox, turns, parts }: Area, { inCells, total }: Statistics): number => {
  if (bbox === null || turns.length > 1 || parts.length === 0) return total
  const [west, south, east, north] = bbox
  const ring = [west, south, east, south, east, south, east, north, east, north, west, north, west, north, west, south]
  const inside = (x: number, y: number) => west < x && x < east && south < y && y < north
  const box = { bbox, turns, edges: Float64Array.from(ring), contains: inside }
  const { interior, boundary } = covering(box, { maxCells: ROUGH_CELLS })
  const rowsIn = (ranges: readonly ValueRange[]) =>
    ranges.reduce((sum, [first, last]) => sum + inCells(0, first, last), 0)
  return rowsIn(interior) + rowsIn(boundary) / 2
}

/**
 * Tests in SQL if a row lies in one of the rectangles of an area. For other shapes it tests the bbox with its sides.
 */
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

/** Passes a double as a parameter. D1 binds every number as a double. */
const real = (value: number): SQL => sql`${value}`
