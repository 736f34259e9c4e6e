import { orUndefined, ValueError } from '../../src/base/errors.ts'
import { isDegrees } from '../../src/geometry/srid.ts'
import { readWkb } from '../../src/geometry/wkb.ts'
import { isObject } from '../../src/model/kinds.ts'
import { reasonOf } from '../load/error.ts'
import type { Crs } from './crs.ts'
import { decimalHint } from './decimal.ts'
import { missingHint } from './missing.ts'

const NUMBER = '[-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:e[-+]?\\d+)?'
const POINT = new RegExp(
  `^(?:SRID=(\\d+);)?(?:MULTI)?POINT *(Z|M|ZM)? *\\(\\s*\\(?\\s*(${NUMBER}(?:\\s+${NUMBER}){1,3})\\s*\\)?\\s*\\)$`,
  'i',
)
const EMPTY = /^(SRID=\d+;)?((MULTI)?POINT|GEOMETRYCOLLECTION) *(Z|M|ZM)? *EMPTY$/i
/** WKB in hex, as PostGIS writes it. The shortest point has 21 bytes. */
const HEX = /^0[01][0-9a-f]{16,}$/i
const PAIR = new RegExp(`^\\(?\\s*(${NUMBER})\\s*[,;]\\s*(${NUMBER})\\s*\\)?$`, 'i')

/** How the column of places is read. */
export interface PlaceForm {
  readonly crs: Crs | undefined
  /** True: an option names the column, so two numbers are latitude and longitude. */
  readonly isNamed: boolean
}

/**
 * Reads a position from one cell or member: WKT, a Point of GeoJSON, or latitude and longitude. Null: the place is empty.
 * Throws ValueError that says what to enter.
 */
export function positionIn(value: unknown, form: PlaceForm): unknown {
  if (value === null || value === undefined) return value
  if (isObject(value)) return 'type' in value ? pointOf(value) : lonLatOf(value)
  const text = String(value).trim().replaceAll('\u2212', '-')
  if (EMPTY.test(text)) return null
  const [, srid, dimensions = '', numbers = ''] = POINT.exec(text) ?? []
  if (numbers !== '') {
    checkSrid(Number(srid ?? 0), form)
    const [x, y, z] = numbers.split(/\s+/).map(Number)
    return z === undefined || /^m$/i.test(dimensions) ? [x, y] : [x, y, z]
  }
  if (HEX.test(text)) return hexPoint(text, form)
  if (text.startsWith('{')) return pointOf(parsed(text))
  const [, latitude, longitude] = PAIR.exec(text) ?? []
  if (latitude === undefined) throw new ValueError(ADVICE)
  if (!form.isNamed)
    throw new ValueError('use --place with the name of this column, if its cells are latitude, longitude')
  if (form.crs !== undefined)
    throw new ValueError('enter WKT, such as POINT (155000 463000), because the coordinates are not degrees')
  return [Number(longitude), Number(latitude)]
}

function hexPoint(text: string, form: PlaceForm): unknown {
  const bytes = Buffer.from(text, 'hex')
  const { geometry, srid } = readWkb(bytes)
  checkSrid(srid, form)
  const point = pointOf(geometry)
  if (!Array.isArray(point) || point.some(Number.isNaN)) return null
  const isLittle = bytes[0] === 1
  const code = isLittle ? bytes.readUInt32LE(1) : bytes.readUInt32BE(1)
  // The kind of a geometry has its dimensions as flags or as thousands, see src/geometry/wkb.ts.
  const dimensions = (code >>> 30) | 0
  const [hasM, hasZ] = [
    (dimensions & 1) > 0 || (code & 0xffff) >= 2000,
    (dimensions & 2) > 0 || [1, 3].includes(Math.floor((code & 0xffff) / 1000)),
  ]
  const last = bytes.length - (hasM ? 16 : 8)
  return hasZ ? [...point, isLittle ? bytes.readDoubleLE(last) : bytes.readDoubleBE(last)] : point
}

const ADVICE = 'enter WKT, such as POINT (5.1 52.1), a Point of GeoJSON, or latitude and longitude, such as 52.1, 5.1'

function parsed(text: string): unknown {
  const value = orUndefined((): unknown => JSON.parse(text))
  if (value === undefined) throw new ValueError(ADVICE)
  return value
}

function checkSrid(srid: number, { crs }: PlaceForm): void {
  if (srid === (crs?.srid ?? 0) || (isDegrees(srid) && (crs === undefined || srid === 0))) return
  throw new ValueError(`use --crs ${srid}, because the place names that system`)
}

/** Reads an object such as {"lon": 5.1, "lat": 52.1}. */
function lonLatOf(value: Readonly<Record<string, unknown>>): unknown {
  const { lon, lng = lon, longitude = lng, lat, latitude = lat } = value
  if (longitude === undefined || latitude === undefined) throw new ValueError(ADVICE)
  return [longitude, latitude]
}

/** Returns the position of a geometry of GeoJSON. */
export function pointOf(geometry: unknown): unknown {
  if (geometry === undefined || geometry === null) return geometry
  if (!isObject(geometry)) throw new ValueError('"geometry" is not an object: enter a Point, or null')
  const { type, coordinates = {}, geometries } = geometry
  const isEmpty = Array.isArray(coordinates) && coordinates.length === 0
  if (isEmpty && (type === 'Point' || type === 'MultiPoint')) return null
  // QGIS and ogr2ogr write one point so.
  if (type === 'MultiPoint' && Array.isArray(coordinates) && coordinates.length === 1)
    return pointOf({ type: 'Point', coordinates: coordinates[0] })
  if (type === 'GeometryCollection' && Array.isArray(geometries) && geometries.length < 2)
    return pointOf(geometries[0] ?? null)
  if (type !== 'Point') throw new ValueError(`"geometry" is a ${String(type)}: enter a Point, or null`)
  return coordinates
}

/** Converts a position to degrees, but no other value. Throws ValueError outside the reference system. */
export function inDegrees(position: unknown, crs: Crs | undefined): unknown {
  if (crs === undefined || !Array.isArray(position) || !position.slice(0, 2).every(Number.isFinite)) return position
  try {
    return [...crs.toDegrees(position.slice(0, 2)), ...position.slice(2)]
  } catch (error) {
    throw new ValueError(reasonOf(error))
  }
}

/** Returns a hint about the likely mistake in a position, or an empty text. */
export const hintOf = (position: unknown, crs: Crs | undefined): string => {
  if (!Array.isArray(position)) return ''
  if (isSwapped(position)) return '; these look like latitude, longitude'
  if (crs === undefined && areMetres(position)) return '; for coordinates in metres use --crs, such as --crs 28992'
  return decimalHint(position) + missingHint(position)
}

/** Tests if x and y are numbers, and one of them is more than a full circle in degrees. */
const areMetres = ([x, y]: readonly unknown[]): boolean =>
  [x, y].every(Number.isFinite) && Math.max(Math.abs(Number(x)), Math.abs(Number(y))) > 360

/** Returns true if a position is invalid, but valid after swapping x and y. */
const isSwapped = ([x, y]: readonly unknown[]): boolean =>
  Math.abs(Number(y)) > 90 && Math.abs(Number(y)) <= 180 && Math.abs(Number(x)) <= 90
