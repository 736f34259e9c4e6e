import { ValueError } from '../base/errors.ts'
import { type Count, checkDepth, count, type Geometry, type ParsedGeometry, type Position } from './geometry.ts'
import { planeOf } from './srid.ts'

/**
 * The state of a reader. `at` is the next byte, `little` the byte order of the current geometry, `stride` the bytes of
 * one position in it.
 */
type Cursor = Count & { view: DataView; at: number; little: boolean; stride: number; srid: number }

/**
 * Reads the geometry of WKB or EWKB bytes, without checks of its shape. Each nested geometry may have its own byte
 * order. Reads Z and M, by the thousands of ISO or the flags of PostGIS, and drops them. POINT EMPTY is a position of
 * NaNs.
 * Compares every count with the bytes left before it creates anything. Throws ValueError. Sources: OGC 06-103r4,
 * section 8.2, and PostGIS EWKB.
 */
export const readWkb = (bytes: Uint8Array): ParsedGeometry => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const cursor: Cursor = { view, at: 0, little: true, stride: 16, srid: 0, vertices: 0 }
  const geometry = readGeometry(cursor, 1)
  if (cursor.at < view.byteLength)
    throw wrong(cursor.at, `expected the end of the geometry, bytes left: ${left(cursor)}`)
  return { geometry, srid: cursor.srid }
}

const TYPES = [
  'Point',
  'LineString',
  'Polygon',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
  'GeometryCollection',
] as const

type Type = (typeof TYPES)[number]

const [FLAG_Z, FLAG_M, FLAG_SRID] = [0x80000000, 0x40000000, 0x20000000]

// The minimum number of bytes. A ring has at least its count. A geometry has at least its byte order, type and count.
const [LEAST_RING, LEAST_GEOMETRY] = [4, 9]

const readGeometry = (cursor: Cursor, depth: number): Geometry => {
  const start = cursor.at
  const type = readHeader(cursor)
  switch (type) {
    case 'Point':
      return { type, coordinates: readPoint(cursor) }
    case 'LineString':
      return { type, coordinates: readLine(cursor) }
    case 'Polygon':
      return { type, coordinates: readRings(cursor) }
    case 'MultiPoint':
      return { type, coordinates: readParts(cursor, 'Point', readPoint) }
    case 'MultiLineString':
      return { type, coordinates: readParts(cursor, 'LineString', readLine) }
    case 'MultiPolygon':
      return { type, coordinates: readParts(cursor, 'Polygon', readRings) }
    case 'GeometryCollection':
      checkDepth(depth, `at byte ${start}`)
      return { type, geometries: readList(cursor, LEAST_GEOMETRY, () => readGeometry(cursor, depth + 1)) }
  }
}

const readHeader = (cursor: Cursor): Type => {
  const start = cursor.at
  need(cursor, 5, 'a byte order and a geometry type')
  const order = cursor.view.getUint8(start)
  if (order > 1) throw wrong(start, `expected a byte order, 0 or 1, found ${order}`)
  cursor.little = order === 1
  cursor.at += 1
  const code = readUint32(cursor)
  const kind = code & 0x1fffffff
  const type = TYPES[(kind % 1000) - 1]
  const dimension = Math.floor(kind / 1000)
  if (type === undefined || dimension > 3) throw wrong(start + 1, `expected a geometry type, 1 to 7, found ${kind}`)
  const z = (code & FLAG_Z) !== 0 || (dimension & 1) !== 0
  const m = (code & FLAG_M) !== 0 || (dimension & 2) !== 0
  cursor.stride = 8 * (2 + Number(z) + Number(m))
  if ((code & FLAG_SRID) !== 0) readSrid(cursor, start === 0)
  return type
}

// The outermost geometry sets the SRID for all. A nested geometry may only repeat it.
const readSrid = (cursor: Cursor, outermost: boolean): void => {
  const start = cursor.at
  need(cursor, 4, 'an SRID')
  const srid = readUint32(cursor)
  if (outermost) cursor.srid = srid
  if (planeOf(srid) === planeOf(cursor.srid)) return
  throw wrong(start, `expected SRID ${cursor.srid || 4326} of the outermost geometry, or none, found ${srid}`)
}

const readParts = <T>(cursor: Cursor, partType: Type, read: (cursor: Cursor) => T): T[] =>
  readList(cursor, LEAST_GEOMETRY, () => {
    const start = cursor.at
    const type = readHeader(cursor)
    if (type !== partType) throw wrong(start + 1, `expected a ${partType}, found a ${type}`)
    return read(cursor)
  })

const readRings = (cursor: Cursor): Position[][] => readList(cursor, LEAST_RING, () => readLine(cursor))

const readLine = (cursor: Cursor): Position[] => readList(cursor, cursor.stride, () => readPosition(cursor))

const readList = <T>(cursor: Cursor, leastBytes: number, item: () => T): T[] => {
  const start = cursor.at
  need(cursor, 4, 'a count')
  const length = readUint32(cursor)
  if (length * leastBytes > left(cursor)) {
    throw wrong(start, `a count of ${length} needs at least ${length * leastBytes} bytes, found ${left(cursor)}`)
  }
  const items: T[] = []
  for (let i = 0; i < length; i += 1) items.push(item())
  return items
}

const readPoint = (cursor: Cursor): Position => {
  need(cursor, cursor.stride, 'a position')
  for (let offset = 0; offset < cursor.stride; offset += 8) {
    if (!Number.isNaN(cursor.view.getFloat64(cursor.at + offset, cursor.little))) return readPosition(cursor)
  }
  cursor.at += cursor.stride
  return []
}

// The caller has checked the number of bytes. All ordinates must be finite, although only x and y are returned.
const readPosition = (cursor: Cursor): Position => {
  const { view, at, little, stride } = cursor
  count(cursor, 1)
  for (let offset = 0; offset < stride; offset += 8) {
    const value = view.getFloat64(at + offset, little)
    if (!Number.isFinite(value)) throw wrong(at + offset, `expected a finite coordinate, found ${value}`)
  }
  cursor.at += stride
  return [view.getFloat64(at, little), view.getFloat64(at + 8, little)]
}

const readUint32 = (cursor: Cursor): number => {
  const value = cursor.view.getUint32(cursor.at, cursor.little)
  cursor.at += 4
  return value
}

const left = (cursor: Cursor): number => cursor.view.byteLength - cursor.at

const need = (cursor: Cursor, bytes: number, what: string): void => {
  if (left(cursor) < bytes) throw wrong(cursor.at, `expected ${what} of ${bytes} bytes, there are ${left(cursor)}`)
}

const wrong = (at: number, what: string): ValueError => new ValueError(`at byte ${at}: ${what}`)
