import type { Bbox } from '../geometry/bbox.ts'
import { type Block, CELL_LEVELS, type Cell, cellAt, cellOf } from '../geometry/cell.ts'

/** A tile. Its column counts from the west, and its row from the north. */
export interface Tile {
  readonly level: number
  readonly column: number
  readonly row: number
}

/** A tile matrix set (OGC 17-083r4) as a quadtree. Each tile consists of four tiles of the next level. */
export interface TileMatrixSet {
  readonly id: string
  readonly title: string
  readonly uri: string
  readonly crs: string
  /** The number of columns and rows of tiles at level 0. */
  readonly columns: number
  readonly rows: number
  /** The width of the whole set in units of its CRS, the metres of a unit, and the north-west corner. */
  readonly width: number
  readonly metres: number
  readonly origin: readonly [x: number, y: number]
  /** The order of ordinates, and the well-known scale set. */
  readonly axes: readonly [string, string]
  readonly scales: string
  /**
   * Return the longitude at a part of the width from the west, and the latitude at a part of the height from the north.
   */
  readonly longitude: (part: number) => number
  readonly latitude: (part: number) => number
  /**
   * Returns the part of the height that lies north of a latitude. The result is below 0 or above 1 beyond the ends of
   * the set.
   */
  readonly northOf: (latitude: number) => number
}

const DEGREE = Math.PI / 180
/** The length of the equator of WGS 84, in metres. */
const EQUATOR = 2 * Math.PI * 6_378_137

/** Web Mercator ends at this latitude, about 85.0511 degrees. */
export const MERCATOR_END = Math.atan(Math.sinh(Math.PI)) / DEGREE

/** Web Mercator. Its first and last row also contain the places beyond 85.0511 degrees. */
export const WEB_MERCATOR: TileMatrixSet = {
  id: 'WebMercatorQuad',
  title: 'Google Maps Compatible for the World',
  uri: 'http://www.opengis.net/def/tilematrixset/OGC/1.0/WebMercatorQuad',
  crs: 'http://www.opengis.net/def/crs/EPSG/0/3857',
  columns: 1,
  rows: 1,
  width: EQUATOR,
  metres: 1,
  origin: [-EQUATOR / 2, EQUATOR / 2],
  axes: ['E', 'N'],
  scales: 'http://www.opengis.net/def/wkss/OGC/1.0/GoogleMapsCompatible',
  longitude: (part) => part * 360 - 180,
  // Counts from the equator, so that north and south are symmetric.
  latitude: (part) => Math.atan(Math.sinh(Math.PI * (1 - 2 * part))) / DEGREE,
  northOf: (latitude) => (1 - Math.asinh(Math.tan(latitude * DEGREE)) / Math.PI) / 2,
}

/** Longitude and latitude in degrees. Two tiles at level 0 contain the whole world. */
export const WORLD_CRS84: TileMatrixSet = {
  id: 'WorldCRS84Quad',
  title: 'CRS84 for the World',
  uri: 'http://www.opengis.net/def/tilematrixset/OGC/1.0/WorldCRS84Quad',
  crs: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84',
  columns: 2,
  rows: 1,
  width: 360,
  metres: EQUATOR / 360,
  origin: [-180, 90],
  axes: ['Lon', 'Lat'],
  scales: 'http://www.opengis.net/def/wkss/OGC/1.0/GoogleCRS84Quad',
  longitude: (part) => part * 360 - 180,
  latitude: (part) => 90 - part * 180,
  northOf: (latitude) => (90 - latitude) / 180,
}

export const TILE_MATRIX_SETS: readonly TileMatrixSet[] = [WEB_MERCATOR, WORLD_CRS84]

/** Stands for the id of a tile matrix set in a path. */
export const SET = '{tileMatrixSetId}'

/** Returns the path with the id of each set. A path without a set is about Web Mercator. */
export const inEachSet = (path: string): [path: string, set: TileMatrixSet][] =>
  path.includes(SET) ? TILE_MATRIX_SETS.map((set) => [path.replace(SET, set.id), set]) : [[path, WEB_MERCATOR]]

/** Returns the number of columns and rows of tiles at a level. */
export const sizeOf = ({ columns, rows }: TileMatrixSet, level: number): [columns: number, rows: number] => [
  columns * 2 ** level,
  rows * 2 ** level,
]

/** Returns true if the tile exists. */
export const isTile = (set: TileMatrixSet, { level, column, row }: Tile): boolean => {
  const [columns, rows] = sizeOf(set, level)
  return level >= 0 && column >= 0 && row >= 0 && column < columns && row < rows
}

/** Returns the bounds of a tile in degrees. Tiles that meet have exactly the same number there, at every level. */
export const boundsOf = (set: TileMatrixSet, { level, column, row }: Tile): Bbox => {
  const [columns, rows] = sizeOf(set, level)
  return [
    set.longitude(column / columns),
    set.latitude((row + 1) / rows),
    set.longitude((column + 1) / columns),
    set.latitude(row / rows),
  ]
}

/** Returns the bounds of the places in a tile. The first and the last row reach the poles. */
export const reachOf = (set: TileMatrixSet, tile: Tile): Bbox => {
  const [west, south, east, north] = boundsOf(set, tile)
  const [, rows] = sizeOf(set, tile.level)
  return [west, tile.row === rows - 1 ? -90 : south, east, tile.row === 0 ? 90 : north]
}

/**
 * Returns the distance of a point from the north-west corner of a tile. The unit is the width and height of the tile.
 */
export const partsOf = (
  set: TileMatrixSet,
  { level, column, row }: Tile,
  x: number,
  y: number,
): [x: number, y: number] => {
  const [columns, rows] = sizeOf(set, level)
  return [((x + 180) / 360) * columns - column, set.northOf(y) * rows - row]
}

/** The width and height of a tile in pixels. The registered tile matrix sets use this size. */
const PIXELS = 256
/** The size of a pixel of a standard display, in metres. */
const PIXEL = 0.00028
/** The number of defined levels. */
const LEVELS = 25

/** Writes a tile matrix set as JSON (OGC 17-083r4). */
export const definitionOf = (set: TileMatrixSet): object => ({
  id: set.id,
  title: set.title,
  uri: set.uri,
  crs: set.crs,
  orderedAxes: set.axes,
  wellKnownScaleSet: set.scales,
  tileMatrices: Array.from({ length: LEVELS }, (_, level) => {
    const [across, down] = sizeOf(set, level)
    const cellSize = set.width / (across * PIXELS)
    return {
      id: String(level),
      scaleDenominator: (cellSize * set.metres) / PIXEL,
      cellSize,
      cornerOfOrigin: 'topLeft',
      pointOfOrigin: set.origin,
      tileWidth: PIXELS,
      tileHeight: PIXELS,
      matrixWidth: across,
      matrixHeight: down,
    }
  }),
})

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
