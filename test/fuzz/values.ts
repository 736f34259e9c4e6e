import fc from 'fast-check'
import { longitudeAt, TILE_MATRIX_SETS } from '../../src/ogc/tileMatrix.ts'
import { anyGeometry, onTheMap, toBase64, toHex, toWkb, toWkt } from '../geometry/write.ts'

type Values = fc.Arbitrary<string>

/** The uuid of a public series. */
export const UUID = '1f3fd2e4-e4f6-564f-b861-9051626e9eb4'

const oneOf = (...values: readonly string[]): Values => fc.constantFrom(...values)
const list = (values: Values, most = 4): Values => fc.array(values, { minLength: 1, maxLength: most }).map(String)

const unicode = fc.string({ unit: 'binary', maxLength: 12 })
const punctuation = oneOf("'", '"', '\\', '%', '_', '*', '[', '$', '\0', "' OR 1=1 --", '%s', '{{7*7}}', '<script>')
const numbers = oneOf('0', '-1', '1e400', '9'.repeat(400), '-9223372036854775809', '18446744073709551616', '0x10', '½')
const words = oneOf('null', 'undefined', 'NaN', 'Infinity', 'true', '__proto__', 'constructor', '٣', '\ud800', ' ')

/** Texts that are no valid value of any filter. */
export const garbage: Values = fc.oneof(unicode, punctuation, numbers, words, fc.string({ maxLength: 40 }))

