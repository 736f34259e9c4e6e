import { ValueError } from '../base/errors.ts'
import { type Count, checkDepth, count, type Geometry, type ParsedGeometry, type Position, quote } from './geometry.ts'
import { planeOf, sridOfCrs } from './srid.ts'

type Members = Record<string, unknown>

/** The state for one document: the number of its positions, and the SRID of its outermost object. */
type Document = Count & { srid: number }

type Item<T> = (value: unknown, place: string, document: Document) => T

/**
 * Reads the geometry of a GeoJSON text, without checks of its shape. Accepts a geometry, a Feature and a
 * FeatureCollection. A FeatureCollection becomes a collection of its geometries. A Feature with a null geometry becomes
 * an empty collection.
 * The SRID comes from `crs` of the 2008 specification. Throws ValueError with the path of the member. Source: RFC
 * 7946.
 */
export const readGeoJson = (text: string): ParsedGeometry => {
  const root = parseJson(text)
  const document: Document = { vertices: 0, srid: 0 }
  const members = readObject(root, 'the outermost value')
  document.srid = readCrs(members, '') ?? 0
  return { geometry: readAny(root, '', document, 1), srid: document.srid }
}

const GEOMETRIES = 'Point, LineString, Polygon, MultiPoint, MultiLineString, MultiPolygon or GeometryCollection'

// The message of the engine would repeat the input. Only its position is used, if it has one.
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    const position = /at position (\d+)/.exec(String(error))?.[1]
    const ended = /end of JSON/.test(String(error))
    const index = ended ? text.length : position && Number(position)
    const place = typeof index === 'number' ? `at character ${index + 1}: ` : ''
    const what = ended ? 'the JSON ends too early' : 'this is not valid JSON'
    throw new ValueError(`${place}${what}; enter GeoJSON such as {"type":"Point","coordinates":[5.1,52.1]}`)
  }
}

const readAny = (value: unknown, place: string, document: Document, depth: number): Geometry => {
  const members = readObject(value, place)
  const srid = readCrs(members, place)
  if (srid !== undefined && srid !== (document.srid || 4326)) {
    throw wrong(join(place, 'crs'), 'differs from the crs of the outermost object; enter crs only there')
  }
  switch (members.type) {
    case 'FeatureCollection':
      if (place) break
      return readMembers(members, 'features', place, document, depth)
    case 'Feature':
      if (place && !/^features\[\d+\]$/.test(place)) break
      if (members.geometry === null) return { type: 'GeometryCollection', geometries: [] }
      return readAny(members.geometry, join(place, 'geometry'), document, depth)
    case 'GeometryCollection':
      return readMembers(members, 'geometries', place, document, depth)
  }
  return readGeometry(members, place, document)
}

const readMembers = (members: Members, key: string, place: string, document: Document, depth: number): Geometry => {
  const here = join(place, key)
  checkDepth(depth, `at ${tail(place)}`)
  const read: Item<Geometry> = (value, path) => readAny(value, path, document, depth + 1)
  return { type: 'GeometryCollection', geometries: readArray(members[key], here, document, read) }
}

const readGeometry = (members: Members, place: string, document: Document): Geometry => {
  const { type, coordinates } = members
  const here = join(place, 'coordinates')
  switch (type) {
    case 'Point':
      return { type, coordinates: readPoint(coordinates, here, document) }
    case 'MultiPoint':
      return { type, coordinates: readArray(coordinates, here, document, readPoint) }
    case 'LineString':
      return { type, coordinates: readLine(coordinates, here, document) }
    case 'Polygon':
    case 'MultiLineString':
      return { type, coordinates: readLines(coordinates, here, document) }
    case 'MultiPolygon':
      return { type, coordinates: readArray(coordinates, here, document, readLines) }
  }
  const butNot = typeof type === 'string' ? `, not ${quote(type)}` : ''
  throw wrong(join(place, 'type'), `expected ${GEOMETRIES}${butNot}`)
}

const readObject = (value: unknown, place: string): Members => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members // any object
  throw wrong(place, 'expected a geometry object such as {"type":"Point","coordinates":[5.1,52.1]}')
}

const readArray = <T>(value: unknown, place: string, document: Document, item: Item<T>): T[] => {
  if (!Array.isArray(value)) throw wrong(place, 'expected an array')
  return value.map((each, i) => item(each, `${place}[${i}]`, document))
}

const readPosition: Item<Position> = (value, place, document) => {
  count(document, 1)
  if (!Array.isArray(value) || value.length < 2) throw wrong(place, 'expected a position such as [5.1, 52.1]')
  // JSON.parse reads 1e999 as Infinity.
  const odd = value.findIndex((each) => typeof each !== 'number' || !Number.isFinite(each))
  if (odd >= 0) throw wrong(`${place}[${odd}]`, 'expected a finite number such as 5.1')
  return [value[0], value[1]]
}

// RFC 7946 has no empty position, but other programs write one for POINT EMPTY.
const readPoint: Item<Position> = (value, place, document) =>
  Array.isArray(value) && value.length === 0 ? [] : readPosition(value, place, document)

const readLine: Item<Position[]> = (value, place, document) => readArray(value, place, document, readPosition)
const readLines: Item<Position[][]> = (value, place, document) => readArray(value, place, document, readLine)

const readCrs = (members: Members, place: string): number | undefined => {
  if (members.crs === undefined || members.crs === null) return undefined
  const srid = sridOfCrs(members.crs)
  if (srid !== null) return planeOf(srid)
  throw wrong(join(place, 'crs'), 'expected {"type":"name","properties":{"name":"EPSG:28992"}} or no crs')
}

const join = (place: string, key: string): string => (place ? `${place}.${key}` : key)

// Shortens a long path. Its end identifies the member.
const tail = (place: string): string => (place.length > 60 ? `...${place.slice(-57)}` : place)

const wrong = (place: string, what: string): ValueError => new ValueError(`at ${tail(place)}: ${what}`)
