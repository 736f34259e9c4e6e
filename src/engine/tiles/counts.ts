import { type SQL, sql } from 'drizzle-orm'
import { eventCounts, events } from '../../../schema/tables.ts'
import { TREES } from '../../../schema/trees.ts'
import { all, integerOf, rangesTable } from '../../filters/sql.ts'
import { box } from '../../geometry/box.ts'
import { type Block, CELL_LEVELS, cellIn } from '../../geometry/cell.ts'
import type { ValueRange } from '../conditions/search.ts'
import type { NodeRow } from '../estimates.ts'
import { seenIn } from '../events.ts'
import { nodesOf } from '../sql/counts.ts'
import { columnsOfCell } from '../sql/points.ts'

/** Returns the size of the stored nodes that count the cells of a block. Null: its cells are smaller than all nodes. */
export const nodeShiftOf = ({ level }: Block): number | null =>
  TREES.cell.shifts.findLast((stored) => stored <= 2 * (CELL_LEVELS - level)) ?? null

/** Reads the visible rows in each cell of a block, by stored nodes. The ranges consist of whole cells. */
export const nodesQuery = (block: Block, shift: number, ranges: readonly ValueRange[], level: number): SQL<NodeRow> => {
  const cell = sql`${eventCounts.node} >> ${integerOf(2 * (CELL_LEVELS - block.level) - shift)}`
  return sql`SELECT ${cell} AS node, sum(${seenIn(level)}) AS "rows" FROM ${nodesIn(shift, ranges)} GROUP BY 1`
}

/** Counts the visible rows in ranges of whole nodes. */
export const countNodes = (shift: number, ranges: readonly ValueRange[], level: number): SQL =>
  sql`(SELECT coalesce(sum(${seenIn(level)}), 0) FROM ${nodesIn(shift, ranges)})`

const nodesIn = (shift: number, ranges: readonly ValueRange[]): SQL => {
  const size = 2 ** shift
  const nodes = ranges.map(([first, last]) => [first / size, (last + 1) / size - 1])
  return sql`${rangesTable(nodes)} CROSS JOIN ${eventCounts}
    WHERE ${nodesOf('cell', shift)} AND ${eventCounts.node} BETWEEN span.value ->> 0 AND span.value ->> 1`
}

/** Tests in SQL if a row is in a block. */
export const isInBlock = ({ west, south, east, north, from, below }: Block): SQL => {
  const { column, row } = columnsOfCell()
  const { y } = events
  return all([
    sql`${column} BETWEEN ${integerOf(west)} AND ${integerOf(east)}`,
    from === null ? sql`${row} >= ${integerOf(south)}` : sql`${y} >= ${from}`,
    below === null ? sql`${row} <= ${integerOf(north)}` : sql`${y} < ${below}`,
  ])
}

/** The number of rows in a cell at the level of a block. */
export interface GroupedRow {
  readonly column: number
  readonly row: number
  readonly rows: number
}

/** Counts rows by the cells of a block. `rowsWith` selects columns of the rows. */
export const groupsOf = (block: Block, rowsWith: (columns: SQL) => SQL): SQL<GroupedRow> => {
  const { column, row } = columnsOfCell()
  const shift = integerOf(CELL_LEVELS - block.level)
  const rows = rowsWith(sql`${column} >> ${shift} AS "column", ${row} >> ${shift} AS "row"`)
  return sql`SELECT "column", "row", count(*) AS "rows" FROM (${rows}) GROUP BY 1, 2`
}

/** Returns the rows of each cell, by the number of the cell. No cell is in both lists. */
export const cellsOf = (groups: readonly GroupedRow[], nodes: readonly NodeRow[] = []): ReadonlyMap<number, number> =>
  new Map([
    ...nodes.filter(({ rows }) => rows > 0).map(({ node, rows }) => [node, rows] as const),
    ...groups.map(({ column, row, rows }) => [cellIn(column, row), rows] as const),
  ])

/**
 * Sides of a box lie this many finest cells outside. A side between two cells would make both of them boundary cells,
 * see geometry/covering.ts.
 */
const ASIDE = 2.5

/** Returns a box around the places in a block. Latitudes that cut the block are sides of the box. */
export const boxAround = ({ west, south, east, north, from, below }: Block) => {
  const [width, height] = [360 / 2 ** CELL_LEVELS, 180 / 2 ** CELL_LEVELS]
  return box([
    Math.max(-180, (west - ASIDE) * width - 180),
    from ?? Math.max(-90, (south - ASIDE) * height - 90),
    Math.min(180, (east + 1 + ASIDE) * width - 180),
    below === null ? Math.min(90, (north + 1 + ASIDE) * height - 90) : numberBelow(below),
  ])
}

/** Returns the greatest double that is less than the value. */
const numberBelow = (value: number): number => {
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, value)
  bits.setBigInt64(0, bits.getBigInt64(0) + (value > 0 ? -1n : 1n))
  return bits.getFloat64(0)
}
