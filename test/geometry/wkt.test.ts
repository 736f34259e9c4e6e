import fc from 'fast-check'
import { parse } from 'terraformer-wkt-parser'
import { describe, expect, test } from 'vitest'
import { ValueError } from '../../src/base/errors.ts'
import { type Geometry, MAX_DEPTH, MAX_VERTICES } from '../../src/geometry/geometry.ts'
import { readWkt } from '../../src/geometry/wkt.ts'
import { anyGeometry, type Spelling, toWkt } from './write.ts'

const collection = (...geometries: Geometry[]): Geometry => ({ type: 'GeometryCollection', geometries })
const point = (...coordinates: number[]): Geometry => ({ type: 'Point', coordinates })
const RING = '(0 0, 1 0, 1 1, 0 0)'
const ring = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 0],
]
const line = [
  [1, 2],
  [3, 4],
]

const accepted: [string, Geometry][] = [
  ['POINT (5.1 52.1)', point(5.1, 52.1)],
  ['POINT(5.1 52.1)', point(5.1, 52.1)],
  ['  point\t(\n5.1   52.1 )\r\n', point(5.1, 52.1)],
  ['PoInT (+5 -52)', point(5, -52)],
  ['POINT (1e2 -2.5E-3)', point(100, -0.0025)],
  ['POINT (.5 5.)', point(0.5, 5)],
  ['POINT (1e+1 1E1)', point(10, 10)],
  ['POINT (1e308 -1e308)', point(1e308, -1e308)],
  ['POINT (1e-999 0)', point(0, 0)],
  ['POINT (1 2 3)', point(1, 2)],
  ['POINT (1 2 3 4)', point(1, 2)],
  ['POINTZ (1 2 3)', point(1, 2)],
  ['POINT Z (1 2 3)', point(1, 2)],
  ['POINT Z(1 2 3)', point(1, 2)],
  ['POINTM(1 2 3)', point(1, 2)],
  ['POINT m (1 2 3)', point(1, 2)],
  ['POINTZM (1 2 3 4)', point(1, 2)],
  ['pointzm(1 2 3 4)', point(1, 2)],
  ['POINT ZM (1 2 3 4)', point(1, 2)],
  ['POINT EMPTY', point()],
  ['POINT Z EMPTY', point()],
  ['POINTZM empty', point()],
  ['LINESTRING (1 2, 3 4)', { type: 'LineString', coordinates: line }],
  ['LINESTRING Z (1 2 0,3 4 0)', { type: 'LineString', coordinates: line }],
  ['LINESTRING EMPTY', { type: 'LineString', coordinates: [] }],
  [`POLYGON (${RING})`, { type: 'Polygon', coordinates: [ring] }],
  [`POLYGON(${RING},${RING})`, { type: 'Polygon', coordinates: [ring, ring] }],
  ['POLYGON EMPTY', { type: 'Polygon', coordinates: [] }],
  ['MULTIPOINT (1 2, 3 4)', { type: 'MultiPoint', coordinates: line }],
  ['MULTIPOINT ((1 2), (3 4))', { type: 'MultiPoint', coordinates: line }],
  ['MULTIPOINT (-1 2, (.5 4))', { type: 'MultiPoint', coordinates: [[-1, 2], [0.5, 4]] }], // biome-ignore format: a row
  ['MULTIPOINT (EMPTY, 1 2)', { type: 'MultiPoint', coordinates: [[], [1, 2]] }],
  ['MULTIPOINT EMPTY', { type: 'MultiPoint', coordinates: [] }],
  ['MULTILINESTRING ((1 2, 3 4), EMPTY)', { type: 'MultiLineString', coordinates: [line, []] }],
  ['MULTILINESTRING M ((1 2 9, 3 4 9))', { type: 'MultiLineString', coordinates: [line] }],
  [`MULTIPOLYGON ((${RING}), EMPTY)`, { type: 'MultiPolygon', coordinates: [[ring], []] }],
  ['MULTIPOLYGON EMPTY', { type: 'MultiPolygon', coordinates: [] }],
  ['GEOMETRYCOLLECTION EMPTY', collection()],
  ['GEOMETRYCOLLECTION (POINT (1 2))', collection(point(1, 2))],
  ['GEOMETRYCOLLECTIONZ(POINTZ(1 2 3),POINT EMPTY)', collection(point(1, 2), point())],
  [
    'GEOMETRYCOLLECTION (GEOMETRYCOLLECTION (POINT (1 2)), POINT (3 4 5))',
    collection(collection(point(1, 2)), point(3, 4)),
  ],
]

test.each(accepted)('%s is read', (text, geometry) => {
  expect(readWkt(text)).toEqual({ geometry, srid: 0 })
})

