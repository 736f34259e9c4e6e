import fc from 'fast-check'
import type { Geometry, Position } from '../../src/geometry/geometry.ts'

/**
 * The spelling of a geometry in WKT. It has a dimension flag, a space, the case of the keywords, and the short form of
 * MULTIPOINT.
 */
export type Spelling = {
  flag?: '' | 'Z' | ' Z' | ' M' | 'ZM' | ' ZM'
  blank?: string
  lower?: boolean
  short?: boolean
}

/** Writes a geometry as WKT. The ordinates after x and y are 7 and 8. */
export const toWkt = (geometry: Geometry, spelling: Spelling = {}): string => {
  const { flag = '', blank = ' ', lower = false, short = false } = spelling
  const more = flag.includes('ZM') ? ' 7 8' : flag === '' ? '' : ' 7'
  const list = <T>(items: T[], write: (item: T) => string): string =>
    items.length === 0 ? 'EMPTY' : `(${blank}${items.map(write).join(`${blank},${blank}`)}${blank})`
  const position = ([x, y]: Position): string => `${x}${blank || ' '}${y}${more}`
  const point = (each: Position): string => (each.length === 0 ? 'EMPTY' : `(${position(each)})`)
  const line = (each: Position[]): string => list(each, position)
  const lines = (each: Position[][]): string => list(each, line)
  const body = (each: Geometry): string => {
    switch (each.type) {
      case 'Point':
        return point(each.coordinates)
      case 'LineString':
        return line(each.coordinates)
      case 'MultiPoint':
        return list(each.coordinates, short ? position : point)
      case 'Polygon':
      case 'MultiLineString':
        return lines(each.coordinates)
      case 'MultiPolygon':
        return list(each.coordinates, lines)
      case 'GeometryCollection':
        return list(each.geometries, tagged)
    }
  }
  const tagged = (each: Geometry): string => `${each.type.toUpperCase()}${flag} ${body(each)}`
  return lower ? tagged(geometry).toLowerCase() : tagged(geometry)
}

/** The layout of a geometry in WKB. A mixed byte order alternates at each level. */
export type Layout = { order?: 'little' | 'big' | 'mixed'; z?: boolean; m?: boolean; ewkb?: boolean; srid?: number }

const TYPES = ['Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiLineString', 'MultiPolygon', 'GeometryCollection']

/** Writes a geometry as WKB or EWKB. The ordinates after x and y are 7. All ordinates of an empty point are NaN. */
export const toWkb = (geometry: Geometry, layout: Layout = {}): Uint8Array => Uint8Array.from(wkb(geometry, layout, 0))

const wkb = (geometry: Geometry, layout: Layout, depth: number): number[] => {
  const { order = 'little', z = false, m = false, ewkb = false } = layout
  const srid = depth === 0 ? layout.srid : undefined
  const little = order === 'mixed' ? depth % 2 === 0 : order === 'little'
  const dimensions = ewkb ? Number(z) * 0x80000000 + Number(m) * 0x40000000 : Number(z) * 1000 + Number(m) * 2000
  const code = TYPES.indexOf(geometry.type) + 1 + dimensions + (srid === undefined ? 0 : 0x20000000)
  const position = ([x, y]: Position): number[] =>
    [x, y, ...(z ? [7] : []), ...(m ? [7] : [])].flatMap((value) =>
      float64(x === undefined ? NaN : (value ?? NaN), little),
    )
  const list = <T>(items: T[], write: (item: T) => number[]): number[] => [
    ...uint32(items.length, little),
    ...items.flatMap(write),
  ]
  const part = (each: Geometry): number[] => wkb(each, layout, depth + 1)
  const body = (): number[] => {
    switch (geometry.type) {
      case 'Point':
        return position(geometry.coordinates)
      case 'LineString':
        return list(geometry.coordinates, position)
      case 'Polygon':
        return list(geometry.coordinates, (ring) => list(ring, position))
      case 'MultiPoint':
        return list(geometry.coordinates, (coordinates) => part({ type: 'Point', coordinates }))
      case 'MultiLineString':
        return list(geometry.coordinates, (coordinates) => part({ type: 'LineString', coordinates }))
      case 'MultiPolygon':
        return list(geometry.coordinates, (coordinates) => part({ type: 'Polygon', coordinates }))
      case 'GeometryCollection':
        return list(geometry.geometries, part)
    }
  }
  return [Number(little), ...uint32(code, little), ...(srid === undefined ? [] : uint32(srid, little)), ...body()]
}

const uint32 = (value: number, little: boolean): number[] => {
  const view = new DataView(new ArrayBuffer(4))
  view.setUint32(0, value, little)
  return [...new Uint8Array(view.buffer)]
}

const float64 = (value: number, little: boolean): number[] => {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value, little)
  return [...new Uint8Array(view.buffer)]
}

/** Writes bytes as lower-case hexadecimal digits, two for each byte. */
export const toHex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** Reads bytes from hexadecimal digits and ignores spaces. */
export const hexBytes = (digits: string): Uint8Array =>
  Uint8Array.from(digits.replace(/\s/g, '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

/** Writes bytes as base64 with padding. */
export const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

// Zero has no sign here, because text formats lose it.
const ordinate = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
const position: fc.Arbitrary<Position> = fc.tuple(ordinate, ordinate)
const line = fc.array(position, { minLength: 2, maxLength: 5 })
const ring = fc
  .array(position, { minLength: 3, maxLength: 6 })
  .map((positions) => [...positions, positions[0] ?? []] satisfies Position[])
const rings = fc.array(ring, { minLength: 1, maxLength: 3 })
const several = { maxLength: 3 }
const emptyOr = <T>(some: fc.Arbitrary<T[]>): fc.Arbitrary<T[]> => fc.oneof(some, fc.constant<T[]>([]))

const flat: fc.Arbitrary<Geometry>[] = [
  fc.record({ type: fc.constant('Point'), coordinates: emptyOr(position) }),
  fc.record({ type: fc.constant('LineString'), coordinates: emptyOr(line) }),
  fc.record({ type: fc.constant('Polygon'), coordinates: emptyOr(rings) }),
  fc.record({ type: fc.constant('MultiPoint'), coordinates: fc.array(position, several) }),
  fc.record({ type: fc.constant('MultiLineString'), coordinates: fc.array(line, several) }),
  fc.record({ type: fc.constant('MultiPolygon'), coordinates: fc.array(rings, several) }),
]

const nested = (depth: number): fc.Arbitrary<Geometry> => {
  if (depth === 0) return fc.oneof(...flat)
  const geometries = fc.array(nested(depth - 1), several)
  return fc.oneof(...flat, fc.record({ type: fc.constant('GeometryCollection'), geometries }))
}

/** Any valid geometry of finite doubles, empty ones included. Collections are at most three deep. */
export const anyGeometry: fc.Arbitrary<Geometry> = nested(3)

/** Returns the geometry with each ordinate between -90 and 90. An ordinate very near to 0 becomes 0. */
export const onTheMap = (geometry: Geometry): Geometry =>
  JSON.parse(JSON.stringify(geometry), (_, each) =>
    typeof each !== 'number' ? each : Math.abs(each) < 1e-100 ? 0 : (each % 90) + 0,
  )
