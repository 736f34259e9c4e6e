import { applyD1Migrations, reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ACCESS_LEVELS, accessName, levelOf } from '../../src/base/access.ts'
import { NOT } from '../../src/filters/filter.ts'
import { LISTS } from '../../src/lists/versions.ts'
import { freshDatabase } from '../database.ts'
import { eventOf, observationType, seriesOf } from '../filters/records.ts'
import type { LoadRecord } from '../records.ts'
import { setRevisions } from '../revisions.ts'
import {
  answer,
  askTwice,
  eventIds,
  get,
  headersOf,
  load,
  type Options,
  post,
  seedEvents,
  seedRecords,
  seedSeries,
  send,
  unhinted,
  walk,
  withKey,
} from '../service.ts'
import { EXHAUSTIVE, splitRows } from '../tags.ts'

beforeAll(() => load())

const V3 = '/api/v3/eventseries/'
const V4 = '/api/v4/eventseries/'
const SUMMARY = '/api/v3/events/summary/'
const NOT_FOUND = { status: 404, body: { detail: 'Not found.' } }

/** The facets of a summary, and the entry of an event in each. */
const FACETS: Readonly<Record<string, (event: (typeof seedEvents)[number]) => string | number | null>> = {
  category: ({ category }) => category,
  event_series: ({ series }) => series,
  object_type__model: ({ object }) => object?.model ?? null,
}
type Entry = { readonly id?: number; readonly value?: string; readonly count: number }

