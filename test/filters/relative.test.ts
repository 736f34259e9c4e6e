import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { resolveTimes } from '../../src/http/read.ts'
import type { EventRecord } from '../records.ts'
import { get, KEPT, load, post, send, sendToEdge, walk, withKey } from '../service.ts'
import { eventOf, observationType, seriesOf } from './records.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND
const DAY = 24 * HOUR
/** 2126-11-23T12:00:00.789Z, after every change of the tests. Its whole second is WHOLE. */
const NOW = Date.UTC(2126, 10, 23, 12, 0, 0, 789)
const WHOLE = NOW - 789

let now = NOW
beforeEach(() => {
  now = NOW
  vi.spyOn(Date, 'now').mockImplementation(() => now)
})
afterEach(() => vi.restoreAllMocks())

const LEVELS = [0, 100, 200, 300]
const OWNERS = LEVELS.map((access_modifier, i) =>
  seriesOf(i + 1, { access_modifier, created: (WHOLE - i * DAY) * 1000 }),
)
/** Events at each limit of the tests, a millisecond before and after it, in each series. */
const OFFSETS = [-14 * DAY, -7 * DAY, -DAY, -HOUR, 0, HOUR, DAY, 7 * DAY].flatMap((at) => [at - 1, at, at + 1])
const EVENTS = OWNERS.flatMap(({ id: series }, s) =>
  OFFSETS.map((offset, i): EventRecord => {
    const start = WHOLE + offset
    const [category, length] = [['flood', 'storm'][i % 2] ?? '', (i % 3) * DAY]
    const coordinates = [i, s, 0] as const
    return eventOf(s * 100 + i + 1, { series, start, end: start + length, category, coordinates })
  }),
)

beforeAll(() => load([observationType, ...OWNERS, ...EVENTS]))

describe('a time relative to now becomes an instant in whole seconds', () => {
  it.each([
    ['now', '2126-11-23T12:00:00Z'],
    [' now ', '2126-11-23T12:00:00Z'],
    ['now-1h', '2126-11-23T11:00:00Z'],
    ['now+1h', '2126-11-23T13:00:00Z'],
    ['now 1h', '2126-11-23T13:00:00Z'],
    ['now-7d', '2126-11-16T12:00:00Z'],
    ['now-007d', '2126-11-16T12:00:00Z'],
    ['now-2w', '2126-11-09T12:00:00Z'],
    ['now-0h', '2126-11-23T12:00:00Z'],
    ['now-99999w', '0210-05-19T12:00:00Z'],
    ['now+99999w', '4043-05-30T12:00:00Z'],
    ['now-7d,now', '2126-11-16T12:00:00Z,2126-11-23T12:00:00Z'],
    ['now-7d/..', '2126-11-16T12:00:00Z/..'],
    ['../now', '../2126-11-23T12:00:00Z'],
    ['2018-02-05/now+1d', '2018-02-05/2126-11-24T12:00:00Z'],
    ['now/..\n../now', '2126-11-23T12:00:00Z/..\n../2126-11-23T12:00:00Z'],
  ])('%j is %j', (text, instants) => {
    expect(resolveTimes(text, NOW)).toBe(instants)
  })

  it.each(['', '2018-02-05', 'now-7', 'now-7m', 'now-100000d', 'now--7d', 'NOW', 'nowhere', 'now-1.5h', 'now -1h'])(
    '%j stays',
    (text) => {
      expect(resolveTimes(text, NOW)).toBe(text)
    },
  )
})

