import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ValueError } from '../../src/base/errors.ts'
import { type Geometry, MAX_DEPTH, MAX_VERTICES } from '../../src/geometry/geometry.ts'
import { readWkb } from '../../src/geometry/wkb.ts'
import { anyGeometry, hexBytes, type Layout, toWkb } from './write.ts'

const ONE = '3ff0000000000000'
const TWO = '4000000000000000'
const NAN = '7ff8000000000000'
const INFINITY = '7ff0000000000000'
const LITTLE_ONE_TWO = '000000000000f03f 0000000000000040'
const point: Geometry = { type: 'Point', coordinates: [1, 2] }
const empty: Geometry = { type: 'Point', coordinates: [] }

// From the table of the standard, and from the output of PostGIS and shapely.
const accepted: [string, Geometry, number][] = [
  [`00 00000001 ${ONE} ${TWO}`, point, 0],
  [`01 01000000 ${LITTLE_ONE_TWO}`, point, 0],
  [`00 000003e9 ${ONE} ${TWO} ${ONE}`, point, 0],
  [`00 000007d1 ${ONE} ${TWO} ${ONE}`, point, 0],
  [`00 00000bb9 ${ONE} ${TWO} ${ONE} ${ONE}`, point, 0],
  [`01 e9030000 ${LITTLE_ONE_TWO} 0000000000000000`, point, 0],
  [`00 80000001 ${ONE} ${TWO} ${ONE}`, point, 0],
  [`00 40000001 ${ONE} ${TWO} ${ONE}`, point, 0],
  [`00 c0000001 ${ONE} ${TWO} ${ONE} ${ONE}`, point, 0],
  [`00 20000001 000010e6 ${ONE} ${TWO}`, point, 4326],
  [`01 01000020 40710000 ${LITTLE_ONE_TWO}`, point, 28992],
  [`00 e0000001 00007140 ${ONE} ${TWO} ${ONE} ${ONE}`, point, 28992],
  [`00 a00003e9 00000f11 ${ONE} ${TWO} ${ONE}`, point, 3857],
  [`00 00000001 ${NAN} ${NAN}`, empty, 0],
  ['01 01000000 000000000000f87f 000000000000f87f', empty, 0],
  ['01 01000000 000000000000f8ff ffffffffffffff7f', empty, 0],
  [`00 000003e9 ${NAN} ${NAN} ${NAN}`, empty, 0],
  ['00 00000002 00000000', { type: 'LineString', coordinates: [] }, 0],
  ['00 00000003 00000000', { type: 'Polygon', coordinates: [] }, 0],
  ['00 00000003 00000001 00000000', { type: 'Polygon', coordinates: [[]] }, 0],
  [`00 00000004 00000001 01 01000000 ${LITTLE_ONE_TWO}`, { type: 'MultiPoint', coordinates: [[1, 2]] }, 0],
  [`00 00000004 00000001 00 00000001 ${NAN} ${NAN}`, { type: 'MultiPoint', coordinates: [[]] }, 0],
  ['00 00000007 00000000', { type: 'GeometryCollection', geometries: [] }, 0],
  [`00 20000007 00007140 00000001 00 20000001 00007140 ${ONE} ${TWO}`, { type: 'GeometryCollection', geometries: [point] }, 28992], // biome-ignore format: a row
  [`00 00000007 00000001 00 20000001 000010e6 ${ONE} ${TWO}`, { type: 'GeometryCollection', geometries: [point] }, 0],
]

test.each(accepted)('%s is read', (digits, geometry, srid) => {
  expect(readWkb(hexBytes(digits))).toEqual({ geometry, srid })
})

