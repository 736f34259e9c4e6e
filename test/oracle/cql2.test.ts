import type { EventRecord } from '../records.ts'
import { type Row, testRows } from './oracle.ts'
import { event, FOUNDATION, series } from './world.ts'

// CQL2 on few events: each operator, the three-valued logic of values that are absent, and texts that are special elsewhere.

const object = (model: string, id: number) => ({ object: { model, id } })
const NOTHING: Partial<EventRecord> = { coordinates: null }
const day = (date: string) => Date.parse(date)

const EVENTS: readonly EventRecord[] = [
  event(1, '2014-12-31T23:59:59.999Z', { category: 'hurricane', ...NOTHING }),
  event(2, '2015-01-01', { category: 'hurricane', value: 'x_y', ...object('storm', 5), external_id: 'ak1' }),
  event(3, '2015-01-08', { category: 'tropical storm', value: '100%', end: day('2015-01-09'), ...object('pump', 3) }),
  event(4, '2015-01-08T12:00Z', { category: "O'Hare", value: 'ab cab cab', ...object('pump', 4), external_id: 'ak2' }),
  event(5, '2015-01-08T23:59:59.999Z', { category: 'straße', value: '"', end: day('2015-01-10') }),
  event(6, '2015-01-09', {
    category: 'STRASSE',
    value: 'abab ab',
    ...object('strasse', 7),
    external_id: 'us3',
    series: 2,
  }),
  event(7, '2015-01-10', { category: '50%_of', value: 'storm', end: day('2015-02-01'), ...NOTHING }),
  event(8, '2013-05-05', { category: 'a*b?[c]', value: '50%_of', end: day('2015-01-31'), ...object('hurricane', 8) }),
  event(9, '1970-01-01', { category: '\\', ...object('pump', 2 ** 53 - 1), ...NOTHING }),
  event(10, '2015-01-07', {
    category: '',
    end: day('2015-01-09T00:00:00.001Z'),
    ...object('a', -5),
    external_id: 'AK4',
  }),
  event(11, '2015-01-08', { category: 'pump', value: 'pump', ...object('pump', 11), series: 2 }),
  event(12, '2020-01-01', {
    end: day('2200-01-01'),
    category: 'tropical depression',
    value: 'Hurricane',
    external_id: 'x',
    ...object('storm', 0),
  }),
]
const STORED = Date.UTC(2021, 0) * 1000
const RECORDS = [
  ...[...FOUNDATION, series(2, 'Atlantic storms', 0)],
  ...EVENTS.map((each) => ({ ...each, last_modified: STORED })),
]

/** A list of 300 values, written by `of`. */
const many = (of: (i: number) => unknown, by = ', '): string => Array.from({ length: 300 }, (_, i) => of(i)).join(by)
const ALPHABET = 'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩ'

const row = (filter: string, ...finds: readonly number[]): Row => ({
  asks: `/ogc/collections/events/items?limit=100&filter=${filter}`,
  finds,
})

const cql2 = (op: string, property: string, value: unknown) =>
  `filter-lang=cql2-json&filter=${JSON.stringify({ op, args: [{ property }, value] })}`

