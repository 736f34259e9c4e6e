import { CELL_LEVELS, type Cell, cellAt, cellChildren, cellRange } from './cell.ts'
import type { Range } from './covering.ts'

/** A rectangle of finest cells, by their columns from the west and rows from the south, all included, and a level of larger ones. */
export interface Block {
  readonly level: number
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
  /** The latitude that cuts the first row: the block begins with it. Null: all of that row is in the block. */
  readonly from: number | null
  /** The latitude that cuts the last row: the block ends before it. Null: all of that row is in the block. */
  readonly below: number | null
}

/** Whether a block has a part of a finest cell. */
export const inBlock = ({ west, south, east, north }: Block, column: number, row: number): boolean =>
  west <= column && column <= east && south <= row && row <= north

/** All of the cells of its level that a block has a part of, as few ranges of finest cells. */
export const rangesOf = (block: Block): Range[] => {
  const ranges: Range[] = []
  const take = (cell: Cell): void => {
    const part = partOf(block, cell)
    if (part === 'none') return
    if (part === 'all' || cell.level === block.level) ranges.push(cellRange(cell))
    else cellChildren(cell).forEach(take)
  }
  take({ level: 0, column: 0, row: 0 })
  return ranges
}

/** How much of a cell, given as its range, is in a block. */
export const partIn = (block: Block, [first, last]: readonly [first: number, last: number]): Part => {
  const level = CELL_LEVELS - Math.round(Math.log2(last - first + 1) / 2)
  return partOf(block, cellAt(level, first / 4 ** (CELL_LEVELS - level)))
}

type Part = 'all' | 'some' | 'none'

const partOf = ({ west, south, east, north, from, below }: Block, { level, column, row }: Cell): Part => {
  const size = 2 ** (CELL_LEVELS - level)
  const [first, last] = [from === null ? south : south + 1, below === null ? north : north - 1]
  const [left, right, bottom, top] = [column * size, (column + 1) * size - 1, row * size, (row + 1) * size - 1]
  if (right < west || left > east || top < south || bottom > north) return 'none'
  return west <= left && right <= east && first <= bottom && top <= last ? 'all' : 'some'
}
