import { beforeAll, describe, expect, it } from 'vitest'
import { ACCESS_LEVELS } from '../../src/access.ts'
import { refusePassed } from '../../src/request/pin.ts'
import { parseState, type State } from '../../src/state.ts'
import { openDataCentre } from '../isolates.ts'
import { answer, bearer, KEYS, load, type Options, post, publicSeries, seedSeries, send, withKey } from '../service.ts'
import { feature, write } from '../store/writer.ts'

const EVENTS = '/api/v3/events/'
const SUMMARY = `${EVENTS}summary/`
const TILES = '/ogc/collections/events/tiles'
const TILE = `${TILES}/WebMercatorQuad/1/0/0`
const OF_SERIES = `/ogc/collections/events-${publicSeries[0]?.uuid}/tiles/WorldCRS84Quad/0/0/0`
const KEPT = 'private, max-age=31536000, immutable'
const PASSED = 'The data has changed. Request this address without state.'
const MALFORMED = 'Enter the first two parts of an ETag, such as 12-mb2k0x9f, or leave state out.'
const VARY = 'Accept, Authorization, X-D1-Bookmark'

const hiddenSeries = seedSeries.find(({ access_modifier }) => access_modifier === ACCESS_LEVELS.Hidden)?.id

/** Stores an event. Series 1 is public. */
const change = async (event_series: number | undefined = 1) =>
  expect((await write('POST', EVENTS, feature({ event_series }), {}, 'all')).status).toBe(201)

beforeAll(async () => {
  await load()
  await change()
})

/** Returns the state in an entity tag, as the page reads it. */
const stateIn = ({ headers }: Response): string => /^W\/"(.*)-[^-]*"$/.exec(headers.get('ETag') ?? '')?.[1] ?? ''

const current = async (options: Options = {}): Promise<string> => stateIn(await send(EVENTS, options))

/** Adds a state to an address. */
const at = (path: string, state: string) => `${path}${path.includes('?') ? '&' : '?'}state=${state}`

/** Returns the status, Cache-Control and body of an answer. */
const seen = async (path: string, options: Options = {}) => {
  const response = await send(path, options)
  const bytes = [...new Uint8Array(await response.arrayBuffer())]
  return { status: response.status, cache: response.headers.get('Cache-Control'), bytes, headers: response.headers }
}

/** Returns another state: its revision or its time differs. */
const states = (state: string) => {
  const [revision = '', changed = ''] = state.split('-')
  const { changed: time } = parseState(state) as State // it comes from the service
  return {
    earlier: `${Number(revision) - 1}-${changed}`,
    later: `${Number(revision) + 1}-${changed}`,
    'of a restored database': `${revision}-${(time - 1).toString(36)}`,
    'without a time': '0-0',
    'of other code': `${state}-12345678`,
  }
}

