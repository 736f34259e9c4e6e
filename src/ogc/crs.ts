import { at } from '../base/collections.ts'
import { ValueError } from '../base/errors.ts'
import { doublesIn } from '../base/json.ts'
import type { Schema } from '../base/schema.ts'
import { type Bbox, rectangleOf } from '../geometry/bbox.ts'
import { domainOf, fromLonLat, isKnownSrid, toLonLat } from '../geometry/crs.ts'
import type { Geometry, Position } from '../geometry/geometry.ts'
import { isDegrees, sridNamed } from '../geometry/srid.ts'
import { isObject, nullable, parse, point } from '../model/kinds.ts'
import type { Area } from '../question/condition.ts'

export const CRS84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84'

const EPSG = 'http://www.opengis.net/def/crs/EPSG/0/'

/** The reference systems that cover the whole world. Stored positions use the first one. */
export const SYSTEMS: readonly string[] = [CRS84, `${EPSG}3857`]

/** The SRIDs of systems for a part of the world: the Netherlands (28992), and UTM zones of ETRS89 and WGS 84. */
const LOCAL_SRIDS = [
  28992,
  ...Array.from({ length: 11 }, (_, i) => 25828 + i),
  ...Array.from({ length: 60 }, (_, i) => 32601 + i),
  ...Array.from({ length: 60 }, (_, i) => 32701 + i),
]

/** A place may lie so many degrees outside the domain of a system. It is half the width of a UTM zone. */
const MARGIN = 3

/** Returns the systems that can hold every place of an extent. The domain of a local system must contain the extent. */
export const systemsOf = (extent: Bbox | null): readonly string[] => {
  if (extent === null) return SYSTEMS
  const [west, south, east, north] = extent
  const isLocal = (srid: number) => {
    const domain = domainOf(srid)
    const isIn = (least: number, greatest: number, side: 0 | 1) =>
      least >= domain[side] - MARGIN && greatest <= domain[side === 0 ? 2 : 3] + MARGIN
    return isIn(west, east, 0) && isIn(south, north, 1)
  }
  // A pole has no place in EPSG:3857.
  const global = south > -90 && north < 90 ? SYSTEMS : [CRS84]
  return [...global, ...LOCAL_SRIDS.filter(isLocal).map(uriOf)]
}

/** The names that the description declares. `sridOf` accepts a few older spellings of them. */
const DECLARED = `https?://www\\.opengis\\.net/def/crs/(OGC/1\\.3/CRS84h?|EPSG/0/(${[3857, ...LOCAL_SRIDS].join('|')}))`
/** The schema of a parameter that names a reference system. */
export const CRS_SCHEMA: Schema = { type: 'string', format: 'uri', pattern: `^${DECLARED}$` }
/** The schema of the header Content-Crs. */
export const CONTENT_CRS_SCHEMA: Schema = { type: 'string', pattern: `^<${DECLARED}>$` }

/**
 * Returns the SRID of a reference system, and 0 for CRS84. Positions have the east before the north. Throws a
 * ValueError for any other system.
 */
export const sridOf = (uri: string): number => {
  const srid = sridNamed(uri)
  // In the degrees of EPSG the latitude is first.
  if (srid === null || (srid !== 0 && isDegrees(srid)) || !isKnownSrid(srid))
    throw new ValueError(`Enter ${CRS84}, ${EPSG}3857, ${EPSG}28992, or a UTM zone, such as ${EPSG}32631.`)
  return srid
}

/** Returns the URI of a reference system. */
export const uriOf = (srid: number): string => (srid === 0 ? CRS84 : `${EPSG}${srid}`)

/** Clients round the corners of a box, often to 0.1 micrometres. A box in metres is so much larger on each side. */
const ROUNDED = 1e-6

/**
 * Converts a closed box from a reference system. Only its corners are converted, so the sides between them stay
 * straight.
 */
export const boxIn = (bounds: Bbox, srid: number): Area => {
  if (srid === 0) return { box: bounds, closed: true }
  const [west, south, east, north] = bounds
  const wider: Bbox = [west - ROUNDED, south - ROUNDED, east + ROUNDED, north + ROUNDED]
  return { within: toLonLat(rectangleOf(wider), srid), closed: true }
}

const POINT = nullable(point)
const readPoint = (value: unknown) => parse(POINT, value)

/** Returns a reader of points in a reference system. It converts them to longitude and latitude. */
export const pointIn =
  (srid: number): typeof readPoint =>
  (value) => {
    const { type, coordinates: given } = isObject(value) ? value : {}
    const coordinates = doublesIn(given)
    const isPosition = Array.isArray(coordinates) && coordinates.length > 1 && coordinates.every(Number.isFinite)
    if (srid === 0 || type !== 'Point' || !isPosition) return readPoint(value)
    const [x, y, ...heights] = coordinates
    const moved = toLonLat({ type: 'Point', coordinates: [x, y] }, srid) as Geometry & { type: 'Point' } // its type stays
    const back = fromLonLat(moved.coordinates, srid)
    // Far outside its domain a system gives wrong positions. Then the way back does not lead to the same place.
    if (back === null || !(Math.hypot(at(back, 0) - x, at(back, 1) - y) <= FAR))
      throw new ValueError(
        `The place is too far outside the area of EPSG ${srid}. Enter one inside, or use another reference system.`,
      )
    return readPoint({ ...moved, coordinates: [...moved.coordinates, ...heights] })
  }

/** Conversion there and back may move a position by at most so many metres. */
const FAR = 1

/** Converts a point or a polygon to a reference system. It is null if the system has no such place. */
export const geometryIn = (geometry: Geometry | null, srid: number): Geometry | null => {
  if (srid === 0 || geometry === null) return geometry
  if (geometry.type === 'Point') {
    const moved = fromLonLat(geometry.coordinates, srid)
    return moved && { type: 'Point', coordinates: moved }
  }
  if (geometry.type !== 'Polygon') return null
  const rings = geometry.coordinates.map((ring) => ring.map((position) => fromLonLat(position, srid)))
  const whole = rings.every((ring) => ring.every((position) => position !== null))
  return whole ? { type: 'Polygon', coordinates: rings as Position[][] } : null // no position is null
}
