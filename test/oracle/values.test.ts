import { type Row, testMany, testRows } from './oracle.ts'
import { event, FOUNDATION, series } from './world.ts'

// Numbers, times and durations: neighbours on both sides of each limit of a number, of 1970, and of a unit.

const OBJECT_IDS = [0, 1, 9, -9, 10, 986, 2 ** 53 - 1, 2 ** 53 - 2, 1 - 2 ** 53]

const VALUES = [
  '0.4 m',
  '0.5 m',
  ' .45',
  'Maria 2017: 150 kn',
  '1,5',
  '150 kn',
  '-2',
  '2e400',
  'MARIA',
  'Düne 3',
  '',
  '+12',
]

/** Values of the attribute `a`, and attributes without it. */
const ATTRIBUTES: readonly (Readonly<Record<string, unknown>> | null)[] = [
  ...[0, -1, 4, 4.5, 4.500000000000001, 5, 0.1, 0.30000000000000004, 0.3, 100, 1e21, 1e-7, 5e-324, -1.5e300],
  ...[2 ** 53, 2 ** 53 - 1, 2 ** 53 + 2, 2 ** 63, 2 ** 64, 1234567890123456800, 1.7976931348623157e308],
  ...['', '4.5', '5', ' 5', '1e2', 'Skagway', 'SKAGWAY, Alaska', 'true', 'null', '🌋', '%_', `it's "x"`],
  ...[true, false, null, [], [4.5], ['Skagway'], {}, { a: 5 }],
].map((a) => ({ a, other: 'Skagway' }))
const OTHERS = [null, {}, { A: 5, b: 'Skagway' }, { b: { a: 4.5 } }, { a__gte: 5 }]

/** Milliseconds since 1970, from the year 1 to the year 9999. */
const TIMES = [
  ...[-62_135_596_800_000, -62_135_596_799_999, -59_768_755_199_877, -1001, -1000, -999, -2, -1, 0, 1, 2, 999, 1000],
  ...[1_517_834_096_122, 1_517_834_096_123, 1_517_834_096_124, 253_402_300_799_998, 253_402_300_799_999],
]
/** Microseconds since 1970. */
const STAMPS = [-1_000_001, -1_000_000, -1, 0, 1, 999, 1000, 1_517_834_096_123_455, 1_517_834_096_123_456]
/** Milliseconds. The last two are more than 2^53 microseconds. */
const LENGTHS = [0, 1, 2, 999, 1000, 3_600_000, 75_720_000, 86_400_000, 315_000_000_000_000 - 1, 315_000_000_000_000]
const EARLY = -62_135_596_800_000

const [OF_OBJECTS, OF_VALUES, OF_ATTRIBUTES, OF_TIMES, OF_LENGTHS] = [100, 200, 300, 400, 500]
const START = '1970-01-01T00:00:00Z'
const RECORDS = [
  ...FOUNDATION,
  ...STAMPS.map((created, i) => series(11 + i, 'stamped', 0, { created, last_modified: i % 2 ? created : null })),
  ...OBJECT_IDS.map((id, i) => event(OF_OBJECTS + i, START, { object: { model: 'thing', id } })),
  ...VALUES.map((value, i) => event(OF_VALUES + i, START, { value, last_modified: STAMPS[i] ?? 5_000_000 })),
  ...[...ATTRIBUTES, ...OTHERS].map((attributes, i) => event(OF_ATTRIBUTES + i, START, { attributes })),
  ...TIMES.map((start, i) => event(OF_TIMES + i, START, { start, end: 253_402_300_799_999 })),
  ...LENGTHS.map((length, i) => {
    const start = length > 1e14 ? EARLY : 0
    return event(OF_LENGTHS + i, START, { start, end: start + length })
  }),
]

/** Returns a function that makes rows among the events from an id on: a query, and the values that it finds. */
const among =
  (first: number, values: readonly unknown[]) =>
  (asks: string, ...finds: readonly unknown[]): Row => ({
    asks: `id__range=${first},${first + 99}&${asks}`,
    finds: finds.map((value) => first + values.indexOf(value)).sort((a, b) => a - b),
  })

const object = among(OF_OBJECTS, OBJECT_IDS)
const value = among(OF_VALUES, VALUES)
const attribute = among(OF_ATTRIBUTES, [...ATTRIBUTES.map((each) => each?.a), ...OTHERS])
const time = among(OF_TIMES, TIMES)
const length = among(OF_LENGTHS, LENGTHS)
const stamp = (asks: string, ...finds: readonly number[]): Row => ({
  asks: `/api/v4/eventseries/?page_size=100&name=stamped&${asks}`,
  finds: finds.map((each) => 11 + STAMPS.indexOf(each)),
})
const modified = (asks: string, ...finds: readonly number[]): Row => ({
  asks: `id__range=${OF_VALUES},${OF_VALUES + 8}&${asks}`,
  finds: finds.map((each) => OF_VALUES + STAMPS.indexOf(each)),
})

