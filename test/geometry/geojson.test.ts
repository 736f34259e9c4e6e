import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ValueError } from '../../src/base/errors.ts'
import { readGeoJson } from '../../src/geometry/geojson.ts'
import { type Geometry, MAX_DEPTH, MAX_VERTICES } from '../../src/geometry/geometry.ts'
import { NAMES, OTHER_NAMES } from './names.ts'
import { anyGeometry } from './write.ts'

const point: Geometry = { type: 'Point', coordinates: [1, 2] }
const empty: Geometry = { type: 'GeometryCollection', geometries: [] }
const POINT = '{"type":"Point","coordinates":[1,2]}'

const accepted: [string, Geometry][] = [
  [POINT, point],
  [` \n${POINT}\t `, point],
  ['{"type":"Point","coordinates":[1,2,3]}', point],
  ['{"type":"Point","coordinates":[1,2,3,4,5]}', point],
  ['{"type":"Point","coordinates":[1e0,20e-1],"bbox":[1,2,1,2],"more":[[["["]]]}', point],
  ['{"type":"Point","coordinates":[1e308,-1e308]}', { type: 'Point', coordinates: [1e308, -1e308] }],
  ['{"type":"Point","coordinates":[]}', { type: 'Point', coordinates: [] }],
  ['{"type":"LineString","coordinates":[[1,2],[3,4,5]]}', { type: 'LineString', coordinates: [[1, 2], [3, 4]] }], // biome-ignore format: a row
  ['{"type":"Polygon","coordinates":[]}', { type: 'Polygon', coordinates: [] }],
  ['{"type":"MultiPoint","coordinates":[[1,2]]}', { type: 'MultiPoint', coordinates: [[1, 2]] }],
  ['{"type":"MultiLineString","coordinates":[[[1,2]]]}', { type: 'MultiLineString', coordinates: [[[1, 2]]] }],
  ['{"type":"MultiPolygon","coordinates":[[[[1,2]]]]}', { type: 'MultiPolygon', coordinates: [[[[1, 2]]]] }],
  [`{"type":"GeometryCollection","geometries":[${POINT}]}`, { type: 'GeometryCollection', geometries: [point] }],
  [`{"type":"Feature","properties":null,"geometry":${POINT}}`, point],
  ['{"type":"Feature","properties":{"geometry":1},"geometry":null}', empty],
  [`{"type":"FeatureCollection","features":[{"type":"Feature","geometry":${POINT}}]}`, { type: 'GeometryCollection', geometries: [point] }], // biome-ignore format: a row
  ['{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null}]}', { type: 'GeometryCollection', geometries: [empty] }], // biome-ignore format: a row
  ['{"type":"FeatureCollection","features":[]}', empty],
  ['{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"GeometryCollection","geometries":[]}}]}', { type: 'GeometryCollection', geometries: [empty] }], // biome-ignore format: a row
]

test.each(accepted)('%s is read', (text, geometry) => {
  expect(readGeoJson(text)).toEqual({ geometry, srid: 0 })
})

const named = (name: string): string => JSON.stringify({ type: 'name', properties: { name } })
const withCrs = (crs: string): string => `{"type":"Point","coordinates":[1,2],"crs":${crs}}`

test.each([
  ...[...NAMES.CRS84, ...NAMES.DEGREES].map((name): [string, number] => [named(name), 4326]),
  ...NAMES.RD.map((name): [string, number] => [named(name), 28992]),
  [named('epsg:3857'), 3857],
  ['"EPSG:28992"', 28992],
  ['null', 0],
])('"crs": %s is read', (crs, srid) => {
  expect(readGeoJson(withCrs(crs))).toEqual({ geometry: point, srid })
})

test('an inner crs may repeat the outer one', () => {
  const feature = `{"type":"Feature","crs":${named('EPSG:28992')},"geometry":${withCrs(named('urn:ogc:def:crs:EPSG::28992'))}}`
  expect(readGeoJson(feature).srid).toBe(28992)
})

