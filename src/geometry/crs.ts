import {
  geocentricFromWgs84,
  geocentricToGeodetic,
  geocentricToWgs84,
  geodeticToGeocentric,
} from 'proj4/lib/datumUtils.js'
import merc from 'proj4/lib/projections/merc.js'
import sterea from 'proj4/lib/projections/sterea.js'
import utm from 'proj4/lib/projections/utm.js'
import type { Bbox } from './bbox.ts'
import { type Geometry, GeometryError, type Position } from './geometry.ts'
import { zeroIfNear } from './zero.ts'

/**
 * The geometry in longitude and latitude (EPSG:4326), of one whose coordinates are in the reference system of `srid`; 0
 * is the absence of one, which is EPSG:4326. Positions are transformed, the lines between them stay straight, as with
 * ST_Transform. Throws GeometryError for another SRID than those there are and for what has no place on the earth.
 */
export const toLonLat = (geometry: Geometry, srid: number): Geometry => {
  const inverse = systemOf(srid)?.inverse
  if (inverse === undefined) throw new GeometryError(`SRID ${srid} is not known; enter one of ${KNOWN}`)
  return mapPositions(geometry, (position) => {
    const lonLat = inverse(position).map(zeroIfNear)
    if (lonLat.every(isDegrees)) return lonLat
    throw new GeometryError(refusal(position, srid))
  })
}

/**
 * A position in the reference system of `srid`, of one in longitude and latitude; null where the system has no such place,
 * as web mercator has no pole. What follows them, such as a height, stays. Throws GeometryError for an unknown SRID.
 */
export const fromLonLat = (position: Position, srid: number): Position | null => {
  const forward = systemOf(srid)?.forward
  if (forward === undefined) throw new GeometryError(`SRID ${srid} is not known; enter one of ${KNOWN}`)
  const moved = forward(position)
  return moved.every(Number.isFinite) ? [...moved, ...position.slice(2)] : null
}

/** The area of use of a reference system in degrees, as EPSG defines it. Throws GeometryError for an unknown SRID. */
export const domainOf = (srid: number): Bbox => {
  const domain = systemOf(srid)?.domain
  if (domain === undefined) throw new GeometryError(`SRID ${srid} is not known; enter one of ${KNOWN}`)
  return domain
}

/** Whether there is a reference system of this SRID. */
export const isKnownSrid = (srid: number): boolean => systemOf(srid) !== undefined

const KNOWN =
  '4326 (longitude, latitude), 3857 (web mercator), 28992 (Amersfoort / RD New), ' +
  '32601 to 32660 and 32701 to 32760 (UTM), 25828 to 25838 (ETRS89 / UTM)'

// Any way to write "the whole world" is below this. Metres of RD or UTM without their SRID mostly are not.
const FARTHEST = 100_000

const isDegrees = (v: number): boolean => Math.abs(v) <= FARTHEST

const refusal = (position: Position, srid: number): string => {
  const place = `the position ${position.map((each) => Number(each.toPrecision(6))).join(' ')}`
  if (srid !== 0 && srid !== 4326) return `${place} is outside SRID ${srid}; enter coordinates of that system`
  return `${place} is no longitude and latitude; enter degrees, or an SRID, such as SRID=28992;POINT (155000 463000)`
}

/** From a position in a reference system to longitude and latitude, or back; not finite where there is no such place. */
type Move = (position: Position) => Position

interface System {
  readonly inverse: Move
  readonly forward: Move
  readonly domain: Bbox
}

const LON_LAT: System = {
  inverse: (position) => position,
  forward: ([x = Number.NaN, y = Number.NaN]) => [x, y],
  domain: [-180, -90, 180, 90],
}

const MERCATOR_DOMAIN: Bbox = [-180, -85.06, 180, 85.06]
const RD_DOMAIN: Bbox = [3.2, 50.75, 7.22, 53.7]

/** A zone of UTM is 6 degrees wide. */
const utmDomain = (zone: number, south: number, north: number): Bbox => [6 * zone - 186, south, 6 * zone - 180, north]