const refused: [string, string][] = [
  ['', 'at byte 0: expected a byte order and a geometry type of 5 bytes, there are 0'],
  ['01', 'at byte 0: expected a byte order and a geometry type of 5 bytes, there are 1'],
  ['02 00000001', 'at byte 0: expected a byte order, 0 or 1, found 2'],
  ['00 00000000', 'at byte 1: expected a geometry type, 1 to 7, found 0'],
  ['00 00000008', 'at byte 1: expected a geometry type, 1 to 7, found 8'],
  ['00 00000011', 'at byte 1: expected a geometry type, 1 to 7, found 17'],
  ['00 00000fa1', 'at byte 1: expected a geometry type, 1 to 7, found 4001'],
  ['00 01000000', 'at byte 1: expected a geometry type'],
  ['00 00000001', 'at byte 5: expected a position of 16 bytes, there are 0'],
  [`00 00000001 ${ONE} 40000000`, 'at byte 5: expected a position of 16 bytes, there are 12'],
  [`00 000003e9 ${ONE} ${TWO}`, 'at byte 5: expected a position of 24 bytes, there are 16'],
  [`00 00000001 ${ONE} ${TWO} 00`, 'at byte 21: expected the end of the geometry, bytes left: 1'],
  [`00 00000001 ${NAN} ${TWO}`, 'at byte 5: expected a finite coordinate, found NaN'],
  [`00 00000001 ${ONE} ${NAN}`, 'at byte 13: expected a finite coordinate, found NaN'],
  [`00 00000001 ${INFINITY} ${TWO}`, 'at byte 5: expected a finite coordinate, found Infinity'],
  [`00 000003e9 ${ONE} ${TWO} ${NAN}`, 'at byte 21: expected a finite coordinate, found NaN'],
  [`00 00000002 00000001 ${NAN} ${NAN}`, 'at byte 9: expected a finite coordinate, found NaN'],
  ['00 20000001 0000', 'at byte 5: expected an SRID of 4 bytes, there are 2'],
  ['00 00000002 0000', 'at byte 5: expected a count of 4 bytes, there are 2'],
  ['00 00000002 ffffffff', 'at byte 5: a count of 4294967295 needs at least 68719476720 bytes, found 0'],
  ['00 00000003 ffffffff 00000000', 'at byte 5: a count of 4294967295 needs at least'],
  ['00 00000003 00000001 ffffffff', 'at byte 9: a count of 4294967295 needs at least'],
  ['00 00000004 ffffffff 00000000', 'at byte 5: a count of 4294967295 needs at least'],
  ['00 00000007 ffffffff 00000000', 'at byte 5: a count of 4294967295 needs at least'],
  ['00 00000004 00000001 00 00000003 00000000', 'at byte 10: expected a Point, found a Polygon'],
  ['00 00000006 00000001 00 00000002 00000000', 'at byte 10: expected a Polygon, found a LineString'],
  [`00 20000007 00007140 00000001 00 20000001 000010e6 ${ONE} ${TWO}`, 'at byte 18: expected SRID 28992 of the outermost geometry, or none, found 4326'], // biome-ignore format: a row
  [`00 00000007 00000001 00 20000001 00007140 ${ONE} ${TWO}`, 'at byte 14: expected SRID 4326'],
]

test.each(refused)('%s is refused', (digits, message) => {
  expect(() => readWkb(hexBytes(digits))).toThrow(ValueError)
  expect(() => readWkb(hexBytes(digits))).toThrow(message)
})

test('bytes in the middle of a buffer are read', () => {
  const whole = hexBytes(`ffff 00 00000001 ${ONE} ${TWO} ffff`)
  expect(readWkb(whole.subarray(2, 23)).geometry).toEqual(point)
})

describe('hostile WKB', () => {
  const nested = (depth: number): Uint8Array => hexBytes(`${'000000000700000001'.repeat(depth - 1)}000000000700000000`)

  test('with 10,000 nested collections is refused', () => {
    expect(() => readWkb(nested(10_000))).toThrow(`at byte 288: collections are nested more than ${MAX_DEPTH} deep`)
  })

  test(`with collections ${MAX_DEPTH} deep is read, and one level more is refused`, () => {
    expect(readWkb(nested(MAX_DEPTH)).srid).toBe(0)
    expect(() => readWkb(nested(MAX_DEPTH + 1))).toThrow(ValueError)
  })

  test(`with ${MAX_VERTICES} positions is read, and one position more is refused`, () => {
    const line = (length: number): Uint8Array => {
      const bytes = new Uint8Array(9 + 16 * length)
      bytes[4] = 2
      new DataView(bytes.buffer).setUint32(5, length)
      return bytes
    }
    expect(readWkb(line(MAX_VERTICES)).geometry).toHaveProperty('coordinates.length', MAX_VERTICES)
    expect(() => readWkb(line(MAX_VERTICES + 1))).toThrow(`more than ${MAX_VERTICES} positions`)
  })
})

const layout: fc.Arbitrary<Layout> = fc.record({
  order: fc.constantFrom('little', 'big', 'mixed'),
  z: fc.boolean(),
  m: fc.boolean(),
  ewkb: fc.boolean(),
  srid: fc.nat({ max: 999_999 }),
})

test('a written geometry is read back unchanged', () => {
  fc.assert(
    fc.property(anyGeometry, layout, (geometry, how) => {
      expect(readWkb(toWkb(geometry, how))).toEqual({ geometry, srid: how.srid })
    }),
  )
})

test('every truncated input is refused', () => {
  fc.assert(
    fc.property(anyGeometry, layout, fc.nat(), (geometry, how, at) => {
      const bytes = toWkb(geometry, how)
      expect(() => readWkb(bytes.subarray(0, at % bytes.length))).toThrow(ValueError)
    }),
  )
})

test('mutated bytes are read or refused with a ValueError', () => {
  const mutation = fc.tuple(fc.nat(), fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(0, 1, 127, 128, 255)))
  fc.assert(
    fc.property(anyGeometry, layout, fc.array(mutation, { minLength: 1, maxLength: 4 }), (geometry, how, mutations) => {
      const bytes = toWkb(geometry, how)
      for (const [at, value] of mutations) bytes[at % bytes.length] = value
      try {
        readWkb(bytes)
      } catch (error) {
        expect(error).toBeInstanceOf(ValueError)
      }
    }),
    { numRuns: 500 },
  )
})

test('garbage is read or refused with a ValueError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      try {
        readWkb(bytes)
      } catch (error) {
        expect(error).toBeInstanceOf(ValueError)
      }
    }),
    { numRuns: 500 },
  )
})