const refused: [string, string][] = [
  ['[]', 'at the outermost value: expected a geometry object such as {"type":"Point","coordinates":[5.1,52.1]}'],
  ['null', 'at the outermost value: expected a geometry object'],
  [
    '{}',
    'at type: expected Point, LineString, Polygon, MultiPoint, MultiLineString, MultiPolygon or GeometryCollection',
  ],
  ['{"type":"point","coordinates":[1,2]}', "at type: expected Point, LineString, Polygon, MultiPoint, MultiLineString, MultiPolygon or GeometryCollection, not 'point'"], // biome-ignore format: a row
  ['{"type":1,"coordinates":[1,2]}', 'at type: expected Point'],
  ['{"type":"constructor"}', 'at type: expected Point'],
  ['{"type":"Point"}', 'at coordinates: expected a position such as [5.1, 52.1]'],
  ['{"type":"Point","coordinates":null}', 'at coordinates: expected a position'],
  ['{"type":"Point","coordinates":[1]}', 'at coordinates: expected a position'],
  ['{"type":"Point","coordinates":["1","2"]}', 'at coordinates[0]: expected a finite number such as 5.1'],
  ['{"type":"Point","coordinates":[1,null]}', 'at coordinates[1]: expected a finite number'],
  ['{"type":"Point","coordinates":[1,2,1e999]}', 'at coordinates[2]: expected a finite number'],
  ['{"type":"Point","coordinates":[1e999,2]}', 'at coordinates[0]: expected a finite number'],
  ['{"type":"LineString","coordinates":{}}', 'at coordinates: expected an array'],
  ['{"type":"LineString","coordinates":[1,2]}', 'at coordinates[0]: expected a position'],
  ['{"type":"Polygon","coordinates":[[0,0],[1,0],[1,1],[0,0]]}', 'at coordinates[0][0]: expected a position'],
  ['{"type":"MultiPolygon","coordinates":[[[[1,2],[3]]]]}', 'at coordinates[0][0][1]: expected a position'],
  ['{"type":"GeometryCollection"}', 'at geometries: expected an array'],
  ['{"type":"GeometryCollection","geometries":[null]}', 'at geometries[0]: expected a geometry object'],
  ['{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1]}]}', 'at geometries[0].coordinates: expected a position'], // biome-ignore format: a row
  ['{"type":"GeometryCollection","geometries":[{"type":"Feature","geometry":null}]}', "at geometries[0].type: expected Point, LineString, Polygon, MultiPoint, MultiLineString, MultiPolygon or GeometryCollection, not 'Feature'"], // biome-ignore format: a row
  ['{"type":"Feature"}', 'at geometry: expected a geometry object'],
  ['{"type":"Feature","geometry":{"type":"Feature","geometry":null}}', 'at geometry.type: expected Point'],
  ['{"type":"FeatureCollection"}', 'at features: expected an array'],
  ['{"type":"FeatureCollection","features":[{"type":"FeatureCollection","features":[]}]}', 'at features[0].type: expected Point'], // biome-ignore format: a row
  ['{"type":"Point","coordinates":[1,2]', 'at character 36: '],
  ['{"type":"Point","coordinates":[1,2}', 'this is not valid JSON; enter GeoJSON such as'],
  ['{"type":"Point","coordinates":[NaN,2]}', 'this is not valid JSON'],
  ["{'type':'Point'}", 'at character 2: this is not valid JSON'],
  [`${POINT}x`, 'at character 37: this is not valid JSON'],
  [withCrs('"RD"'), 'at crs: expected {"type":"name","properties":{"name":"EPSG:28992"}} or no crs'],
  [withCrs('7'), 'at crs: expected'],
  [withCrs('{"type":"name","properties":null}'), 'at crs: expected'],
  [withCrs('{"type":"link","properties":{"href":"http://a.b"}}'), 'at crs: expected'],
  ...OTHER_NAMES.map((name): [string, string] => [withCrs(named(name)), 'at crs: expected']),
  [`{"type":"Feature","geometry":${withCrs(named('EPSG:28992'))}}`, 'at geometry.crs: differs from the crs of the outermost object; enter crs only there'], // biome-ignore format: a row
]

