import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Isolate, openDataCentre } from '../isolates.ts'
import { OVERLOAD } from '../platform/d1.ts'
import { bearer, headersOf, keptOf, load, type Options, post, publicSeries } from '../service.ts'
import { feature } from '../store/writer.ts'

const EVENTS = '/api/v3/events/'
const SUMMARY = `${EVENTS}summary/`
const AREA = `${EVENTS}?geom_within=POLYGON((-90+10,-50+10,-50+40,-90+40,-90+10))`
const SECOND = 1000 // milliseconds

beforeAll(() => load())

/** The clock of all isolates, in milliseconds since 1970. */
let now = 0
beforeEach(() => {
  now = Date.now() + 10 * SECOND
  vi.spyOn(Date, 'now').mockImplementation(() => now)
  vi.spyOn(console, 'error').mockReturnValue()
})
afterEach(() => vi.restoreAllMocks())

const overloaded = () => Promise.reject(new Error(OVERLOAD[0]))

/** Returns what a client sees of an answer. */
const seenOf = async (response: Response) => {
  const { headers } = response
  const own = ['ETag', 'Last-Modified', 'X-D1-Bookmark'].map((name) => headers.get(name))
  return [response.status, headersOf(response), own, await response.text()]
}

/** Writes an event with a key of the isolate. */
const store = async ({ ask }: Isolate, more: object = {}) => {
  const headers = { ...bearer('all'), 'Content-Type': 'application/json' }
  const body = JSON.stringify(feature({ category: 'tornado', ...more }))
  const response = await ask(EVENTS, { method: 'POST', headers, body })
  expect(response.status).toBe(201)
  return response.headers.get('X-D1-Bookmark') ?? ''
}

const tripsOf = async ({ ask, seen }: Isolate, path: string, options: Options = {}) => {
  seen.trips = 0
  const response = await ask(path, options)
  return { response, trips: seen.trips, kept: keptOf(response) }
}

const PATHS: readonly (readonly [string, Options])[] = [
  [EVENTS, {}],
  [`${EVENTS}?category=earthquake&format=csv`, {}],
  [EVENTS, post('category=hurricane')],
  [`${EVENTS}1/`, {}],
  [`/api/v4/eventseries/${publicSeries[0]?.uuid}/`, {}],
  [SUMMARY, {}],
  [AREA, {}],
  [EVENTS, { headers: { Accept: 'text/html' } }],
  ['/ogc/collections', {}],
  ['/ogc/collections/events/items?limit=3', {}],
  ['/ogc/collections/events/tiles/WebMercatorQuad/1/0/0', {}],
]

