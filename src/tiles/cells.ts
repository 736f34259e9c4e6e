import { type Block, CELL_LEVELS, type Cell, cellAt, cellOf } from '../geometry/cell.ts'
import { boundsOf, sizeOf, type Tile, type TileMatrixSet } from './matrix.ts'

/** A tile is 2^5 of its cells wide. Cells are never finer than level FINEST, the smallest that is counted. */
const FINENESS = 5
const FINEST = 20
/** The finest tiles have a level with 2^17 columns. Each is about 300 metres wide. */
const DEEPEST = 17

/** Returns the level of the cells in tiles of a level. */
export const cellLevelOf = (set: TileMatrixSet, level: number): number =>
  Math.min(Math.log2(sizeOf(set, level)[0]) + FINENESS, FINEST)

/** Returns the level of the finest tiles. */
export const deepestOf = ({ columns }: TileMatrixSet): number => DEEPEST - Math.log2(columns)

/**
 * Returns the finest cells in a tile. A side of the tile may cut a row of cells. Then the block has the latitude of
 * that side, so each place is in exactly one tile of a level. The first and the last row of tiles reach the poles.
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

/** Returns the cell to draw for a cell. A cell beyond the end of the set moves to the last row inside. */
export const shownIn = (set: TileMatrixSet, { level, column, row }: Cell): Cell => ({
  level,
  column,
  row: Math.min(Math.max(row, rowAt(level, set.latitude(1))), rowAt(level, set.latitude(0))),
})

/** Returns true if a border between finest cells lies at this latitude. */
const isSide = (latitude: number): boolean => Number.isInteger(((latitude + 90) / 180) * 2 ** CELL_LEVELS)

const rowAt = (level: number, latitude: number): number =>
  cellAt(level, Math.floor(cellOf(0, latitude) / 4 ** (CELL_LEVELS - level))).row
