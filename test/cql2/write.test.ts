import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { events } from '../../src/api/events.ts'
import { readText } from '../../src/cql2/text.ts'
import { conditionsFor } from '../../src/cql2/write.ts'
import { fetchPage } from '../../src/engine/read.ts'
import { openDatabase } from '../../src/engine/run/database.ts'
import type { Condition } from '../../src/filters/filter.ts'
import { inOneArea } from '../../src/filters/spatial.ts'
import { eventCollection } from '../../src/ogc/events.ts'
import { MAX_PAGE_SIZE } from '../../src/resource.ts'
import type { EventRecord } from '../records.ts'
import { load, seedEvents, seedRecords, seedSeries } from '../service.ts'

const SOME = seedEvents.filter(({ id }) => id % 7 === 0)
/** Events without a place or an object, and texts with characters that have a special meaning elsewhere. */
const ODD = SOME.slice(0, 60).map(
  (event, i): EventRecord => ({
    ...event,
    id: 1_000_000 + i,
    category: ['50%_of', 'a*b?[c]', "O'Hare", 'straße', 'STRASSE', '\\'][i % 6] ?? '',
    value: ['', 'x_y', '100%', 'ab cab cab', '"'][i % 5] ?? '',
    coordinates: i % 3 === 0 ? null : [i % 4, i % 5, 0],
    object: i % 2 === 0 ? null : { model: 'pump', id: i },
  }),
)
const ALL = [...SOME, ...ODD]
const nameOf = new Map(seedSeries.map(({ id, name }) => [id, name]))
const uuidOf = new Map(seedSeries.map(({ id, uuid }) => [id, uuid]))

beforeAll(async () => {
  await load(seedRecords.filter((record) => record.kind !== 'event'))
  await load(ALL)
})

const { properties } = eventCollection
const within = () => expect.fail('no filter here needs a look-up of an area')
const conditions = (text: string) => conditionsFor(readText(text), { properties, within })

const idsOf = async (given: readonly Condition[]): Promise<number[]> => {
  const order = { column: null, descending: false }
  const request = { conditions: inOneArea(given), order, page: 1, pageSize: MAX_PAGE_SIZE, cursor: null, key: null }
  const { rows, count } = await fetchPage(openDatabase(env.DB, 300), events, request, 300)
  expect(count).toBe(rows.length)
  return rows.map(({ id }) => Number(id))
}

const among = (matches: (event: EventRecord) => boolean) =>
  ALL.filter(matches)
    .map(({ id }) => id)
    .sort((a, b) => a - b)

const x = (event: EventRecord) => event.coordinates?.[0] ?? Number.NaN
const y = (event: EventRecord) => event.coordinates?.[1] ?? Number.NaN
const T = Date.UTC(2015, 0, 1)
const DAY = 86_400_000

/** Joins the 300 texts that `make` returns. */
const many = (make: (i: number) => unknown, by = ', '): string =>
  Array.from({ length: 300 }, (_, i) => make(i)).join(by)

/** Returns the kinds of the conditions that a filter becomes. */
const kindsOf = (given: readonly Condition[]): string => given.map((each) => each.kind).join(' ')

