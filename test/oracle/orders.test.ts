import { Geodesic } from 'geographiclib-geodesic'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { ALWAYS } from '../../src/question/condition.ts'
import type { Question, Slice } from '../../src/question/question.ts'
import { random } from '../bench/events.ts'
import { expectPagesBy, foundation, LEVELS, type Level, makeEvents } from '../engine/world.ts'
import { engineOn, hasPostgres } from '../postgres/database.ts'
import { loadedPostgres } from '../postgres/loaded.ts'
import { arraysOf } from '../question/arrays.ts'
import type { EventRecord } from '../records.ts'
import { ORIGIN } from '../service.ts'
import { splitRows } from '../tags.ts'
import { answerOf, fetchFrom, type Row, testRows } from './oracle.ts'

// Pages of each order, forwards, backwards and by their numbers. Rows without a value come last in both directions.

/** A cursor has the first 100 characters of a text. These texts differ later. */
const LONG = 'n'.repeat(100)
/** Code points order these texts differently than UTF-16 or a locale does. */
const TEXTS = ['', 'a', 'B', 'b', 'é', 'Z_~%"', '\u{1F300}', '\uFFFD', 'a b', LONG, `${LONG}a`, `${LONG}b`]
const NUMBERS = ['12', '-3.5 m', '0.1', '1e300', '-1e-300', '9007199254740993', '0', '-0', '+7', '12.0 kn']
/** Numbers come before texts. Booleans are numbers, objects are their JSON, and null is as absent. */
const ATTRIBUTES: readonly unknown[] = [
  ...[0, 1, -1, 2.5, 1e300, -1e300, 9007199254740991, 1234567890123456800, 12345678901234567000],
  ...['5', '10', '', 'a', 'A', 'é', '😀', '\uffff', LONG, `${LONG}b`, `${LONG}a`, "o'x"],
  ...[true, false, null, undefined, {}, [1, 2], { a: 1 }],
]

const next = random(20_261_124)
const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T // no list is empty

const CENTRE = [179.99, 52.1] as const
/** Some events lie around 180 degrees, at distances that differ by less than an engine estimates. */
const placeOf = (i: number): EventRecord['coordinates'] => {
  const metres = 10_000 + ([0, 0, 1e-9, -1e-9, 0.00999, -0.01001, 12, 250_000][i % 8] ?? 0)
  const { lon2 = 0, lat2 = 0 } = Geodesic.WGS84.Direct(CENTRE[1], CENTRE[0], 31 * i, metres)
  return [lon2, lat2, 0]
}

const events = makeEvents(220, 5, 1401).map((event, i): EventRecord => {
  const X = ATTRIBUTES[i % ATTRIBUTES.length]
  return {
    ...event,
    value: next() < 0.5 ? pick(NUMBERS) : pick(TEXTS),
    category: pick(TEXTS),
    end: event.start + pick([0, 1, 3_600_000, 86_400_000, Math.floor(next() * 1e11)]),
    object: next() < 0.6 ? null : { model: 'storm', id: pick([-5, 0, 3, 2 ** 53 - 1, i]) },
    external_id: next() < 0.5 ? null : `${pick(TEXTS) || '-'}${i}`,
    last_modified: 1_700_000_000_000_000 + (i % 40) * 7,
    attributes: i % 5 === 0 ? null : X === undefined ? { other: i } : { X },
    ...(i % 4 === 0 && { coordinates: placeOf(i) }),
  }
})
/** Two series have one name. */
const records = [
  ...foundation.map((each) => (each.kind === 'event_series' && each.id === 3 ? { ...each, name: 'Large' } : each)),
  ...events,
]

const NEAR = `near=${CENTRE}&radius=400000`
const COLUMNS = ['category', 'value', 'value_number', 'duration', 'event_series__name', 'external_id', 'object_id']
const ORDERS = ['id', 'timestamp_start', 'timestamp_end', ...COLUMNS, 'last_modified', 'attributes__X', 'distance']
const FILTERS = [
  ...['', 'category=a', 'category__not=a', 'event_series=1000', 'value__gte=-3.5', 'value__icontains=N', 'q=n*'],
  ...['value__regex=^[0-9]', 'duration__range=PT1S,P400D', 'object_type__model=storm', 'object_id__gte=0'],
  ...['timestamp_start__gte=1969-08-01', 'bbox=-100,-60,100,70', 'latest=event_series&id__gte=1500'],
  'geom_within=POLYGON((-170 -80,160 -70,175 80,-100 60,-170 -80))',
]
const names = Object.keys(LEVELS) as Level[] // the keys of the constant

