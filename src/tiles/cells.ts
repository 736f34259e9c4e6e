import { type Cell, cellBounds } from '../geometry/cell.ts'
import { boundsOf, isIn, sizeOf, type Tile, type TileMatrixSet } from './matrix.ts'

/** Cells of a level from a column to another and from a row to another, both included; rows are from the south. */
export interface CellBlock {
  readonly level: number
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/**
 * The cells of a level that belong to a tile: those whose centre it holds, so that each belongs to one tile, and of every
 * level of tiles the counts of cells come to the same. Null where there are none, as cells are larger than the tile.
 */
export const cellsOf = (set: TileMatrixSet, tile: Tile, level: number): CellBlock | null => {
  const [columns] = sizeOf(set, tile.level)
  const across = 2 ** level / columns
  if (across < 1) return null
  const [, south, , north] = boundsOf(set, tile)
  const rows = 2 ** level
  const near = (latitude: number) => Math.floor(((latitude + 90) / 180) * rows)
  const column = tile.column * across
  const belongs = (row: number) => row >= 0 && row < rows && isIn(set, tile, ...centreOf({ level, column, row }))
  let [first, last] = [near(south) - 1, near(north) + 1]
  while (first <= last && !belongs(first)) first++
  while (last >= first && !belongs(last)) last--
  return first > last ? null : { level, west: column, east: column + across - 1, south: first, north: last }
}

/** The centre of a cell, exact. */
export const centreOf = (cell: Cell): [x: number, y: number] => {
  const [west, south, east, north] = cellBounds(cell)
  return [(west + east) / 2, (south + north) / 2]
}

/** Whether a cell is one of a block. */
export const isOf = ({ level, west, south, east, north }: CellBlock, cell: Cell): boolean =>
  cell.level === level && west <= cell.column && cell.column <= east && south <= cell.row && cell.row <= north
