import datumTransform from 'proj4/lib/datum_transform.js'
import merc from 'proj4/lib/projections/merc.js'
import sterea from 'proj4/lib/projections/sterea.js'
import utm from 'proj4/lib/projections/utm.js'
import { at } from '../base/collections.ts'
import { ValueError } from '../base/errors.ts'
import type { Bbox } from './bbox.ts'
import { brief, type Geometry, type Position, zeroIfNear } from './geometry.ts'
import { isDegrees, planeOf } from './srid.ts'

/**
 * Transforms a geometry from the system of `srid` to longitude and latitude (EPSG:4326). SRID 0 means EPSG:4326. Only
 * positions are transformed. The lines between them stay straight, as with ST_Transform. Throws ValueError if the
 * SRID is unknown, or if a position has no place on the earth.
 */
export const toLonLat = (geometry: Geometry, srid: number): Geometry => {
  const { inverse } = knownSystem(srid)
  return mapPositions(geometry, (position) => {
    const lonLat = inverse(position).map(zeroIfNear)
    if (lonLat.every((each) => Math.abs(each) <= FARTHEST)) return lonLat
    throw new ValueError(refusal(position, srid))
  })
}

/**
 * Transforms a position from longitude and latitude to the system of `srid`. Further numbers, such as a height, stay
 * unchanged. Returns null if the system has no such place: web mercator has no pole. Throws ValueError for an
 * unknown SRID.
 */
export const fromLonLat = (position: Position, srid: number): Position | null => {
  const moved = knownSystem(srid).forward(position)
  return moved.every(Number.isFinite) ? [...moved, ...position.slice(2)] : null
}

/**
 * Returns the area of use of a reference system in degrees, as EPSG defines it. Throws ValueError for an unknown
 * SRID.
 */
export const domainOf = (srid: number): Bbox => knownSystem(srid).domain

/** Tests if there is a reference system with this SRID. */
export const isKnownSrid = (srid: number): boolean => systemOf(planeOf(srid)) !== undefined

const KNOWN =
  '4326, 4979, 4258 or 4937 (longitude, latitude), 3857 (web mercator), 28992 or 7415 (Amersfoort / RD New), ' +
  '32601 to 32660 and 32701 to 32760 (UTM), 25828 to 25838 (ETRS89 / UTM)'

// The largest coordinate in degrees. Any way to write "the whole world" is below it. Metres of RD or UTM are mostly
// above it, so a forgotten SRID is an error.
const FARTHEST = 100_000

const refusal = (position: Position, srid: number): string => {
  const place = `the position ${brief(position)}`
  if (!isDegrees(srid)) return `${place} is outside SRID ${srid}; enter coordinates of that system`
  return `${place} is not longitude and latitude; enter degrees, or an SRID, such as SRID=28992;POINT (155000 463000)`
}

/** Transforms a position to or from longitude and latitude. The result is not finite if there is no such place. */
type Move = (position: Position) => Position

interface System {
  readonly inverse: Move
  readonly forward: Move
  readonly domain: Bbox
}

const LON_LAT: System = {
  inverse: (position) => position,
  forward: (position) => position.slice(0, 2),
  domain: [-180, -90, 180, 90],
}

/** Returns the domain of a UTM zone, which is 6 degrees wide. */
const utmDomain = (zone: number, south: number, north: number): Bbox => [6 * zone - 186, south, 6 * zone - 180, north]

const knownSystem = (srid: number): System => {
  const system = systemOf(planeOf(srid))
  if (system === undefined) throw new ValueError(`SRID ${srid} is not known; enter coordinates in one of ${KNOWN}`)
  return system
}

/** The systems that an isolate has made. A list of collections needs the domains of all a thousand times. */
const known = new Map<number, System>()

const systemOf = (srid: number): System | undefined => {
  const system = known.get(srid) ?? makeSystem(srid)
  if (system !== undefined) known.set(srid, system)
  return system
}