const countsOf = <T>(values: readonly T[]): Map<T, number> => {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

type Caller = () => Options | Promise<Options>

const CALLERS: [string, number, Caller][] = [
  ['anyone', 0, () => ({})],
  ['a common key', 100, () => withKey('common')],
  ['a key that reads Private', 200, () => withKey('private')],
  ['a key that reads Hidden', 300, () => withKey('hidden')],
]

const expectAccess = (_: string, level: number, caller: Caller) => {
  const kept = askTwice()
  afterAll(() => expect(kept.hits).toBeGreaterThan(10))
  const series = seedSeries.filter(({ access_modifier }) => access_modifier <= level)
  const seen = new Set(series.map(({ id }) => id))
  const events = seedEvents.filter((event) => seen.has(event.series))
  const namesOf = async (path: string) => {
    const { count, results } = await get(path, await caller())
    expect(count).toBe(results.length)
    return results.map(({ name }: { name: string }) => name)
  }
  const named = (matches: (name: string) => boolean) => series.map(({ name }) => name).filter(matches)

  /** Expects that every number of a summary counts these events and no others. */
  const expectSummed = async (query: string, expected: readonly (typeof seedEvents)[number][]) => {
    const asked = `${SUMMARY}?${query}&facets=event_series,category,object_type__model`
    const { count, time, density, without_geometry, facets } = await get(asked, await caller())
    const starts = expected.map(({ start }) => start)
    const places = expected.flatMap(({ coordinates }) => (coordinates === null ? [] : [coordinates]))
    expect([count, without_geometry]).toEqual([expected.length, expected.length - places.length])
    expect([time.start, time.end]).toEqual(
      starts.length === 0 ? [null, null] : [Math.min(...starts), Math.max(...starts)],
    )
    const [first = 0] = time.bins[0] ?? []
    const binOf = (start: number) => first + Math.floor((start - first) / time.step) * time.step
    expect(new Map(time.bins)).toEqual(countsOf(starts.map(binOf)))
    const [west = 0, south = 0, east = 0, north = 0] = density.cells[0] ?? []
    const cellOf = ([x = 0, y = 0]: readonly number[]) =>
      `${Math.floor((x - west) / (east - west))} ${Math.floor((y - south) / (north - south))}`
    expect(new Map(density.cells.map((cell: number[]) => [cellOf(cell), cell.at(-1)]))).toEqual(
      countsOf(places.map(cellOf)),
    )
    for (const [name, of] of Object.entries(FACETS)) {
      const { entries, more } = facets[name]
      const values = expected.map(of).filter((value) => value !== null)
      const counts = countsOf(values)
      expect([name, more]).toEqual([name, Math.max(0, counts.size - 100)])
      expect(entries.map(({ count }: Entry) => count)).toEqual([...counts.values()].sort((a, b) => b - a).slice(0, 100))
      for (const { id, value, count } of entries as Entry[]) expect(count).toBe(counts.get(id ?? value ?? ''))
    }
    for (const { id, uuid, name, color } of facets.event_series.entries)
      expect(series).toContainEqual(expect.objectContaining({ id, uuid, name, color }))
  }

  it('lists exactly the series it may see', async () => {
    for (const path of [V3, V4]) expect(await namesOf(`${path}?page_size=100`)).toEqual(named(() => true))
  })

  it.each([V3, V4])('finds no other series by name in %s', async (path) => {
    expect(await namesOf(`${path}?page_size=100&name__regex=.`)).toEqual(named(() => true))
    expect(await namesOf(`${path}?page_size=100&name__istartswith=earthquakes`)).toEqual(
      named((name) => /^Earthquakes/.test(name)),
    )
    expect(await namesOf(`${path}?page_size=100&ordering=name`)).toEqual(named(() => true).sort())
    for (const { uuid, name } of seedSeries)
      expect(await namesOf(`${path}?uuid=${uuid}`)).toEqual(named((other) => other === name))
  })

  it('finds no other series by access modifier', async () => {
    for (const [name, number] of Object.entries(ACCESS_LEVELS)) {
      const expected = series.filter(({ access_modifier }) => access_modifier === number).map((each) => each.name)
      expect(await namesOf(`${V4}?page_size=100&access_modifier=${name}`)).toEqual(expected)
    }
  })

  it('finds no other series by id', async () => {
    for (const { id, name } of seedSeries)
      expect(await namesOf(`${V3}?id=${id}`)).toEqual(named((other) => other === name))
  })

  it('opens these series by uuid and by prefix, and no other', async () => {
    for (const path of [V3, V4])
      for (const { id, uuid, name } of seedSeries)
        for (const key of [uuid, uuid.slice(0, 7)]) {
          if (seen.has(id)) expect((await get(`${path}${key}/`, await caller())).name).toBe(name)
          else expect(await answer(`${path}${key}/`, await caller())).toEqual(NOT_FOUND)
        }
  })

  it('a prefix must be unique only among the series it sees', async () => {
    const prefixed = series.filter(({ uuid }) => uuid.startsWith('8'))
    const response = await send(`${V3}8/`, await caller())
    expect(response.status).toBe(prefixed.length === 1 ? 200 : 404)
  })

  it('summarizes exactly the events it may see', () => expectSummed('', events))

  it('lists and counts exactly the events it may see', async () => {
    const pages = await walk('/api/v3/events/?page_size=9000&ordering=-timestamp_start', await caller())
    expect(new Set(pages.map(({ count }) => count))).toEqual(new Set([events.length]))
    const expected = [...events].sort((a, b) => b.start - a.start || b.id - a.id).map(({ id }) => id)
    expect(pages.flatMap(({ results }) => results.map(({ id }: { id: number }) => id))).toEqual(expected)
  })

  for (const [options, filters] of splitRows(2, [
    ['category=earthquake', (event: (typeof seedEvents)[number]) => event.category === 'earthquake'],
    ['category__regex=^earth', ({ category }) => category.startsWith('earth')],
    ['object_type__model=storm', ({ object }) => object?.model === 'storm'],
    ['event_series__name__iregex=^earthquakes', ({ series }) => series <= 4],
    ['event_series__name__icontains=DEPRESSION', ({ series }) => series === 7],
    ['event_series=aa89,af29', ({ series }) => series === 3 || series === 4],
    [
      'geom_within=POLYGON((-90+10,-50+10,-50+40,-90+40,-90+10))',
      ({ coordinates }) => {
        const [x = 0, y = 0] = coordinates ?? []
        return x > -90 && x < -50 && y > 10 && y < 40
      },
    ],
    ['event_series=8b082e6,af2933f', ({ series }) => series === 7 || series === 4],
  ] as [string, (event: (typeof seedEvents)[number]) => boolean][]))
    it.each(filters)('finds no other events by %s', options, async (query, matches) => {
      const expected = events.filter(matches)
      expect(await eventIds(query, await caller())).toEqual(expected.map(({ id }) => id))
      await expectSummed(query, expected)
    })

  const each = seedSeries.map(({ id, uuid, name }) => [name, id, uuid] as const)
  for (const [options, rows] of splitRows(4, each))
    it.each(rows)('%s: all its events, or none if the series is hidden', options, async (name, id, uuid) => {
      const expected = events.filter((event) => event.series === id)
      for (const filter of [
        `event_series=${uuid}`,
        `event_series=${uuid.slice(0, 7)}`,
        `event_series__name=${encodeURIComponent(name)}`,
      ]) {
        expect(await eventIds(filter, await caller())).toEqual(expected.map(({ id }) => id))
        await expectSummed(filter, expected)
      }
      const event = seedEvents.find((each) => each.series === id)
      const { status } = await send(`/api/v3/events/${event?.id}/`, await caller())
      expect(status).toBe(seen.has(id) ? 200 : 404)
    })
}
// `npm test` compares the caller who sees least and the one who sees most.
for (const [options, callers] of splitRows(3, CALLERS)) describe.each(callers)('%s', options, expectAccess)

describe('a caller without a key gets the same answers as a key of that level', () => {
  it.each([
    ['Common', 'common'],
    ['Private', 'private'],
    ['Hidden', 'hidden'],
  ] as const)('with ANONYMOUS_LEVEL %s', async (ANONYMOUS_LEVEL, key) => {
    // Hints differ, because their seals depend on the keys.
    for (const path of [`${V4}?page_size=100`, '/api/v3/events/?page=last', `${SUMMARY}?facets=event_series`])
      expect(unhinted(await answer(path, { vars: { ANONYMOUS_LEVEL } }))).toEqual(
        unhinted(await answer(path, await withKey(key))),
      )
  })
})

describe('a request for a hidden item gets the same answer as one for an item that does not exist', () => {
  it.each([
    ['/api/v3/events/?event_series=8b082e61', '/api/v3/events/?event_series=00000000'],
    ['/api/v3/events/?event_series__name=Earthquakes+worldwide', '/api/v3/events/?event_series__name=Nothing'],
    [`${V4}8b082e6/`, `${V4}0000000/`],
    [`${V3}?id=7`, `${V3}?id=99`],
    [`${V4}?name__regex=depression`, `${V4}?name__regex=nothing`],
    ['/api/v3/events/?event_series=8b082e61&page=2', '/api/v3/events/?event_series=00000000&page=2'],
    [`${SUMMARY}?event_series=8b082e61`, `${SUMMARY}?event_series=00000000`],
    [`${SUMMARY}?category=depression&level=12`, `${SUMMARY}?category=nothing&level=12`],
    [
      '/api/v3/events/?event_series=8b082e61&page=last&page_size=0',
      '/api/v3/events/?event_series=00000000&page=last&page_size=0',
    ],
  ])('%s', async (hidden, absent) => {
    const [a, b] = [await send(hidden), await send(absent)]
    expect([a.status, headersOf(a), await a.text()]).toEqual([b.status, headersOf(b), await b.text()])
  })
})

describe('access modifiers', () => {
  it.each([
    [0, 'Public', 'public'],
    [100, 'Common', 'COMMON'],
    [200, 'Private', 'private'],
    [300, 'Hidden', 'hIDDEN'],
  ])('%j is %s', (number, name, anyCase) => {
    expect([accessName(number), levelOf(name), levelOf(anyCase)]).toEqual([name, number, number])
  })

  it('unknown names and numbers have no level', () => {
    expect([accessName(50), levelOf(''), levelOf('constructor'), levelOf('0')]).toEqual([undefined, null, null, null])
  })
})

const BOX = 'POLYGON((-90+10,-50+10,-50+40,-90+40,-90+10))'
const WORLD = 'POLYGON((-180+-90,180+-90,180+90,-180+90,-180+-90))'
const EVENTS = '/api/v3/events/'

/** Queries with every filter, order, kind of page and format. */
const QUERIES = [
  '',
  'page_size=3&page=2',
  'page=last',
  'page=last&page_size=7&ordering=-id',
  'page=1000&page_size=7',
  'page=1600',
  'page=1600&page_size=10',
  'ordering=timestamp_start',
  'ordering=-timestamp_start&page=9',
  'ordering=timestamp_end',
  'ordering=-timestamp_end&page=last',
  'ordering=-value_number&page=3',
  'ordering=-duration&page=last',
  'ordering=value&page=2',
  'ordering=-event_series__name',
  'near=-70,25&radius=3000000&ordering=distance',
  'category=earthquake',
  'category=earthquake&ordering=-timestamp_start&page=4',
  'category__in=earthquake,hurricane,depression',
  'category__icontains=E&page_size=50',
  'category__regex=.',
  'category__iregex=^d&ordering=timestamp_end',
  'category__isnull=true',
  'category__exact=',
  'timestamp_start__gte=2017-01-01',
  'timestamp_start__range=2010-01-01,2020-01-01&page=3',
  'timestamp_start__range=2010-01-01,2020-01-01&ordering=-timestamp_start&page=last',
  'timestamp_end__lt=2012-01-01',
  'duration__gt=0',
  'duration=0&ordering=-timestamp_start',
  'object_id__gt=10',
  'object_id=4',
  'object_type__model=storm',
  'object_type__model__contains=o&page=2',
  'object=storm$4',
  'event_series__name__icontains=e',
  'event_series__name__regex=depress|quake',
  'event_series=af29',
  'event_series=8333,8b08,99fe,aa89,af29&category__contains=e',
  `geom_within=${BOX}`,
  `geom_within=${BOX}&ordering=-timestamp_start&page=2`,
  `geom_within=${BOX}&category=depression`,
  `geom_within=${BOX}&category__in=depression,hurricane&timestamp_start__gte=2012-01-01`,
  `geom_within=${WORLD}`,
  `geom_within=${WORLD}&page=30`,
  `geom_within=${WORLD}&ordering=timestamp_end&duration=0`,
  `geom_within=${WORLD}&event_series__name__icontains=e`,
  'format=api&page_size=2',
  'nope=1&category__regex=(',
  'event_series=zz&object=storm&geom_within=POLYGON((0+0,1+1))',
]
const TILE_PATHS = ['/tiles', '/tiles/WebMercatorQuad/tilejson.json', '/tiles/WorldCRS84Quad/0/0/0']
const COLLECTION_PATHS = ['', '/items', '/queryables', ...TILE_PATHS]
const HIDDEN_SERIES = seedSeries.filter(({ access_modifier }) => access_modifier > 0)
const PATHS = [
  ...QUERIES.map((query) => `${EVENTS}?${query}`),
  ...['bins=9&level=12', ...QUERIES.filter((query) => !/page|ordering/.test(query))].map(
    (query) => `${SUMMARY}?${query}`,
  ),
  ...[V3, V4].flatMap((path) => [
    path,
    ...['name', '-name', 'id', '-created', 'last_modified'].map(
      (order) => `${path}?page_size=4&ordering=${order}&page=2`,
    ),
    ...['name__regex=.', 'name__icontains=e', 'name__in=Nothing', 'page=last&page_size=2', 'page_size=7&page=2'].map(
      (query) => `${path}?${query}`,
    ),
    ...seedSeries.flatMap(({ uuid }) => [`${path}?uuid=${uuid}`, `${path}${uuid}/`, `${path}${uuid.slice(0, 1)}/`]),
  ]),
  ...['start', '-start', 'end', '-end'].map((order) => `${V4}?ordering=${order}`),
  ...['Public', 'Common', 'Private', 'Hidden'].map((name) => `${V4}?access_modifier=${name}`),
  `${V4}?created__gt=2000-01-01`,
  `${V4}?last_modified__gt=2000-01-01`,
  ...seedSeries.map(({ id }) => `${V3}?id=${id}`),
  ...seedSeries.map(({ id }) => `${EVENTS}${seedEvents.find(({ series }) => series === id)?.id}/`),
  ...seedSeries.map(({ uuid }) => `${EVENTS}?event_series=${uuid.slice(0, 7)}&page=2`),
  ...seedSeries.map(({ name }) => `${EVENTS}?event_series__name=${encodeURIComponent(name)}`),
  ...['geojson', 'csv', 'spreadsheet', 'ndjson'].flatMap((format) => [
    `${EVENTS}?format=${format}&page_size=20`,
    `${V3}?format=${format}`,
    `${V4}?format=${format}&page_size=all`,
  ]),
  `${EVENTS}?format=csv&page_size=all`,
  ...['', 'category=hurricane', 'q=storm'].map((query) => `${EVENTS}?format=atom&${query}`),
  `${EVENTS}?format=ndjson&page_size=all&ordering=-timestamp_start&geom_within=${WORLD}`,
  '/api/v3/observationtypes/',
  '/openapi.json',
  ...['/catalog.jsonld', '/catalog.jsonld?offset=2', '/.well-known/api-catalog', '/sitemap.xml'],
  '/',
  '/api/v3/',
  ...['', '/api', '/collections', '/collections/events', '/collections/eventseries'].map((path) => `/ogc${path}`),
  ...HIDDEN_SERIES.flatMap(({ id, uuid }) => [
    ...COLLECTION_PATHS.map((path) => `/ogc/collections/events-${uuid}${path}`),
    `/ogc/collections/eventseries/items/${id}`,
    `/ogc/collections/events/items?event_series=${uuid}`,
    `/ogc/collections/events/items/${seedEvents.find(({ series }) => series === id)?.id}`,
  ]),
  ...['items?limit=50', 'items?resultType=hits', 'tiles/WebMercatorQuad/0/0/0', 'tiles/WorldCRS84Quad/3/2/4'].flatMap(
    (path) =>
      [
        ...['', 'category=depression', 'bbox=-90,10,-50,40', 'datetime=../2012-01-01', "filter=event_series_name>'A'"],
        ...["filter=category='depression' OR id>9000", 'filter=S_DISJOINT(geom,BBOX(0,0,10,10))'],
      ].map((query) => `/ogc/collections/events/${path}${path.includes('?') ? '&' : '?'}${query}`),
  ),
  '/ogc/collections/events/items?sortby=-timestamp_end&limit=3',
  '/ogc/collections/eventseries/items?filter=event_count>0',
]

/**
 * Returns the visible parts of an answer. It leaves out the request id, the bookmark and the times, which always
 * differ.
 */
const seenOf = async (path: string, options: Options) => {
  const response = await send(path, options)
  const own = ['x-request-id', 'x-d1-bookmark', 'last-modified', 'server-timing']
  const headers = [...response.headers].filter(([name]) => !own.includes(name))
  return { path, status: response.status, headers, body: await response.text() }
}

/** Sends every request, and follows the links of each list. Sends other methods once to each address. */
const seenOfAll = async (options: Options) => {
  const seen = []
  const addresses = new Set<string>()
  for (const path of PATHS) {
    const first = await seenOf(path, options)
    seen.push(first)
    const { next, previous } = first.body.startsWith('{"count"') ? JSON.parse(first.body) : {}
    for (const link of [next, previous]) if (link) seen.push(await seenOf(link, options))
    const [address = '', query] = path.split('?')
    if (addresses.has(address)) continue
    addresses.add(address)
    for (const method of ['HEAD', 'OPTIONS']) seen.push(await seenOf(path, { ...options, method }))
    seen.push(await seenOf(path, { ...options, headers: { ...options.headers, 'If-None-Match': '*' } }))
    if (query === undefined) continue
    const { headers, ...form } = post(query)
    seen.push(await seenOf(address, { ...options, ...form, headers: { ...options.headers, ...headers } }))
  }
  return seen
}

describe('hidden rows change nothing for callers who cannot see them', EXHAUSTIVE, () => {
  const kept = askTwice()
  const clock = vi.spyOn(Date, 'now')
  let now = Date.now()
  let DB = env.DB
  const seenByAll = (caller: Options) => seenOfAll({ ...caller, vars: { ...caller.vars, DB } })
  afterAll(() => {
    clock.mockRestore()
    expect(kept.hits).toBeGreaterThan(150)
  })

  /** Loads only the records up to an access level into a new database. The Worker knows nothing of it. */
  const loadOnly = async (most: number) => {
    await reset()
    DB = freshDatabase()
    await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
    const kept = new Set(seedSeries.filter(({ access_modifier }) => access_modifier <= most).map(({ id }) => id))
    await load(
      seedRecords.filter(
        (record) => record.kind === 'observation_type' || kept.has(record.kind === 'event' ? record.series : record.id),
      ),
    )
    // Set the same state after each load, because entity tags and hints contain it.
    const one = () => '1'
    await env.DB.batch([
      env.DB.prepare(setRevisions(one, one)),
      env.DB.prepare('UPDATE event SET last_modified = 1'),
      env.DB.prepare('UPDATE event_series SET revision = 1, changed = 1'),
    ])
    now += 60_000
    clock.mockReturnValue(now)
  }

  // A caller with the level Common takes the same code paths.
  const compared = CALLERS.filter(([, level]) => level === 0 || level === 200)
  const all = new Map<string, Awaited<ReturnType<typeof seenOfAll>>>()
  beforeAll(async () => {
    await loadOnly(300)
    for (const [name, , caller] of compared) all.set(name, await seenByAll(await caller()))
  }, 120_000)

  it.each(compared)('%s', { timeout: 240_000 }, async (name, level, caller) => {
    const among = all.get(name) ?? []
    await loadOnly(level)
    const alone = await seenByAll(await caller())
    expect(among.length).toBe(alone.length)
    expect(among.filter(({ status }) => status === 200).length).toBeGreaterThan(among.length / 2)
    const different = among.flatMap((seen, i) =>
      JSON.stringify(seen) === JSON.stringify(alone[i]) ? [] : [[seen, alone[i]]],
    )
    expect(different).toEqual([])
  })
})

describe('the hint of a caller with a higher level', () => {
  beforeAll(async () => {
    await reset()
    await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
    await load()
  })

  const asked = QUERIES.filter((query) => !/nope|zz|page=1600$|category__exact=|isnull/.test(query))
  for (const [options, queries] of splitRows(4, asked))
    it.each(queries)('changes nothing for a caller with a lower level: %s', options, async (query) => {
      const path = `${EVENTS}?${query}`
      for (const level of ['Common', 'Hidden']) {
        const response = await send(path, { vars: { ANONYMOUS_LEVEL: level } })
        if (response.status !== 200) continue
        const { next, previous } = (await response.json()) as Record<string, string | null>
        for (const link of [next, previous]) {
          if (!link) continue
          const [given, bare] = [await answer(link), await answer(link.replace(/hint=[^&]*&?/, ''))]
          expect(given).toEqual(bare)
        }
      }
    })
})

/**
 * One public series has events with only a time. A hidden series has events with all fields, which are earlier and
 * later.
 */
const SECRET = 'Only in what is hidden'
const SECRET_UUID = 'deadbeef-0000-4000-8000-000000000007'
const [EARLY, LATE] = [Date.UTC(1901, 1, 1), Date.UTC(2099, 1, 1)]
/** A Saturday in June at 5:00. What is hidden starts on a Friday or a Sunday in February at 0:00. */
const SEEN = Date.UTC(1970, 5, 13, 5)
const SECRET_ID = 'hidden-'
const secretEvent = (id: number, start: number, end: number) => {
  const object = { model: 'only_hidden', id: start === EARLY ? -77_777 : 77_777 }
  const value = start === EARLY ? '-7 m' : '7 m'
  const attributes = { secret: id % 2 === 0 ? SECRET : 7 }
  const texts = { category: SECRET, value, external_id: `${SECRET_ID}${id}`, attributes }
  return eventOf(id, { series: 2, ...texts, start, end, coordinates: [-120, -50, 0], object })
}
const SECRETS: readonly LoadRecord[] = [
  observationType,
  { ...observationType, id: 2, code: 'only_hidden' },
  seriesOf(1, { name: 'Seen', created: 1000, last_modified: null }),
  ...[
    seriesOf(2, { name: SECRET, uuid: SECRET_UUID, access_modifier: 300, created: -1e15, last_modified: -1e15 }),
    seriesOf(3, { name: SECRET, access_modifier: 300, created: 1e15, last_modified: 1e15 }),
  ].map((each) => ({ ...each, observation_type: 2 })),
  ...Array.from({ length: 30 }, (_, i) =>
    eventOf(i + 1, { start: SEEN + i * 1000, end: SEEN + i * 1000 + 60_000, category: 'seen' }),
  ),
  ...Array.from({ length: 40 }, (_, i) => secretEvent(i + 101, EARLY, EARLY + 86_400_000 + i)),
  ...Array.from({ length: 40 }, (_, i) => secretEvent(i + 201, LATE, LATE + 1)),
]

/** The values of fields that only hidden rows have: the least, the greatest, and one between others. */
const SECRET_VALUES: Readonly<Record<string, readonly [least: string, greatest: string]>> = {
  timestamp_start: ['1901-02-01', '2099-02-01'],
  timestamp_end: ['1901-02-02', '2099-02-01T00:00:00.001Z'],
  duration: ['0.001', 'P1D'],
  object_id: ['-77777', '77777'],
  created: ['1938-04-24T22:13:20Z', '2001-09-09T01:46:40Z'],
  last_modified: ['1938-04-24T22:13:20Z', '2001-09-09T01:46:40Z'],
  object: ['only_hidden$77777', ''],
  event_series: [SECRET_UUID.slice(0, 7), ''],
  uuid: [SECRET_UUID, ''],
  event_series__id: ['2', ''],
  event_series__observation_type: ['only_hidden', ''],
  event_series__access_modifier: ['Hidden', ''],
  id: ['2', '3'],
  object_type__model: ['only_hidden', ''],
  access_modifier: ['Hidden', ''],
  bbox: ['-121,-51,-119,-49', ''],
  datetime: ['1901-01-01/1901-12-31', ''],
  external_id: [`${SECRET_ID}101`, ''],
  geom_within: ['POLYGON((-121 -51,-119 -51,-119 -49,-121 -49,-121 -51))', ''],
  value: ['-7 m', '7 m'],
  q: [SECRET, ''],
  near: ['-120,-50', ''],
  radius: ['1000', ''],
}

/** The fields of events in version 4, as version 3 calls them. */
const IN_V3: Readonly<Record<string, string>> = {
  start: 'timestamp_start',
  end: 'timestamp_end',
  geometry__within: 'geom_within',
}

/** The parts of a start that only hidden rows have, by lookup. Other lookups take the last one. */
const SECRET_PARTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  year: { lt: '1902', gt: '2098', gte: '2099', range: '2099,2099', other: '1901' },
  month: { lt: '3', gt: '12', gte: '7', range: '2,2', other: '2' },
  weekday: { lt: '6', gt: '6', gte: '7', range: '7,7', other: '5' },
  hour: { lt: '1', gt: '23', gte: '6', range: '0,0', other: '0' },
}