describe('a filter matches the right events', () => {
  test.each<[text: string, kinds: string, matches: (event: EventRecord) => boolean]>([
    ["category = 'hurricane'", 'entries', ({ category }) => category === 'hurricane'],
    ["'hurricane' = category", 'entries', ({ category }) => category === 'hurricane'],
    ["category <> 'hurricane'", 'entries', ({ category }) => category !== 'hurricane'],
    ["category > 'h'", 'entries', ({ category }) => category > 'h'],
    ["NOT category = 'hurricane'", 'entries', ({ category }) => category !== 'hurricane'],
    [
      "category = 'hurricane' OR category LIKE 'tropical%'",
      'entries',
      ({ category }) => /^(hurricane$|tropical)/.test(category),
    ],
    [
      "category IN ('hurricane', 'O''Hare', 'none')",
      'entries',
      ({ category }) => ['hurricane', "O'Hare"].includes(category),
    ],
    ["category NOT IN ('hurricane', 'none')", 'entries', ({ category }) => category !== 'hurricane'],
    ["category LIKE 'TROPICAL%'", 'entries', () => false],
    ["CASEI(category) = CASEI('HurriCane')", 'entries', ({ category }) => category === 'hurricane'],
    ["CASEI(value) = casei('AB CAB cab')", 'sql', ({ value }) => value === 'ab cab cab'],
    ["CASEI(value) IN (CASEI('X_y'), casei('100%'))", 'sql', ({ value }) => ['x_y', '100%'].includes(value)],
    ["NOT casei(value) LIKE CASEI('%CAB%')", 'sql', ({ value }) => !/cab/i.test(value)],
    ["casei(external_id) = casei('X')", 'sql', () => false],
    ["CASEI(category) LIKE casei('TROPICAL%')", 'entries', ({ category }) => category.startsWith('tropical')],
    ["CASEI(category) = CASEI('STRASSE')", 'entries', ({ category }) => /^stra(ß|ss)e$/i.test(category)],
    ["CASEI(category) = 'straße'", 'entries', () => false],
    ["CASEI(category) = 'HURRICANE'", 'entries', () => false],
    ["CASEI(category) < 'b'", 'entries', ({ category }) => category.toLowerCase() < 'b'],
    [
      "CASEI(category) IN (CASEI('Hurricane'), 'strasse')",
      'entries',
      ({ category }) => /^(hurricane|stra(ß|ss)e)$/i.test(category),
    ],
    ["NOT CASEI(category) LIKE casei('%SS_')", 'entries', ({ category }) => !/(ß|ss).$/i.test(category)],
    ['CASEI(object_type) = CASEI(category)', 'sql', ({ category, object }) => object?.model === category.toLowerCase()],
    ['CASEI(event_series_name) <> CASEI(category)', 'sql', () => true],
    ["CASEI(value) = 'AB CAB CAB'", 'sql', () => false],
    [`CASEI(value) <> '${'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩ'}'`, 'sql', () => true],
    ["category ILIKE '%STORM'", 'entries', ({ category }) => category.endsWith('storm')],
    ["category LIKE '%'", 'entries', () => true],
    ["category LIKE '50\\%\\_%'", 'entries', ({ category }) => category === '50%_of'],
    ["category LIKE 'a*b?[c]'", 'entries', ({ category }) => category === 'a*b?[c]'],
    ["category LIKE 'a*_?[c]'", 'entries', ({ category }) => category === 'a*b?[c]'],
    ["category LIKE '_urricane'", 'entries', ({ category }) => category === 'hurricane'],
    ["category LIKE 't%c%m'", 'entries', ({ category }) => /^t.*c.*m$/.test(category)],
    ["value LIKE 'ab%ab%ab'", 'sql', ({ value }) => /^ab.*ab.*ab$/.test(value)],
    ["value LIKE 'ab%ab%ab%ab'", 'sql', ({ value }) => /^ab.*ab.*ab.*ab$/.test(value)],
    ["value LIKE '%cab'", 'sql', ({ value }) => value.endsWith('cab')],
    ["value = '\"'", 'sql', ({ value }) => value === '"'],
    ['value = category', 'sql', ({ value, category }) => value === category],
    [
      "event_series = '99FE5D03-893D-5B20-8244-B9189DB33E37'",
      'entries',
      ({ series }) => uuidOf.get(series)?.startsWith('99fe5d03') === true,
    ],
    [
      "event_series_name LIKE '%Atlantic%'",
      'entries',
      ({ series }) => nameOf.get(series)?.includes('Atlantic') === true,
    ],
    [
      "event_series_name LIKE 'A%' AND event_series >= '5'",
      'entries',
      ({ series }) => nameOf.get(series)?.startsWith('A') === true && String(uuidOf.get(series)) >= '5',
    ],
    ['object_id = 5', 'range', ({ object }) => object?.id === 5],
    ['object_id = 5.5', 'sql', () => false],
    ['object_id <> 5.5', 'sql', ({ object }) => object !== null],
    ['NOT object_id < 6', 'range', ({ object }) => object !== null && object.id >= 6],
    ['object_id <> 5', 'range', ({ object }) => object !== null && object.id !== 5],
    [
      'object_id < 5.5 AND object_id > 2.5',
      'range range',
      ({ object }) => object !== null && object.id < 5.5 && object.id > 2.5,
    ],
    ['5 > object_id', 'range', ({ object }) => object !== null && object.id < 5],
    ['object_id BETWEEN 3 AND 7', 'range range', ({ object }) => object !== null && object.id >= 3 && object.id <= 7],
    ['object_id NOT BETWEEN 3 AND 1000', 'sql', ({ object }) => object !== null && (object.id < 3 || object.id > 1000)],
    ['object_id NOT IN (7.5)', 'sql', ({ object }) => object !== null],
    ['object_id IN (3, 5, 7.5)', 'range', ({ object }) => object?.id === 3 || object?.id === 5],
    ['object_id IS NULL', 'sql', ({ object }) => object === null],
    ['object_type IS NOT NULL AND object_id IS NOT NULL', 'sql sql', ({ object }) => object !== null],
    ["object_type <> 'pump'", 'entries', ({ object }) => object !== null && object.model !== 'pump'],
    ["NOT (object_type = 'pump')", 'entries', ({ object }) => object !== null && object.model !== 'pump'],
    ["NOT (object_type = 'pump' AND category = 'none')", 'sql', () => true],
    ['object_id * 2 + 1 = 11', 'sql', ({ object }) => object?.id === 5],
    ['object_id / 2 = 2.5', 'sql', ({ object }) => object?.id === 5],
    ['object_id div 2 = 2', 'sql', ({ object }) => object?.id === 4 || object?.id === 5],
    ['object_id % 7 = 3', 'sql', ({ object }) => object !== null && object.id % 7 === 3],
    ['object_id ^ 2 = 25', 'sql', ({ object }) => object?.id === 5],
    ['- object_id = - (5)', 'sql', ({ object }) => object?.id === 5],
    ['object_id / 0 = 1', 'sql', () => false],
    ["FALSE AND object_type = 'storm'", 'sql', () => false],
    ["TRUE OR object_type = 'storm'", '', () => true],
    ["1 = 2 AND object_type = 'storm'", 'sql', () => false],
    [
      "'b' > 'ab' AND '\u{ffff}' < '\u{10000}' AND 'a' <> 'a b' AND '' < 'a' AND 'ab' > 'a'",
      'sql sql sql sql sql',
      () => true,
    ],
    ["NOT (FALSE AND object_type = 'storm')", '', () => true],
    ["T_EQUALS(TIMESTAMP('2015-01-01T00:00:00Z'), DATE('2015-01-01')) AND object_id = 3", 'sql', () => false],
    ["NOT (object_type = 'nothing' AND id > 0)", 'sql', ({ object }) => object !== null],
    ["NOT (object_type < 'a' AND id > 0)", 'sql', ({ object }) => object !== null],
    [
      "NOT (object_type LIKE '%zz%' OR S_INTERSECTS(geom, BBOX(0, 0, 2, 2)))",
      'entries area',
      (event) =>
        event.object !== null &&
        event.coordinates !== null &&
        !(x(event) >= 0 && x(event) <= 2 && y(event) >= 0 && y(event) <= 2),
    ],
    ["external_id LIKE '%'", 'sql', () => false],
    ["external_id NOT LIKE '%'", 'sql', () => false],
    ["NOT (NOT object_type LIKE '%')", 'entries', ({ object }) => object !== null],
    ["(object_type = 'nothing') = (id < 0)", 'sql', ({ object }) => object !== null],
    ["(object_type = 'nothing') <> TRUE", 'sql', ({ object }) => object !== null],
    [
      '(S_INTERSECTS(geom, BBOX(0, 0, 2, 2)) AND object_id > 3) = (object_id < 0)',
      'sql',
      (event) =>
        event.object !== null &&
        (event.object.id <= 3 ||
          (event.coordinates !== null && !(x(event) >= 0 && x(event) <= 2 && y(event) >= 0 && y(event) <= 2))),
    ],
    [
      `category IN (${many((i) => `'x${i}'`)}, 'hurricane', object_type)`,
      'sql',
      ({ category, object }) => category === 'hurricane' || category === object?.model,
    ],
    [
      `object_id IN (${many((i) => i + 5)}, id)`,
      'sql',
      ({ object, id }) => object !== null && ((object.id >= 5 && object.id < 305) || object.id === id),
    ],
    [`NOT (id + 1 IN (${many((i) => i + 0.5)}, 8))`, 'sql', ({ id }) => id !== 7],
    [`id + 0.5 IN (${many((i) => i)}, object_id)`, 'sql', () => false],
    [
      `'hurricane' IN (value, category, 'storm')`,
      'sql',
      ({ category, value }) => [category, value].includes('hurricane'),
    ],
    [`${many((i) => `value = 'x${i}'`, ' OR ')} OR value = 'x_y'`, 'sql', ({ value }) => value === 'x_y'],
    ['TRUE', '', () => true],
    ['FALSE', 'sql', () => false],
    ["(category = 'hurricane') = TRUE", 'sql', ({ category }) => category === 'hurricane'],
    ["(category = 'hurricane') <> (id > 5000)", 'sql', ({ category, id }) => (category === 'hurricane') !== id > 5000],
    ["timestamp_start >= TIMESTAMP('2015-01-01T00:00:00Z')", 'range', ({ start }) => start >= T],
    ["timestamp_start = TIMESTAMP('2018-01-31T02:18:21.235000001Z')", 'sql', () => false],
    ["timestamp_start < TIMESTAMP('2015-01-08T00:00:00.000000001Z')", 'range', ({ start }) => start <= T + 7 * DAY],
    ["timestamp_start >= TIMESTAMP('2015-01-01T01:00:00+01:00')", 'range', ({ start }) => start >= T],
    ["timestamp_start > DATE('2014-12-31')", 'range', ({ start }) => start >= T],
    ["timestamp_start <= DATE('2014-12-31')", 'range', ({ start }) => start < T],
    ["timestamp_start = DATE('2015-01-08')", 'range', ({ start }) => start >= T + 7 * DAY && start < T + 8 * DAY],
    ["timestamp_start <> DATE('2015-01-08')", 'range', ({ start }) => start < T + 7 * DAY || start >= T + 8 * DAY],
    ['timestamp_start = timestamp_end', 'sql', ({ start, end }) => start === end],
    ['timestamp_start < timestamp_end', 'sql', ({ start, end }) => start < end],
    ["T_AFTER(timestamp_start, DATE('2014-12-31'))", 'range', ({ start }) => start >= T],
    [
      "T_BEFORE(INTERVAL(timestamp_start, timestamp_end), TIMESTAMP('2015-01-01T00:00:00Z'))",
      'range',
      ({ end }) => end < T,
    ],
    [
      "T_INTERSECTS(INTERVAL(timestamp_start, timestamp_end), INTERVAL('2015-01-01', '2015-01-31'))",
      'range range',
      ({ start, end }) => end >= T && start < T + 31 * DAY,
    ],
    [
      "T_INTERSECTS(INTERVAL(timestamp_start, timestamp_end), INTERVAL('2015-01-01', '..'))",
      'range',
      ({ end }) => end >= T,
    ],
    [
      "T_DURING(INTERVAL(timestamp_start, timestamp_end), INTERVAL('2015-01-01T00:00:00Z', '..'))",
      'range',
      ({ start }) => start > T,
    ],
    [
      "T_DISJOINT(INTERVAL(timestamp_start, timestamp_end), DATE('2015-01-01'))",
      'sql',
      ({ start, end }) => end < T || start >= T + DAY,
    ],
    ['T_EQUALS(timestamp_start, timestamp_end)', 'sql sql', ({ start, end }) => start === end],
    [
      "T_CONTAINS(INTERVAL(timestamp_start, timestamp_end), DATE('2015-01-08'))",
      'range range',
      ({ start, end }) => start < T + 7 * DAY && end >= T + 8 * DAY,
    ],
    [
      'S_INTERSECTS(geom, BBOX(-100, 0, 10, 45))',
      'area',
      (event) => x(event) >= -100 && x(event) <= 10 && y(event) >= 0 && y(event) <= 45,
    ],
    [
      'S_INTERSECTS(geom, BBOX(0, 0, 2, 2))',
      'area',
      (event) => x(event) >= 0 && x(event) <= 2 && y(event) >= 0 && y(event) <= 2,
    ],
    [
      'S_WITHIN(geom, BBOX(0, 0, 2, 2))',
      'area',
      (event) => x(event) > 0 && x(event) < 2 && y(event) > 0 && y(event) < 2,
    ],
    [
      'S_CONTAINS(BBOX(0, 0, 2, 2), geom)',
      'area',
      (event) => x(event) > 0 && x(event) < 2 && y(event) > 0 && y(event) < 2,
    ],
    [
      'S_TOUCHES(geom, POLYGON((0 0, 2 0, 2 2, 0 2, 0 0)))',
      'area',
      (event) =>
        x(event) >= 0 &&
        x(event) <= 2 &&
        y(event) >= 0 &&
        y(event) <= 2 &&
        !(x(event) > 0 && x(event) < 2 && y(event) > 0 && y(event) < 2),
    ],
    [
      'S_DISJOINT(geom, POLYGON((0 0, 2 0, 2 2, 0 2, 0 0)))',
      'area',
      (event) => x(event) < 0 || x(event) > 2 || y(event) < 0 || y(event) > 2,
    ],
    [
      'NOT S_INTERSECTS(geom, POLYGON((0 0, 2 0, 2 2, 0 2, 0 0)))',
      'area',
      (event) => x(event) < 0 || x(event) > 2 || y(event) < 0 || y(event) > 2,
    ],
    ['S_INTERSECTS(geom, BBOX(170, -90, -120, 90))', 'area', (event) => x(event) >= 170 || x(event) <= -120],
    ['S_EQUALS(geom, POINT(0 5e-324))', 'area', (event) => x(event) === 0 && y(event) === 0],
    [
      'S_INTERSECTS(geom, BBOX(5e-324, 9e-101, 1, 1))',
      'area',
      (event) => x(event) >= 0 && x(event) <= 1 && y(event) >= 0 && y(event) <= 1,
    ],
    ['S_EQUALS(geom, POINT(2 2))', 'area', (event) => x(event) === 2 && y(event) === 2],
    ['S_CONTAINS(geom, MULTIPOINT(2 2, 2 2))', 'area', (event) => x(event) === 2 && y(event) === 2],
    ['S_CROSSES(geom, LINESTRING(0 0, 3 3))', 'sql', () => false],
    [
      'S_INTERSECTS(geom, LINESTRING(0 0, 3 3))',
      'area',
      (event) => x(event) === y(event) && x(event) >= 0 && x(event) <= 3,
    ],
    ['S_WITHIN(geom, LINESTRING(0 0, 3 3))', 'area', (event) => x(event) === y(event) && x(event) > 0 && x(event) < 3],
    ['geom IS NULL', 'sql', ({ coordinates }) => coordinates === null],
    [
      'S_INTERSECTS(geom, BBOX(-100, 0, 10, 45)) AND S_INTERSECTS(geom, POLYGON((-90 0, -60 0, -60 60, -90 0))) AND id < 9000',
      'area range',
      (event) =>
        x(event) >= -90 &&
        x(event) <= -60 &&
        y(event) >= 0 &&
        y(event) <= 45 &&
        y(event) <= 2 * (x(event) + 90) &&
        event.id < 9000,
    ],
    [
      'S_INTERSECTS(geom, BBOX(0, 0, 1, 1)) OR S_INTERSECTS(geom, POLYGON((2 2, 3 2, 3 3, 2 2)))',
      'area',
      (event) =>
        (x(event) >= 0 && x(event) <= 1 && y(event) >= 0 && y(event) <= 1) ||
        (x(event) >= 2 && x(event) <= 3 && y(event) >= 2 && y(event) <= x(event)),
    ],
    [
      "S_INTERSECTS(geom, BBOX(0, 0, 1, 1)) OR category = 'hurricane'",
      'sql',
      (event) => (x(event) >= 0 && x(event) <= 1 && y(event) >= 0 && y(event) <= 1) || event.category === 'hurricane',
    ],
    [
      'S_DISJOINT(geom, BBOX(0, 0, 3, 3)) OR id < 0',
      'sql',
      (event) => x(event) < 0 || x(event) > 3 || y(event) < 0 || y(event) > 3,
    ],
  ])('%s', async (text, kinds, matches) => {
    const given = conditions(text)
    expect(kindsOf(given)).toBe(kinds)
    expect(await idsOf(given)).toEqual(among(matches))
  })
})

