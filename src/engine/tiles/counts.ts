import { type SQL, sql } from 'drizzle-orm'
import { TREES } from '../../../schema/trees.ts'
import { at } from '../../collections.ts'
import { all, integerOf, rangesTable } from '../../filters/sql.ts'
import { type Block, CELL_LEVELS, cellIn } from '../../geometry/cell.ts'
import { CELL_SHIFTS, type NodeRow } from '../candidates/nodes.ts'
import type { ValueRange } from '../conditions/criteria.ts'
import type { Search } from '../conditions/search.ts'
import { nodesOf } from '../sql/counts.ts'
import { columnsOfCell } from '../sql/points.ts'
import { cellsSource } from '../sql/sources.ts'

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
  const { node, visible } = search.access.counts
  return sql`SELECT ${node} AS node, ${visible(search.level)} AS "rows" FROM ${nodesIn(search, block, cells)}`
}

/** Tests if these nodes have at most `most` rows together. */
export const holdAtMost = (search: Search, block: Block, cells: readonly ValueRange[], most: number): SQL =>
  sql`(SELECT coalesce(sum(${search.access.counts.visible(search.level)}), 0) FROM ${nodesIn(search, block, cells)}) <= ${most}`

const nodesIn = ({ access }: Search, block: Block, cells: readonly ValueRange[]): SQL => {
  const shift = nodeShiftOf(block)
  const { table, node } = access.counts
  const size = 2 ** shift
  const slots = cells.map(([first, last]) => [first / size, (last + 1) / size - 1])
  return sql`${rangesTable(slots)} CROSS JOIN ${table}
    WHERE ${nodesOf(access, 'cell', shift)} AND ${node} BETWEEN span.value ->> 0 AND span.value ->> 1`
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
export const isInBlock = ({ access }: Search, { west, south, east, north, from, below }: Block): SQL => {
  const { column, row } = columnsOfCell(access)
  const { y } = access.place
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

/** Counts the rows of a source by the cells of a block. */
export const groupedQuery = (search: Search, block: Block, source: SQL, where: SQL): SQL<GroupedRow> => {
  const { column, row } = columnsOfCell(search.access)
  const shift = integerOf(CELL_LEVELS - block.level)
  return sql`SELECT ${column} >> ${shift} AS "column", ${row} >> ${shift} AS "row", count(*) AS "rows" FROM ${source}
    WHERE ${all([where, isInBlock(search, block)])} GROUP BY 1, 2`
}

/** Counts the rows of each cell of a block within ranges, if `condition` holds. */
export const countQuery = (
  search: Search,
  block: Block,
  ranges: readonly ValueRange[],
  condition: SQL | null = null,
): SQL<GroupedRow> => {
  const { source, enter } = cellsSource(search.table, search.access, ranges)
  return groupedQuery(search, block, source, all([enter, search.visible, condition]))
}

/** Adds the answer of `groupedQuery`. */
export const addGroups = ({ level }: Block, rows: readonly GroupedRow[], counts: CellCounts): void => {
  const size = 4 ** (CELL_LEVELS - level)
  for (const { column, row, rows: count } of rows) counts.add(count, cellIn(column, row) * size)
}