describe('a state that was read less than STATE_SECONDS ago is not read again', () => {
  it.each(PATHS)('%s %j', async (path, options) => {
    const isolate = openDataCentre().isolate()
    const first = await seenOf((await tripsOf(isolate, path, options)).response)
    now += SECOND - 1
    const again = await tripsOf(isolate, path, options)
    expect([again.trips, again.kept]).toEqual([0, 'isolate'])
    expect(await seenOf(again.response)).toEqual(first)
    now += 1
    expect((await tripsOf(isolate, path, options)).trips).toBe(1)
  })

  it.each([SUMMARY, AREA, '/ogc/collections/events/tiles/WebMercatorQuad/1/0/0'])(
    '%s in a new isolate, which reads the state first',
    async (path) => {
      const { isolate } = openDataCentre()
      const first = await seenOf(await isolate().ask(path))
      const { response, trips, kept } = await tripsOf(isolate(), path)
      expect([trips, kept]).toEqual([1, 'hit'])
      expect(await seenOf(response)).toEqual(first)
    },
  )

  it('a cheap answer is in the data centre after an isolate has computed it twice', async () => {
    const { isolate } = openDataCentre()
    const [one, other] = [isolate(), isolate()]
    for (const each of [one, other]) await each.ask(EVENTS)
    await store(one)
    const first = await seenOf(await one.ask(EVENTS))
    now += SECOND
    // The other isolate reads the new state.
    await other.ask(`${EVENTS}1/`)
    const { response, trips, kept } = await tripsOf(other, EVENTS)
    expect([trips, kept]).toEqual([0, 'hit'])
    expect((await seenOf(response)).at(-1)).toEqual(first.at(-1))
  })

  it.each<[string, Options, number]>([
    ['without a tag', {}, 0],
    ['with a key', { headers: bearer('common') }, 1],
    ['with a bookmark', { headers: { 'X-D1-Bookmark': '0-0' } }, 1],
    ['with no-cache', { headers: { 'Cache-Control': 'no-cache' } }, 1],
    ['with If-Match', { headers: { 'If-Match': '*' } }, 1],
    ['if STATE_SECONDS is 0', { vars: { STATE_SECONDS: '0' } }, 1],
    ['if STATE_SECONDS is no number', { vars: { STATE_SECONDS: 'x' } }, 1],
    ['if STATE_SECONDS is 2', { vars: { STATE_SECONDS: '2' } }, 0],
  ])('%s: %j', async (_, options, trips) => {
    const isolate = openDataCentre().isolate()
    await isolate.ask(EVENTS)
    expect((await tripsOf(isolate, EVENTS, options)).trips).toBe(trips)
  })

  it('and decides a 304 alone', async () => {
    const isolate = openDataCentre().isolate()
    const tag = (await isolate.ask(AREA)).headers.get('ETag') ?? ''
    for (const path of [AREA, EVENTS]) await isolate.ask(path)
    const statusOf = async (path: string, sent: string) => {
      const { response, trips } = await tripsOf(isolate, path, { headers: { 'If-None-Match': sent } })
      return [response.status, trips]
    }
    expect(await statusOf(AREA, tag)).toEqual([304, 0])
    expect(await statusOf(AREA, '"x"')).toEqual([200, 0])
    expect(await statusOf(EVENTS, tag)).toEqual([200, 0])
    expect(await statusOf(`${EVENTS}1/`, '*')).toEqual([304, 1])
    expect(await statusOf(`${EVENTS}0/`, '*')).toEqual([404, 1])
    now += SECOND
    expect(await statusOf(AREA, tag)).toEqual([304, 1])
  })

  it('and has no Last-Modified if it was read in the second of its write', async () => {
    await store(openDataCentre().isolate())
    const changed = await env.DB.prepare('SELECT changed FROM revision').first<number>('changed')
    const isolate = openDataCentre().isolate()
    now = Math.floor(Number(changed) / SECOND) * SECOND + SECOND - 1
    const hasModified: boolean[] = []
    for (const wait of [0, 1, SECOND - 2, 1]) {
      now += wait
      hasModified.push((await isolate.ask(EVENTS)).headers.has('Last-Modified'))
    }
    expect(hasModified).toEqual([false, false, false, true])
  })
})

describe('a new isolate takes few round trips for its first request, and for a similar one', () => {
  const TRIANGLE = 'geom_within=POLYGON((-90+10,-50+10,-60+40,-90+10))'
  it.each([
    [EVENTS, 1, 1],
    [`${EVENTS}?category=hurricane`, 1, 1],
    [`${EVENTS}?page=3`, 1, 1],
    [`${EVENTS}1/`, 1, 1],
    ['/api/v4/eventseries/', 1, 1],
    ['/ogc/collections/events/items', 1, 1],
    [`${EVENTS}?category=hurricane&timestamp_start__gte=2017-01-01`, 1, 1],
    [`${EVENTS}?${TRIANGLE}`, 2, 2],
    [SUMMARY, 1, 1],
    [`${SUMMARY}?${TRIANGLE}`, 2, 2],
  ])('%s: %i, %i', async (path, first, second) => {
    const isolate = openDataCentre().isolate()
    expect((await tripsOf(isolate, path)).trips).toBe(first)
    const size = path.startsWith('/ogc') ? 'limit=9' : 'page_size=9'
    expect((await tripsOf(isolate, `${path}${path.includes('?') ? '&' : '?'}${size}`)).trips).toBe(second)
  })
})