test.each([
  ['SRID=28992;POINT (1 2)', 28992],
  ['srid=4326;POINT (1 2)', 4326],
  [' SRID = 3857 ; POINT (1 2) ', 3857],
  ['SRID=0;POINT (1 2)', 0],
])('%s is read with SRID %i', (text, srid) => {
  expect(readWkt(text)).toEqual({ geometry: point(1, 2), srid })
})

const refused: [string, string][] = [
  ['', "at character 1: expected a geometry type (POINT, LINESTRING, POLYGON, MULTIPOINT, MULTILINESTRING, MULTIPOLYGON, GEOMETRYCOLLECTION), such as POINT (5.1 52.1), found the end"], // biome-ignore format: a row
  ['CIRCULARSTRING (0 0, 1 1, 2 0)', 'at character 1: expected a geometry type'],
  ['POINTS (1 2)', 'at character 1: expected a geometry type'],
  ['POINT', "at character 6: expected '(' or EMPTY, found the end"],
  ['POINT ZZ (1 2 3)', "at character 7: expected '(' or EMPTY, found 'ZZ (1 2 3)'"],
  ['POINT ()', "at character 8: expected a number, found ')'"],
  ['POINT (1)', "at character 9: expected a number, found ')'"],
  ['POINT (1 2', "at character 11: expected ')', found the end"],
  ['POINT (1 2))', "at character 12: expected nothing more after the geometry, found ')'"],
  ['POINT (1 2) x', "at character 13: expected nothing more after the geometry, found 'x'"],
  ['POINT (1 2) POINT (1 2)', 'at character 13: expected nothing more'],
  ['POINT (1, 2)', "at character 9: expected a number, found ', 2)'"],
  ['POINT (1 2, 3 4)', "at character 11: expected ')', found ', 3 4)'"],
  ['POINT (1 2 3 4 5)', "at character 16: expected ')', found '5)'"],
  ['POINT (NaN 2)', "at character 8: expected a number, found 'NaN 2)'"],
  ['POINT (1 Infinity)', "at character 10: expected a number, found 'Infinity)'"],
  ['POINT (1 -inf)', "at character 10: expected a number, found '-inf)'"],
  ['POINT (1e999 2)', "at character 8: expected a number of at most 1.7e308, found '1e999 2)'"],
  ['POINT (1 2 -1e999)', 'at character 12: expected a number of at most 1.7e308'],
  ['POINT (1-2 3)', 'at character 8: expected a number'],
  ['POINT (1e 2)', 'at character 8: expected a number'],
  ['POINT (e1 2)', 'at character 8: expected a number'],
  ['POINT (1.2.3 4)', 'at character 8: expected a number'],
  ['POINT (--1 4)', 'at character 8: expected a number'],
  ['POINT (0x10 4)', 'at character 9: expected a number'],
  ['POINT (1_000 4)', 'at character 9: expected a number'],
  ['POINT (\u0661 2)', 'at character 8: expected a number'],
  ['POINT Z (1 2)', "at character 13: expected positions of 3 numbers, not 2, found ')'"],
  ['POINT M (1 2 3 4)', 'at character 17: expected positions of 3 numbers, not 4'],
  ['POINT ZM (1 2 3)', 'at character 16: expected positions of 4 numbers, not 3'],
  ['LINESTRING (1 2, 3 4 5)', 'at character 23: expected positions of 2 numbers, not 3'],
  ['LINESTRING (1 2 3 4)(', "at character 21: expected nothing more after the geometry, found '('"],
  ['LINESTRING (1 2 3, 4 5 6,)', "at character 26: expected a number, found ')'"],
  ['LINESTRING ((1 2), (3 4))', "at character 13: expected a number, found '(1 2), (3 4))'"],
  ['POLYGON (0 0, 1 0, 1 1, 0 0)', "at character 10: expected '(' or EMPTY"],
  ['MULTIPOLYGON ((0 0, 1 0, 1 1, 0 0))', "at character 16: expected '(' or EMPTY"],
  ['MULTIPOINT (1 2,, 3 4)', "at character 17: expected '(' or EMPTY"],
  ['GEOMETRYCOLLECTION (1 2)', 'at character 21: expected a geometry type'],
  ['GEOMETRYCOLLECTION (SRID=4326;POINT (1 2))', 'at character 21: expected a geometry type'],
  ['SRID=;POINT (1 2)', 'at character 1: expected an SRID such as SRID=28992;'],
  ['SRID=28992 POINT (1 2)', 'at character 1: expected an SRID'],
  ['SRID=-1;POINT (1 2)', 'at character 1: expected an SRID'],
  ['SRID=4326;', 'at character 11: expected a geometry type'],
  ['SRID=4326;SRID=4326;POINT (1 2)', 'at character 11: expected a geometry type'],
]