/** Pairs each order with each filter, at one level. All levels come with each order and with each filter. */
const cases = ORDERS.flatMap((order, i) =>
  FILTERS.map((filter, j) => {
    const query = order === 'distance' ? `${NEAR}&${filter}` : filter
    return { order, query, level: names[(i + j) % names.length] ?? 'Public', turn: 4 * j + i }
  }),
).sort((a, b) => a.turn - b.turn)

const SAME: readonly Row[] = [
  ...['-duration', 'external_id', '-value_number', 'attributes__X', `distance&${NEAR}`].flatMap((order) =>
    [`/api/v4/events/?page_size=50&ordering=${order}`, `/ogc/collections/events/items?limit=50&sortby=${order}`].map(
      (asks) => ({ asks }),
    ),
  ),
  { asks: '/api/v4/eventseries/21000000/events/?page_size=100&ordering=-attributes__X' },
  ...['name', '-created', '-last_modified', 'start', '-start', 'end', '-end', '-id'].map(
    (order): Row => ({ asks: `/api/v4/eventseries/?ordering=${order}`, level: 'Hidden' }),
  ),
  ...['name', '-name', 'created', '-last_modified', '-id'].map(
    (order): Row => ({ asks: `/api/v3/eventseries/?ordering=${order}`, level: 'Private' }),
  ),
  ...['attributes__', 'attributes__a__b', 'attributes__a b', 'attributes__X__gte', 'constructor', '--id'].map(
    (order) => ({
      asks: `ordering=${order}`,
      finds: { faults: ['ordering'] },
    }),
  ),
  { asks: 'ordering=value&after=4711', finds: { faults: ['after'] } },
  { asks: '/api/v4/eventseries/?ordering=attributes__X', finds: { faults: ['ordering'] } },
]
/** Values and ids of cursors. */
const POSITIONS = ['', 'abc\0', LONG, 1.5, -1e300, 9e15, 0, null].map(
  (value, i) => [value, i % 2 ? 0 : 2 ** 53 - 1] as const,
)

const plain = arraysOf(records)
const engines: Map<string, Engine> = testRows(records, { 'orders of each list': SAME })

const FINE = 'PostgreSQL in microseconds'
/** Adds less than a millisecond to the times, in another order than that of the ids. */
const FINER = `ALTER TABLE event ALTER timestamp_start TYPE timestamptz, ALTER timestamp_end TYPE timestamptz;
  UPDATE event SET timestamp_start = timestamp_start + (id * 5 % 7) * interval '137 microseconds',
    timestamp_end = timestamp_end + (6 - id * 5 % 7) * interval '137 microseconds'`
beforeAll(async () => {
  if (hasPostgres) engines.set(FINE, engineOn(await loadedPostgres(records, FINER)))
})

/** Expects these ids on all ways through the pages of an engine, and in one stream. */
const expectOrder = async (engine: Engine, query: string, level: Level, wanted: readonly number[]) => {
  const size = Math.max(5, Math.ceil(wanted.length / 4))
  const path = `${ORIGIN}/api/v3/events/?${encodeURI(query)}`
  const read = async (address: string) => (await fetchFrom(engine, address, level)).json()
  await expectPagesBy(read, `${path}&page_size=${size}`, wanted, size, [2])
  const stream = await (await fetchFrom(engine, `${path}&fields=id&page_size=all&format=csv`, level)).text()
  expect(stream.trim().split('\r\n').slice(1).map(Number), `${query} in one stream`).toEqual(wanted)
}

describe('the pages of each order', () => {
  for (const [options, rows] of splitRows(27, cases))
    it.each(rows)('$order with "$query" for $level', options, async ({ order, query, level }) => {
      for (const ordering of [order, `-${order}`]) {
        const asked = `${query}&ordering=${ordering}`
        const row = { asks: `/api/v3/events/?page_size=10000&fields=id&${asked}`, level }
        const { finds } = await answerOf('arrays', plain, row)
        // Parts of a millisecond decide which event is the latest.
        const isOther = (name: string) => query.startsWith('latest') && name === FINE
        for (const [name, engine] of engines)
          if (name !== 'arrays' && !isOther(name)) await expectOrder(engine, asked, level, finds as readonly number[])
      }
    })
})

describe('a page after any position that a client sends has the count of all', () => {
  it.each(POSITIONS)('%j, id %i', async (value, id) => {
    for (const [name, engine] of engines)
      for (const by of ['start', 'category', 'object_id', { attribute: 'X' }] as const)
        for (const descending of [false, true]) {
          if (name === 'arrays') continue
          const slice: Slice = { from: { after: { value, id } }, limit: 3 }
          const question: Question = { where: ALWAYS, latest: null, order: { by, descending, nulls: 'last' }, slice }
          const { count } = await engine.open({ level: LEVELS.Hidden }).page('events', question, { fields: ['id'] })
          expect(count, name).toBe(events.length)
        }
  })
})
