import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ValueError } from '../../src/base/errors.ts'
import type { Geometry } from '../../src/geometry/geometry.ts'
import { parseGeometry } from '../../src/geometry/parse.ts'
import { anyGeometry, hexBytes, onTheMap, toBase64, toHex, toWkb, toWkt } from './write.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const point: Geometry = { type: 'Point', coordinates: [5, 52] }
const HEX = '010100000000000000000014400000000000004a40'
const EWKB = '0101000020e610000000000000000014400000000000004a40'
const BASE64 = 'AQEAAAAAAAAAAAAUQAAAAAAAAEpA'

test.each([
  ['POINT (5 52)'],
  ['\ufeffPOINT (5 52)'],
  ['  point(5 52)\n'],
  ['SRID=4326;POINT(5 52)'],
  ['{"type":"Point","coordinates":[5,52]}'],
  [' { "type" : "Point", "coordinates" : [5, 52] } '],
  ['{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[5,52]}}'],
  [HEX],
  [HEX.toUpperCase()],
  [` ${HEX}\r\n`],
  [EWKB],
  [toHex(toWkb(point, { order: 'big', z: true, m: true }))],
  [BASE64],
  [` ${BASE64} \n`],
  [`${BASE64.slice(0, 8)}\n${BASE64.slice(8)}`],
  [toBase64(toWkb(point, { order: 'big' }))],
  [toBase64(toWkb(point, { srid: 4326 }))],
  [toBase64(toWkb(point, { srid: 4326 })).replace(/=+$/, '')],
])('%j is read as the point 5 52', (text) => {
  expect(parseGeometry(encode(text))).toEqual(point)
})

test('percent-decoded bytes are read as WKB', () => {
  expect(parseGeometry(hexBytes(HEX))).toEqual(point)
  expect(parseGeometry(hexBytes(EWKB))).toEqual(point)
})

test.each([
  ['SRID=28992;POINT (155000 463000)'],
  ['{"type":"Point","coordinates":[155000,463000],"crs":{"type":"name","properties":{"name":"EPSG:28992"}}}'],
  [toHex(toWkb({ type: 'Point', coordinates: [155_000, 463_000] }, { srid: 28992 }))],
  [toBase64(toWkb({ type: 'Point', coordinates: [155_000, 463_000] }, { srid: 28992, order: 'big' }))],
])('%s is transformed to longitude and latitude', (text) => {
  const geometry = parseGeometry(encode(text))
  expect(geometry).toHaveProperty('coordinates.0', expect.closeTo(5.387206, 5))
  expect(geometry).toHaveProperty('coordinates.1', expect.closeTo(52.155174, 5))
})

const ring = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 0],
]
const RING = '(0 0, 1 0, 1 1, 0 0)'

test.each<[string, Geometry]>([
  ['POLYGON (EMPTY)', { type: 'Polygon', coordinates: [] }],
  [`POLYGON (${RING}, EMPTY)`, { type: 'Polygon', coordinates: [ring] }],
  ['LINESTRING (0 0, 5e-324 7)', { type: 'LineString', coordinates: [[0, 0], [0, 7]] }], // biome-ignore format: a row
  [HEX.replace(/^01/, '00').replace('01000000', '00000001'), { type: 'Point', coordinates: [0, 0] }],
  ['MULTIPOINT (EMPTY, 1 2)', { type: 'MultiPoint', coordinates: [[1, 2]] }],
  ['MULTIPOINT (EMPTY)', { type: 'MultiPoint', coordinates: [] }],
  ['MULTILINESTRING (EMPTY, (1 2, 1 2))', { type: 'MultiLineString', coordinates: [[[1, 2], [1, 2]]] }], // biome-ignore format: a row
  [`MULTIPOLYGON (EMPTY, (${RING}), (EMPTY))`, { type: 'MultiPolygon', coordinates: [[ring]] }],
  ['{"type":"MultiPolygon","coordinates":[[],[[]]]}', { type: 'MultiPolygon', coordinates: [] }],
  [
    'GEOMETRYCOLLECTION (POINT EMPTY)',
    { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [] }] },
  ],
  ['POLYGON Z ((0 0 1, 1 0 2, 1 1 3, 0 0 4))', { type: 'Polygon', coordinates: [ring] }],
  ['POLYGON ((0 0, 0 0, 0 0, 0 0))', { type: 'Polygon', coordinates: [[[0, 0], [0, 0], [0, 0], [0, 0]]] }], // biome-ignore format: a row
])('%s is read', (text, geometry) => {
  expect(parseGeometry(encode(text))).toEqual(geometry)
})