const text = oneOf('earthquake', 'EARTH', 'hurricane', 'a', 'É', 'ß', 'Zomertijd Nederland', '%', 'storm', 'airport')
const whole = fc.oneof(fc.integer({ min: -5, max: 20_000 }).map(String), oneOf('986', '009', '9.0', '+7', ' 12 ', '-0'))
const instant = fc.oneof(
  fc
    .date({ min: new Date('1900-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  oneOf('2018-02-05', '2018-02-05T00:00:00+01:00', '2018-02-05T00:00:00.123456-0130', '2018-02-05T00:00:00 01:00'),
)
const duration = oneOf('0', '3600', '02:00', '21:02:00', '1 00:00:00.5', 'PT21H2M', 'P1DT2H', 'PT0.001S', '-PT1S')
const pattern = oneOf('^earth', 'storm|depression', '.*', '(a|b)*c', '\\d+', '[[:alpha:]]+', '\\pL', '(?i)QUAKE', '^$')
const uuids = oneOf(
  UUID,
  UUID.toUpperCase(),
  UUID.replaceAll('-', ''),
  UUID.slice(0, 7),
  'aa89',
  '99fe5d03-89',
  '1',
  'C',
  '9f',
)

const geometry = fc
  .tuple(fc.oneof(fc.constant(boxOf(-160, 10, 8, 70)), anyGeometry.map(onTheMap), onTiles()), fc.nat(5))
  .map(([shape, form]) => {
    if (form === 0) return JSON.stringify(shape)
    if (form === 1) return toHex(toWkb(shape))
    if (form === 2) return toBase64(toWkb(shape, { order: 'big', z: true }))
    if (form === 3) return `SRID=4326;${toWkt(shape)}`
    if (form === 4) return JSON.stringify({ type: 'Feature', properties: null, geometry: shape })
    return toWkt(shape, { flag: ' Z', lower: true })
  })

/** Generates boxes whose sides are sides of tiles, or edges of the world. */
function onTiles() {
  const part = fc.integer({ min: 0, max: 17 }).chain((level) => fc.nat(2 ** level).map((at) => at / 2 ** level))
  return fc
    .tuple(
      fc.constantFrom(...TILE_MATRIX_SETS),
      fc.uniqueArray(part, { minLength: 2, maxLength: 2 }),
      part,
      fc.boolean(),
    )
    .map(([set, [a = 0, b = 1], part, toPole]) => {
      const [x, y] = [longitudeAt(a), set.latitude(b)]
      const [east, north] = [longitudeAt(part), toPole ? 90 : set.latitude(part)]
      return boxOf(Math.min(x, east), Math.min(y, north), Math.max(x, east), Math.max(y, north))
    })
}

function boxOf(west: number, south: number, east: number, north: number) {
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ] as [number, number][]
  return { type: 'Polygon' as const, coordinates: [ring] }
}

/** Valid values by lookup, if the lookup decides about them, otherwise by the kind of the filter. */
const VALID: Readonly<Record<string, Values>> = {
  text,
  integer: whole,
  instant,
  duration,
  uuid: oneOf(UUID, UUID.toUpperCase(), UUID.replaceAll('-', '')),
  'uuid prefix': fc.oneof(uuids, list(uuids)),
  reference: oneOf('1', '5', '7', '009', '99', '-1'),
  name: oneOf('a', 'ak18261217', 'É', '%', '-1'),
  choice: oneOf('Public', 'private', 'HIDDEN', '0', '100', '300'),
  object: oneOf('airport$986', 'storm$1', 'nothing$0', 'a$b$1', 'airport$009'),
  geometry,
  isnull: oneOf('true', 'false', '0', '1', 'True'),
  regex: pattern,
  iregex: pattern,
}

/** Values that are almost valid, by the kind of the filter. */
const NEARLY: Readonly<Record<string, Values>> = {
  text: oneOf('\0', 'a\0b', ',', ',,,', 'x'.repeat(60), '\u0301', 'ﬁ', '𝕏'),
  integer: oneOf('9.5', '1,2', '1e3', '--1', '0x9', '1_000', '٣', '', '9'.repeat(31), '1..', '+'),
  instant: oneOf(
    '2018-02-30T00:00:00Z',
    '2018-02-05T24:00:00Z',
    '2018-02-05T25:00:00Z',
    '+275760-09-13T00:00:00.001Z',
    '-000001-01-01T00:00:00Z',
    '0000-00-00',
    '9999-12-31T23:59:59.999999Z',
    '0001-01-01T00:00:00+23:59',
    '2018-02-05T00:00:00.1234567Z',
    '1517788800000',
    'now',
  ),
  duration: oneOf(
    'P1W',
    'P1M',
    'PT',
    'P',
    '1:2:3:4',
    '1e9',
    'PT1H1H',
    `PT${'9'.repeat(40)}S`,
    '99999999999 00:00:00',
    'P-1D',
  ),
  uuid: oneOf(UUID.slice(0, 35), `${UUID}0`, '{1f3fd2e4}', '-', 'g'.repeat(32)),
  name: oneOf('\0', ',', ',,,', 'x'.repeat(301), '٣', ' a '),
  reference: oneOf('99fe', '1.5', '1,2', '٣', '9'.repeat(31)),
  'uuid prefix': oneOf('g', '1g', ',', '-', '----', 'xyz', '1,', `${UUID}0`, `${'1111,'.repeat(1001)}1111`),
  choice: oneOf('Publi', '50', '1e2', '-0', 'public,private', '100.0'),
  object: oneOf('airport', '$', '$986', 'airport$', 'airport$x', 'airport$1$2', 'AIRPORT$986'),
  geometry: oneOf(
    'POLYGON((0 0, 1 1, 0 0))',
    'POLYGON((0 0, 1 1, 1 0, 0 1))',
    'POINT(NaN NaN)',
    'POINT(1e400 1)',
    'POINT EMPTY',
    'POINT(200 95)',
    'SRID=28992;POINT (1e9 1e9)',
    'SRID=3857;POINT (0 1e300)',
    'SRID=2154;POINT (5 52)',
    'POINT(1 2) x',
    '{"type":"Point"}',
    '{"type":"Polygon","coordinates":[[]]}',
    '{"type":"Point","coordinates":[1,',
    '{"__proto__":null}',
    '0101000000',
    '01030000000100000000FFFFFFFF',
    'AQEAAAA',
    'AQ==',
    '\x00\x00\x00\x00\x01',
    `${'GEOMETRYCOLLECTION('.repeat(80)}POINT(1 2)`,
    `${'['.repeat(500)}`,
  ),
  isnull: oneOf('2', 'yes', 'nul', 'true,false'),
  regex: oneOf(
    '(',
    '[',
    '(?=a)',
    '\\1',
    'a{1001}',
    '(a{100}){100}',
    '(?<n>a)',
    '.{0,1000}',
    '\\',
    '(?P<n',
    'x'.repeat(201),
  ),
}

/** The validity of a value for its parameter. */
export type Care = 'valid' | 'nearly' | 'garbage'

/** Generates values for a kind of filter and a lookup. */
export const valuesOf = (kind: string, lookup: string, care: Care): Values => {
  const of = VALID[lookup] === undefined ? kind : lookup
  if (care === 'garbage') return garbage
  if (care === 'nearly') return (NEARLY[of] ?? NEARLY[of.slice(1)] ?? garbage) as Values
  const one = VALID[of] ?? text
  if (lookup === 'in') return list(one)
  return lookup === 'range' ? fc.tuple(one, one).map(String) : one
}

const hint = fc
  .tuple(
    oneOf('a', 'b', 'c'),
    fc.array(oneOf('', '0', '-1', '7', '9'.repeat(16), '9'.repeat(20), 'x', 'NaN'), { maxLength: 7 }),
  )
  .map(([side, parts]) => [side, ...parts].join('_'))

/** Values for the parameters of every list and of the summary. */
export const LIST_VALUES: Readonly<Record<string, Readonly<Record<Care, Values>>>> = {
  format: {
    valid: oneOf('json', 'api', 'geojson', 'csv', 'spreadsheet', 'ndjson'),
    nearly: oneOf('JSON', 'xml', 'json,api', '__proto__'),
    garbage,
  },
  hint: { valid: hint, nearly: hint, garbage },
  ordering: {
    valid: oneOf(
      'id',
      '-id',
      'timestamp_start',
      '-timestamp_end',
      'name',
      '-name',
      '-last_modified',
      'created',
      'start',
      '-duration',
      'value_number',
      'category',
      'distance',
    ),
    nearly: oneOf('--id', 'ID', 'id,name', '-', 'toString', 'timestamp_start desc'),
    garbage,
  },
  page: {
    valid: oneOf('1', '1', '2', '3', 'last', '01'),
    nearly: oneOf('0', '-1', '1.0', 'LAST', '9'.repeat(20), '2 '),
    garbage,
  },
  bins: {
    valid: oneOf('1', '2', '9', '256', '512', '', ' 7'),
    nearly: oneOf('0', '513', '-1', '1e1', '1.0', 'all'),
    garbage,
  },
  level: {
    valid: oneOf('0', '1', '6', '8', '12', '', '07'),
    nearly: oneOf('13', '-0', '26', '1.5', 'last'),
    garbage,
  },
  page_size: {
    valid: oneOf('1', '2', '10', '100', '5'),
    nearly: oneOf('0', '10001', '-1', '1e1', '1.0', '١', 'all'),
    garbage,
  },
}
