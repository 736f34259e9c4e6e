import type { Bbox } from '../geometry/bbox.ts'

/** A tile: its column from the west and its row from the north at a level. */
export interface Tile {
  readonly level: number
  readonly column: number
  readonly row: number
}

/** A tile matrix set (OGC 17-083r4) of quadtrees: each tile is four of the next level. */
export interface TileMatrixSet {
  readonly id: string
  readonly title: string
  readonly uri: string
  readonly crs: string
  /** How many tiles lie side by side, and one above the other, at level 0. */
  readonly columns: number
  readonly rows: number
  /** How wide the whole is in units of its system, how many metres a unit has, and where its north-west corner is. */
  readonly width: number
  readonly metres: number
  readonly origin: readonly [x: number, y: number]
  /** The order of ordinates, and the well-known scale set that the levels are of. */
  readonly axes: readonly [string, string]
  readonly scales: string
  /** The longitude or latitude of what part of the whole lies west of it, or north of it; exact where a part is. */
  readonly longitude: (part: number) => number
  readonly latitude: (part: number) => number
  /** Returns the part of the whole north of a latitude. Beyond the ends it is less than 0 or more than 1. */
  readonly northOf: (latitude: number) => number
}

const DEGREE = Math.PI / 180
/** The equator of WGS 84, in metres. */
const EQUATOR = 2 * Math.PI * 6_378_137

/** The latitude at which web mercator ends: about 85.0511. */
export const MERCATOR_END = Math.atan(Math.sinh(Math.PI)) / DEGREE

/** Web mercator. Its first and last row also have the places beyond 85.0511 degrees. */
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
  // From the equator, so that north and south are alike.
  latitude: (part) => Math.atan(Math.sinh(Math.PI * (1 - 2 * part))) / DEGREE,
  northOf: (latitude) => (1 - Math.asinh(Math.tan(latitude * DEGREE)) / Math.PI) / 2,
}

/** Longitude and latitude: two tiles at level 0, and all of the world in them. */
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

/** How many tiles lie side by side at a level, and one above the other. */
export const sizeOf = ({ columns, rows }: TileMatrixSet, level: number): [columns: number, rows: number] => [
  columns * 2 ** level,
  rows * 2 ** level,
]

/** Whether there is such a tile. */
export const isTile = (set: TileMatrixSet, { level, column, row }: Tile): boolean => {
  const [columns, rows] = sizeOf(set, level)
  return level >= 0 && column >= 0 && row >= 0 && column < columns && row < rows
}

/** The bounds of a tile in degrees; where two tiles meet they are one number, at every level. */
export const boundsOf = (set: TileMatrixSet, { level, column, row }: Tile): Bbox => {
  const [columns, rows] = sizeOf(set, level)
  return [
    set.longitude(column / columns),
    set.latitude((row + 1) / rows),
    set.longitude((column + 1) / columns),
    set.latitude(row / rows),
  ]
}

/** Returns the bounds of the places in a tile. The first and the last row reach to the poles. */
export const reachOf = (set: TileMatrixSet, tile: Tile): Bbox => {
  const [west, south, east, north] = boundsOf(set, tile)
  const [, rows] = sizeOf(set, tile.level)
  return [west, tile.row === rows - 1 ? -90 : south, east, tile.row === 0 ? 90 : north]
}

/** Returns the distance of a point from the north-west corner of a tile, in parts of its width and height. */
export const partsOf = (
  set: TileMatrixSet,
  { level, column, row }: Tile,
  x: number,
  y: number,
): [x: number, y: number] => {
  const [columns, rows] = sizeOf(set, level)
  return [((x + 180) / 360) * columns - column, set.northOf(y) * rows - row]
}