describe('a write', () => {
  const path = `${EVENTS}?category=tornado`
  const countOf = async ({ ask }: Isolate, options: Options = {}) =>
    ((await (await ask(path, options)).json()) as { count: number }).count

  it('is seen at once by its isolate and by callers with a key or bookmark, and after STATE_SECONDS by all', async () => {
    const { isolate } = openDataCentre()
    const [writer, reader] = [isolate(), isolate()]
    const before = await countOf(reader)
    expect(await countOf(writer)).toBe(before)
    const bookmark = await store(writer)
    expect(await countOf(writer)).toBe(before + 1)
    now += SECOND - 1
    const later = [
      await countOf(reader),
      await countOf(reader, { headers: { 'X-D1-Bookmark': bookmark } }),
      // The reader knows the new state now.
      await countOf(reader),
      await countOf(reader, { headers: bearer('common') }),
    ]
    expect(later).toEqual([before, before + 1, before + 1, before + 1])
    const idle = isolate()
    now += 1
    expect(await countOf(idle)).toBe(before + 1)
  })

  it('names its bookmark in the next read of its isolate', async () => {
    const { isolate } = openDataCentre()
    const writer = isolate()
    const bookmark = await store(writer)
    writer.seen.sessions = []
    for (let i = 0; i < 2; i++) await countOf(writer, { headers: { 'Cache-Control': 'no-cache' } })
    expect(writer.seen.sessions).toEqual([bookmark, 'first-unconstrained'])
  })

  it('keeps a state that a lagging copy has from hiding it', async () => {
    const { isolate } = openDataCentre()
    const lag: { rows: D1Result[] | null } = { rows: null }
    const writer = isolate(async (real, from) => (from === 'first-unconstrained' ? lag.rows : null) ?? real())
    await writer.ask(path)
    const old = isolate(async (real) => {
      lag.rows = await real()
      return lag.rows
    })
    const before = await countOf(old, { headers: { 'Cache-Control': 'no-cache' } })
    await store(writer)
    const noCache = { headers: { 'Cache-Control': 'no-cache' } }
    const counts = [await countOf(writer), await countOf(writer, noCache), await countOf(writer)]
    expect(counts).toEqual([before + 1, before, before + 1])
  })
})

describe('a database that fails', () => {
  const failing = () => {
    const weather = { fails: false }
    const isolate = openDataCentre().isolate((real) => (weather.fails ? overloaded() : real()))
    return { ...isolate, weather }
  }

  it('keeps cached answers for 60 seconds, with Age and a field of the log', async () => {
    const log = vi.spyOn(console, 'log').mockReturnValue()
    const isolate = failing()
    const fresh: unknown[] = []
    for (const path of [EVENTS, AREA, SUMMARY]) fresh.push(await (await isolate.ask(path)).text())
    isolate.weather.fails = true
    for (let age = 1; age < 60; age++) {
      now += SECOND
      for (const [i, path] of [EVENTS, AREA, SUMMARY].entries()) {
        log.mockClear()
        const response = await isolate.ask(path, { headers: { 'If-None-Match': '*' } })
        expect([response.status, response.headers.get('Age'), await response.text()]).toEqual([200, `${age}`, fresh[i]])
        expect(JSON.parse(log.mock.calls[0]?.[0])).toMatchObject({ cache: 'isolate', cache_hit: true, age })
      }
    }
    now += SECOND
    expect((await isolate.ask(EVENTS)).status).toBe(503)
    isolate.weather.fails = false
    const { status, headers } = await isolate.ask(EVENTS)
    expect([status, headers.get('Age')]).toEqual([200, null])
  })

  it.each<[string, string, Options]>([
    ['a caller with a key', EVENTS, { headers: bearer('common') }],
    ['a caller with a bookmark', EVENTS, { headers: { 'X-D1-Bookmark': '0-0' } }],
    ['a caller that sends no-cache', EVENTS, { headers: { 'Cache-Control': 'no-cache' } }],
    ['a caller that sends If-Match', EVENTS, { headers: { 'If-Match': '*' } }],
    ['any caller if STATE_SECONDS is 0', EVENTS, { vars: { STATE_SECONDS: '0' } }],
    ['another request', `${EVENTS}2/`, {}],
    ['a whole result', `${EVENTS}?page_size=all&format=csv`, {}],
  ])('is a 503 for %s', async (_, path, options) => {
    const isolate = failing()
    for (const sent of [{}, options]) await isolate.ask(EVENTS, sent)
    isolate.weather.fails = true
    now += SECOND
    const { status, headers } = await isolate.ask(path, options)
    expect([status, headers.get('Retry-After'), headers.has('Age')]).toEqual([503, '5', false])
  })
})