const TEXTS: readonly Row[] = [
  row("category = 'hurricane'", 1, 2),
  row("'hurricane' = category", 1, 2),
  row("category <> 'hurricane'", 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
  row("category > 'h'", 1, 2, 3, 5, 11, 12),
  row("category <= 'a*b?[c]'", 4, 6, 7, 8, 9, 10),
  row("NOT category = 'hurricane'", 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
  row("category BETWEEN 'h' AND 'q'", 1, 2, 11),
  row("category = 'hurricane' OR category LIKE 'tropical%'", 1, 2, 3, 12),
  row("category IN ('hurricane', 'O''Hare', 'none')", 1, 2, 4),
  row("category NOT IN ('hurricane', 'none')", 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
  row("'hurricane' IN (value, category, object_type)", 1, 2, 8),
  row('value = category', 10, 11),
  row('object_type = value', 11),
  row('NOT (object_type = value)', 2, 3, 4, 6, 8, 9, 10, 12),
  row("category LIKE 'TROPICAL%'"),
  row("category LIKE '%'", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
  row("category LIKE '50\\%\\_%'", 7),
  row("category LIKE 'a*b?[c]'", 8),
  row("category LIKE 'a*_?[c]'", 8),
  row("category LIKE '_urricane'", 1, 2),
  row("category LIKE 't%c%m'", 3),
  row("value LIKE 'ab%ab%ab'", 4, 6),
  row("value LIKE 'ab%ab%ab%ab'"),
  row("value LIKE '%cab'", 4),
  row("value = '\"'", 5),
  row("external_id LIKE '%'", 2, 4, 6, 10, 12),
  row("external_id LIKE 'ak%'", 2, 4),
  row("external_id NOT LIKE 'ak%'", 6, 10, 12),
  row("category ILIKE '%STORM'", 3),
  row("'hurricane' LIKE 'h_rr%e' AND object_id = 5", 2),
  row("'hurricane' LIKE 'h_r%x%e' OR 'ab' LIKE '_'"),
  row("'b' > 'ab' AND '\u{ffff}' < '\u{10000}' AND 'a' <> 'a b' AND '' < 'a' AND 'ab' > 'a' AND id < 3", 1, 2),
  row("event_series_name LIKE '%Atlantic%'", 6, 11),
  row("event_series_name LIKE 'O%' AND event_series >= 'A0000000000040008000000000000001' AND id > 8", 9, 10, 12),
  row("event_series = 'A0000000000040008000000000000002'", 6, 11),
]

const FOLDED: readonly Row[] = [
  row("CASEI(category) = CASEI('HurriCane')", 1, 2),
  row("CASEI(value) = casei('AB CAB cab')", 4),
  row("CASEI(value) = 'AB CAB CAB'"),
  row("CASEI(value) IN (CASEI('X_y'), casei('100%'))", 2, 3),
  row("NOT casei(value) LIKE CASEI('%CAB%')", 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12),
  row("casei(external_id) = casei('X')", 12),
  row("CASEI(external_id) LIKE casei('aK_')", 2, 4, 10),
  row("CASEI(category) LIKE casei('TROPICAL%')", 3, 12),
  row("CASEI(category) = CASEI('STRASSE')", 5, 6),
  row("CASEI(category) = 'straße'"),
  row("CASEI(category) = 'HURRICANE'"),
  row("CASEI(category) < 'b'", 7, 8, 9, 10),
  row("CASEI(category) IN (CASEI('Hurricane'), 'strasse')", 1, 2, 5, 6),
  row("NOT CASEI(category) LIKE casei('%SS_')", 1, 2, 3, 4, 7, 8, 9, 10, 11, 12),
  row('CASEI(object_type) = CASEI(category)', 6, 11),
  row('CASEI(event_series_name) <> CASEI(category)', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
  row(`CASEI(value) <> '${ALPHABET}'`, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
]

const NUMBERS: readonly Row[] = [
  row('object_id = 5', 2),
  row('object_id = 5.5'),
  row('object_id <> 5.5', 2, 3, 4, 6, 8, 9, 10, 11, 12),
  row('object_id <> 5', 3, 4, 6, 8, 9, 10, 11, 12),
  row('NOT object_id < 6', 6, 8, 9, 11),
  row('object_id < 5.5 AND object_id > 2.5', 2, 3, 4),
  row('5 > object_id', 3, 4, 10, 12),
  row('object_id BETWEEN 3 AND 7', 2, 3, 4, 6),
  row('object_id NOT BETWEEN 3 AND 1000', 9, 10, 12),
  row('object_id IN (3, 5, 7.5)', 2, 3),
  row('object_id NOT IN (7.5)', 2, 3, 4, 6, 8, 9, 10, 11, 12),
  row('object_id = id', 3, 4, 8, 11),
  row('object_id = 9007199254740991', 9),
  row('object_id * 2 + 1 = 11', 2),
  row('object_id / 2 = 2.5', 2),
  row('object_id div 2 = 2', 2, 4),
  row('object_id % 7 = 3', 3, 9),
  row('object_id ^ 2 = 25', 2, 10),
  row('- object_id = - (5)', 2),
  row('object_id / 0 = 1'),
  row('NOT (object_id / 0 = 1)'),
  row(`object_id IN (${many((i) => i + 5)}, id)`, 2, 3, 4, 6, 8, 11),
  row(`NOT (id + 1 IN (${many((i) => i + 0.5)}, 8))`, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12),
  row(`id + 0.5 IN (${many((i) => i)}, object_id)`),
]

const LOGIC: readonly Row[] = [
  row('TRUE', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
  row('FALSE'),
  row('object_id IS NULL', 1, 5, 7),
  row('object_type IS NOT NULL AND object_id IS NOT NULL AND id > 8', 9, 10, 11, 12),
  row('NOT (NOT (object_type IS NULL))', 1, 5, 7),
  row('NOT (object_type IS NOT NULL AND id > 0)', 1, 5, 7),
  row("object_type <> 'pump'", 2, 6, 8, 10, 12),
  row("NOT (object_type = 'pump')", 2, 6, 8, 10, 12),
  row("NOT (object_type = 'pump' AND category = 'none')", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
  row("FALSE AND object_type = 'storm'"),
  row("TRUE OR object_type = 'storm'", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
  row("1 = 2 AND object_type = 'storm'"),
  row("NOT (FALSE AND object_type = 'storm')", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
  row("NOT (object_type = 'nothing' AND id > 0)", 2, 3, 4, 6, 8, 9, 10, 11, 12),
  row("NOT (object_type < 'a' AND id > 0)", 2, 3, 4, 6, 8, 9, 10, 11, 12),
  row("NOT (object_type LIKE '%zz%' OR S_INTERSECTS(geom, BBOX(0, 0, 2, 2)))", 2, 3, 4, 6, 8, 10, 11, 12),
  row("NOT (NOT object_type LIKE '%')", 2, 3, 4, 6, 8, 9, 10, 11, 12),
  row("(object_type = 'nothing') = (id < 0)", 2, 3, 4, 6, 8, 9, 10, 11, 12),
  row("(object_type = 'nothing') <> TRUE", 2, 3, 4, 6, 8, 9, 10, 11, 12),
  row("(category = 'hurricane') = TRUE", 1, 2),
  row("(category = 'hurricane') <> (id > 10)", 1, 2, 11, 12),
  row('(S_INTERSECTS(geom, BBOX(0, 0, 2, 2)) AND object_id > 3) = (object_id < 0)', 2, 3, 4, 6, 8, 11, 12),
  row(`category IN (${many((i) => `'x${i}'`)}, 'hurricane', object_type)`, 1, 2, 11),
  row(`${many((i) => `value = 'x${i}'`, ' OR ')} OR value = 'x_y'`, 2),
]

const INTERVAL = 'INTERVAL(timestamp_start, timestamp_end)'
const TIMES: readonly Row[] = [
  row("timestamp_start >= TIMESTAMP('2015-01-08T00:00:00Z')", 3, 4, 5, 6, 7, 11, 12),
  row("timestamp_start >= TIMESTAMP('2015-01-01T01:00:00+01:00') AND id < 4", 2, 3),
  row("timestamp_start = TIMESTAMP('2015-01-08T12:00:00.000000001Z')"),
  row("timestamp_start < TIMESTAMP('2015-01-08T00:00:00.000000001Z')", 1, 2, 3, 8, 9, 10, 11),
  row("timestamp_start > DATE('2015-01-08')", 6, 7, 12),
  row("timestamp_start <= DATE('2014-12-31')", 1, 8, 9),
  row("timestamp_start = DATE('2015-01-08')", 3, 4, 5, 11),
  row("timestamp_start <> DATE('2015-01-08')", 1, 2, 6, 7, 8, 9, 10, 12),
  row('timestamp_start = timestamp_end', 1, 2, 4, 6, 9, 11),
  row('timestamp_start < timestamp_end', 3, 5, 7, 8, 10, 12),
  row('last_modified > timestamp_end', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
  row('last_modified < timestamp_end', 12),
  row("T_AFTER(timestamp_start, DATE('2015-01-08'))", 6, 7, 12),
  row(`T_BEFORE(${INTERVAL}, TIMESTAMP('2015-01-01T00:00:00Z'))`, 1, 9),
  row(`T_INTERSECTS(${INTERVAL}, INTERVAL('2015-01-01', '2015-01-08'))`, 2, 3, 4, 5, 8, 10, 11),
  row(`T_INTERSECTS(${INTERVAL}, INTERVAL('2015-01-10', '..'))`, 5, 7, 8, 12),
  row(`T_DURING(${INTERVAL}, INTERVAL('2015-01-08T00:00:00Z', '..'))`, 4, 5, 6, 7, 12),
  row(`T_DISJOINT(${INTERVAL}, DATE('2015-01-08'))`, 1, 2, 6, 7, 9, 12),
  row('T_EQUALS(timestamp_start, timestamp_end)', 1, 2, 4, 6, 9, 11),
  row(`T_CONTAINS(${INTERVAL}, DATE('2015-01-08'))`, 8, 10),
  row("T_EQUALS(TIMESTAMP('2015-01-01T00:00:00Z'), DATE('2015-01-01')) AND object_id = 3"),
  row(`T_FINISHEDBY(${INTERVAL}, INTERVAL('2015-01-09T00:00:00Z', '2015-01-10T00:00:00Z')) AND id < 9`, 5),
  row(`T_FINISHES(${INTERVAL}, INTERVAL('2015-01-01T00:00:00Z', '2015-01-10T00:00:00Z'))`, 5),
  row(`T_MEETS(${INTERVAL}, INTERVAL('2015-01-09T00:00:00Z', '..'))`, 3, 6),
  row(`T_METBY(${INTERVAL}, INTERVAL('2015-01-01T00:00:00Z', '2015-01-08T00:00:00Z'))`, 3, 11),
  row(`T_OVERLAPPEDBY(${INTERVAL}, INTERVAL('2015-01-07T12:00:00Z', '2015-01-08T12:00:00Z'))`, 3),
  row(`T_OVERLAPS(${INTERVAL}, INTERVAL('2015-01-08T12:00:00Z', '2015-01-20T00:00:00Z'))`, 3, 10),
  row(`T_STARTEDBY(${INTERVAL}, INTERVAL('2015-01-08T00:00:00Z', '2015-01-08T12:00:00Z'))`, 3),
  row(`T_STARTS(${INTERVAL}, INTERVAL('2015-01-08T00:00:00Z', '2015-01-20T00:00:00Z'))`, 3, 11),
  // A text that is compared with an instant is read as one.
  row("(timestamp_start >= '2015-01-09T00:00:00Z')", 6, 7, 12),
  row("timestamp_start >= '2015-01-01' AND (category LIKE 'hurr%')", 2),
  row("timestamp_start = '2015-01-08'", 3, 4, 5, 11),
  row("timestamp_start > '2015-01-08'", 6, 7, 12),
  row("'2015-01-08T' < timestamp_start", 4, 5, 6, 7, 12),
  row("timestamp_start = '2015-01-08T'", 3, 11),
  row("timestamp_start BETWEEN '2015-01-08' AND '2015-01-09T'", 3, 4, 5, 6, 11),
  row("timestamp_start IN ('2015-01-08', '2015-01-10T', timestamp_end)", 1, 2, 3, 4, 5, 6, 7, 9, 11),
  row("timestamp_start NOT IN ('2015-01-08', '2014-12-31')", 2, 6, 7, 8, 9, 10, 12),
  row("T_AFTER(timestamp_start, '2015-01-08')", 6, 7, 12),
  row("T_AFTER(timestamp_start, '2015-01-08T')", 4, 5, 6, 7, 12),
  row("TIMESTAMP('2015-01-01T00:00:00Z') = '2015-01-01T' AND id = 1", 1),
]

/** Parameters and CQL2 that ask the same. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  "category is 'hurricane'": [
    ...[
      'category=hurricane',
      'category__in=hurricane',
      "filter=category = 'hurricane'",
      "filter='hurricane' = category",
    ],
    ...["filter=category LIKE 'hurricane'", cql2('=', 'category', 'hurricane')],
  ],
  "category is 'pump' or 'storm'": [
    ...['category__in=pump,storm', "filter=category IN ('pump', 'storm')", cql2('in', 'category', ['pump', 'storm'])],
  ],
  "category starts 'tropical'": [
    ...['category__startswith=tropical', "filter=category LIKE 'tropical%'", cql2('like', 'category', 'tropical%')],
  ],
  "value ends 'm'": ['value__endswith=m', "filter=value LIKE '%m'"],
  "value has '50%'": ['value__contains=50%', "filter=value LIKE '%50\\%%'"],
  'id is 3 or is 5': ['id__in=5,3,5', 'filter=id IN (5, 3)', cql2('in', 'id', [3, 5])],
  'start from 2018-02-05T00:00:00Z': [
    ...['timestamp_start__gte=2018-02-05', "filter=timestamp_start >= DATE('2018-02-05')"],
    cql2('>=', 'timestamp_start', { timestamp: '2018-02-05T00:00:00Z' }),
  ],
  'object_id from 8': ['filter=object_id > 7', 'filter=7 < object_id', cql2('>', 'object_id', 7)],
  "object_type is 'pump'": ['object_type=pump', "filter=object_type = 'pump'"],
  'point in or on the box 3 50 8 54': [
    'filter=S_INTERSECTS(geom, BBOX(3, 50, 8, 54))',
    cql2('s_intersects', 'geom', { bbox: [3, 50, 8, 54] }),
  ],
  'point within {"type":"Polygon","coordinates":[[[3,50],[8,50],[8,54],[3,50]]]}': [
    ...['geom_within=POLYGON((3 50,8 50,8 54,3 50))', 'filter=S_WITHIN(geom, POLYGON((3 50,8 50,8 54,3 50)))'],
  ],
}
const ASKED = Object.entries(SAME).flatMap(([question, asks]) =>
  asks.map((each): Row => ({ asks: `/ogc/collections/events/items?limit=100&${each}`, question })),
)

const TABLES = {
  'a text': TEXTS,
  'a folded text': FOLDED,
  'a number': NUMBERS,
  logic: LOGIC,
  'a time': TIMES,
  'the same': ASKED,
}
testRows(RECORDS, TABLES)