const NINES = '9'.repeat(400)
const WHOLE_NUMBERS: readonly Row[] = [
  ...['9', '9.0', '9.000', '009', '+9', ' \t9\n', `${'0'.repeat(400)}9`].map((text) => object(`object_id=${text}`, 9)),
  ...['0', '-0', '000'].map((text) => object(`object_id=${text}`, 0)),
  ...['-9', '-09.0'].map((text) => object(`object_id=${text}`, -9)),
  ...[NINES, `-${NINES}`, String(2n ** 63n), String(2n ** 64n + 9n), '9007199254740992', '5'].map((text) =>
    object(`object_id=${text}`),
  ),
  object('object_id__in=9,986', 9, 986),
  object('object_id__in=986, 009.0,1', 1, 9, 986),
  object('object_id__range=1,10', 1, 9, 10),
  object('object_id__range=-9,0', 0, -9),
  object('object_id__range=10,1'),
  object('object_id__gt=1&object_id__lt=10', 9),
  object('object_id__gt=9007199254740990', 2 ** 53 - 1),
  object('object_id__gte=9007199254740990', 2 ** 53 - 1, 2 ** 53 - 2),
  object('object_id__lte=-9007199254740991', 1 - 2 ** 53),
  object('object_id__lt=-9007199254740990', 1 - 2 ** 53),
  object(`object_id__lt=${NINES}`, ...OBJECT_IDS),
  object('object_id__in=', ...OBJECT_IDS),
  object('object_id__not=9&object_id__gt=8', 10, 986, 2 ** 53 - 1, 2 ** 53 - 2),
  { asks: 'id=100&id__exact=100.0', finds: [100] },
  { asks: 'id__in=100,102,102,9&id__not=102', finds: [100] },
  { asks: 'id__gte=9007199254740993', finds: [] },
  { asks: '/api/v3/eventseries/?id__range=11,12', finds: [11, 12] },
  { asks: `/api/v3/eventseries/?id=${NINES}`, finds: [] },
]

const NUMBERS: readonly Row[] = [
  value('value=150 kn', '150 kn'),
  value('value__iexact=DÜNE 3', 'Düne 3'),
  value('value__in=-2,MARIA', '-2', 'MARIA'),
  value('value__gte=0.45', '0.5 m', ' .45', '150 kn', '+12'),
  value('value__gt=.45', '0.5 m', '150 kn', '+12'),
  value('value__range=-2,.4', '0.4 m', '-2'),
  value('value__lt=1e2&value__endswith=m', '0.4 m', '0.5 m'),
  value('value__lte=-2', '-2'),
  value('value__range=2,1'),
  value('value__gt=1.7976931348623157e308'),
  value('value__gte=-1.7976931348623157e308', '0.4 m', '0.5 m', ' .45', '150 kn', '-2', '+12'),
  value('value__lt=150&value__gt=149.99999999999997'),
  attribute('attributes__a=4.5', 4.5, '4.5'),
  attribute('attributes__a=+.5e1', 5),
  attribute('attributes__a=5', 5, '5'),
  attribute('attributes__a= 5', 5, ' 5'),
  attribute('attributes__a=1e2', 100, '1e2'),
  attribute('attributes__a=true', true, 'true'),
  attribute('attributes__a=null', 'null'),
  attribute('attributes__a__exact=', ''),
  attribute('attributes__a__range=4,4.5', 4, 4.5),
  attribute('attributes__a__range=5,4'),
  attribute('attributes__a__in=4.5&attributes__a__in=Skagway', 4.5, '4.5', 'Skagway'),
  attribute('attributes__a__in=1234567890123456800,18446744073709552000', 1234567890123456800, 2 ** 64),
  attribute('attributes__a__gt=4.5&attributes__a__lt=100', 4.500000000000001, 5),
  attribute('attributes__a__gte=4.500000000000001&attributes__a__lte=5', 4.500000000000001, 5),
  attribute('attributes__a__lt=-1', -1.5e300),
  attribute('attributes__a__range=0.3,0.30000000000000004', 0.30000000000000004, 0.3),
  attribute('attributes__a__regex=^S.*y$', 'Skagway'),
  attribute('attributes__a__iregex=^$|skag', '', 'Skagway', 'SKAGWAY, Alaska'),
  attribute('attributes__a__icontains=skag', 'Skagway', 'SKAGWAY, Alaska'),
  attribute('attributes__a__contains=4', '4.5'),
  { asks: 'attributes__a__isnull=true&id__gte=300&id__lt=400', finds: [335, 341, 342, 343, 344, 345] },
  { asks: 'attributes__a__isnull=false&id__range=333,343', finds: [333, 334, 336, 337, 338, 339, 340] },
  attribute(
    'attributes__a__gt=99&attributes__a__lt=1e21&attributes__other=Skagway',
    100,
    1234567890123456800,
    2 ** 53,
    2 ** 53 - 1,
    2 ** 53 + 2,
    2 ** 63,
    2 ** 64,
  ),
  attribute('attributes__A=5', OTHERS[2]),
  attribute('attributes__b=Skagway', OTHERS[2]),
  attribute('attributes__missing=5'),
  {
    asks: 'attributes={"attributes__a__gte":4.5,"attributes__other__not":"x"}&attributes__a__lte=5&id__gte=300',
    finds: [303, 304, 305],
  },
  { asks: 'attributes={"attributes__a__gte":4.5,"id":1}', finds: { faults: ['attributes'] } },
]

