import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { RECORDS, uuidsOf } from '../http/seriesOfKeys.ts'
import { load } from '../service.ts'
import { EVENTS, expectKept, rows, SERIES, write } from '../store/writer.ts'
import { EXHAUSTIVE } from '../tags.ts'

// Random writes by the key `feed`, which writes series 1 and 2, change nothing else.

const OWN = '(1, 2)'
const OTHERS = `event_series_id NOT IN ${OWN}`
/** Selects the rows of each table that no write by the key changes. Writes only add texts, changes and answers. */
const KEPT: Readonly<Record<string, string>> = {
  event: `SELECT * FROM event WHERE ${OTHERS}`,
  event_series: `SELECT * FROM event_series WHERE id NOT IN ${OWN}`,
  observation_type: 'SELECT * FROM observation_type',
  category: 'SELECT id, text, folded, case_folded FROM category WHERE id <= 5',
  object_model: 'SELECT id, text, folded, case_folded FROM object_model WHERE id <= 1',
  change: `SELECT * FROM change WHERE NOT (kind = 1 AND id IN ${OWN} OR kind = 3 AND series IN ('${uuidsOf(1)}', '${uuidsOf(2)}')
    AND coalesce(moved_to, 1) IN ${OWN})`,
  sequence: "SELECT * FROM sequence WHERE name NOT IN ('event', 'event_modified')",
  idempotency_key: 'SELECT * FROM idempotency_key WHERE rowid = 1',
  mark_rule: 'SELECT * FROM mark_rule',
  followed: 'SELECT * FROM followed',
  load_progress: 'SELECT * FROM load_progress',
  suspended_index: 'SELECT * FROM suspended_index',
  d1_migrations: 'SELECT * FROM d1_migrations',
}
/** The key changes only descriptions of its own series, and what follows from events. */
const OWN_SERIES = `SELECT id, uuid, name, name_folded, name_case_folded, description, observation_type_id, statistic, color,
  access_modifier, created FROM event_series WHERE id IN ${OWN}`
/** Each write changes the state and the counts of all events. `expectKept` checks these counts. */
const MOVED = ['revision', 'event_count']

const kept = async (): Promise<string> => {
  const queries = [...Object.values(KEPT), OWN_SERIES].map((query) => env.DB.prepare(query))
  return JSON.stringify((await env.DB.batch(queries)).map(({ results }) => results))
}

const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values)
/** Each has the two series of the key, two of others, and hidden, ambiguous and missing ones. */
const series = oneOf(1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 4, 5, 6, 7, 8, 99)
const reference = fc.oneof(series, series.map(uuidsOf))
const properties = fc.record(
  {
    category: oneOf('', 'category 1', 'flood', 'storm'),
    value: oneOf('', '1', 'é🌊'),
    timestamp_start: oneOf<unknown>(0, 1, '2020-01-01T00:00:00Z'),
    timestamp_end: oneOf(null, '2030-01-01T00:00:00Z'),
    event_series: reference,
    external_id: oneOf(null, 'e1', 'e2', 'e3', 'only 1', 'only 3', 'only 5'),
    attributes: oneOf(null, { depth: 1 }, { depth: 'deep' }, { note: 'x' }),
    object: oneOf(null, { type: 'pump', id: 7 }, { type: 'well', id: 1 }),
  },
  { requiredKeys: [] },
)
const geometry = oneOf(null, { type: 'Point', coordinates: [4, 51] })
const change = fc.record({ properties, geometry }, { requiredKeys: ['properties'] })
const feature = fc
  .tuple(properties, geometry, oneOf(undefined, undefined, undefined, undefined, undefined, 10, 30, 50))
  .map(([given, geometry, id]) => ({
    ...{ type: 'Feature', geometry, id },
    properties: { timestamp_start: 1, event_series: 1, ...given },
  }))
const seriesBody = fc.record(
  {
    uuid: series.map(uuidsOf),
    name: oneOf('x', 'Series 1'),
    observation_type: oneOf(1, 2),
    access_modifier: oneOf('Public', 'Hidden'),
    color: oneOf('#000000'),
  },
  { requiredKeys: ['name', 'observation_type'] },
)
const described = fc.record(
  { source: oneOf('me', null), fields: oneOf([], [{ name: 'attributes__depth', title: 'Depth', type: 'string' }]) },
  { requiredKeys: [] },
)

