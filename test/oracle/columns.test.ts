import { type Row, testRows } from './oracle.ts'
import { event, series } from './world.ts'

// Columns of people's own in CQL2. The literal decides which values are compared, not the description of the column.

const field = (name: string, type: 'string' | 'number' | 'boolean' | 'datetime' | 'date') => ({
  name: `attributes__${name}`,
  type,
})
const fields = [
  ...[field('v', 'string'), field('w', 'number'), field('flag', 'boolean'), field('other', 'boolean')],
  field('only', 'boolean'),
  ...[field('at', 'datetime'), field('till', 'string'), field('e', 'number'), field('day', 'date')],
]
const metadata = { ...{ source: null, source_url: null, license: null, contact: null, more: false }, fields }
const FIRST = '2018-03-25T01:30:00Z'

const RECORDS = [
  { kind: 'observation_type' as const, id: 1, code: 'test', name: 'Test', unit: null },
  series(1, 'Columns', 0, { metadata }),
  event(1, FIRST, { attributes: { v: 3, w: 3, flag: true, other: true, only: true } }),
  event(2, FIRST, { attributes: { v: 3.5, w: 3, flag: false, other: true, only: false } }),
  event(3, FIRST, { attributes: { v: '3', w: '3', flag: 'true', other: false } }),
  event(4, FIRST, { attributes: { v: '3,2', w: 'x', flag: 1, other: 1 } }),
  event(5, FIRST, { attributes: { v: true, w: true, flag: null } }),
  event(6, FIRST, { attributes: { v: [3], w: null } }),
  event(7, FIRST, { category: '3,2', value: '3' }),
  ...[
    '2018-03-25T01:30:00Z',
    '2018-03-25T03:30:00+02:00',
    '2018-03-25t01:30:00.0000z',
    '2018-03-25 01:30:00.25',
    '2018-03-24T23:30-0200',
    '2018-03-25T01:30:00.000000000000000000001Z',
    '2018-03-25',
    '2018-03-26T00:59:59+01',
    'yesterday',
    '2018-02-30',
    '2018-03-25T24:00',
    ' 2018-03-25T01:30:00Z',
    '2018-03-25T01:30Z and more',
    '0000-02-29T00:00:00Z',
    '9999-12-31T23:59:59.999-23:59',
    '2018-03-25T01:30:00.',
    '2018-03-25T01:30+24:00',
    '1969-12-31T23:59:59.999Z',
  ].map((at, i) =>
    event(11 + i, i === 3 ? '2018-03-25T01:30:00.250Z' : FIRST, { attributes: { at, till: '2018-03-25T02:00:00Z' } }),
  ),
  ...[5e-324, 7.4e-323, Number.MAX_VALUE, -1e308, 0.5, -3].map((e, i) => event(50 + i, FIRST, { attributes: { e } })),
  event(41, FIRST, { attributes: { day: '2018-03-25' } }),
  event(42, FIRST, { attributes: { day: '2018-03-26' } }),
  event(40, FIRST, { attributes: { at: 1521941400000 } }),
]

const parameters = (text: string) =>
  `/ogc/collections/events-a0000000-0000-4000-8000-000000000001/items?limit=100&${text}`
const filter = (text: string) => parameters(`filter=${text}`)
const row = (text: string, ...finds: readonly number[]): Row => ({ asks: filter(text), finds })
/** Returns a row for a condition, and one for its opposite. Rows for which it is unknown are in neither. */
const both = (text: string, finds: readonly number[], others: readonly number[]): readonly Row[] => [
  row(text, ...finds),
  row(`NOT (${text})`, ...others),
]