test.each(refused)('%s is refused', (text, message) => {
  expect(() => readGeoJson(text)).toThrow(ValueError)
  expect(() => readGeoJson(text)).toThrow(message)
})

describe('a hostile text', () => {
  const nested = (depth: number): string =>
    `${'{"type":"GeometryCollection","geometries":['.repeat(depth)}${POINT}${']}'.repeat(depth)}`
  const polygon = '{"type":"Polygon","coordinates":'

  test.each([
    ['10,000 nested collections', nested(10_000), `collections are nested more than ${MAX_DEPTH} deep`],
    ['16 KB of brackets', polygon + '['.repeat(16_384), 'the JSON ends too early'],
    ['2 MB of brackets', polygon + '['.repeat(2_000_000), 'the JSON ends too early'],
    [
      '2 MB of closed brackets',
      `${polygon}${'['.repeat(1e6)}${']'.repeat(1e6)}}`,
      'at coordinates[0][0]: expected a position',
    ],
    ['2 MB of nested objects', '{"a":'.repeat(400_000), 'the JSON ends too early'],
  ])('%s', (_, text, message) => {
    expect(() => readGeoJson(text)).toThrow(ValueError)
    expect(() => readGeoJson(text)).toThrow(message)
  })

  test(`with collections ${MAX_DEPTH} deep is read, and one level more is refused`, () => {
    expect(readGeoJson(nested(MAX_DEPTH)).srid).toBe(0)
    expect(() => readGeoJson(nested(MAX_DEPTH + 1))).toThrow(ValueError)
  })

  test(`with ${MAX_VERTICES} positions is read, and one position more is refused`, () => {
    const line = (length: number) => `{"type":"LineString","coordinates":[${Array(length).fill('[0,0]').join()}]}`
    expect(readGeoJson(line(MAX_VERTICES)).geometry).toHaveProperty('coordinates.length', MAX_VERTICES)
    expect(() => readGeoJson(line(MAX_VERTICES + 1))).toThrow(`more than ${MAX_VERTICES} positions`)
  })

  test('an error repeats at most 24 characters of the input, and no message of the engine', () => {
    const wrong = `{"type":"Point","coordinates":[${'x'.repeat(1000)}`
    expect(() => readGeoJson(wrong)).toThrow(
      /^(at character 32: )?this is not valid JSON; enter GeoJSON such as \{[^x]+$/,
    )
    expect(() => readGeoJson(`{"type":"${'x'.repeat(1000)}"}`)).toThrow(/, not 'x{24}\.\.\.'$/)
  })
})

test('a written geometry is read back unchanged', () => {
  fc.assert(
    fc.property(anyGeometry, (geometry) => {
      expect(readGeoJson(JSON.stringify(geometry)).geometry).toEqual(geometry)
      const feature = JSON.stringify({ type: 'Feature', id: 1, properties: {}, geometry })
      expect(readGeoJson(feature).geometry).toEqual(geometry)
    }),
  )
})

test('any JSON is read or refused with a ValueError', () => {
  const keys = fc.constantFrom('type', 'coordinates', 'geometries', 'geometry', 'features', 'crs', 'properties', 'name')
  const types = fc.constantFrom('Point', 'Polygon', 'GeometryCollection', 'Feature', 'FeatureCollection', 'EPSG:4326')
  const { any } = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(types, fc.integer(), fc.constant(null)),
      fc.array(tie('any'), { maxLength: 4 }),
      fc.dictionary(keys, tie('any'), { maxKeys: 4 }),
    ),
  }))
  fc.assert(
    fc.property(any, (value) => {
      try {
        readGeoJson(JSON.stringify(value))
      } catch (error) {
        expect(error).toBeInstanceOf(ValueError)
      }
    }),
    { numRuns: 500 },
  )
})