const CLOSE = 'enter the first position again as the last'

// All formats get the same tests, because one function checks all geometries.
describe.each<[string, (geometry: Geometry) => Uint8Array]>([
  ['WKT', (geometry) => encode(toWkt(geometry))],
  ['WKB', (geometry) => toWkb(geometry)],
  ['hex', (geometry) => encode(toHex(toWkb(geometry)))],
  ['base64', (geometry) => encode(toBase64(toWkb(geometry)))],
  ['GeoJSON', (geometry) => encode(JSON.stringify(geometry))],
])('%s refuses', (_, write) => {
  const open = ring.slice(0, 3)
  const polygon = (...coordinates: number[][][]): Geometry => ({ type: 'Polygon', coordinates })
  const collection = (...geometries: Geometry[]): Geometry => ({ type: 'GeometryCollection', geometries })

  test.each<[string, Geometry]>([
    ['the line string has 1 position; enter at least 2', { type: 'LineString', coordinates: [[1, 2]] }],
    ['line string 2 has 1 position', { type: 'MultiLineString', coordinates: [ring, [[1, 2]]] }],
    [`ring 1 of the polygon is not closed: it starts at 0 0 and ends at 1 1; ${CLOSE}`, polygon(open)],
    [`ring 2 of the polygon is not closed: it starts at 0 0 and ends at 1 1; ${CLOSE}`, polygon(ring, open)],
    ['ring 1 of the polygon is not closed', polygon([...ring.slice(0, 3), [0, 1e-300]])],
    ['ring 1 of the polygon has 1 position; enter at least 4, the last equal to the first', polygon([[0, 0]])],
    ['ring 1 of the polygon has 3 positions', polygon([...ring.slice(0, 2), [0, 0]])],
    ['ring 1 of the polygon is empty, but another ring is not; enter the outer ring first', polygon([], ring)],
    ['ring 2 of polygon 3 is not closed', { type: 'MultiPolygon', coordinates: [[ring], [ring], [ring, open]] }],
    ['member 2 of the collection: ring 1 of the polygon is not closed', collection(point, polygon(open))],
    ['member 2.1 of the collection: ring 1 of the polygon', collection(point, collection(polygon(open)))],
  ])('%s', (message, geometry) => {
    expect(() => parseGeometry(write(geometry))).toThrow(ValueError)
    expect(() => parseGeometry(write(geometry))).toThrow(message)
  })
})

const FORMS =
  'this is not a geometry; enter GeoJSON such as {"type":"Point","coordinates":[5.1,52.1]}; hex WKB such as '

test.each([
  ['', FORMS],
  ['   ', FORMS],
  ['5.1,52.1', FORMS],
  ['[5.1,52.1]', FORMS],
  ['(5.1 52.1)', FORMS],
  ['é', FORMS],
  ['AREA (1 2)', 'at character 1: expected a geometry type'],
  ['box(1 2, 3 4)', 'at character 1: expected a geometry type'],
  ['SRID=4000;POINT (1 2)', 'SRID 4000 is not known'],
  [`${HEX}0`, 'hex WKB needs two digits for each byte; this text ends after one digit, at character 43'],
  [`${HEX.slice(0, 10)}g${HEX.slice(11)}`, "at character 11: expected a hexadecimal digit, found 'g'"],
  [` ${HEX.slice(0, 10)} ${HEX.slice(10)}`, "at character 12: expected a hexadecimal digit, found ' '"],
  [`${HEX}00`, 'at byte 21: expected the end of the geometry, bytes left: 1'],
  [HEX.slice(0, -2), 'at byte 5: expected a position of 16 bytes, there are 15'],
  [BASE64.slice(0, -1), 'at byte 5: expected a position of 16 bytes, there are 15'],
  [BASE64.slice(0, -3), 'the base64 is not complete'],
  [`${BASE64}=`, 'the base64 is not complete'],
  [`AQEA*${BASE64}`, "at character 5: '*' is not base64"],
])('%j is refused', (text, message) => {
  expect(() => parseGeometry(encode(text))).toThrow(ValueError)
  expect(() => parseGeometry(encode(text))).toThrow(message)
})

