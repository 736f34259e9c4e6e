import type { Block } from '../geometry/block.ts'
import { CELL_LEVELS, type Cell, cellAt, cellBounds, cellOf } from '../geometry/cell.ts'
import { boundsOf, isIn, sizeOf, type Tile, type TileMatrixSet } from './matrix.ts'

/** A tile is as wide as 2^5 of its cells, unless they were smaller than the smallest that are counted. */
const FINENESS = 5
const FINEST = 20
/** Of so many tiles side by side, 2^17 and each some 300 metres wide, there are no finer ones. */
const DEEPEST = 17

/** The level of the cells that tiles of a level show. */
export const cellLevelOf = (set: TileMatrixSet, level: number): number =>
  Math.min(Math.log2(sizeOf(set, level)[0]) + FINENESS, FINEST)

/** The level of the finest tiles. */
export const deepestOf = ({ columns }: TileMatrixSet): number => DEEPEST - Math.log2(columns)

/**
 * What belongs to a tile: the cells of a level whose centre it holds, so that each belongs to one tile, and of every level
 * of tiles the counts of cells come to the same. Beyond the end of the set nothing belongs to any tile: a cell there ends at it.
 * Null where there is none, as cells are larger than the tile.
 */
export const cellsOf = (set: TileMatrixSet, tile: Tile, level: number): Block | null => {
  const [columns] = sizeOf(set, tile.level)
  const across = 2 ** level / columns
  if (across < 1) return null
  const [, south, , north] = boundsOf(set, tile)
  const rows = 2 ** level
  const near = (latitude: number) => Math.floor(((latitude + 90) / 180) * rows)
  const column = tile.column * across
  const belongs = (row: number): boolean => {
    const seat = row < 0 || row >= rows ? null : seatOf(set, { level, column, row })
    return seat !== null && isIn(set, tile, ...seat)
  }
  let [first, last] = [near(south) - 1, near(north) + 1]
  while (first <= last && !belongs(first)) first++
  while (last >= first && !belongs(last)) last--
  if (first > last) return null
  const size = 2 ** (CELL_LEVELS - level)
  return {
    level,
    west: column * size,
    east: (column + across) * size - 1,
    south: Math.max(first * size, finestRowAt(set.latitude(1))),
    north: Math.min((last + 1) * size - 1, finestRowAt(set.latitude(0))),
  }
}

/** Where a cell belongs: its centre or, where that is beyond the end of the set, the end; null where all of it is beyond. */
export const seatOf = (set: TileMatrixSet, cell: Cell): [x: number, y: number] | null => {
  const [west, south, east, north] = cellBounds(cell)
  const [least, greatest] = [set.latitude(1), set.latitude(0)]
  if (south >= greatest || north <= least) return null
  return [(west + east) / 2, Math.min(Math.max((south + north) / 2, least), greatest)]
}

const finestRowAt = (latitude: number): number => cellAt(CELL_LEVELS, cellOf(0, latitude)).row
