import { beforeAll, describe, expect, test } from 'vitest'
import { conditionOf } from '../../src/cql2/condition.ts'
import { readText } from '../../src/cql2/text.ts'
import { partsOf } from '../../src/engine/d1/conditions.ts'
import { MAX_PAGE_SIZE } from '../../src/lists/resource.ts'
import { eventCollection } from '../../src/ogc/collection.ts'
import type { EventRecord } from '../records.ts'
import { answer, get, load, seedEvents, seedRecords, seedSeries } from '../service.ts'

const ALL_LEVELS = { vars: { ANONYMOUS_LEVEL: 'Hidden' } }
const SOME = seedEvents.filter(({ id }) => id % 7 === 0)
/** Events without a place or an object, and texts with characters that have a special meaning elsewhere. */
const ODD = SOME.slice(0, 60).map(
  (event, i): EventRecord => ({
    ...event,
    id: 1_000_000 + i,
    external_id: null,
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

/** Reads the ids of the events that a filter selects, for a caller who sees all. */
const idsOf = async (filter: string): Promise<number[]> => {
  const query = new URLSearchParams({ limit: String(MAX_PAGE_SIZE), filter })
  const { features, numberMatched } = await get(`/ogc/collections/events/items?${query}`, ALL_LEVELS)
  expect(numberMatched).toBe(features.length)
  return features.map(({ id }: { id: number }) => id)
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

describe('a filter matches the right events', () => {
  test.each<[text: string, matches: (event: EventRecord) => boolean]>([
    ["category = 'hurricane'", ({ category }) => category === 'hurricane'],
    ["'hurricane' = category", ({ category }) => category === 'hurricane'],
    ["category <> 'hurricane'", ({ category }) => category !== 'hurricane'],
    ["category > 'h'", ({ category }) => category > 'h'],
    ["NOT category = 'hurricane'", ({ category }) => category !== 'hurricane'],
    ["category = 'hurricane' OR category LIKE 'tropical%'", ({ category }) => /^(hurricane$|tropical)/.test(category)],
    ["category IN ('hurricane', 'O''Hare', 'none')", ({ category }) => ['hurricane', "O'Hare"].includes(category)],
    ["category NOT IN ('hurricane', 'none')", ({ category }) => category !== 'hurricane'],
    ["category LIKE 'TROPICAL%'", () => false],
    ["CASEI(category) = CASEI('HurriCane')", ({ category }) => category === 'hurricane'],
    ["CASEI(value) = casei('AB CAB cab')", ({ value }) => value === 'ab cab cab'],
    ["CASEI(value) IN (CASEI('X_y'), casei('100%'))", ({ value }) => ['x_y', '100%'].includes(value)],
    ["NOT casei(value) LIKE CASEI('%CAB%')", ({ value }) => !/cab/i.test(value)],
    ["casei(external_id) = casei('X')", () => false],
    ["CASEI(category) LIKE casei('TROPICAL%')", ({ category }) => category.startsWith('tropical')],
    ["CASEI(category) = CASEI('STRASSE')", ({ category }) => /^stra(ß|ss)e$/i.test(category)],
    ["CASEI(category) = 'straße'", () => false],
    ["CASEI(category) = 'HURRICANE'", () => false],
    ["CASEI(category) < 'b'", ({ category }) => category.toLowerCase() < 'b'],
    [
      "CASEI(category) IN (CASEI('Hurricane'), 'strasse')",
      ({ category }) => /^(hurricane|stra(ß|ss)e)$/i.test(category),
    ],
    ["NOT CASEI(category) LIKE casei('%SS_')", ({ category }) => !/(ß|ss).$/i.test(category)],
    ['CASEI(object_type) = CASEI(category)', ({ category, object }) => object?.model === category.toLowerCase()],
    ['CASEI(event_series_name) <> CASEI(category)', () => true],
    ["CASEI(value) = 'AB CAB CAB'", () => false],
    [`CASEI(value) <> '${'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩ'}'`, () => true],
    ["category ILIKE '%STORM'", ({ category }) => category.endsWith('storm')],
    ["category LIKE '%'", () => true],
    ["category LIKE '50\\%\\_%'", ({ category }) => category === '50%_of'],
    ["category LIKE 'a*b?[c]'", ({ category }) => category === 'a*b?[c]'],
    ["category LIKE 'a*_?[c]'", ({ category }) => category === 'a*b?[c]'],
    ["category LIKE '_urricane'", ({ category }) => category === 'hurricane'],
    ["category LIKE 't%c%m'", ({ category }) => /^t.*c.*m$/.test(category)],
    ["value LIKE 'ab%ab%ab'", ({ value }) => /^ab.*ab.*ab$/.test(value)],
    ["value LIKE 'ab%ab%ab%ab'", ({ value }) => /^ab.*ab.*ab.*ab$/.test(value)],
    ["value LIKE '%cab'", ({ value }) => value.endsWith('cab')],
    ["value = '\"'", ({ value }) => value === '"'],
    ['value = category', ({ value, category }) => value === category],
    [
      "event_series = '99FE5D03-893D-5B20-8244-B9189DB33E37'",
      ({ series }) => uuidOf.get(series)?.startsWith('99fe5d03') === true,
    ],
    ["event_series_name LIKE '%Atlantic%'", ({ series }) => nameOf.get(series)?.includes('Atlantic') === true],
    [
      "event_series_name LIKE 'A%' AND event_series >= '5'",
      ({ series }) => nameOf.get(series)?.startsWith('A') === true && String(uuidOf.get(series)) >= '5',
    ],
    ['object_id = 5', ({ object }) => object?.id === 5],
    ['object_id = 5.5', () => false],
    ['object_id <> 5.5', ({ object }) => object !== null],
    ['NOT object_id < 6', ({ object }) => object !== null && object.id >= 6],
    ['object_id <> 5', ({ object }) => object !== null && object.id !== 5],
    ['object_id < 5.5 AND object_id > 2.5', ({ object }) => object !== null && object.id < 5.5 && object.id > 2.5],
    ['5 > object_id', ({ object }) => object !== null && object.id < 5],
    ['object_id BETWEEN 3 AND 7', ({ object }) => object !== null && object.id >= 3 && object.id <= 7],
    ['object_id NOT BETWEEN 3 AND 1000', ({ object }) => object !== null && (object.id < 3 || object.id > 1000)],
    ['object_id NOT IN (7.5)', ({ object }) => object !== null],
    ['object_id IN (3, 5, 7.5)', ({ object }) => object?.id === 3 || object?.id === 5],
    ['NOT (NOT (object_type IS NULL))', ({ object }) => object === null],
    ['NOT (object_type IS NOT NULL AND id > 0)', ({ object }) => object === null],
    ['object_id IS NULL', ({ object }) => object === null],
    ['object_type IS NOT NULL AND object_id IS NOT NULL', ({ object }) => object !== null],
    ["object_type <> 'pump'", ({ object }) => object !== null && object.model !== 'pump'],
    ["NOT (object_type = 'pump')", ({ object }) => object !== null && object.model !== 'pump'],
    ["NOT (object_type = 'pump' AND category = 'none')", () => true],
    ['object_id * 2 + 1 = 11', ({ object }) => object?.id === 5],
    ['object_id / 2 = 2.5', ({ object }) => object?.id === 5],
    ['object_id div 2 = 2', ({ object }) => object?.id === 4 || object?.id === 5],
    ['object_id % 7 = 3', ({ object }) => object !== null && object.id % 7 === 3],
    ['object_id ^ 2 = 25', ({ object }) => object?.id === 5],
    ['- object_id = - (5)', ({ object }) => object?.id === 5],
    ['object_id / 0 = 1', () => false],
    ["FALSE AND object_type = 'storm'", () => false],
    ["TRUE OR object_type = 'storm'", () => true],
    ["1 = 2 AND object_type = 'storm'", () => false],
    ["'b' > 'ab' AND '\u{ffff}' < '\u{10000}' AND 'a' <> 'a b' AND '' < 'a' AND 'ab' > 'a'", () => true],
    ["NOT (FALSE AND object_type = 'storm')", () => true],
    ["T_EQUALS(TIMESTAMP('2015-01-01T00:00:00Z'), DATE('2015-01-01')) AND object_id = 3", () => false],
    ["NOT (object_type = 'nothing' AND id > 0)", ({ object }) => object !== null],
    ["NOT (object_type < 'a' AND id > 0)", ({ object }) => object !== null],
    [
      "NOT (object_type LIKE '%zz%' OR S_INTERSECTS(geom, BBOX(0, 0, 2, 2)))",
      (event) =>
        event.object !== null &&
        event.coordinates !== null &&
        !(x(event) >= 0 && x(event) <= 2 && y(event) >= 0 && y(event) <= 2),
    ],
    ["external_id LIKE '%'", ({ external_id }) => external_id !== null],
    ["external_id LIKE 'ak%'", ({ external_id }) => external_id?.startsWith('ak') === true],
    ["external_id NOT LIKE 'ak%'", ({ external_id }) => external_id?.startsWith('ak') === false],
    ["NOT (NOT object_type LIKE '%')", ({ object }) => object !== null],
    ["(object_type = 'nothing') = (id < 0)", ({ object }) => object !== null],
    ["(object_type = 'nothing') <> TRUE", ({ object }) => object !== null],
    [
      '(S_INTERSECTS(geom, BBOX(0, 0, 2, 2)) AND object_id > 3) = (object_id < 0)',
      (event) =>
        event.object !== null &&
        (event.object.id <= 3 ||
          (event.coordinates !== null && !(x(event) >= 0 && x(event) <= 2 && y(event) >= 0 && y(event) <= 2))),
    ],
    [
      `category IN (${many((i) => `'x${i}'`)}, 'hurricane', object_type)`,
      ({ category, object }) => category === 'hurricane' || category === object?.model,
    ],
    [
      `object_id IN (${many((i) => i + 5)}, id)`,
      ({ object, id }) => object !== null && ((object.id >= 5 && object.id < 305) || object.id === id),
    ],
    [`NOT (id + 1 IN (${many((i) => i + 0.5)}, 8))`, ({ id }) => id !== 7],
    [`id + 0.5 IN (${many((i) => i)}, object_id)`, () => false],
    [`'hurricane' IN (value, category, 'storm')`, ({ category, value }) => [category, value].includes('hurricane')],
    [`${many((i) => `value = 'x${i}'`, ' OR ')} OR value = 'x_y'`, ({ value }) => value === 'x_y'],
    ['TRUE', () => true],
    ['FALSE', () => false],
    ["(category = 'hurricane') = TRUE", ({ category }) => category === 'hurricane'],
    ["(category = 'hurricane') <> (id > 5000)", ({ category, id }) => (category === 'hurricane') !== id > 5000],
    ["timestamp_start >= TIMESTAMP('2015-01-01T00:00:00Z')", ({ start }) => start >= T],
    ["timestamp_start = TIMESTAMP('2018-01-31T02:18:21.235000001Z')", () => false],
    ["timestamp_start < TIMESTAMP('2015-01-08T00:00:00.000000001Z')", ({ start }) => start <= T + 7 * DAY],
    ["timestamp_start >= TIMESTAMP('2015-01-01T01:00:00+01:00')", ({ start }) => start >= T],
    ["timestamp_start > DATE('2014-12-31')", ({ start }) => start >= T],
    ["timestamp_start <= DATE('2014-12-31')", ({ start }) => start < T],
    ["timestamp_start = DATE('2015-01-08')", ({ start }) => start >= T + 7 * DAY && start < T + 8 * DAY],
    ["timestamp_start <> DATE('2015-01-08')", ({ start }) => start < T + 7 * DAY || start >= T + 8 * DAY],
    ['timestamp_start = timestamp_end', ({ start, end }) => start === end],
    ['timestamp_start < timestamp_end', ({ start, end }) => start < end],
    ['last_modified > timestamp_end', () => true],
    ['last_modified < timestamp_end', () => false],
    ["'hurricane' LIKE 'h_rr%e' AND object_id = 5", ({ object }) => object?.id === 5],
    ["'hurricane' LIKE 'h_r%x%e' OR 'ab' LIKE '_'", () => false],
    ["T_AFTER(timestamp_start, DATE('2014-12-31'))", ({ start }) => start >= T],
    ["T_BEFORE(INTERVAL(timestamp_start, timestamp_end), TIMESTAMP('2015-01-01T00:00:00Z'))", ({ end }) => end < T],
    [
      "T_INTERSECTS(INTERVAL(timestamp_start, timestamp_end), INTERVAL('2015-01-01', '2015-01-31'))",
      ({ start, end }) => end >= T && start < T + 31 * DAY,
    ],
    ["T_INTERSECTS(INTERVAL(timestamp_start, timestamp_end), INTERVAL('2015-01-01', '..'))", ({ end }) => end >= T],
    [
      "T_DURING(INTERVAL(timestamp_start, timestamp_end), INTERVAL('2015-01-01T00:00:00Z', '..'))",
      ({ start }) => start > T,
    ],
    [
      "T_DISJOINT(INTERVAL(timestamp_start, timestamp_end), DATE('2015-01-01'))",
      ({ start, end }) => end < T || start >= T + DAY,
    ],
    ['T_EQUALS(timestamp_start, timestamp_end)', ({ start, end }) => start === end],
    [
      "T_CONTAINS(INTERVAL(timestamp_start, timestamp_end), DATE('2015-01-08'))",
      ({ start, end }) => start < T + 7 * DAY && end >= T + 8 * DAY,
    ],
    [
      'S_INTERSECTS(geom, BBOX(-100, 0, 10, 45))',
      (event) => x(event) >= -100 && x(event) <= 10 && y(event) >= 0 && y(event) <= 45,
    ],
    [
      'S_INTERSECTS(geom, BBOX(0, 0, 2, 2))',
      (event) => x(event) >= 0 && x(event) <= 2 && y(event) >= 0 && y(event) <= 2,
    ],
    ['S_WITHIN(geom, BBOX(0, 0, 2, 2))', (event) => x(event) > 0 && x(event) < 2 && y(event) > 0 && y(event) < 2],
    ['S_CONTAINS(BBOX(0, 0, 2, 2), geom)', (event) => x(event) > 0 && x(event) < 2 && y(event) > 0 && y(event) < 2],
    [
      'S_TOUCHES(geom, POLYGON((0 0, 2 0, 2 2, 0 2, 0 0)))',
      (event) =>
        x(event) >= 0 &&
        x(event) <= 2 &&
        y(event) >= 0 &&
        y(event) <= 2 &&
        !(x(event) > 0 && x(event) < 2 && y(event) > 0 && y(event) < 2),
    ],
    [
      'S_DISJOINT(geom, POLYGON((0 0, 2 0, 2 2, 0 2, 0 0)))',
      (event) => x(event) < 0 || x(event) > 2 || y(event) < 0 || y(event) > 2,
    ],
    [
      'NOT S_INTERSECTS(geom, POLYGON((0 0, 2 0, 2 2, 0 2, 0 0)))',
      (event) => x(event) < 0 || x(event) > 2 || y(event) < 0 || y(event) > 2,
    ],
    ['S_INTERSECTS(geom, BBOX(170, -90, -120, 90))', (event) => x(event) >= 170 || x(event) <= -120],
    ['S_EQUALS(geom, POINT(0 5e-324))', (event) => x(event) === 0 && y(event) === 0],
    [
      'S_INTERSECTS(geom, BBOX(5e-324, 9e-101, 1, 1))',
      (event) => x(event) >= 0 && x(event) <= 1 && y(event) >= 0 && y(event) <= 1,
    ],
    ['S_EQUALS(geom, POINT(2 2))', (event) => x(event) === 2 && y(event) === 2],
    ['S_CONTAINS(geom, MULTIPOINT(2 2, 2 2))', (event) => x(event) === 2 && y(event) === 2],
    ['S_CROSSES(geom, LINESTRING(0 0, 3 3))', () => false],
    ['S_INTERSECTS(geom, LINESTRING(0 0, 3 3))', (event) => x(event) === y(event) && x(event) >= 0 && x(event) <= 3],
    ['S_WITHIN(geom, LINESTRING(0 0, 3 3))', (event) => x(event) === y(event) && x(event) > 0 && x(event) < 3],
    ['geom IS NULL', ({ coordinates }) => coordinates === null],
    [
      'S_INTERSECTS(geom, BBOX(-100, 0, 10, 45)) AND S_INTERSECTS(geom, POLYGON((-90 0, -60 0, -60 60, -90 0))) AND id < 9000',
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
      (event) =>
        (x(event) >= 0 && x(event) <= 1 && y(event) >= 0 && y(event) <= 1) ||
        (x(event) >= 2 && x(event) <= 3 && y(event) >= 2 && y(event) <= x(event)),
    ],
    [
      "S_INTERSECTS(geom, BBOX(0, 0, 1, 1)) OR category = 'hurricane'",
      (event) => (x(event) >= 0 && x(event) <= 1 && y(event) >= 0 && y(event) <= 1) || event.category === 'hurricane',
    ],
    [
      'S_DISJOINT(geom, BBOX(0, 0, 3, 3)) OR id < 0',
      (event) => x(event) < 0 || x(event) > 3 || y(event) < 0 || y(event) > 3,
    ],
  ])('%s', async (text, matches) => {
    expect(await idsOf(text)).toEqual(among(matches))
  })
})

describe('a part of the outermost AND becomes a condition of the lists, which have cheap plans', () => {
  const { properties } = eventCollection

  test.each([
    ["category = 'hurricane' OR category LIKE 'tropical%'", ['entry']],
    ["NOT category = 'hurricane' AND object_id <> 5", ['entry', 'range']],
    ["event_series_name LIKE 'A%' OR value = 'x'", ['any']],
    ["T_INTERSECTS(INTERVAL(timestamp_start, timestamp_end), INTERVAL('2015-01-01', '..'))", ['range']],
    ['S_DISJOINT(geom, BBOX(0, 0, 1, 1)) OR S_INTERSECTS(geom, POINT(2 2))', ['place']],
  ])('%s', (text, kinds) => {
    const condition = conditionOf(readText(text), { properties, clock: null, places: new Map() })
    expect(partsOf('events', condition).map(({ kind }) => kind)).toEqual(kinds)
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
    expect(await idsOf(text)).toEqual(among(matches))
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
      'At character 1: Enter a text with fewer different letters.',
    ],
    ['geom = 5', 'At character 1: geom is a geometry.'],
    ["timestamp_start > TIMESTAMP('yesterday')", 'At character 19: "yesterday" is not an instant.'],
    ['S_INTERSECTS(category, POINT(1 1))', 'At character 14: category is not a geometry.'],
    ['S_INTERSECTS(geom, geom)', 'At character 1: S_INTERSECTS takes a property and a geometry.'],
    ["T_AFTER(category, DATE('2015-01-01'))", 'At character 9: expected a time.'],
    ["T_AFTER(timestamp_start, INTERVAL('2016-01-01', '2015-01-01'))", 'the interval ends before it starts'],
    ["timestamp_start > 'yesterday'", 'At character 19: "yesterday" is not an instant.'],
    [
      Array.from({ length: 400 }, () => 'event_series_name=value').join(' OR '),
      'At character 1: the filter is too large for the database. Enter fewer comparisons, or IN for lists.',
    ],
    [
      `value LIKE '${'%a'.repeat(21)}'`,
      'At character 1: the patterns of LIKE have more than 20 texts between their % signs. Enter fewer of them.',
    ],
    [
      Array.from({ length: 21 }, (_, i) => `NOT CASEI(value) LIKE CASEI('%${i}%')`).join(' AND '),
      'the patterns of LIKE have more than 20 texts between their % signs. Enter fewer of them.',
    ],
    [
      `value LIKE '%${'a'.repeat(45)}_bbbbbb%'`,
      "At character 1: a pattern with _ has at most 50 bytes. Enter a shorter pattern, or one without _, such as category LIKE 'tropical%'.",
    ],
    [`CASEI(value) LIKE CASEI('%${'ü'.repeat(24)}_%')`, 'Enter a shorter pattern, or one without _'],
    [`category LIKE '${'_'.repeat(51)}'`, 'Enter a shorter pattern, or one without _'],
  ])('%s', async (text, message) => {
    const { status, body } = await answer(`/ogc/collections/events/items?filter=${encodeURIComponent(text)}`)
    expect([status, body]).toEqual([400, expect.objectContaining({ detail: expect.stringContaining(message) })])
  })
})
