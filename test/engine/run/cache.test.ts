import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { Region } from '../../../src/engine/candidates/region.ts'
import { makeCaches } from '../../../src/engine/run/cache.ts'
import { openDatabase } from '../../../src/engine/run/database.ts'
import { box } from '../../../src/geometry/box.ts'
import type { EventRecord } from '../../records.ts'
import { MAKE_LATER } from '../../revisions.ts'
import { load, type Options, ORIGIN, post, publicEvents, seedEvents, send, unhinted } from '../../service.ts'

const LIST = '/api/v3/events/'
const AREA = 'geom_within=POLYGON((-100 10,-20 10,-20 60,-100 60,-100 10))'

const log = vi.spyOn(console, 'log').mockReturnValue()

beforeAll(() => load())

/** Returns the answer, and two values of its log line. */
const ask = async (query: string, options: Options = {}) => {
  log.mockClear()
  const response = await send(LIST, { ...post(query), ...options })
  const { cache_hit: hit, rows_read: rows } = JSON.parse(log.mock.calls[0]?.[0])
  // biome-ignore lint/suspicious/noExplicitAny: the shapes are what the tests look at.
  const body: any = await response.json()
  return { body: unhinted(body), hit, rows }
}

const anew = (query: string) => {
  const { headers, ...form } = post(query)
  return { ...form, headers: { ...headers, 'Cache-Control': 'max-age=0, no-cache' } }
}

const QUERIES = [
  'timestamp_start__gte=2010-01-01&timestamp_start__lt=2015-01-01&category__startswith=t',
  'object_id__lt=2000&timestamp_end__gte=2000-01-01',
  'duration__gte=PT1H',
  AREA,
  `${AREA}&timestamp_start__gte=2010-01-01`,
  `${AREA}&ordering=-timestamp_start&page_size=3`,
]

describe('the count of a query is remembered', () => {
  it.each(QUERIES)('%.80s', async (query) => {
    const first = await ask(query)
    // The second request may notice that a scan in list order passes too many rows.
    const [second, third] = [await ask(query), await ask(query)]
    expect([second.body, third.body]).toEqual([first.body, first.body])
    const fresh = await ask(query, anew(query))
    expect(fresh.hit).toBe(false)
    expect(third.hit ? third.rows < fresh.rows : third.rows === fresh.rows).toBe(true)
  })

  it.each(['page=last', 'page=2', 'page_size=7', 'ordering=-timestamp_start', 'ordering=-id&page=last'])(
    'for %s',
    async (more) => {
      const query = 'timestamp_start__gte=2011-01-01&duration__gte=0&object_id__gte=0'
      await ask(query)
      const asked = `${query}&${more}`
      const known = await ask(asked)
      expect(known).toMatchObject({ hit: true, body: { count: expect.any(Number) } })
      expect(known.body).toEqual((await ask(asked, anew(asked))).body)
    },
  )

  it('separately for each level', async () => {
    const query = 'timestamp_start__gte=1900-01-01&duration__gte=0'
    const counts = []
    for (const ANONYMOUS_LEVEL of ['Hidden', 'Public', 'Private', 'Hidden', 'Public']) {
      const { body } = await ask(query, { ...post(query), vars: { ANONYMOUS_LEVEL } })
      counts.push(body.count)
    }
    const [hidden, open] = [seedEvents, publicEvents].map((events) => events.filter(matches).length)
    expect([counts[0], counts[1], counts[3], counts[4]]).toEqual([hidden, open, hidden, open])
  })
  const matches = ({ start }: EventRecord) => start >= Date.parse('1900-01-01')

  it('until a write', async () => {
    const query = 'duration__gte=PT1H&timestamp_end__gte=2000-01-01'
    const added = (await ask(query)).body.count
    expect((await ask(query)).hit).toBe(true)
    for (let i = 1; i <= 3; i++) {
      await load([{ ...longEvent, id: 900_000 + i }])
      expect((await ask(`${query}&page=last`)).body.count).toBe(added + i)
      expect((await ask(query)).body.count).toBe(added + i)
    }
  })
  const longEvent: EventRecord = {
    ...(seedEvents[0] as EventRecord),
    start: Date.parse('2020-01-01'),
    end: Date.parse('2020-01-02'),
  }

  it('until the database is rebuilt', async () => {
    const query = 'object_id__gte=1&duration__gte=0'
    const { body } = await ask(query)
    await env.DB.batch([
      env.DB.prepare('UPDATE event SET object_id = NULL WHERE id % 2 = 0'),
      env.DB.prepare(MAKE_LATER),
    ])
    const now = (await ask(query)).body.count
    expect(now).toBe((await ask(query, anew(query))).body.count)
    expect(now).toBeLessThan(body.count)
  })

  it('and the answer is the same byte for byte, except its hints', async () => {
    const address = `${ORIGIN}${LIST}?timestamp_start__lt=2000-01-01&duration__gte=0`
    const [first, again] = [await send(address), await send(address)]
    expect(unhinted(await again.json())).toEqual(unhinted(await first.json()))
    expect(again.headers.get('ETag')).toBe(first.headers.get('ETag'))
  })
})

