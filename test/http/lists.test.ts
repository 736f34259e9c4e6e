import { describe, expect, it } from 'vitest'
import { MAX_PAGE_SIZE } from '../../src/lists/resource.ts'
import { freezeClock } from '../engine/cost.ts'
import {
  answer,
  beginWithSeed,
  get,
  headersOf,
  measuredHeadersOf,
  ORIGIN,
  post,
  publicEvents,
  send,
  unhinted,
  withKey,
} from '../service.ts'

beginWithSeed()

const EVENTS = '/api/v3/events/'
const LISTS = [
  EVENTS,
  '/api/v3/eventseries/',
  '/api/v3/observationtypes/',
  '/api/v4/eventseries/',
  '/api/v4/observationtypes/',
]
const ITEMS = [
  `${EVENTS}1/`,
  '/api/v3/eventseries/99fe5d0/',
  '/api/v3/observationtypes/1/',
  '/api/v4/eventseries/99FE5D03893D/',
  '/api/v4/observationtypes/1/',
]
const SUMMARY = `${EVENTS}summary/`
const ROOTS = ['/', '/api/v3/', '/api/v4/']
const RENDERS = ['application/json', 'text/html']
const LIST_ALLOW = 'GET, POST, HEAD, OPTIONS'
const READ_ALLOW = 'GET, HEAD, OPTIONS'
const ITEM_ALLOW = 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'
const isWritten = (path: string) => path.startsWith('/api/') && !path.includes('observationtypes')
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
describe('the header Allow', () => {
  it.each([
    ...[...LISTS, SUMMARY].map((path) => [path, LIST_ALLOW] as const),
    ...ITEMS.map((path) => [path, isWritten(path) ? ITEM_ALLOW : READ_ALLOW] as const),
    ...ROOTS.map((path) => [path, READ_ALLOW] as const),
  ])('%s', async (path, allow) => {
    expect((await send(path)).headers.get('Allow')).toBe(allow)
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST', 'PROPFIND'].filter((name) => !allow.includes(name))) {
      const response = await send(path, { method })
      expect([response.status, response.headers.get('Allow'), await response.json()]).toEqual([
        405,
        allow,
        { detail: `Method "${method}" not allowed. Use one of ${allow}.` },
      ])
    }
  })
})

describe('HEAD is like GET without the body', () => {
  // A page shows its headers. One of them, Last-Modified, is there only one second after a write.
  freezeClock()
  const paths = [
    ...LISTS,
    ...ITEMS,
    ...ROOTS,
    SUMMARY,
    `${SUMMARY}?category=earthquake`,
    `${SUMMARY}?nope=1`,
    `${EVENTS}?page=3&page_size=5`,
    `${EVENTS}?nope=1`,
    `${EVENTS}0/`,
    `${EVENTS}?page=0`,
    `${EVENTS}?format=csv&page_size=5`,
    `${EVENTS}?format=atom`,
    '/api/v4/eventseries/99fe5d0/events/?page_size=3',
    '/ogc/collections/events/items?limit=3',
    '/ogc/collections/events/tiles/WebMercatorQuad/0/0/0',
    '/openapi.json',
    '/docs',
    '/healthz',
    '/nowhere/',
    '/api/v3',
  ]
  it.each(paths)('%s', async (path) => {
    for (const headers of [{}, { Accept: BROWSER }]) {
      const head = await send(path, { method: 'HEAD', headers, redirect: 'manual' })
      const got = await send(path, { headers, redirect: 'manual' })
      expect([head.status, headersOf(head), await head.text()]).toEqual([got.status, await measuredHeadersOf(got), ''])
    }
  })
})