testRows(RECORDS, {
  'a number is compared with numbers': [
    ...both('v > 3', [2], [1]),
    ...both('v = 3', [1], [2]),
    ...both('3 >= v', [1], [2]),
    ...both('v <> 3', [2], [1]),
    ...both('v IN (3, 4)', [1], [2]),
    ...both('v BETWEEN 3 AND 3.4', [1], [2]),
    ...both('v * 2 = 7', [2], [1]),
    ...both('v > value_number', [], []),
    ...both('value_number = w', [], []),
    ...both('value_number IN (3, 4)', [7], []),
    ...both('value_number IN (1, 2)', [], [7]),
  ],
  'a result beyond a double is infinite or 0': [
    ...both('e + 1 = 1', [50, 51], [52, 53, 54, 55]),
    ...both('e + e > 1e308', [52], [50, 51, 53, 54, 55]),
    ...both('e - 1.7e308 < -1.7e308', [53], [50, 51, 52, 54, 55]),
    ...both('e * 1e-20 = 0', [50, 51], [52, 53, 54, 55]),
    ...both('e / 1e-20 > 1e308', [52], [50, 51, 53, 54, 55]),
    ...both('e ^ 2 > 1e308', [52, 53], [50, 51, 54, 55]),
    ...both('e ^ 3 = -27', [55], [50, 51, 52, 53, 54]),
    ...both('e ^ 9007199254740991 < 0', [53, 55], [50, 51, 52, 54]),
    ...both('1e308 ^ e = 0', [53, 55], [50, 51, 52, 54]),
    ...both('e % 2 = -1', [55], [50, 51, 52, 53, 54]),
    ...both('2 % (e * e) = 2', [52, 53, 55], [54]),
    ...both('20 % (e - 0.1) > 0.09', [50, 51, 52, 53, 54, 55], []),
    ...both('e % 7.4e-323 = 0', [51], [50, 52, 53, 54, 55]),
    ...both('e % 7.4e-323 = 1e-323', [52, 54], [50, 51, 53, 55]),
    ...both('e % 7.4e-323 < -6.5e-323', [53], [50, 51, 52, 54, 55]),
    // The product of infinity and 0 is no number, and so is the difference of infinities.
    ...both('e * e * 0 = 0', [50, 51, 54, 55], []),
    ...both('e * e - e * e = 0', [50, 51, 54, 55], []),
    ...both('0 ^ value_number = 0', [7], []),
  ],
  'a text is compared with texts': [
    ...both("v = '3'", [3], [4]),
    ...both("v > '3'", [4], [3]),
    ...both("v IN ('3', 'x')", [3], [4]),
    ...both("v LIKE '3%'", [3, 4], []),
    ...both("w LIKE 'x'", [4], [3]),
    ...both("CASEI(w) = CASEI('X')", [4], [3]),
    ...both('v = category', [], [3, 4]),
  ],
  'a list of several types finds each of them': [
    row("v IN (3, '3', TRUE)", 1, 3, 5),
    row("v NOT IN (3, '3')"),
    row('w IN (v, 3)', 1, 2, 3, 5),
  ],
  'two columns are compared if both values have the same type': [
    ...both('v = w', [1, 3, 5], [2, 4]),
    ...both('v <> w', [2, 4], [1, 3, 5]),
    ...both('v > w', [2], [1, 3, 4]),
    ...both('v <= w', [1, 3, 4], [2]),
    ...both('flag = other', [1, 4], [2]),
  ],
  'TRUE and FALSE are compared with true and false': [
    ...both('flag', [1], [2]),
    ...both('flag = TRUE', [1], [2]),
    ...both('FALSE = flag', [2], [1]),
    ...both('flag <> TRUE', [2], [1]),
    ...both('flag IN (TRUE)', [1], [2]),
    ...both('flag IN (TRUE, FALSE)', [1, 2], []),
    ...both('flag NOT IN (TRUE)', [2], [1]),
    // GDAL writes 1 for true if the column is described as a boolean.
    ...both('only = 1', [1], [2]),
    ...both('only <> 1', [2], [1]),
    ...both('only = 2', [], []),
    ...both('other = 2', [], [4]),
    ...both('v', [5], []),
    ...both('(v < 3.2) = flag', [1, 2], []),
    row('TRUE = TRUE AND v = 3', 1),
    row('{"op":"in","args":[{"property":"flag"},[true]]}&filter-lang=cql2-json', 1),
    row('{"op":"not","args":[{"op":"=","args":[{"property":"flag"},true]}]}&filter-lang=cql2-json', 2),
    { asks: filter('flag > TRUE'), finds: { faults: ['filter'] } },
  ],
  'a parameter finds the values that its text stands for': [
    ...['true', 'True', 'TRUE'].map((text) => ({
      asks: `attributes__flag=${text}`,
      finds: text === 'true' ? [1, 3] : [1],
    })),
    { asks: 'attributes__only__in=False,x', finds: [2] },
    { asks: 'attributes__only=1', finds: [] },
    { asks: 'attributes__only=yes', finds: [] },
    { asks: parameters('only=1'), finds: [1] },
    { asks: parameters('only__in=0,x'), finds: [2] },
    { asks: parameters('value_number=3'), finds: [7] },
    { asks: 'attributes__a b=1', finds: { faults: ['attributes__a b'] } },
  ],
  'an instant is compared with the texts that are one': [
    ...both("at = TIMESTAMP('2018-03-25T01:30:00Z')", [11, 12, 13, 15], [14, 16, 17, 18, 24, 25, 28]),
    ...both("at > TIMESTAMP('2018-03-25T01:30:00Z')", [14, 16, 18, 25], [11, 12, 13, 15, 17, 24, 28]),
    ...both("at >= TIMESTAMP('2018-03-25T01:30:00.25Z')", [14, 18, 25], [11, 12, 13, 15, 16, 17, 24, 28]),
    ...both("at = DATE('2018-03-25')", [11, 12, 13, 14, 15, 16, 17, 18], [24, 25, 28]),
    ...both("at < DATE('2018-03-25')", [24, 28], [11, 12, 13, 14, 15, 16, 17, 18, 25]),
    ...both("T_AFTER(at, DATE('2018-03-24'))", [11, 12, 13, 14, 15, 16, 17, 18, 25], [24, 28]),
    ...both("T_BEFORE(at, '1970-01-01')", [24, 28], [11, 12, 13, 14, 15, 16, 17, 18, 25]),
    row("at IN (DATE('2018-03-26'), TIMESTAMP('1969-12-31T23:59:59.999Z'))", 28),
    row("at IN (TIMESTAMP('2018-03-25T01:30:00Z'), DATE('2018-03-25'))", 11, 12, 13, 14, 15, 16, 17, 18),
    row("at BETWEEN DATE('1969-12-31') AND TIMESTAMP('2018-03-25T00:00:00Z')", 17, 28),
    row(
      "T_INTERSECTS(INTERVAL(at, till), INTERVAL('2018-03-25T01:59:00Z', '..')) AND T_BEFORE(at, till)",
      11,
      12,
      13,
      14,
      15,
      16,
      17,
      24,
      28,
    ),
    ...both('T_AFTER(at, timestamp_start)', [16, 18, 25], [11, 12, 13, 14, 15, 17, 24, 28]),
    ...both('T_EQUALS(timestamp_start, at)', [11, 12, 13, 14, 15], [16, 17, 18, 24, 25, 28]),
    ...both('T_AFTER(at, till)', [18, 25], [11, 12, 13, 14, 15, 16, 17, 24, 28]),
    row("at = '2018-03-25T01:30:00Z'", 11),
    ...both("day <= DATE('2018-03-25')", [41], [42]),
    row("v > TIMESTAMP('2018-03-25T01:30:00Z')"),
  ],
})