const systemOf = (srid: number): System | undefined => {
  if (srid === 0 || srid === 4326) return LON_LAT
  if (srid === 3857) return systemBy(merc, { a: WGS84.a, b: WGS84.a, sphere: true }, MERCATOR_DOMAIN)
  if (srid === 28992) return systemBy(sterea, RD, RD_DOMAIN, fromBessel, toBessel)
  const zone = srid % 100
  const family = srid - zone
  if (family === 25800 && zone >= 28 && zone <= 38) return systemBy(utm, { ...GRS80, zone }, utmDomain(zone, 0, 84))
  if (zone < 1 || zone > 60) return undefined
  if (family === 32600) return systemBy(utm, { ...WGS84, zone }, utmDomain(zone, 0, 84))
  if (family === 32700) return systemBy(utm, { ...WGS84, zone, utmSouth: true }, utmDomain(zone, -80, 0))
  return undefined
}

type Point = { x: number; y: number }
type Shift = (point: Point) => Point

const same: Shift = (point) => point

// `over`: longitudes are not to be wrapped, as a box across 180 degrees keeps them in one piece, some beyond 180. What is
// not finite is kept from proj4, whose sterea takes NaN for its centre.
const systemBy = (projection: typeof merc, parameters: object, domain: Bbox, shift = same, unshift = same): System => {
  const system = { ...projection, ...parameters, over: true }
  system.init()
  const inverse: Move = ([x = Number.NaN, y = Number.NaN]) => {
    const point = Number.isFinite(x) && Number.isFinite(y) ? system.inverse({ x, y }) : null
    if (point === null) return [Number.NaN, Number.NaN]
    const shifted = shift(point)
    return [shifted.x / DEGREE, shifted.y / DEGREE]
  }
  const forward: Move = ([x = Number.NaN, y = Number.NaN]) => {
    const point = system.forward(unshift({ x: x * DEGREE, y: y * DEGREE }))
    return point === null ? [Number.NaN, Number.NaN] : [point.x, point.y]
  }
  return { inverse, forward, domain }
}

const DEGREE = Math.PI / 180
const ARC_SECOND = DEGREE / 3600

/** The parameters of an ellipsoid by which proj4 computes: semi-axes in metres, eccentricity and its square. */
const ellipsoid = (a: number, inverseFlattening: number) => {
  const b = (1 - 1 / inverseFlattening) * a
  const es = (a * a - b * b) / (a * a)
  return { a, b, es, e: Math.sqrt(es) }
}

const WGS84 = ellipsoid(6_378_137, 298.257223563)
const GRS80 = ellipsoid(6_378_137, 298.257222101)
const BESSEL = ellipsoid(6_377_397.155, 299.1528128)

const RD = {
  ...BESSEL,
  lat0: 52.15616055555555 * DEGREE,
  long0: 5.38763888888889 * DEGREE,
  k0: 0.9999079,
  x0: 155_000,
  y0: 463_000,
}

// From Bessel 1841 to WGS 84, exact to some 0.2 m; the grid that does better is not for here.
const ROTATION = [-0.398957, 0.343988, -1.8774].map((seconds) => seconds * ARC_SECOND)
const BESSEL_TO_WGS84 = [565.417, 50.3319, 465.552, ...ROTATION, 1 + 4.0725e-6]

const fromBessel = (point: Point): Point => {
  const bessel = geodeticToGeocentric(point, BESSEL.es, BESSEL.a)
  const wgs84 = geocentricToWgs84(bessel, 2, BESSEL_TO_WGS84)
  return geocentricToGeodetic(wgs84, WGS84.es, WGS84.a, WGS84.b)
}

const toBessel = (point: Point): Point => {
  const wgs84 = geodeticToGeocentric(point, WGS84.es, WGS84.a)
  const bessel = geocentricFromWgs84(wgs84, 2, BESSEL_TO_WGS84)
  return geocentricToGeodetic(bessel, BESSEL.es, BESSEL.a, BESSEL.b)
}

const mapPositions = (geometry: Geometry, map: (position: Position) => Position): Geometry => {
  const { type } = geometry
  switch (type) {
    case 'Point':
      return { type, coordinates: geometry.coordinates.length > 0 ? map(geometry.coordinates) : [] }
    case 'LineString':
    case 'MultiPoint':
      return { type, coordinates: geometry.coordinates.map(map) }
    case 'Polygon':
    case 'MultiLineString':
      return { type, coordinates: geometry.coordinates.map((line) => line.map(map)) }
    case 'MultiPolygon':
      return { type, coordinates: geometry.coordinates.map((rings) => rings.map((ring) => ring.map(map))) }
    case 'GeometryCollection':
      return { type, geometries: geometry.geometries.map((each) => mapPositions(each, map)) }
  }
}