/** Returns a value for a filter that only hidden rows match. */
const secretOf = (path: string, name: string): string => {
  const [, given = '', lookup = ''] =
    /^(.*?)(?:__(exact|iexact|i?contains|i?startswith|i?endswith|i?regex|isnull|in|range|lte?|gte?))?$/.exec(name) ?? []
  const [, part = ''] = /start__(year|month|weekday|hour)$/.exec(given) ?? []
  const parts = SECRET_PARTS[part]
  if (parts !== undefined) return parts[lookup] ?? parts.other ?? ''
  if (given === 'attributes__secret')
    return { lt: '8', lte: '7', gt: '6', gte: '7', range: '7,7', isnull: 'false' }[lookup] ?? SECRET
  const field = IN_V3[given] ?? given
  const known = path.endsWith('/events/') && field === 'id' ? (['101', '240'] as const) : SECRET_VALUES[field]
  const [least, greatest = ''] = known ?? (/(category|name)$/.test(field) ? [SECRET] : [])
  if (least === undefined) throw new Error(`say what only hidden rows have of ${name}`)
  if (field === 'value' && /^(lte?|gte?|range)$/.test(lookup))
    return { lt: '-6.5', lte: '-7', gt: '6.5', gte: '7', range: '7,7' }[lookup] ?? ''
  if (lookup === 'isnull') return field === 'object_type__model' ? 'false' : 'true'
  if (lookup === 'range') return `${greatest},${greatest}`
  if (field === 'id' && lookup.startsWith('l')) return '0'
  if (lookup === 'lt')
    return least === '0.001'
      ? '0.002'
      : least.replace('1901', '1902').replace('1938', '1939').replace('-77777', '-77776')
  if (lookup === 'gt')
    return greatest
      .replace('2099', '2098')
      .replace('2001', '2000')
      .replace('P1D', 'PT23H')
      .replace('77777', '77776')
      .replace(/^3$/, '2')
      .replace(/^240$/, '239')
  return lookup === 'gte' ? greatest : least
}

