import { CELL_LEVELS, type Cell, cellAt, cellChildren, cellRange } from './cell.ts'
import type { CellRange } from './covering.ts'

/** A rectangle of finest cells. Columns count from the west and rows from the south. All four limits are included. */
export interface Block {
  /** The level of the smallest cells that `rangesOf` returns. */
  readonly level: number
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
  /** The latitude at which the block begins within its first row, in degrees. Null: the block has the whole row. */
  readonly from: number | null
  /** The latitude before which the block ends within its last row, in degrees. Null: the block has the whole row. */
  readonly below: number | null
}

/** Tests if a block has at least a part of a finest cell. */
export const inBlock = ({ west, south, east, north }: Block, column: number, row: number): boolean =>
  west <= column && column <= east && south <= row && row <= north

/**
 * Returns the cells that overlap a block as ranges of finest cells. Splits cells down to the block's level. A cell that
 * lies wholly in the block is one range, which saves ranges.
 */
export const rangesOf = (block: Block): CellRange[] => {
  const ranges: CellRange[] = []
  const take = (cell: Cell): void => {
    const part = partOf(block, cell)
    if (part === 'none') return
    if (part === 'all' || cell.level === block.level) ranges.push(cellRange(cell))
    else cellChildren(cell).forEach(take)
  }
  take({ level: 0, column: 0, row: 0 })
  return ranges
}

/** Returns how much of a cell is in a block. The cell is given as its range of finest cells. */
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