describe.each([SUMMARY, `${SUMMARY}?category__icontains=e&facets=category`, TILE, `${TILE}?category=flood`, OF_SERIES])(
  '%s with the state',
  (path) => {
    it('has the answer without it, for a year', async () => {
      const [plain, pinned] = [await seen(path), await seen(at(path, await current()))]
      expect([pinned.status, pinned.cache, pinned.bytes]).toEqual([200, KEPT, plain.bytes])
      expect(plain.cache).toBe('private, no-cache')
      expect(pinned.headers.get('ETag')).toBe(plain.headers.get('ETag'))
      expect(
        [plain.headers.get('Vary'), pinned.headers.get('Vary')].map((text) => text?.split(', Accept-E')[0]),
      ).toEqual(['Accept', VARY])
    })

    it.each(Object.keys(states('1-1')))('is a 409 for a state %s', async (which) => {
      const state = new Map(Object.entries(states(await current()))).get(which) ?? ''
      const { status, cache, bytes } = await seen(at(path, state))
      const { detail } = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes)))
      expect([status, cache, detail]).toEqual([409, 'no-store', PASSED])
    })

    it.each(['12', 'x', '-', '01-k', '12-k-', '12-K', '12-k-1', '12-k-0123456789abcdef', '1-1,2-2', '%FF'])(
      'is a 400 for state=%s',
      async (state) => {
        const { status, body } = await answer(at(path, state))
        expect([status, body]).toMatchObject([400, path.startsWith('/ogc') ? { errors: {} } : {}])
        expect(JSON.stringify(body)).toContain(state === '%FF' ? 'state' : MALFORMED)
      },
    )

    it('is a 409 after a write, and then is pinned to the new state', async () => {
      const before = await current()
      expect((await seen(at(path, before))).status).toBe(200)
      await change()
      expect((await seen(at(path, before))).status).toBe(409)
      expect((await seen(at(path, await current()))).cache).toBe(KEPT)
    })

    it('answers HEAD and If-None-Match like GET', async () => {
      const pinned = at(path, await current())
      const { headers } = await seen(pinned)
      const tag = headers.get('ETag') ?? ''
      const head = await seen(pinned, { method: 'HEAD' })
      expect([head.status, head.cache, head.bytes.length]).toEqual([200, KEPT, 0])
      const held = await seen(pinned, { headers: { 'If-None-Match': tag } })
      expect([held.status, held.cache]).toEqual([304, KEPT])
      await change()
      for (const options of [{ method: 'HEAD' }, { headers: { 'If-None-Match': tag } }])
        expect((await seen(pinned, options)).status).toBe(409)
      expect((await seen(pinned, { headers: { 'If-Match': tag } })).status).toBe(409)
    })

    it.each(Object.keys(KEYS) as (keyof typeof KEYS)[])('is never stored for the key %s', async (key) => {
      const options = await withKey(key)
      const pinned = await seen(at(path, await current(options)), options)
      expect([pinned.status, pinned.cache]).toEqual([200, 'private, no-store'])
      expect((await seen(at(path, '1-1'), options)).status).toBe(409)
    })
  },
)

const BASE_URL = 'http://localhost:8787'

it.each<[string, Options, string]>([
  ['a posted form', post('category=flood'), 'private, no-store'],
  ['a bookmark', { headers: { 'X-D1-Bookmark': '0-0' } }, 'private, no-store'],
  ['a page for a browser', { headers: { Accept: 'text/html' } }, 'private, no-cache'],
  [
    'a page that a shared cache may store',
    { headers: { Accept: 'text/html' }, vars: { BASE_URL, CACHE_SECONDS: '9' } },
    'public, max-age=9, must-revalidate',
  ],
  ['no-cache', { headers: { 'Cache-Control': 'no-cache' } }, KEPT],
  ['CACHE_SECONDS', { vars: { CACHE_SECONDS: '9' } }, KEPT],
  ['BASE_URL', { vars: { BASE_URL } }, KEPT],
  ['both', { vars: { BASE_URL, CACHE_SECONDS: '9' } }, KEPT.replace('private', 'public')],
  ['both, for a level that is not shared', { vars: { BASE_URL, CACHE_SECONDS: '9', ANONYMOUS_LEVEL: 'Hidden' } }, KEPT],
])('a summary with its state and %s', async (_, options, cache) => {
  const { status, cache: told } = await seen(
    at(SUMMARY, await current({ ...(options.vars && { vars: options.vars }) })),
    options,
  )
  expect([status, told]).toEqual([200, cache])
  expect(await seen(at(SUMMARY, '1-1'), options)).toMatchObject({ status: 409, cache: 'no-store' })
})

it.each([SUMMARY, TILE])('%s with a time relative to now is not kept, because now is later', async (path) => {
  const relative = `${path}?timestamp_start__gte=now-9999d`
  expect(await seen(at(relative, await current()))).toMatchObject({ status: 200, cache: 'private, no-cache' })
  expect(await seen(at(relative, '1-1'))).toMatchObject({ status: 409, cache: 'no-store' })
})

it.each([SUMMARY, TILE])('%s in the state of a level does not depend on writes to hidden series', async (path) => {
  const hidden = await withKey('hidden')
  const [mine, theirs] = [await current(), await current(hidden)]
  await change(hiddenSeries)
  expect(await seen(at(path, mine))).toMatchObject({ status: 200, cache: KEPT })
  expect(await seen(at(path, theirs), hidden)).toMatchObject({ status: 409, cache: 'no-store' })
})

