import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { TREES } from '../../../schema/counts.ts'
import { type Block, partIn } from '../../geometry/block.ts'
import { CELL_LEVELS, cellAt, cellIn } from '../../geometry/cell.ts'
import { finestColumns } from '../area/candidates.ts'
import { SHIFTS } from '../area/nodes.ts'
import { nodesOf, type Range } from '../db/counts.ts'
import { all, integerOf, spans } from '../db/sql.ts'
import { byCells } from '../plan/paths.ts'
import type { Search } from '../search.ts'
import type { Row } from '../table.ts'

/** Rows by the cells of a block's level: those of the part of a cell that is in the block. */
export const cellCounts = ({ level }: Block) => {
  const shift = CELL_LEVELS - level
  const cells = new Map<number, number>()
  let count = 0
  const add = (rows: number, column: number, row: number): void => {
    const cell = cellIn(Math.floor(column / 2 ** shift), Math.floor(row / 2 ** shift))
    count += rows
    cells.set(cell, (cells.get(cell) ?? 0) + rows)
  }
  return {
    /** Adds rows in a finest cell, by its column and row. */
    add,
    /** The same, by the number of the finest cell. */
    addAt: (rows: number, finest: number): void => {
      const { column, row } = cellAt(CELL_LEVELS, finest)
      if (rows > 0) add(rows, column, row)
    },
    count: () => count,
    cells: (): ReadonlyMap<number, number> => cells,
  }
}

export type CellCounts = ReturnType<typeof cellCounts>

/** The nodes that cells of a level are counted by: as large as these, or the next smaller ones. */
export const nodeShiftOf = ({ level }: Block): number => {
  const shift = 2 * (CELL_LEVELS - level)
  return Math.max(...SHIFTS.filter((kept) => kept <= shift))
}

/** How many rows the nodes in ranges hold: all that the caller sees of them, as nodes say it. */
export const nodesQuery = (search: Search, block: Block, ranges: readonly Range[]): SQL => {
  const { node, visible } = search.access.counts
  return sql`SELECT ${node} AS node, ${visible(search.level)} AS "rows" FROM ${nodesIn(search, block, ranges)}`
}

/** How many rows they hold together. */
export const nodesSum = (search: Search, block: Block, ranges: readonly Range[]): SQL =>
  sql`(SELECT coalesce(sum(${search.access.counts.visible(search.level)}), 0) FROM ${nodesIn(search, block, ranges)})`

const nodesIn = ({ access }: Search, block: Block, ranges: readonly Range[]): SQL => {
  const shift = nodeShiftOf(block)
  const { table, node } = access.counts
  const size = 2 ** shift
  const slots = ranges.map((range) => slotsIn(range, size)).filter(([low, high]) => low <= high)
  return sql`${spans(slots)} CROSS JOIN ${table}
    WHERE ${nodesOf(access, 'cell', shift)} AND ${node} BETWEEN span.value ->> 0 AND span.value ->> 1`
}

/** The numbers of the first and the last node that are wholly in a range; of none the first is greater. */
const slotsIn = ([first, last]: Range, size: number): Range => [
  Math.ceil(first / size),
  Math.floor((last + 1) / size) - 1,
]

/**
 * Counts by the nodes that were read, and tells the ranges in which rows are still to be counted: outside of nodes, unless all
 * are kept that hold rows, and in those of which only a part is in the block.
 */
export const countNodes = (
  block: Block,
  ranges: readonly Range[],
  nodes: readonly Row[],
  counts: CellCounts,
): Range[] => {
  const shift = nodeShiftOf(block)
  const size = 2 ** shift
  const isComplete = (TREES.cell.complete as readonly number[]).includes(shift)
  const partial: Range[] = []
  const known: Range[] = []
  for (const { node, rows } of nodes) {
    const range: Range = [node * size, (node + 1) * size - 1]
    if (partIn(block, range) !== 'all') partial.push(range)
    else {
      known.push(range)
      counts.addAt(rows, node * size)
    }
  }
  if (!isComplete) return without(ranges, known)
  const slots = ranges.map((range) => slotsIn(range, size)).filter(([low, high]) => low <= high)
  const ends = without(
    ranges,
    slots.map(([low, high]): Range => [low * size, (high + 1) * size - 1]),
  )
  return [...partial, ...ends].sort((a, b) => a[0] - b[0])
}

/** What is left of sorted ranges without others that lie in them. */
export const without = (ranges: readonly Range[], parts: readonly Range[]): Range[] => {
  const sorted = [...parts].sort((a, b) => a[0] - b[0])
  const left: Range[] = []
  let next = 0
  for (const [first, last] of ranges) {
    let from = first
    for (; next < sorted.length; next++) {
      const [start = 0, end = 0] = sorted[next] ?? []
      if (start > last) break
      if (start > from) left.push([from, start - 1])
      from = end + 1
    }
    if (from <= last) left.push([from, last])
  }
  return left
}

/** Whether a row is in a block, in SQL. */
export const isInBlock = ({ access }: Search, { west, south, east, north }: Block): SQL => {
  const { column, row } = finestColumns(access)
  const between = (value: SQLWrapper, least: number, greatest: number) =>
    sql`${value} BETWEEN ${integerOf(least)} AND ${integerOf(greatest)}`
  return sql`(${between(column, west, east)} AND ${between(row, south, north)})`
}

/** How many rows are in each cell of a block, of those that a source has: `place` is their cell's column and row as one number. */
export const groupedQuery = (search: Search, block: Block, source: SQL, where: SQL): SQL => {
  const { column, row } = finestColumns(search.access)
  const shift = integerOf(CELL_LEVELS - block.level)
  return sql`SELECT ${column} >> ${shift} AS "column", ${row} >> ${shift} AS "row", count(*) AS "rows" FROM ${source}
    WHERE ${all([where, isInBlock(search, block)])} GROUP BY 1, 2`
}

/** The same in ranges of cells. */
export const countQuery = (search: Search, block: Block, ranges: readonly Range[]): SQL => {
  const { source, enter } = byCells(search, ranges, 0)
  return groupedQuery(search, block, source, all([enter, search.visible]))
}

/** Counts what such a query answers. */
export const addGroups = ({ level }: Block, rows: readonly Row[], counts: CellCounts): void => {
  const size = 2 ** (CELL_LEVELS - level)
  for (const { column, row, rows: held } of rows) counts.add(held, column * size, row * size)
}
