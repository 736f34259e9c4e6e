import type { Block } from '../geometry/block.ts'
import { CELL_LEVELS, type Cell, cellAt, cellOf } from '../geometry/cell.ts'
import { boundsOf, sizeOf, type Tile, type TileMatrixSet } from './matrix.ts'

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
 * Returns the finest cells in a tile. If a side of the tile cuts them, the block has the latitude of that side. So each place
 * is in exactly one tile of a level. The tiles of the first and the last row reach to the poles.
 */
export const blockOf = (set: TileMatrixSet, tile: Tile): Block => {
  const [columns, rows] = sizeOf(set, tile.level)
  const [, south, , north] = boundsOf(set, tile)
  const width = 2 ** CELL_LEVELS / columns
  const from = tile.row === rows - 1 || isSide(south) ? null : south
  const below = tile.row === 0 || isSide(north) ? null : north
  return {
    level: cellLevelOf(set, tile.level),
    west: tile.column * width,
    east: (tile.column + 1) * width - 1,
    south: tile.row === rows - 1 ? 0 : rowAt(CELL_LEVELS, south),
    north: tile.row === 0 ? 2 ** CELL_LEVELS - 1 : rowAt(CELL_LEVELS, north) - (below === null ? 1 : 0),
    from,
    below,
  }
}

/** Returns the cell that is drawn for a cell. Beyond the end of the set this is the last row of cells inside. */
export const shownIn = (set: TileMatrixSet, { level, column, row }: Cell): Cell => ({
  level,
  column,
  row: Math.min(Math.max(row, rowAt(level, set.latitude(1))), rowAt(level, set.latitude(0))),
})

/** Whether finest cells meet at a latitude. */
const isSide = (latitude: number): boolean => Number.isInteger(((latitude + 90) / 180) * 2 ** CELL_LEVELS)

const rowAt = (level: number, latitude: number): number =>
  cellAt(level, Math.floor(cellOf(0, latitude) / 4 ** (CELL_LEVELS - level))).row