it('a posted form may have the state, once', async () => {
  const state = await current()
  expect((await seen(SUMMARY, post(`state=${state}`))).status).toBe(200)
  expect((await seen(SUMMARY, post('state=1-1'))).status).toBe(409)
  expect((await seen(at(SUMMARY, state), post(`state=${state}`))).status).toBe(400)
})

it.each([
  EVENTS,
  `${EVENTS}1/`,
  '/api/v4/eventseries/',
  '/api/v3/',
  '/ogc/collections/events/items',
  '/ogc/collections/events',
  TILES,
  `${TILES}/WebMercatorQuad/tilejson.json`,
  `${TILES}/WebMercatorQuad/style.json`,
])('%s has no parameter state', async (path) => {
  expect((await answer(at(path, await current()))).status).toBe(400)
})

it('an empty state counts as none', async () => {
  expect(await seen(at(SUMMARY, ''))).toMatchObject({ status: 200, cache: 'private, no-cache' })
})

it('an unknown collection is a 404 in the state, and any other state is a 409', async () => {
  const path = OF_SERIES.replace(/events-[^/]*/, `events-${crypto.randomUUID()}`)
  expect((await seen(at(path, await current()))).status).toBe(404)
  expect((await seen(at(path, '1-1'))).status).toBe(409)
})

describe('an isolate that keeps its state', () => {
  it('answers from its memory for exactly that state, and asks the database about another', async () => {
    const isolate = openDataCentre().isolate()
    const state = stateIn(await isolate.ask(EVENTS))
    const trips = async (path: string) => {
      isolate.seen.trips = 0
      const { status, headers } = await isolate.ask(path)
      return [status, headers.get('Cache-Control'), isolate.seen.trips]
    }
    for (const path of [SUMMARY, TILE]) {
      await isolate.ask(path)
      expect(await trips(at(path, state))).toEqual([200, KEPT, 0])
      expect(await trips(at(path, '1-1'))).toEqual([409, 'no-store', 1])
    }
    // Another isolate writes, so this one learns the new state from the address.
    await change()
    const now = await current()
    expect((await trips(at(SUMMARY, now))).slice(0, 2)).toEqual([200, KEPT])
    expect((await trips(at(SUMMARY, state)))[0]).toBe(409)
  })

  it.each([1, 2, 3, 4])('never has new data after a write before round trip %d', async (before) => {
    let trips = 0
    const isolate = openDataCentre().isolate(async (real) => {
      trips += 1
      if (trips === before) await change()
      return real()
    })
    const path = `${SUMMARY}?geom_within=POLYGON((-90+10,-50+10,-50+40,-80+45,-90+10))&category__icontains=e`
    const state = await current()
    const right = await (await send(path)).json()
    const { status, body } = await isolate
      .ask(at(path, state), { headers: { 'Cache-Control': 'no-cache' } })
      .then(async (response) => ({ status: response.status, body: await response.json() }))
    expect(status === 200 ? body : status).toEqual(trips >= before ? 409 : right)
  })

  it('a copy that lags behind the state is a 409', async () => {
    const isolate = openDataCentre().isolate()
    const { revision, changed } = parseState(await current()) as State // it comes from the service
    const { status } = await isolate.ask(at(TILE, `${revision + 1}-${(changed + 5).toString(36)}`), {
      headers: bearer('common'),
    })
    expect(status).toBe(409)
  })
})

it.each<[State, State | null, boolean]>([
  [{ revision: 1, changed: 1 }, { revision: 1, changed: 1 }, true],
  [{ revision: 1, changed: 1 }, { revision: 1, changed: 2 }, false],
  [{ revision: 1, changed: 1 }, { revision: 2, changed: 1 }, false],
  [{ revision: 1, changed: 1 }, null, false],
  [{ revision: 0, changed: 0 }, { revision: 0, changed: 0 }, false],
])('the pin %j fits the state %j: %s', (pin, state, fits) => {
  const refuse = () => refusePassed(pin, state)
  if (fits) refuse()
  else expect(refuse).toThrow(PASSED)
})
