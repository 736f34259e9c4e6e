import type { Bbox } from '../geometry/bbox.ts'
import { box } from '../geometry/box.ts'
import type { Area } from '../geometry/within.ts'

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
  /** What part of the whole lies north of a latitude. */
  readonly northOf: (latitude: number) => number
}

const DEGREE = Math.PI / 180
/** The equator of WGS 84, in metres. */
const EQUATOR = 2 * Math.PI * 6_378_137

/** The latitude at which web mercator ends: about 85.0511. */
export const MERCATOR_END = Math.atan(Math.sinh(Math.PI)) / DEGREE

/** Web mercator: what lies beyond 85.0511 degrees is in no tile of it. */
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

/** Whether a point is in a tile: its west and south sides belong to it, north and east only at the end of the set. */
export const isIn = (set: TileMatrixSet, tile: Tile, x: number, y: number): boolean => {
  const [west, south, east, north] = boundsOf(set, tile)
  const last = tile.column === sizeOf(set, tile.level)[0] - 1
  const first = tile.row === 0
  return west <= x && (x < east || (last && x === east)) && south <= y && (y < north || (first && y === north))
}

/** The one tile of a level that a point is in; null where it is in none, as beyond the end of web mercator. */
export const tileAt = (set: TileMatrixSet, level: number, x: number, y: number): Tile | null => {
  const [columns, rows] = sizeOf(set, level)
  const column = Math.floor(((x + 180) / 360) * columns)
  const row = Math.floor(set.northOf(y) * rows)
  // Rounding may lead to a neighbour.
  for (const [i, j] of NEIGHBOURS) {
    const tile = { level, column: within(column + i, columns), row: within(row + j, rows) }
    if (isIn(set, tile, x, y)) return tile
  }
  return null
}

const NEIGHBOURS = [-1, 0, 1].flatMap((i) => [-1, 0, 1].map((j) => [i, j] as const))

const within = (index: number, size: number): number => Math.min(Math.max(index, 0), size - 1)

/** The points in a tile, as an area to search. */
export const areaOf = (set: TileMatrixSet, tile: Tile): Area => ({
  ...box(boundsOf(set, tile)),
  contains: (x, y) => isIn(set, tile, x, y),
})

/** Where a point lies in a tile or beside it, in units of which it has so many, from its north-west corner. */
export const place = (
  set: TileMatrixSet,
  { level, column, row }: Tile,
  x: number,
  y: number,
  units: number,
): [number, number] => {
  const [columns, rows] = sizeOf(set, level)
  const north = set.northOf(Math.min(Math.max(y, -LIMIT), LIMIT))
  return [Math.round((((x + 180) / 360) * columns - column) * units), Math.round((north * rows - row) * units)]
}

/** Web mercator has no poles. */
const LIMIT = 89.99