const INSTANTS: readonly Row[] = [
  ...[
    '1970-01-01',
    '1970-01-01T01:00:00+01:00',
    '1969-12-31T22:30:00-0130',
    ' 1970-01-01 ',
    '0',
    '1969-12-31 23:00-01',
  ].map((text) => time(`timestamp_start=${text}`.replace('timestamp_', ''), 0)),
  time('start__exact=1970-01-01T00:00:00.001000000Z', 1),
  time('start=1970-01-01T00:00:00.0005Z'),
  time('start=1970-01-01T00:00:00.001000001Z'),
  time('start__range=1970-01-01,1970-01-01T00:00:00.001Z', 0, 1),
  time('start__range=1969-12-31T23:59:59.998001Z,1970-01-01T00:00:00.001999Z', -1, 0, 1),
  time('start__range=1969-12-31T23:59:59.9980000001Z,1970-01-01T00:00:00.0009999999Z', -1, 0),
  time('start__range=1970-01-01T00:00:00.000001Z,1970-01-01T00:00:00.000999Z'),
  time('start__range=1970-01-02,1970-01-01'),
  time('start__range=-999,1970-01-01', -999, -2, -1, 0),
  time('start__lt=0001-01-01T00:00:00.000001Z', -62_135_596_800_000),
  time('start__lt=0001-01-01'),
  time('start__gt=9999-12-31T23:59:59.998999Z', 253_402_300_799_999),
  time('start__gt=9999-12-31T23:59:59.999Z'),
  time('start__gt=253402300799998', 253_402_300_799_999),
  time('start__gte=1970-01-01T00:00:00.000000000001Z&start__lte=1970-01-01T00:00:00.001999999Z', 1),
  time('start__gt=1970-01-01T00:00:00.0009999999Z&start__lt=1970-01-01T00:00:00.0010000001Z', 1),
  time('start__gte=1970-01-01&start__lt=1970-01-01T00:00:00.001Z', 0),
  time('start=1517834096123', 1_517_834_096_123),
  time('start=-1001', -1001),
  time('start__gte=-2&start__lt=2', -2, -1, 0, 1),
  time('start=', ...TIMES),
  time('start__not=0&start__gte=-1&start__lte=1', -1, 1),
  {
    asks: '/api/v3/events/?timestamp_end__gt=9999-12-31T23:59:59.998Z&timestamp_start__range=0,2',
    finds: [408, 409, 410],
  },
  stamp('created=1970-01-01T00:00:00.000001000Z', 1),
  stamp('created=1970-01-01T00:00:00.0000010001Z'),
  stamp('created__range=1969-12-31T23:59:59.9999990001Z,1970-01-01T00:00:00.0000009999Z', 0),
  stamp('created__lte=1', -1_000_001, -1_000_000, -1, 0, 1, 999, 1000),
  stamp('created__gte=-1&created__lt=1', -1, 0, 1, 999),
  stamp('created__range=0001-01-01,9999-12-31', ...STAMPS),
  stamp('last_modified__gte=1970-01-01T00:00:00.000999Z', 999, 1_517_834_096_123_455),
  stamp('last_modified__lt=1970-01-01', -1_000_000),
  modified('last_modified__gte=2018-02-05T12:34:56.123455Z', 1_517_834_096_123_455, 1_517_834_096_123_456),
  modified('last_modified__gt=2018-02-05T12:34:56.123455Z', 1_517_834_096_123_456),
  modified('last_modified=1970-01-01T00:00:00.000001Z', 1),
  modified('last_modified__lte=1970-01-01T00:00:00.0000019Z', -1_000_001, -1_000_000, -1, 0, 1),
  { asks: 'last_modified__not=1970-01-01&id__range=202,204', finds: [202, 204] },
]