test.each(refused)('%s is refused', (text, message) => {
  expect(() => readWkt(text)).toThrow(ValueError)
  expect(() => readWkt(text)).toThrow(message)
})

describe('hostile WKT', () => {
  const nested = (depth: number): string => `${'GEOMETRYCOLLECTION('.repeat(depth)}POINT(1 2)${')'.repeat(depth)}`

  test.each([
    ['10,000 nested collections', nested(10_000), `collections are nested more than ${MAX_DEPTH} deep`],
    ['16 KB of brackets', `POLYGON${'('.repeat(16_384)}`, 'at character 10: expected a number'],
    ['2 MB of brackets', `POLYGON${'('.repeat(2_000_000)}`, 'at character 10: expected a number'],
    ['2 MB of letters', 'M'.repeat(2_000_000), 'at character 1: expected a geometry type'],
    ['2 MB of digits', `POINT(${'1'.repeat(2_000_000)} 2)`, 'at character 7: expected a number of at most'],
    ['2 MB of positions', `LINESTRING(${'0 0,'.repeat(500_000)}0 0)`, `more than ${MAX_VERTICES} positions`],
  ])('%s', (_, text, message) => {
    expect(() => readWkt(text)).toThrow(message)
  })

  test(`with collections ${MAX_DEPTH} deep is read, and one level more is refused`, () => {
    expect(readWkt(nested(MAX_DEPTH)).srid).toBe(0)
    expect(() => readWkt(nested(MAX_DEPTH + 1))).toThrow(ValueError)
  })

  test(`with ${MAX_VERTICES} positions is read, and one position more is refused`, () => {
    const positions = (length: number) => `MULTIPOINT(${Array(length).fill('0 0').join()})`
    expect(readWkt(positions(MAX_VERTICES)).geometry).toHaveProperty('coordinates.length', MAX_VERTICES)
    expect(() => readWkt(positions(MAX_VERTICES + 1))).toThrow(ValueError)
  })

  test('an error repeats at most 40 characters of the input', () => {
    expect(() => readWkt(`POINT (${'x'.repeat(1000)}`)).toThrow(/^at character 8: expected a number, found '.{0,36}'$/)
  })
})

const spelling: fc.Arbitrary<Spelling> = fc.record({
  flag: fc.constantFrom('', 'Z', ' Z', ' M', 'ZM', ' ZM'),
  blank: fc.constantFrom('', ' ', '\n\t '),
  lower: fc.boolean(),
  short: fc.boolean(),
})

test('a written geometry is read back unchanged', () => {
  fc.assert(
    fc.property(anyGeometry, spelling, (geometry, how) => {
      expect(readWkt(toWkt(geometry, how)).geometry).toEqual(geometry)
    }),
  )
})

test('a text that terraformer-wkt-parser reads is the same geometry', () => {
  // It reads no collections, and only some numbers with an exponent.
  const plain = fc.integer({ min: -1e6, max: 1e6 }).map((value) => value / 1000)
  const short = fc.tuple(plain, plain)
  const lines = fc.array(fc.array(short, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 3 })
  const flat: fc.Arbitrary<Geometry> = fc.oneof(
    fc.record({ type: fc.constant('Point' as const), coordinates: short }),
    fc.record({
      type: fc.constantFrom('LineString' as const, 'MultiPoint'),
      coordinates: fc.array(short, { minLength: 2 }),
    }),
    fc.record({ type: fc.constantFrom('Polygon' as const, 'MultiLineString'), coordinates: lines }),
    fc.record({
      type: fc.constant('MultiPolygon' as const),
      coordinates: fc.array(lines, { minLength: 1, maxLength: 3 }),
    }),
  )
  fc.assert(
    fc.property(flat, fc.boolean(), (geometry, bare) => {
      const text = toWkt(geometry, { short: bare })
      const { type, coordinates } = JSON.parse(JSON.stringify(parse(text)))
      expect(readWkt(text).geometry).toEqual({ type, coordinates })
    }),
    { numRuns: 200 },
  )
})

test('a mutated text is read or refused with a ValueError', () => {
  const mutation = fc.tuple(
    fc.nat(),
    fc.nat(3),
    fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom('(', ')', ',', ' ', 'Z', 'EMPTY')),
  )
  fc.assert(
    fc.property(anyGeometry, fc.array(mutation, { minLength: 1, maxLength: 3 }), (geometry, mutations) => {
      let text = toWkt(geometry)
      for (const [at, removed, added] of mutations) {
        const start = at % (text.length + 1)
        text = text.slice(0, start) + added + text.slice(start + removed)
      }
      try {
        readWkt(text)
      } catch (error) {
        expect(error).toBeInstanceOf(ValueError)
      }
    }),
    { numRuns: 500 },
  )
})