describe('the cache of counts', () => {
  const state = { revision: 7, changed: 1000 }

  it('returns a count only for its key and state', () => {
    const { findings, see, latest } = makeCaches()(0)
    const { recall, remember } = findings
    expect([latest(), recall('a', state), recall('a', null)]).toEqual([null, null, null])
    see(state)
    expect(latest()).toEqual(state)
    remember('a', state, { count: 1, rowsPerMatch: 2 })
    expect(recall('a', state)).toMatchObject({ count: 1, rowsPerMatch: 2 })
    expect([recall('b', state), recall(null, state), recall('a', null)]).toEqual([null, null, null])
    const later = { ...state, revision: 8 }
    remember('a', later, { count: 3, rowsPerMatch: 0 })
    expect(recall('a', state)).toBe(null)
    expect(recall('a', later)).toMatchObject({ count: 3, rowsPerMatch: 0 })
    expect(recall('a', { ...later, changed: 1001 })).toBe(null)
  })

  it('drops the oldest of more than 1,024 entries', () => {
    const { recall, remember } = makeCaches()(0).findings
    for (let i = 0; i < 3000; i++) remember(`k${i}`, state, { count: i, rowsPerMatch: 0 })
    const known = Array.from({ length: 3000 }, (_, i) => recall(`k${i}`, state)?.count ?? -1).filter((i) => i >= 0)
    expect(known).toEqual(Array.from({ length: 1024 }, (_, i) => 1976 + i))
  })

  it('stores a count only with a key and a state', () => {
    const { recall, remember } = makeCaches()(0).findings
    remember(null, state, { count: 1, rowsPerMatch: 0 })
    remember('a', null, { count: 1, rowsPerMatch: 0 })
    expect([recall(null, state), recall('a', state), recall('a', null)]).toEqual([null, null, null])
  })

  it('drops the oldest regions beyond 20,000 cells', () => {
    const { regions, regionKey } = makeCaches()(0)
    const made = Array.from({ length: 30 }, (_, i) => ({ area: box([i, 0, i + 1, 1]) }) as unknown as Region)
    for (const region of made) regions.remember(regionKey(region.area), state, region, 4000)
    const known = made.filter(({ area }) => regions.recall(regionKey(area), state) !== null)
    expect(known).toEqual(made.slice(-5))
  })

  it('belongs to one database and one level', () => {
    const made = () => ({ withSession: (from: string) => env.DB.withSession(from) }) as unknown as D1Database
    const [one, other] = [made(), made()]
    const cacheOf = (level: number, db = one) => openDatabase(db, level).cache
    const finding = { count: 1, rowsPerMatch: 0 }
    cacheOf(0).findings.remember('a', state, finding)
    cacheOf(0).see(state)
    for (const wrong of [1, 2]) cacheOf(0).noteFirst(wrong === 0)
    const seen = [cacheOf(0), cacheOf(100), cacheOf(0, other)].map(({ findings, latest, mayAssume }) => [
      findings.recall('a', state),
      latest(),
      mayAssume(),
    ])
    expect(seen).toEqual([[finding, state, false], ...[1, 2].map(() => [null, null, true])])
  })

  it('shares its space between the levels', () => {
    const cacheOf = makeCaches()
    for (let i = 0; i < 2000; i++)
      cacheOf(100 * (i % 4)).findings.remember(`k${i}`, state, { count: i, rowsPerMatch: 0 })
    const known = Array.from({ length: 2000 }, (_, i) => cacheOf(100 * (i % 4)).findings.recall(`k${i}`, state))
    expect(known.filter((finding) => finding !== null)).toHaveLength(1024)
  })
})