const makeSystem = (srid: number): System | undefined => {
  if (srid === 4326) return LON_LAT
  if (srid === 3857) return systemBy(merc, { a: WGS84.a, b: WGS84.a, sphere: true }, [-180, -85.06, 180, 85.06])
  if (srid === 28992) return systemBy(sterea, RD, [3.2, 50.75, 7.22, 53.7], BESSEL)
  const zone = srid % 100
  const family = srid - zone
  if (family === 25800 && zone >= 28 && zone <= 38) return systemBy(utm, { ...GRS80, zone }, utmDomain(zone, 0, 84))
  if (zone < 1 || zone > 60) return undefined
  if (family === 32600) return systemBy(utm, { ...WGS84, zone }, utmDomain(zone, 0, 84))
  if (family === 32700) return systemBy(utm, { ...WGS84, zone, utmSouth: true }, utmDomain(zone, -80, 0))
  return undefined
}

// `over` stops proj4 from wrapping longitudes. A box across 180 degrees then stays in one piece, with some longitudes
// beyond 180. proj4 gets finite numbers only, because its sterea treats NaN as the centre.
const systemBy = (projection: typeof merc, parameters: object, domain: Bbox, datum = WGS84): System => {
  const system = { ...projection, ...parameters, over: true }
  system.init()
  const inverse: Move = (position) => {
    const [x, y] = [at(position, 0), at(position, 1)]
    const point = Number.isFinite(x) && Number.isFinite(y) ? system.inverse({ x, y }) : null
    if (point === null) return [Number.NaN, Number.NaN]
    const shifted = datumTransform(datum, WGS84, point)
    return [shifted.x / DEGREE, shifted.y / DEGREE]
  }
  const forward: Move = (position) => {
    const lonLat = { x: at(position, 0) * DEGREE, y: at(position, 1) * DEGREE }
    const point = system.forward(datumTransform(WGS84, datum, lonLat))
    return point === null ? [Number.NaN, Number.NaN] : [point.x, point.y]
  }
  return { inverse, forward, domain }
}

const DEGREE = Math.PI / 180
const ARC_SECOND = DEGREE / 3600

// proj4 numbers the types of datums: seven parameters that lead to WGS 84, and WGS 84 itself.
const [SEVEN_PARAMETERS, IS_WGS84] = [2, 4]

/** Returns an ellipsoid for proj4: semi-axes in metres, eccentricity squared, eccentricity. It is the datum WGS 84. */
const ellipsoid = (a: number, inverseFlattening: number) => {
  const b = (1 - 1 / inverseFlattening) * a
  const es = (a * a - b * b) / (a * a)
  return { a, b, es, e: Math.sqrt(es), datum_type: IS_WGS84 }
}

const WGS84 = ellipsoid(6_378_137, 298.257223563)
const GRS80 = ellipsoid(6_378_137, 298.257222101)
/**
 * The parameters are metres, radians and a factor. They are accurate to about 0.2 m. The grid that is more accurate is not
 * included.
 */
const BESSEL = {
  ...ellipsoid(6_377_397.155, 299.1528128),
  datum_type: SEVEN_PARAMETERS,
  datum_params: [
    ...[565.417, 50.3319, 465.552],
    ...[-0.398957, 0.343988, -1.8774].map((seconds) => seconds * ARC_SECOND),
    1 + 4.0725e-6,
  ],
}

const RD = {
  ...BESSEL,
  lat0: 52.15616055555555 * DEGREE,
  long0: 5.38763888888889 * DEGREE,
  k0: 0.9999079,
  x0: 155_000,
  y0: 463_000,
}

/** Any coordinates in arrays. */
type Nested = number[] | Nested[]

const mapPositions = (geometry: Geometry, map: (position: Position) => Position): Geometry => {
  const { type } = geometry
  if (type === 'GeometryCollection')
    return { type, geometries: geometry.geometries.map((each) => mapPositions(each, map)) }
  const moved = (coordinates: Nested): Nested => (isPosition(coordinates) ? map(coordinates) : coordinates.map(moved))
  return { type, coordinates: moved(geometry.coordinates) } as Geometry // the same arrays as before
}

/** Tests if coordinates are those of one position. An empty array has no positions. */
const isPosition = (coordinates: Nested): coordinates is number[] => typeof coordinates[0] === 'number'