describe('the addresses in an answer carry the instant', () => {
  const query = 'timestamp_start__gte=now-7d&datetime=now-7d/now'
  const instants = 'datetime=2126-11-16T12%3A00%3A00Z%2F2126-11-23T12%3A00%3A00Z'

  it('next and previous, while time passes', async () => {
    const expected = EVENTS.filter(({ series, start }) => series === 1 && start >= WHOLE - 7 * DAY && start <= WHOLE)
    const first = await get(`/api/v3/events/?${query}&page_size=3`)
    expect(first.next).toContain(instants)
    expect(first.next).toContain('timestamp_start__gte=2126-11-16T12%3A00%3A00Z')
    now += DAY
    const pages = [first, ...(await walk(first.next))]
    expect(pages.flatMap(({ results }) => results.map(({ id }: { id: number }) => id))).toEqual(
      expected.map(({ id }) => id),
    )
    expect(new Set(pages.map(({ count }) => count))).toEqual(new Set([expected.length]))
    expect(pages.at(-1).previous).toContain(instants)
  })

  it('next of a posted query, if the client posts the same body there', async () => {
    const seen: number[] = []
    for (let address = '/api/v3/events/'; address !== null; now += HOUR) {
      const body = await get(address, post(`${query.replace('now-7d/now', 'now-7d/..')}&page_size=2`))
      seen.push(...body.results.map(({ id }: { id: number }) => id))
      address = body.next
    }
    const expected = EVENTS.filter(({ series, start }) => series === 1 && start >= WHOLE - 7 * DAY)
    expect(seen).toEqual(expected.map(({ id }) => id))
  })

  it('a body with a relative and a fixed end keeps the order of both', async () => {
    const body = post('timestamp_start__range=2126-11-20&timestamp_start__range=now&page_size=1')
    const first = await get('/api/v3/events/', body)
    const second = await get(first.next, body)
    expect(first.next).toContain('timestamp_start__range=2126-11-20&timestamp_start__range=2126-11-23T12%3A00%3A00Z')
    expect([second.count, second.previous]).toEqual([first.count, expect.stringContaining('2126-11-20')])
  })

  it.each([
    [`/api/v3/events/?${query}&format=geojson&page_size=3`, instants],
    ['/ogc/collections/events/items?datetime=now-7d/now&limit=2', instants],
    ['/ogc/collections/events/tiles/WebMercatorQuad/tilejson.json?datetime=now-7d/now', instants],
  ])('links of %s', async (path, expected) => {
    const text = await (await send(path)).text()
    expect(text).toContain(expected)
    expect(text).not.toContain('now-7d')
  })
})

describe('an answer is current only for its instant', () => {
  const PATHS = [
    '/api/v3/events/?timestamp_start__gte=now-1h',
    '/api/v3/events/summary/?timestamp_start__gte=now-1h',
    '/ogc/collections/events/items?datetime=now-1h/..',
  ]

  it.each(PATHS)('%s', async (path) => {
    const vars = { ...KEPT, STATE_SECONDS: '60' }
    const first = await send(path, { vars })
    const tag = first.headers.get('ETag') ?? ''
    expect(first.headers.get('Last-Modified')).toBe(null)
    const again = (headers: Record<string, string>) => send(path, { vars, headers })
    now += 200 // the same second
    expect((await again({ 'If-None-Match': tag })).status).toBe(304)
    now += HOUR
    const later = await again({ 'If-None-Match': tag })
    expect(later.status).toBe(200)
    const since = (await send('/api/v3/events/')).headers.get('Last-Modified') ?? ''
    expect(since).not.toBe('')
    expect((await again({ 'If-Modified-Since': since })).status).toBe(200)
    expect(await later.text()).not.toBe(await first.text())
  })

  it.each([
    ['timestamp_start__gte=now-1h', '600', 'private, max-age=60, must-revalidate'],
    ['datetime=now-1h/..', '600', 'private, max-age=60, must-revalidate'],
    ['timestamp_start__gte=now-1h', '10', 'private, max-age=10, must-revalidate'],
    ['timestamp_start__gte=now-1h', '0', 'private, no-cache'],
    ['timestamp_start__gte=2126-11-23', '600', 'private, max-age=600, must-revalidate'],
    ['category=now', '600', 'private, max-age=600, must-revalidate'],
  ])('%s with CACHE_SECONDS=%s is %s', async (query, CACHE_SECONDS, expected) => {
    const { headers } = await send(`/api/v3/events/?${query}`, { vars: { CACHE_SECONDS } })
    expect(headers.get('Cache-Control')).toBe(expected)
  })

  it('the cache of answers stores it for at most a minute', async () => {
    const put = vi.spyOn(Cache.prototype, 'put')
    const area = 'geom_within=POLYGON((-1+-1,30+-1,30+30,-1+-1))'
    for (const [more, seconds] of [
      ['', 86_400],
      ['&timestamp_start__lte=now-7d', 60],
    ] as const) {
      put.mockClear()
      await sendToEdge(`/api/v3/events/?${area}${more}`)
      expect(put.mock.calls.at(-1)?.[1].headers.get('Cache-Control')).toBe(`public, max-age=${seconds}`)
    }
  })
})

describe('a DELETE by a relative time', () => {
  it('deletes the events that the list shows', async () => {
    const options = await withKey('all')
    const list = `/api/v4/eventseries/${OWNERS[3]?.uuid}/events/`
    const { count } = await get(`${list}?start__lt=now-7d`, options)
    const response = await send(`${list}?start__lt=now-7d`, { ...options, method: 'DELETE' })
    expect([count > 0, await response.json()]).toEqual([true, { deleted: count }])
    expect((await get(`${list}?start__lt=now-7d`, options)).count).toBe(0)
  })
})