describe('a text that is compared with an instant is read as an instant', () => {
  test.each<[text: string, matches: (event: EventRecord) => boolean]>([
    ["(timestamp_start >= '2015-01-01T00:00:00Z')", ({ start }) => start >= T],
    [
      "timestamp_start >= '2015-01-01' AND (category LIKE 'hurr%')",
      ({ start, category }) => start >= T && category === 'hurricane',
    ],
    ["timestamp_start = '2015-01-08'", ({ start }) => start >= T + 7 * DAY && start < T + 8 * DAY],
    ["timestamp_start > '2015-01-08'", ({ start }) => start >= T + 8 * DAY],
    ["'2015-01-08T' < timestamp_start", ({ start }) => start > T + 7 * DAY],
    ["timestamp_start = '2015-01-08T'", ({ start }) => start === T + 7 * DAY],
    [
      "timestamp_start BETWEEN '2015-01-08' AND '2015-01-09T'",
      ({ start }) => start >= T + 7 * DAY && start <= T + 8 * DAY,
    ],
    [
      "timestamp_start IN ('2015-01-08', '2015-01-10T', timestamp_end)",
      ({ start, end }) => (start >= T + 7 * DAY && start < T + 8 * DAY) || start === T + 9 * DAY || start === end,
    ],
    [
      "timestamp_start NOT IN ('2015-01-08', '2014-01-08')",
      ({ start }) => !['2015-01-08', '2014-01-08'].includes(new Date(start).toISOString().slice(0, 10)),
    ],
    ["T_AFTER(timestamp_start, '2014-12-31')", ({ start }) => start >= T],
    ["T_AFTER(timestamp_start, '2014-12-31T')", ({ start }) => start > T - DAY],
    ["TIMESTAMP('2015-01-01T00:00:00Z') = '2015-01-01T'", () => true],
  ])('%s', async (text, matches) => {
    expect(await idsOf(conditions(text))).toEqual(among(matches))
  })
})