const DURATIONS: readonly Row[] = [
  ...['01:00:00', '3600', 'PT1H', 'pt60m', '+PT1H', '1:00:00'].map((text) => length(`duration=${text}`, 3_600_000)),
  ...['1 0', 'P1D', '1 day, 00:00:00'].map((text) => length(`duration=${text}`, 86_400_000)),
  length('duration=PT21H2M', 75_720_000),
  length('duration__in=PT1H,0,0.0005', 0, 3_600_000),
  length('duration__in=314999999999.999', 315_000_000_000_000 - 1),
  length('duration__range=0.001,1', 1, 2, 999, 1000),
  length('duration__range=0.0011,0.9991', 2, 999),
  length('duration__range=0.0010000001,PT0.9990000001S', 2, 999),
  length('duration__in=0.0010000001,0.002000000', 2),
  length('duration__lt=-PT1S'),
  length('duration__gt=-PT1S', ...LENGTHS),
  length(`duration__lt=${'9'.repeat(90)}`, ...LENGTHS),
  length(`duration__gt=P${'9'.repeat(90)}D`),
  length('duration=', ...LENGTHS),
  length('duration__not=0&duration__lt=0.002', 1),
  length('duration__in__not=0,0.001&duration__lte=0.999', 2, 999),
]

const engines = testRows(RECORDS, {
  'a whole number': WHOLE_NUMBERS,
  'a number': NUMBERS,
  'an instant': INSTANTS,
  'a duration': DURATIONS,
})

const COMPARES = ['exact', 'lt', 'lte', 'gt', 'gte']
const compared = (field: string, texts: readonly string[]): readonly Row[] =>
  texts.flatMap((text) => COMPARES.map((lookup) => ({ asks: `${field}__${lookup}=${text}` })))

const large = [-2n, -1n, 0n, 1n, 2n].flatMap((n) => [2n ** 53n + n, n - 2n ** 53n])
testMany(
  'each comparison of whole numbers',
  7,
  engines,
  compared('object_id', [...large, 2n ** 62n, 0n, -9n, 9n].map(String)),
)

testMany(
  'each comparison of an attribute',
  11,
  engines,
  [...ATTRIBUTES.flatMap((each) => (typeof each?.a === 'number' ? [String(each.a)] : [])), '+.5e1'].flatMap((text) => [
    ...compared('attributes__a', [text]),
    ...['', '__not', '__in__not'].map((lookup) => ({ asks: `attributes__a${lookup}=${text}` })),
  ]),
)

/** Writes microseconds since 1970. */
const instantOf = (micros: bigint): string => {
  const part = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  const seconds = new Date(Number((micros - part) / 1000n)).toISOString().slice(0, 19)
  return `${seconds}.${String(part).padStart(6, '0')}Z`
}
const beside = [-999n, -1n, 0n, 1n]
const near = TIMES.slice(2, -1).flatMap((each) => beside.map((offset) => instantOf(BigInt(each) * 1000n + offset)))
testMany('each comparison of instants, below a millisecond', 23, engines, [
  ...compared('start', near),
  ...compared('end', [253_402_300_799_999_000n, 253_402_300_799_998_999n].map(instantOf)),
])

const stamps = STAMPS.flatMap((each) => [-1n, 0n, 1n].map((offset) => instantOf(BigInt(each) + offset)))
testMany('each comparison of microseconds', 19, engines, [
  ...compared('/api/v4/eventseries/?page_size=100&created', stamps),
  ...compared('/api/v4/eventseries/?page_size=100&last_modified', stamps),
  ...compared(`id__range=${OF_VALUES},${OF_VALUES + 8}&last_modified`, stamps),
])

const secondsOf = (micros: number) => `${micros < 0 ? '-' : ''}PT${(Math.abs(micros) / 1e6).toFixed(6)}S`
const lengths = LENGTHS.slice(0, -2).flatMap((each) => [-1000, -1, 0, 1, 1000].map((by) => secondsOf(each * 1000 + by)))
testMany(
  'each comparison of durations',
  13,
  engines,
  compared('duration', [...lengths, '315000000000', 'PT314999999999.9990001S']),
)