describe('OPTIONS', () => {
  const describe = (path: string) => get(path, { method: 'OPTIONS' })

  it.each(LISTS)('at %s describes the filters', async (path) => {
    const body = await describe(path)
    expect(body).toEqual({
      name: expect.stringMatching(/ List$/),
      description: expect.stringMatching(/\.$/),
      renders: [
        ...RENDERS,
        ...['application/geo+json', 'text/csv', 'application/x-ndjson'],
        ...(path === EVENTS ? ['application/atom+xml'] : []),
      ],
      parses: ['application/x-www-form-urlencoded', 'application/json', 'application/geo+json'],
      filters: expect.any(Object),
      ordering: expect.arrayContaining(['id']),
      parameters: [
        ...(path === EVENTS ? ['after'] : []),
        ...['consistent', 'format', 'hint', 'ordering', 'page', 'page_size'],
        ...(path.includes('types') ? [] : ['include']),
        ...['explain', 'fields', 'locale', 'timezone'],
      ],
      reads: 'Public',
    })
    for (const name of Object.keys(body.filters)) {
      const { status, body: faults } = await answer(`${path}?${name}=%01`)
      if (status === 400) expect(Object.keys(faults as object)).toEqual([name])
      else expect([name, status]).toEqual([name, 200])
    }
  })

  it(`at ${EVENTS} lists the fields and the orderings`, async () => {
    const { filters, ordering } = await describe(EVENTS)
    const times = ['timestamp_start', 'timestamp_end', 'duration']
    const objects = ['object_type__model', 'object_id', 'object']
    const fields = ['category', ...times, ...objects, 'event_series', 'event_series__name', 'geom_within']
    expect(Object.keys(filters).filter((name) => fields.includes(name))).toEqual(fields)
    expect(filters).toMatchObject({
      category__istartswith: 'text',
      timestamp_start__gte: 'instant',
      object_id: 'integer',
      geom_within: 'geometry',
    })
    expect(ordering.join(' ')).toBe(
      'id timestamp_start timestamp_end category value value_number duration event_series__name external_id object_id last_modified distance',
    )
  })

  it.each([...ITEMS, ...ROOTS])('%s', async (path) => {
    expect(await describe(path)).toEqual({
      name: expect.stringMatching(/ Instance$|^Api Root$/),
      description: expect.stringMatching(/\.$/),
      renders: ROOTS.includes(path)
        ? RENDERS
        : [...RENDERS, 'application/geo+json', 'text/csv', 'application/x-ndjson'],
      parses: ITEMS.includes(path) && isWritten(path) ? expect.arrayContaining(['application/json']) : [],
    })
  })
})

describe('single items', () => {
  it('an event is the same as in the list', async () => {
    const { results } = await get(`${EVENTS}?page_size=3`)
    for (const feature of results) expect(await get(feature.properties.url)).toEqual(feature)
  })

  it.each(['v3', 'v4'])('a series of %s is found by its uuid or a unique prefix', async (version) => {
    const path = `/api/${version}/eventseries/`
    const uuid = '99fe5d03-893d-5b20-8244-b9189db33e37'
    const { results } = await get(`${path}?uuid=${uuid}`)
    for (const key of [uuid, '99FE5D03893D5B208244B9189DB33E37', '99fe5d0', '99fe5d03-8', '9'])
      expect(await get(`${path}${key}/`)).toEqual(results[0])
  })

  it.each(['v3', 'v4'])('the observation types of %s are found by id', async (version) => {
    const path = `/api/${version}/observationtypes/`
    const url = `${ORIGIN}${path}2/`
    const type = { url, id: 2, code: 'wind_speed', name: 'Maximum sustained wind speed', unit: 'kn' }
    expect(await get(`${path}2/`)).toEqual(type)
    expect(await get(`${path}?id=2`)).toEqual({ count: 1, next: null, previous: null, results: [type] })
  })

  it.each([
    `${EVENTS}0/`,
    `${EVENTS}-1/`,
    `${EVENTS}abc/`,
    `${EVENTS}1e3/`,
    `${EVENTS}99999999/`,
    `${EVENTS}${'9'.repeat(400)}/`,
    `${EVENTS}1/2/`,
    '/api/v3/eventseries/c/', // Two series begin with this.
    '/api/v3/eventseries/xyz/',
    '/api/v3/eventseries/99fe5d1/',
    '/api/v4/eventseries/%FF/',
    '/api/v4/eventseries/-/',
    '/api/v4/eventseries/99fe5d03-893d-5b20-8244-b9189db33e370/',
    '/api/v3/observationtypes/99/',
    '/api/v4/event/',
    '/api/v4/events/x/',
  ])('%s is a 404', async (path) => {
    expect(await answer(path)).toEqual({ status: 404, body: { detail: 'Not found.' } })
  })
})

describe('a root lists its addresses', () => {
  const listsBelow = (root: string) =>
    Object.fromEntries(['events', 'eventseries', 'observationtypes'].map((name) => [name, `${ORIGIN}${root}${name}/`]))
  it.each([
    ['/', { v3: `${ORIGIN}/api/v3/`, v4: `${ORIGIN}/api/v4/` }],
    ['/api/v3/', listsBelow('/api/v3/')],
    ['/api/v4/', listsBelow('/api/v4/')],
  ])('%s', async (path, entries) => {
    expect(await get(path)).toEqual(entries)
    expect(await get(`${path}?page_size=0&page=0`)).toEqual(entries)
  })
})

describe('addresses in answers', () => {
  it.each([
    ['https://data.example.org/api/v3/events/?page=2', undefined, 'https://data.example.org'],
    ['http://data.example.org:8080/api/v3/events/?page=2', '', 'http://data.example.org:8080'],
    [`${EVENTS}?page=2`, 'https://events.example.org', 'https://events.example.org'],
    [`${EVENTS}?page=2`, 'https://example.org/data/', 'https://example.org/data'],
  ])('for %s with BASE_URL %j begin with %s', async (path, BASE_URL, base) => {
    const options = BASE_URL === undefined ? {} : { vars: { BASE_URL } }
    const { next, previous, results } = await get(path, options)
    expect(unhinted([next, previous, results[0].properties.url])).toEqual([
      `${base}/api/v3/events/?page=3`,
      `${base}/api/v3/events/`,
      `${base}/api/v3/events/11/`,
    ])
    expect((await get(new URL('/', new URL(path, ORIGIN)).href, options)).v3).toBe(`${base}/api/v3/`)
  })
})

