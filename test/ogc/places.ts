import { type Block, CELL_LEVELS, cellAt, cellOf } from '../../src/geometry/cell.ts'
import { blockOf, isTile, partsInTile, sizeOf, type Tile, type TileMatrixSet } from '../../src/ogc/tileMatrix.ts'

// Finds the tiles of places by trying them.

/** Whether a place is in a block. */
export const holds = (block: Block, x: number, y: number): boolean => {
  const { column, row } = cellAt(CELL_LEVELS, cellOf(x, y))
  const { west, south, east, north, from, below } = block
  const isIn = west <= column && column <= east && south <= row && row <= north
  return isIn && (from === null || y >= from) && (below === null || y < below)
}

const NEIGHBOURS = [-1, 0, 1].flatMap((i) => [-1, 0, 1].map((j) => [i, j] as const))

/** Finds the tiles of a level that hold a place. It tries the tile of the usual formula and its neighbours. */
const tilesThatHold = (set: TileMatrixSet, level: number, x: number, y: number): Tile[] => {
  const [columns, rows] = sizeOf(set, level)
  const [across, down] = partsInTile(set, { level, column: 0, row: 0 }, x, y)
  const index = (part: number, size: number) => Math.min(Math.max(Math.floor(part), 0), size - 1)
  const [column, row] = [index(across, columns), index(down, rows)]
  return NEIGHBOURS.map(([i, j]) => ({ level, column: column + i, row: row + j })).filter(
    (tile) => isTile(set, tile) && holds(blockOf(set, tile), x, y),
  )
}

/** The one tile of a level that holds a place. */
export const tileAt = (set: TileMatrixSet, level: number, x: number, y: number): Tile => {
  const [tile, ...others] = tilesThatHold(set, level, x, y)
  if (tile === undefined || others.length > 0) throw new Error(`${others.length + 1} tiles hold ${x} ${y}`)
  return tile
}