test.each([['ff'], ['c3 28'], ['80 01'], ['50 4f 49 4e 54 ff']])('the bytes %s are refused', (digits) => {
  expect(() => parseGeometry(hexBytes(digits))).toThrow(FORMS)
})

test('the examples in the error message are valid', () => {
  const examples =
    /such as (\{.*\}); hex WKB such as (\w+); base64 WKB such as (\w+); WKT such as (.*\)) or (SRID.*\));/
  let message = ''
  try {
    parseGeometry(encode('?'))
  } catch (error) {
    message = String(error)
  }
  const [, ...found] = examples.exec(message) ?? []
  expect(found).toHaveLength(5)
  for (const example of found) {
    expect(parseGeometry(encode(example))).toEqual({
      type: 'Point',
      coordinates: [expect.closeTo(5.1, 0), expect.closeTo(52.1, 0)],
    })
  }
})

test('a random geometry is the same in every format', () => {
  fc.assert(
    fc.property(anyGeometry.map(onTheMap), fc.constantFrom('little', 'big', 'mixed'), (geometry, order) => {
      const bytes = toWkb(geometry, { order, z: true })
      const base64 = toBase64(bytes)
      const bare = base64.replace(/=+$/, '')
      const texts = [
        toWkt(geometry),
        JSON.stringify(geometry),
        toHex(bytes),
        base64,
        bare,
        base64.replaceAll('+', ' '),
        bare.replaceAll('+', ' '),
        bare.replaceAll('+', '-').replaceAll('/', '_'),
      ]
      expect(parseGeometry(bytes)).toEqual(geometry)
      for (const text of texts) expect(parseGeometry(encode(text))).toEqual(geometry)
    }),
  )
})

test('garbage is read or refused with a ValueError', () => {
  const starts = ['', '\u0000', '\u0001', '00', '01', 'AA', 'AQ', '{"type":', 'POINT(', 'SRID=1;', 'MULTIPOINT(']
  const garbage = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.stringMatching(/^[0-9a-f]{0,40}$/))
  fc.assert(
    fc.property(fc.constantFrom(...starts), garbage, (start, rest) => {
      try {
        parseGeometry(encode(start + rest))
      } catch (error) {
        expect(error).toBeInstanceOf(ValueError)
      }
    }),
    { numRuns: 400 },
  )
})

describe('a hostile input', () => {
  test.each(['[', '(', '{', ' ', 'A', 'M', '0', '\u0000', '\u0002', 'é', '='])('2 MB of %j is refused', (unit) => {
    expect(() => parseGeometry(encode(unit.repeat(2_000_000 / encode(unit).length)))).toThrow(ValueError)
  })

  test('2 MB of empty polygons is one empty geometry', () => {
    const text = `MULTIPOLYGON (${'EMPTY,'.repeat(330_000)}EMPTY)`
    expect(parseGeometry(encode(text))).toEqual({ type: 'MultiPolygon', coordinates: [] })
  })

  test.each([
    ['POINT (1e308 -1e308)', 'the position 1e+308 -1e+308 is not longitude and latitude; enter degrees, or an SRID'],
    ['POINT (155000 463000)', 'the position 155000 463000 is not longitude and latitude; enter degrees, or an SRID'],
    ['SRID=3857;POINT (1e308 0)', 'the position 1e+308 0 is outside SRID 3857; enter coordinates of that system'],
  ])('%s is refused', (text, message) => {
    expect(() => parseGeometry(encode(text))).toThrow(ValueError)
    expect(() => parseGeometry(encode(text))).toThrow(message)
  })

  test('a box far beyond the world is read', () => {
    const box = [[-1000, -1000], [1000, -1000], [1000, 1000], [-1000, 1000], [-1000, -1000]] // biome-ignore format: a row
    const text = `POLYGON ((${box.map((position) => position.join(' ')).join(', ')}))`
    expect(parseGeometry(encode(text))).toEqual({ type: 'Polygon', coordinates: [box] })
  })
})
