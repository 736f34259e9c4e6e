import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { MAX_PAGE_SIZE } from '../../src/lists/resource.ts'
import { fileDatabase } from '../database.ts'
import { databaseWith } from '../isolates.ts'
import {
  apiKeys,
  bearer,
  headersOf,
  keptOf,
  load,
  type Options,
  post,
  publicSeries,
  sendToEdge,
  unhinted,
  withKey,
} from '../service.ts'
import { feature, write } from '../store/writer.ts'

const EVENTS = '/api/v3/events/'
const SUMMARY = `${EVENTS}summary/`
const ITEMS = '/ogc/collections/events/items'
const MERCATOR = 'http://www.opengis.net/def/crs/EPSG/0/3857'
const BOX = 'POLYGON((-90+10,-50+10,-50+40,-90+40,-90+10))'
const CIRCLE = `POLYGON((${Array.from({ length: 51 }, (_, i) => `${-70 + 20 * Math.cos((i % 50) / 8)} ${25 + 15 * Math.sin((i % 50) / 8)}`)}))`

beforeAll(() => load())
afterEach(() => vi.restoreAllMocks())

const costOf = ({ headers }: Response) => {
  const of = (name: string) => Number(new RegExp(`${name};desc="(\\d+)"`).exec(headers.get('Server-Timing') ?? '')?.[1])
  return { rows: of('rows_read'), trips: of('round_trips') }
}

/** Sends a request that no cache may answer. */
const sendAnew = (path: string, options: Options = {}) => {
  const headers = new Headers(options.headers)
  headers.set('Cache-Control', 'no-cache')
  return sendToEdge(path, { ...options, headers })
}

/**
 * Returns the visible parts of an answer. An HTML page shows its headers, but it has Last-Modified only after a second.
 */