/** Filters that no row matches, or that have no value for hidden rows alone. The first series has the id 1. */
const NOBODY = /^(category|value|name|event_series__name)__isnull$|^id__lte?$|__(month|hour)__gte?$/

describe('a filter that only hidden rows match finds nothing', EXHAUSTIVE, () => {
  beforeAll(async () => {
    await reset()
    await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
    await load(SECRETS)
    await env.DB.prepare(
      'UPDATE event SET last_modified = CASE WHEN id < 100 THEN 0 WHEN id < 200 THEN -1e15 ELSE 1e15 END',
    ).run()
  })

  const lists = LISTS.filter(({ under, list }) => under === undefined && list !== 'types')
  const summaries = [['/api/v3/events/', SUMMARY]] as const
  const facetNames = `facets=${Object.keys(FACETS).join(',')}`
  // A complement and `latest` match rows that callers see. Their own tests cover each level.
  const named = (list: (typeof lists)[number]) =>
    [...list.filters]
      .flatMap(([name, { members }]) => [...(members?.(`${name}__secret`)?.keys() ?? [name])])
      .filter((name) => !name.endsWith(NOT) && name !== 'latest')
  // The test of a filter uses one order. Many filters use each order.
  const filters = lists.flatMap((list) =>
    named(list).map((name, i) => {
      const orders = Object.keys(list.orderings ?? {}).filter((order) => order !== 'distance')
      const order = name === 'near' ? 'distance' : orders[i % orders.length]
      return [list.path, name, `ordering=-${order}`] as const
    }),
  )

  it.each(filters)('%s?%s&%s', async (path, name, ordering) => {
    const names = name === 'near' || name === 'radius' ? ['near', 'radius'] : [name]
    const query = names.map((each) => `${each}=${encodeURIComponent(secretOf(path, each))}`).join('&')
    const among = await get(`${path}?${query}`, { vars: { ANONYMOUS_LEVEL: 'Hidden' } })
    if (NOBODY.test(name)) expect(among.count).toBe(0)
    else expect(among.count).toBeGreaterThan(0)
    for (const [i, caller] of [{}, await withKey('private')].entries()) {
      for (const more of ['', 'page=last', ...(i === 0 ? [ordering] : [])]) {
        const { count, next, previous, results } = await get(`${path}?${query}&${more}`, caller)
        expect([more, count, next, previous, results]).toEqual([more, 0, null, null, []])
      }
      const whole = await send(`${path}?${query}&format=ndjson&page_size=all`, caller)
      expect([whole.status, whole.headers.get('X-Total-Count'), await whole.text()]).toEqual([200, '0', ''])
      for (const [, summary] of summaries.filter(([of]) => of === path)) {
        const { count, time, density, facets } = await get(`${summary}?${query}&bins=day&${facetNames}`, caller)
        expect([count, time, density.cells]).toEqual([0, { start: null, end: null, step: null, bins: [] }, []])
        for (const facet of Object.values(facets)) expect(facet).toEqual({ entries: [], more: 0 })
      }
    }
  })
})