const ofSeries = (path: (uuid: string) => string) => series.map((id) => path(uuidsOf(id)))
const own = ofSeries((uuid) => `${SERIES}${uuid}/events/`)
const lists = fc.oneof(
  oneOf(EVENTS, EVENTS, EVENTS, '/ogc/collections/events/items'),
  own,
  ofSeries((uuid) => `/ogc/collections/events-${uuid}/items`),
)
/** The number stands for a place among the ids of all events. */
const eventIds = fc.oneof(
  fc.nat(1000).map((place) => `EVENT ${place}`),
  oneOf('10', '14', '30', '50'),
)
const items = fc
  .tuple(lists, eventIds)
  .map(([list, id]) => (list.startsWith('/ogc') ? `${list}/${id}` : `${list}${id}/`))
const seriesItems = fc.oneof(
  ofSeries((uuid) => `${SERIES}${uuid}/`),
  series.map((id) => `/ogc/collections/eventseries/items/${id}`),
)
const seriesLists = oneOf(SERIES, '/api/v3/eventseries/', '/ogc/collections/eventseries/items')
const types = oneOf('/api/v4/observationtypes/')
const typeBody = oneOf({ code: 'test', name: 'x' }, { code: 'new', name: 'x' })
const nothing = fc.constant(undefined)

const to = <T>(weight: number, path: fc.Arbitrary<string>, body: fc.Arbitrary<T>, ...methods: readonly string[]) => ({
  weight,
  arbitrary: fc.record({ method: oneOf(...methods), path, body }),
})
const random = fc.record({
  sent: fc.oneof(
    to(8, lists, fc.oneof(feature, feature, fc.array(feature, { maxLength: 3 })), 'POST'),
    to(8, items, change, 'PATCH', 'PATCH', 'PUT'),
    to(4, items, feature, 'PUT'),
    to(3, items, nothing, 'DELETE'),
    to(
      1,
      own.map((path) => `${path}?external_id__in=e1,only 1,only 3`),
      nothing,
      'DELETE',
    ),
    to(1, seriesItems, seriesBody, 'PATCH', 'PUT'),
    to(
      1,
      seriesItems.map((path) => `${path}?events=delete`),
      nothing,
      'DELETE',
    ),
    to(1, seriesLists, seriesBody, 'POST'),
    to(
      3,
      ofSeries((uuid) => `${SERIES}${uuid}/metadata/`),
      described,
      'PATCH',
      'PUT',
    ),
    to(1, types, typeBody, 'POST'),
  ),
  /** The Idempotency-Key of a post. The key `all` has used the first one. */
  repeats: fc.oneof({ weight: 9, arbitrary: oneOf(null) }, { weight: 1, arbitrary: fc.nat(40) }),
  merges: fc.boolean(),
})

type Write = typeof random extends fc.Arbitrary<infer T> ? T : never

const send = async ({ sent: { method, path, body }, repeats, merges }: Write, ids: readonly number[]) => {
  const named = path.replace(/EVENT (\d+)/, (_, place) => String(ids[Number(place) % ids.length]))
  const headers = {
    ...(method === 'POST' && repeats !== null && { 'Idempotency-Key': String(repeats) }),
    ...(method === 'PATCH' && merges && { 'Content-Type': 'application/merge-patch+json' }),
  }
  const { status, body: answer } = await write(method, named, body, headers, 'feed')
  return { status, about: JSON.stringify([method, named, body, status, answer]) }
}

/** The number of writes before the tables are compared. */
const STEP = 40

/** Sends random writes. Some must succeed, and some must fail. */
const sendAll = async (numRuns: number, seed: number): Promise<void> => {
  const statuses: number[] = []
  const writes = fc.sample(random, { numRuns, seed })
  const before = await kept()
  while (statuses.length < numRuns) {
    const ids = (await rows('SELECT id FROM event')).map(({ id }) => Number(id))
    const sent = []
    for (const each of writes.slice(statuses.length, statuses.length + STEP)) sent.push(await send(each, ids))
    expect(await kept(), sent.map(({ about }) => about).join('\n')).toBe(before)
    statuses.push(...sent.map(({ status }) => status))
  }
  await expectKept()
  expect(statuses).toEqual(expect.arrayContaining([200, 201, 204, 400, 403, 404, 409]))
}

beforeAll(async () => {
  await load(RECORDS)
  const first = { type: 'Feature', geometry: null, properties: { timestamp_start: 1, event_series: 3 } }
  expect((await write('POST', EVENTS, first, { 'Idempotency-Key': '0' }, 'all')).status).toBe(201)
})

it('the test knows all tables', async () => {
  const tables = await rows(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'",
  )
  expect(tables.map(({ name }) => name).sort()).toEqual([...Object.keys(KEPT), ...MOVED].sort())
})

const { seed } = env.TEST_FUZZ
const title = (count: number) =>
  `${count} random writes by a key for some series change nothing else, from seed ${seed}`

it(title(200), () => sendAll(200, seed))
it(title(2000), EXHAUSTIVE, () => sendAll(2000, seed))
