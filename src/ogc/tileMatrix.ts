import type { Bbox } from '../geometry/bbox.ts'
import { type Block, CELL_LEVELS, type Cell, cellAt, cellOf } from '../geometry/cell.ts'

/** A tile. Its column counts from the west, and its row from the north. */
export interface Tile {
  readonly level: number
  readonly column: number
  readonly row: number
}

/** A tile matrix set (OGC 17-083r4) as a quadtree. Level 0 has one row, and each tile has four of the next level. */
export interface TileMatrixSet {
  readonly id: string
  readonly title: string
  readonly uri: string
  readonly crs: string
  /** The number of columns of tiles at level 0. */
  readonly columns: number
  /** The width of the whole set in units of its CRS, the metres of a unit, and the north-west corner. */
  readonly width: number
  readonly metres: number
  readonly origin: readonly [x: number, y: number]
  /** The order of ordinates, and the well-known scale set. */
  readonly axes: readonly [string, string]
  readonly scales: string
  /** Returns the latitude at a part of the height from the north. */
  readonly latitude: (part: number) => number
  /** Returns the part of the height north of a latitude: below 0 or above 1 beyond the ends of the set. */
  readonly northOf: (latitude: number) => number
}

const DEFINITIONS = 'http://www.opengis.net/def'
const DEGREE = Math.PI / 180
/** The length of the equator of WGS 84, in metres. */
const EQUATOR = 2 * Math.PI * 6_378_137

/** Web Mercator ends at this latitude, about 85.0511 degrees. */
export const MERCATOR_END = Math.atan(Math.sinh(Math.PI)) / DEGREE

/** Web Mercator. Its first and last row also contain the places beyond 85.0511 degrees. */
export const WEB_MERCATOR: TileMatrixSet = {
  id: 'WebMercatorQuad',
  title: 'Google Maps Compatible for the World',
  uri: `${DEFINITIONS}/tilematrixset/OGC/1.0/WebMercatorQuad`,
  crs: `${DEFINITIONS}/crs/EPSG/0/3857`,
  columns: 1,
  width: EQUATOR,
  metres: 1,
  origin: [-EQUATOR / 2, EQUATOR / 2],
  axes: ['E', 'N'],
  scales: `${DEFINITIONS}/wkss/OGC/1.0/GoogleMapsCompatible`,
  // Counts from the equator, so that north and south are symmetric.
  latitude: (part) => Math.atan(Math.sinh(Math.PI * (1 - 2 * part))) / DEGREE,
  northOf: (latitude) => (1 - Math.asinh(Math.tan(latitude * DEGREE)) / Math.PI) / 2,
}

/** Longitude and latitude in degrees. Two tiles at level 0 contain the whole world. */
export const WORLD_CRS84: TileMatrixSet = {
  id: 'WorldCRS84Quad',
  title: 'CRS84 for the World',
  uri: `${DEFINITIONS}/tilematrixset/OGC/1.0/WorldCRS84Quad`,
  crs: `${DEFINITIONS}/crs/OGC/1.3/CRS84`,
  columns: 2,
  width: 360,
  metres: EQUATOR / 360,
  origin: [-180, 90],
  axes: ['Lon', 'Lat'],
  scales: `${DEFINITIONS}/wkss/OGC/1.0/GoogleCRS84Quad`,
  latitude: (part) => 90 - part * 180,
  northOf: (latitude) => (90 - latitude) / 180,
}

export const TILE_MATRIX_SETS: readonly TileMatrixSet[] = [WEB_MERCATOR, WORLD_CRS84]

/** Returns the longitude at a part of the width from the west. */
export const longitudeAt = (part: number): number => part * 360 - 180

/** Returns the number of columns and rows of tiles at a level. */
export const sizeOf = (set: TileMatrixSet, level: number): [columns: number, rows: number] => [
  set.columns * 2 ** level,
  2 ** level,
]

export const isTile = (set: TileMatrixSet, { level, column, row }: Tile): boolean => {
  const [columns, rows] = sizeOf(set, level)
  return level >= 0 && column >= 0 && row >= 0 && column < columns && row < rows
}

/** Returns the bounds of a tile in degrees. Tiles that meet have exactly the same number there, at every level. */
export const tileBounds = (set: TileMatrixSet, { level, column, row }: Tile): Bbox => {
  const [columns, rows] = sizeOf(set, level)
  const [west, east] = [longitudeAt(column / columns), longitudeAt((column + 1) / columns)]
  return [west, set.latitude((row + 1) / rows), east, set.latitude(row / rows)]
}

const isLast = ({ level, row }: Tile): boolean => row === 2 ** level - 1

/**
 * Returns the distance of a point from the north-west corner of a tile. The unit is the width and height of the tile.
 */
export const partsInTile = (
  set: TileMatrixSet,
  { level, column, row }: Tile,
  x: number,
  y: number,
): [x: number, y: number] => {
  const [columns, rows] = sizeOf(set, level)
  return [((x + 180) / 360) * columns - column, set.northOf(y) * rows - row]
}

/** A tile is 2^5 of its cells wide. Cells are never finer than level FINEST, the smallest that is counted. */
const FINENESS = 5
const FINEST = 20
/** The finest tiles have a level with 2^17 columns. Each is about 300 metres wide. */
const DEEPEST = 17

/** The most events that a tile shows one by one. */
export const MOST = 3000

/** Returns the level of the cells in tiles of a level. */
export const cellLevelOf = (set: TileMatrixSet, level: number): number =>
  Math.min(Math.log2(set.columns) + level + FINENESS, FINEST)

/** Returns the level of the finest tiles. */
export const deepestOf = ({ columns }: TileMatrixSet): number => DEEPEST - Math.log2(columns)

/**
 * Returns the finest cells in a tile. A side of the tile may cut a row of cells. Then the block has the latitude of
 * that side, so each place is in exactly one tile of a level. The first and the last row of tiles reach the poles.
 */
export const blockOf = (set: TileMatrixSet, tile: Tile): Block => {
  const [, south, , north] = tileBounds(set, tile)
  const width = 2 ** CELL_LEVELS / (set.columns * 2 ** tile.level)
  const below = tile.row === 0 || isSide(north) ? null : north
  return {
    level: cellLevelOf(set, tile.level),
    west: tile.column * width,
    east: (tile.column + 1) * width - 1,
    south: isLast(tile) ? 0 : rowAt(CELL_LEVELS, south),
    north: tile.row === 0 ? 2 ** CELL_LEVELS - 1 : rowAt(CELL_LEVELS, north) - (below === null ? 1 : 0),
    from: isLast(tile) || isSide(south) ? null : south,
    below,
  }
}

/** Returns the cell to draw for a cell. A cell beyond the end of the set moves to the last row inside. */
export const shownCell = (set: TileMatrixSet, { level, column, row }: Cell): Cell => ({
  level,
  column,
  row: Math.min(Math.max(row, rowAt(level, set.latitude(1))), rowAt(level, set.latitude(0))),
})

/** Returns true if a border between finest cells lies at this latitude. */
const isSide = (latitude: number): boolean => Number.isInteger(((latitude + 90) / 180) * 2 ** CELL_LEVELS)

const rowAt = (level: number, latitude: number): number =>
  cellAt(level, Math.floor(cellOf(0, latitude) / 4 ** (CELL_LEVELS - level))).row