describe('a query posted as a form', () => {
  const FORM = 'application/x-www-form-urlencoded'

  it.each([FORM, `${FORM}; charset=UTF-8`, 'Application/X-WWW-Form-URLEncoded'])('is read as %s', async (type) => {
    const { count } = await get(EVENTS, { method: 'POST', headers: { 'Content-Type': type }, body: 'category=Climb' })
    expect(count).toBe(publicEvents.filter(({ category }) => category === 'Climb').length)
  })

  it('gives the same answer as in the address, with the same headers', async () => {
    const query = 'category=tropical+storm&page_size=1000&object_type__model=storm'
    const [posted, got] = [await send(EVENTS, post(query)), await send(`${EVENTS}?${query}`)]
    // No cache stores the answer to a POST.
    const headers = { ...headersOf(got), 'cache-control': 'private, no-store' }
    expect([posted.status, headersOf(posted), await posted.text()]).toEqual([got.status, headers, await got.text()])
  })

  it('may be empty', async () => {
    expect((await get(EVENTS, post(''))).count).toBe(publicEvents.length)
  })

  it('is combined with the query in the address', async () => {
    const both = await get(`${EVENTS}?event_series=83332016&format=api`, post('category=hurricane&page_size=3'))
    expect(unhinted([both.count, both.next])).toEqual([
      publicEvents.filter(({ series, category }) => series === 6 && category === 'hurricane').length,
      `${ORIGIN}${EVENTS}?event_series=83332016&format=api&page=2`,
    ])
    const twice = { status: 400, body: { category: ['Given more than once. Give it once.'] } }
    expect(await answer(`${EVENTS}?category=hurricane`, post('category=hurricane'))).toEqual(twice)
  })
})

describe('a value over a limit is a 400 that names the limit', () => {
  const ring = (positions: number) =>
    Array.from({ length: positions - 1 }, (_, i) => `${(i / 1000).toFixed(3)} ${i % 2}`)
  const line = (positions: number) => `geom_within=LINESTRING(${ring(positions).join(',')},0 9)`
  const nested = (depth: number) => `geom_within=${'GEOMETRYCOLLECTION('.repeat(depth)}POINT(1 1)${')'.repeat(depth)}`
  const LIMITS: [string, (size: number) => string, number, string][] = [
    ['page_size', (size) => `page_size=${size}`, MAX_PAGE_SIZE, String(MAX_PAGE_SIZE)],
    ['category__in', (size) => `category__in=${','.repeat(size - 1)}`, 1000, '1000'],
    ['object_id__in', (size) => `object_id__in=${'1,'.repeat(size - 1)}1`, 1000, '1000'],
    ['event_series', (size) => `event_series=${'aaaa,'.repeat(size - 1)}aaaa`, 1000, '1000'],
    ['event_series__name__in', (size) => `event_series__name__in=${','.repeat(size - 1)}`, 1000, '1000'],
    ['duration__in', (size) => `duration__in=${'9,'.repeat(size - 1)}9`, 1000, '1000'],
    ['attributes__a__in', (size) => `attributes__a__in=${'9,'.repeat(size - 1)}9`, 1000, '1000'],
    ['category__regex', (size) => `category__regex=${'a'.repeat(size)}`, 200, '200'],
    ['category', (size) => `category=${'a'.repeat(size)}`, 300_000, '300000'],
    ['geom_within', line, 100_000, '100000'],
    ['geom_within', nested, 32, '32'],
  ]

  it.each(LIMITS)('%s', async (name, query, most, named) => {
    expect((await send(EVENTS, post(query(most)))).status).toBe(200)
    const refused = await answer(EVENTS, post(query(most + 1)))
    expect(refused).toEqual({ status: 400, body: { [name]: [expect.stringContaining(named)] } })
  })
})

describe('the header Server-Timing', () => {
  const FIGURES = ['d1', 'rows_read', 'round_trips', 'cache']
  const STAGES = ['ask', 'read', 'write']

  it.each<[string, Parameters<typeof withKey>[0] | null, string[]]>([
    ['a request without a key', null, []],
    ['a key that reads Private', 'private', []],
    ['a key that reads Hidden', 'hidden', [...STAGES, ...FIGURES]],
  ])('for %s', async (_, key, names) => {
    const { headers } = await send(EVENTS, key === null ? {} : await withKey(key))
    const told = headers.get('Server-Timing')?.split(', ') ?? []
    expect(told.map((part) => part.split(';')[0])).toEqual(names)
  })
})
