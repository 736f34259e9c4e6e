import { type SQL, sql } from 'drizzle-orm'
import { eventCounts, events } from '../../../schema/tables.ts'
import { TREES } from '../../../schema/trees.ts'
import { at } from '../../collections.ts'
import { all, integerOf, rangesTable } from '../../filters/sql.ts'
import { type Block, CELL_LEVELS, cellIn } from '../../geometry/cell.ts'
import type { Search, ValueRange } from '../conditions/search.ts'
import { CELL_SHIFTS, type NodeRow } from '../estimates.ts'
import { seenIn } from '../events.ts'
import { nodesOf } from '../sql/counts.ts'
import { cellsPath } from '../sql/paths.ts'
import { columnsOfCell } from '../sql/points.ts'

/**
 * Counts the rows of a block by cell, at the level of the block. A cell at the side counts only its part in the block.
 */
export const cellCounts = ({ level }: Block) => {
  const size = 4 ** (CELL_LEVELS - level)
  const cells = new Map<number, number>()
  let count = 0
  return {
    /** Adds rows in a finest cell. */
    add: (rows: number, finest: number): void => {
      if (rows === 0) return
      count += rows
      const cell = Math.floor(finest / size)
      cells.set(cell, (cells.get(cell) ?? 0) + rows)
    },
    count: () => count,
    cells: (): ReadonlyMap<number, number> => cells,
  }
}

export type CellCounts = ReturnType<typeof cellCounts>

/** Returns the size of the nodes that count cells of this level: as large as a cell, or the next smaller size. */
const nodeShiftOf = ({ level }: Block): number => {
  const shift = 2 * (CELL_LEVELS - level)
  return Math.max(...CELL_SHIFTS.filter((stored) => stored <= shift))
}

/** Reads the visible rows of each node in some cells of the block. */
export const nodesQuery = (search: Search, block: Block, cells: readonly ValueRange[]): SQL<NodeRow> => {
  return sql`SELECT ${eventCounts.node} AS node, ${seenIn(search.level)} AS "rows" FROM ${nodesIn(block, cells)}`
}

/** Tests if these nodes have at most `most` rows together. */
export const holdAtMost = (search: Search, block: Block, cells: readonly ValueRange[], most: number): SQL =>
  sql`(SELECT coalesce(sum(${seenIn(search.level)}), 0) FROM ${nodesIn(block, cells)}) <= ${most}`

const nodesIn = (block: Block, cells: readonly ValueRange[]): SQL => {
  const shift = nodeShiftOf(block)
  const size = 2 ** shift
  const slots = cells.map(([first, last]) => [first / size, (last + 1) / size - 1])
  return sql`${rangesTable(slots)} CROSS JOIN ${eventCounts}
    WHERE ${nodesOf('cell', shift)} AND ${eventCounts.node} BETWEEN span.value ->> 0 AND span.value ->> 1`
}

/**
 * Counts whole cells by their nodes. It returns the ranges outside of stored nodes, because their rows are not counted
 * yet. The complete levels have every node with rows, so they leave no ranges.
 */
export const countNodes = (
  block: Block,
  cells: readonly ValueRange[],
  nodes: readonly NodeRow[],
  counts: CellCounts,
): ValueRange[] => {
  const shift = nodeShiftOf(block)
  const size = 2 ** shift
  const counted = nodes.map(({ node, rows }): ValueRange => {
    counts.add(rows, node * size)
    return [node * size, (node + 1) * size - 1]
  })
  const isComplete = TREES.cell.complete.some((complete) => complete === shift)
  return isComplete ? [] : without(cells, counted)
}

/** Removes parts from sorted ranges. */
export const without = (ranges: readonly ValueRange[], parts: readonly ValueRange[]): ValueRange[] => {
  const sorted = [...parts].sort((a, b) => a[0] - b[0])
  const left: ValueRange[] = []
  let next = 0
  for (const [first, last] of ranges) {
    let from = first
    for (; next < sorted.length; next++) {
      const [start, end] = at(sorted, next)
      if (start > last) break
      if (start > from) left.push([from, start - 1])
      from = end + 1
    }
    if (from <= last) left.push([from, last])
  }
  return left
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

/** Counts the rows of each cell of a block within ranges, if `condition` holds. */
export const countQuery = (
  { visible }: Search,
  block: Block,
  ranges: readonly ValueRange[],
  condition: SQL | null = null,
): SQL<GroupedRow> => {
  const { from, enter } = cellsPath(ranges, 0)
  const where = all([enter, visible, condition, isInBlock(block)])
  return groupsOf(block, (columns) => sql`SELECT ${columns} FROM ${from} WHERE ${where}`)
}

/** Adds the answer of `groupsOf`. */
export const addGroups = ({ level }: Block, rows: readonly GroupedRow[], counts: CellCounts): void => {
  const size = 4 ** (CELL_LEVELS - level)
  for (const { column, row, rows: count } of rows) counts.add(count, cellIn(column, row) * size)
}