const seenOf = async (response: Response) => {
  const text = await response.text()
  return [response.status, headersOf(response), text.replace(/\["Last-Modified","[^"]*"\],/, '')]
}

const asForm = { 'Content-Type': 'application/x-www-form-urlencoded' }
const page = { headers: { Accept: 'text/html' } }

/** Expensive requests, with their options. */
const DEAR: readonly [string, Options?][] = [
  [`${EVENTS}?geom_within=${BOX}`],
  [`${EVENTS}?geom_within=${encodeURIComponent(CIRCLE)}&page=2&page_size=100`],
  [EVENTS, post(`geom_within=${encodeURIComponent(CIRCLE)}`)],
  [`${EVENTS}?page=2`, post(`geom_within=${BOX}&page_size=20`)],
  [`${EVENTS}?geom_within=${BOX}&format=geojson`],
  [`${EVENTS}?geom_within=${BOX}&format=csv`],
  [`${EVENTS}?geom_within=${BOX}&format=api`],
  [`${EVENTS}?geom_within=${BOX}`, page],
  [`${EVENTS}?geom_within=${BOX}`, { method: 'HEAD' }],
  [`${EVENTS}?category__icontains=E&ordering=timestamp_end&page=3`],
  [`${EVENTS}?category__iregex=^d&duration__gt=0`],
  [`${EVENTS}?page_size=1000`],
  [`${EVENTS}?page_size=1000&format=ndjson`],
  [`${SUMMARY}`],
  ['/ogc/collections/events/tiles/WebMercatorQuad/1/0/0?category__icontains=e'],
  [`${SUMMARY}?geom_within=${BOX}&level=9`],
  [SUMMARY, post(`geom_within=${BOX}`)],
  [`${SUMMARY}?category__icontains=e`, page],
  [`${ITEMS}?bbox=-90,10,-50,40`],
  [`${ITEMS}?bbox=-90,10,-50,40`, page],
  [`${ITEMS}?filter=category+LIKE+'%25quake%25'+&limit=1000`],
  [`/ogc/collections/events-${publicSeries[0]?.uuid}/items?limit=1000`],
]
const titled = DEAR.map(([path, options = {}]) => {
  const { method = 'GET', headers = {}, body = '' } = options
  const sent = Object.values({ ...headers }).filter((value) => value !== asForm['Content-Type'])
  return [
    `${method} ${path.replace(encodeURIComponent(CIRCLE), 'a circle')} ${sent} ${String(body).slice(0, 20)}`,
    path,
    options,
  ] as const
})

describe('an expensive answer is stored in the cache of the data centre for every isolate', () => {
  it.each(titled)('%s', async (_, path, options) => {
    const fresh = await seenOf(await sendAnew(path, options))
    const first = await sendToEdge(path, options)
    const again = await sendToEdge(path, options)
    // The columns of a series' collection are read before the parameters.
    const columns = path.includes('/events-') ? { rows: 2, trips: 1 } : { rows: 0, trips: 0 }
    const cost = { rows: 1 + columns.rows, trips: 1 + columns.trips }
    expect([keptOf(again), costOf(again)]).toEqual(['hit', cost])
    expect(fresh[0]).toBe(200)
    expect(await seenOf(first)).toEqual(fresh)
    expect(await seenOf(again)).toEqual(fresh)
  })

  it.each([
    [`${EVENTS}?page_size=20&category__icontains=storm`, `${EVENTS}?category__icontains=storm&page_size=20`],
    [`${ITEMS}?bbox=-80,10,-50,40&limit=20`, `${ITEMS}/?limit=20&bbox=-80,10,-50,40`],
  ])('%s and %s share an entry', async (path, same) => {
    const first = await sendToEdge(path)
    const again = await sendToEdge(same)
    expect([keptOf(again), await again.text()]).toEqual(['hit', await first.text()])
  })
})

describe('a condition that the counts can answer is cached if its last answer was expensive', () => {
  it.each([
    `${EVENTS}?object_id__gt=5&page_size=1`,
    `${EVENTS}?duration__gte=3600`,
    `${EVENTS}?last_modified__gte=2019-01-01`,
    `${EVENTS}?timestamp_end__gte=2019-01-01`,
    `${EVENTS}?timestamp_end__gte=2019-01-01&format=csv`,
    `${ITEMS}?filter=object_id>5`,
  ])('%s', async (path) => {
    const vars = { DB: fileDatabase() }
    const [first, again] = [await sendToEdge(path, { vars }), await sendToEdge(path, { vars })]
    expect(costOf(first).rows).toBeGreaterThan(500)
    expect([keptOf(first), keptOf(again), costOf(again)]).toEqual(['none', 'hit', { rows: 1, trips: 1 }])
    expect(await seenOf(again)).toEqual(await seenOf(first))
  })
})

describe('an answer as cheap as a cache look-up is not cached', () => {
  // A cheap request is expensive if it must also read the statistics.
  beforeAll(() => sendToEdge(`${EVENTS}?timestamp_end__gte=2017-01-01`, { vars: { DB: fileDatabase() } }))

  it.each([
    EVENTS,
    `${EVENTS}?page=40&ordering=-timestamp_start`,
    `${EVENTS}?category=earthquake`,
    `${EVENTS}?event_series=${publicSeries[0]?.uuid}`,
    `${EVENTS}?timestamp_start__gte=2017-01-01`,
    `${EVENTS}1/`,
    '/api/v4/eventseries/',
    ITEMS,
    '/ogc/collections',
  ])('%s', async (path) => {
    // Both requests run in one isolate, so only the first reads the statistics.
    const vars = { DB: fileDatabase() }
    const [first, again] = [await sendToEdge(path, { vars }), await sendToEdge(path, { vars })]
    for (const response of [first, again]) expect([response.status, keptOf(response)]).toEqual([200, 'none'])
    expect(costOf(again).rows).toBeLessThanOrEqual(500)
    expect(costOf(again).trips).toBeLessThanOrEqual(2)
  })
})

describe('nothing is stored', () => {
  const path = `${EVENTS}?category__icontains=E&page_size=30`
  const UNVERSIONED = { CF_VERSION_METADATA: undefined as never }

  it.each<[string, string, Options, number, string]>([
    ['for a whole result', `${path}&page_size=all&format=csv`.replace('&page_size=30', ''), {}, 200, 'none'],
    ['for a client that sends no-cache', path, { headers: { 'Cache-Control': 'no-cache' } }, 200, 'none'],
    ['if the version of the Worker is unknown', path, { vars: UNVERSIONED }, 200, 'none'],
    ['for a page beyond the last', `${EVENTS}?geom_within=${BOX}&page=9999`, {}, 404, 'miss'],
    ['for an answer over 1 MB', `${EVENTS}?page_size=${MAX_PAGE_SIZE}`, {}, 200, 'miss'],
  ])('%s', async (_, asked, options, status, kept) => {
    for (const response of [await sendToEdge(asked, options), await sendToEdge(asked, options)])
      expect([response.status, keptOf(response)]).toEqual([status, kept])
  })

  it('if the data changes between all reads', async () => {
    const DB = databaseWith(async (real) => {
      const answers = await real()
      expect(await write('POST', EVENTS, feature())).toMatchObject({ status: 201 })
      return answers
    })
    const open = vi.spyOn(caches, 'open')
    const asked = `${SUMMARY}?geom_within=${BOX}&facets=category`
    expect(keptOf(await sendToEdge(asked, { vars: { DB } }))).toBe('miss')
    expect(open).toHaveBeenCalledTimes(1)
  })

  it('if the cache does not respond', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    vi.spyOn(caches, 'open').mockRejectedValue(new Error('down'))
    for (const response of [await sendToEdge(path), await sendToEdge(path)])
      expect([response.status, keptOf(response)]).toEqual([200, 'miss'])
  })
})

describe('a write is visible immediately', () => {
  const place = { geometry: { type: 'Point', coordinates: [11, 11] } }
  const within = 'POLYGON((10+10,12+10,12+12,10+12,10+10))'

  it.each([`${EVENTS}?geom_within=${within}&page_size=400`, `${SUMMARY}?geom_within=${within}`])('%s', async (path) => {
    const countOf = async () => {
      const response = await sendToEdge(path)
      return [keptOf(response), ((await response.json()) as { count: number }).count]
    }
    await countOf()
    const [, before] = await countOf()
    expect(await write('POST', EVENTS, feature({}, place))).toMatchObject({ status: 201 })
    expect(await countOf()).toEqual(['miss', Number(before) + 1])
  })
})

describe('a cached answer is sent only for the same request', () => {
  const path = `${EVENTS}?geom_within=${BOX}`
  const others: [string, string, Options][] = [
    ['anyone', path, {}],
    ['another host', `http://other.test${path}`, {}],
    ['another BASE_URL', path, { vars: { BASE_URL: 'https://api.test/base' } }],
    ['another version of the Worker', path, { vars: { CF_VERSION_METADATA: { id: 'other' } } }],
    ['another TITLE', path, { vars: { TITLE: 'Storms' } }],
    ['another DESCRIPTION', path, { vars: { DESCRIPTION: 'What blew.' } }],
    ['another FRAME_ANCESTORS', path, { vars: { FRAME_ANCESTORS: 'https://news.test' } }],
    ['another MAP_STYLE', path, { vars: { MAP_STYLE: 'https://maps.test/style.json' } }],
    ['another CACHE_SECONDS', path, { vars: { CACHE_SECONDS: '60' } }],
    ['ANONYMOUS_LEVEL Common', path, { vars: { ANONYMOUS_LEVEL: 'Common' } }],
    ['ANONYMOUS_LEVEL Private', path, { vars: { ANONYMOUS_LEVEL: 'Private' } }],
    ['ANONYMOUS_LEVEL Hidden', path, { vars: { ANONYMOUS_LEVEL: 'Hidden' } }],
    ['an HTML page', path, page],
    ['format=json', `${path}&format=json`, {}],
    ['format=api', `${path}&format=api`, {}],
    ['format=geojson', `${path}&format=geojson`, {}],
    ['Accept: text/csv', path, { headers: { Accept: 'text/csv' } }],
    ['the next page', `${path}&page=2`, {}],
    ['a longer page', `${path}&page_size=11`, {}],
    ['another ordering', `${path}&ordering=-id`, {}],
    ['another area', path.replaceAll('-90', '-91'), {}],
    ['posted', EVENTS, post(`geom_within=${BOX}`)],
    ['posted, with a page in the address', `${EVENTS}?page=2`, post(`geom_within=${BOX}`)],
    ['posted, with a page in the address and in the body', `${EVENTS}?page=2`, post(`geom_within=${BOX}&page=3`)],
    ['posted, with a page in the body', EVENTS, post(`geom_within=${BOX}&page=2`)],
    ['posted, with parameters in the address', `${EVENTS}?page_size=10`, post(`geom_within=${BOX}`)],
    ['the summary', `${SUMMARY}?geom_within=${BOX}`, {}],
    ['the summary in finer cells', `${SUMMARY}?geom_within=${BOX}&level=9`, {}],
    ['a collection', `${ITEMS}?geom_within=${BOX}`, {}],
    ['a collection in other coordinates', `${ITEMS}?geom_within=${BOX}&crs=${MERCATOR}`, {}],
    ['the number of items of a collection', `${ITEMS}?geom_within=${BOX}&resultType=hits`, {}],
    ['the collection of one series', `/ogc/collections/events-${publicSeries[0]?.uuid}/items?geom_within=${BOX}`, {}],
  ]

  beforeAll(async () => {
    for (const [, asked, options] of others) await sendToEdge(asked, options)
    const keys = await apiKeys()
    for (const key of ['common', 'private', 'hidden'])
      await sendToEdge(path, { headers: bearer(key), vars: { API_KEYS: keys } })
  })

  it.each(others)('%s', async (_, asked, options) => {
    const kept = await sendToEdge(asked, options)
    expect(keptOf(kept)).toBe('hit')
    expect(await seenOf(kept)).toEqual(await seenOf(await sendAnew(asked, options)))
  })

  it('a new key of another caller keeps the entry', async () => {
    const [API_KEYS, other] = [await apiKeys(), JSON.stringify({ ['0'.repeat(64)]: {} })]
    const one = await sendToEdge(path, { vars: { API_KEYS } })
    const two = await sendToEdge(path, { vars: { API_KEYS: other } })
    expect([keptOf(one), keptOf(two)]).toEqual(['hit', 'hit'])
    expect(one.headers.get('ETag')).toBe(two.headers.get('ETag'))
  })

  it.each(['common', 'private', 'hidden'] as const)('a caller with the key %s', async (key) => {
    const { headers = {}, vars = {} } = await withKey(key)
    const kept = await sendToEdge(path, { headers, vars })
    expect([keptOf(kept), kept.headers.get('Cache-Control')]).toEqual(['hit', 'private, no-store'])
    // The seal of a hint depends on the keys, and the answer is cached under others.
    const fresh = await seenOf(await sendAnew(path, { headers, vars }))
    expect(unhinted(await seenOf(kept))).toEqual(unhinted(fresh))
  })

  it('an unknown key is a 401', async () => {
    const response = await sendToEdge(path, { headers: bearer('wrong'), vars: { API_KEYS: await apiKeys() } })
    expect([response.status, keptOf(response)]).toEqual([401, undefined])
  })

  it('a caller over the rate limit gets a 429', async () => {
    const RATE_LIMITER = { limit: async () => ({ success: false }) } as unknown as RateLimit
    const headers = { 'CF-Connecting-IP': '198.51.100.7' }
    expect((await sendToEdge(path, { headers, vars: { RATE_LIMITER } })).status).toBe(429)
  })
})

describe('an answer from the cache', () => {
  const path = `${EVENTS}?geom_within=${BOX}`

  it('has the id of the new request', async () => {
    await sendToEdge(path)
    const { headers } = await sendToEdge(path, { headers: { 'X-Request-Id': '0b5a7c1e-63d4-4f0a-9c2f-1f6a4d3e2b10' } })
    expect(headers.get('X-Request-Id')).toBe('0b5a7c1e-63d4-4f0a-9c2f-1f6a4d3e2b10')
  })

  it('respects the preconditions of the new request', async () => {
    const tag = (await sendToEdge(path)).headers.get('ETag') ?? ''
    const statusOf = async (headers: Record<string, string>) => (await sendToEdge(path, { headers })).status
    expect(await statusOf({ 'If-None-Match': tag })).toBe(304)
    expect(await statusOf({ 'If-None-Match': 'W/"1-0123456789abcdef"' })).toBe(200)
    expect(await statusOf({ 'If-Match': tag })).toBe(200)
    expect(await statusOf({ 'If-Match': '"x"' })).toBe(412)
  })

  it('has a Cache-Control for the new request', async () => {
    const controlOf = async (headers: Record<string, string>) =>
      (await sendToEdge(path, { headers })).headers.get('Cache-Control')
    expect(await controlOf({})).toBe('private, no-cache')
    expect(await controlOf({ 'X-D1-Bookmark': '0-0' })).toBe('private, no-store')
  })
})