describe('a filter is refused', () => {
  test.each<[text: string, message: string]>([
    ["categry = 'x'", 'At character 1: there is no property "categry". Enter one of id, category,'],
    ['category = 5', 'At character 1: text and number cannot be compared.'],
    ['category', "At character 1: expected a condition. Enter one such as category = 'hurricane'."],
    ['5 + 5', 'At character 1: + returns a value'],
    ["casei(value) < 'x'", 'At character 1: CASEI of this property can be compared only with texts'],
    ['casei(value) = casei(category)', 'CASEI of this property can be compared only with texts'],
    [
      `casei(value) = '${Array.from({ length: 2_000 }, (_, i) => String.fromCodePoint(0xc0 + i)).join('')}'`,
      'the texts compared with CASEI have too many different letters',
    ],
    ['geom = 5', 'At character 1: geom is a geometry.'],
    ["timestamp_start > TIMESTAMP('yesterday')", 'At character 19: "yesterday" is not an instant.'],
    ['S_INTERSECTS(category, POINT(1 1))', 'At character 14: category is not a geometry.'],
    ['S_INTERSECTS(geom, geom)', 'At character 1: S_INTERSECTS takes a property and a geometry.'],
    ["T_AFTER(category, DATE('2015-01-01'))", 'At character 9: expected a time.'],
    ["T_AFTER(timestamp_start, INTERVAL('2016-01-01', '2015-01-01'))", 'the interval ends before it starts'],
    ["timestamp_start > 'yesterday'", 'At character 19: "yesterday" is not an instant.'],
    [
      Array.from({ length: 10 }, () => `value LIKE '${'%a'.repeat(100)}'`).join(' OR '),
      'characters of SQL, more than 40000. Enter fewer comparisons, IN for lists, or patterns with fewer %.',
    ],
    [
      `value LIKE '${'%a'.repeat(101)}'`,
      'At character 1: the pattern has more than 100 texts between its % signs. Enter fewer of them.',
    ],
  ])('%s', (text, message) => {
    expect(() => conditions(text)).toThrow(message)
  })
})
