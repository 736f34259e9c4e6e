import proj4 from 'proj4/lib/core.js'
import sterea from 'proj4/lib/projections/sterea.js'
import utm from 'proj4/lib/projections/utm.js'
import projections from 'proj4/lib/projections.js'
import { type Geometry, GeometryError, type Position } from './geometry.ts'

/**
 * The geometry in longitude and latitude (EPSG:4326), of one whose coordinates are in the reference system of `srid`; 0
 * is the absence of one, which is EPSG:4326. Positions are transformed, the lines between them stay straight, as with
 * ST_Transform. Throws GeometryError for another SRID than those there are and for what has no place on the earth.
 */
export const toLonLat = (geometry: Geometry, srid: number): Geometry => {
  if (srid === 0 || srid === 4326) return geometry
  const definition = definitionOf(srid)
  if (definition === undefined) throw new GeometryError(`SRID ${srid} is not known; enter one of ${KNOWN}`)
  const { inverse } = proj4(definition)
  const transform = (position: Position): Position => {
    const lonLat = inverse(position)
    if (lonLat.every(Number.isFinite)) return lonLat
    const place = position.map((each) => Number(each.toPrecision(6))).join(' ')
    throw new GeometryError(`the position ${place} is outside SRID ${srid}; enter coordinates of that system`)
  }
  return mapPositions(geometry, transform)
}

projections.add(sterea)
projections.add(utm)

const KNOWN =
  '4326 (longitude, latitude), 3857 (web mercator), 28992 (Amersfoort / RD New), ' +
  '32601 to 32660 and 32701 to 32760 (UTM), 25828 to 25838 (ETRS89 / UTM)'

// Not to be wrapped: a box across 180 degrees keeps its longitudes in one piece, some beyond 180.
const OVER = '+over +no_defs'

const MERCATOR = '+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +x_0=0 +y_0=0 +k=1 +units=m +nadgrids=@null'

// With the seven parameters from Bessel 1841 to WGS 84, exact to some 0.2 m; the grid that does better is not for here.
const RD =
  '+proj=sterea +lat_0=52.15616055555555 +lon_0=5.38763888888889 +k=0.9999079 +x_0=155000 +y_0=463000 +ellps=bessel ' +
  '+towgs84=565.417,50.3319,465.552,-0.398957,0.343988,-1.8774,4.0725 +units=m'

const definitionOf = (srid: number): string | undefined => {
  if (srid === 3857) return `${MERCATOR} ${OVER}`
  if (srid === 28992) return `${RD} ${OVER}`
  const zone = srid % 100
  const family = srid - zone
  if (family === 25800 && zone >= 28 && zone <= 38) return `+proj=utm +zone=${zone} +ellps=GRS80 +towgs84=0,0,0 ${OVER}`
  if (zone < 1 || zone > 60) return undefined
  if (family === 32600) return `+proj=utm +zone=${zone} +datum=WGS84 ${OVER}`
  if (family === 32700) return `+proj=utm +zone=${zone} +south +datum=WGS84 ${OVER}`
  return undefined
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
