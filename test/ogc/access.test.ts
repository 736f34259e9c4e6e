import { beforeAll, describe, expect, it } from 'vitest'
import { MAX_PAGE_SIZE } from '../../src/resource.ts'
import type { EventRecord, SeriesRecord } from '../records.ts'
import { get, load, type Options, seedEvents, seedRecords, seedSeries, send, withKey } from '../service.ts'

// A caller sees nothing of a hidden series: no count, extent, collection or address shows it.

const [like] = seedSeries
const [event] = seedEvents
const WORDS = 'Sightings of the unseen'
const UUID = '0badcafe-0000-4000-8000-000000000001'
const secret = { ...like, id: 900, uuid: UUID, name: WORDS, description: WORDS, access_modifier: 200 } as SeriesRecord
/** Hidden events, which are outside the extent of all others in time and place. */
const events = [1, 2, 3].map(
  (i): EventRecord => ({
    ...(event as EventRecord),
    id: 950_000 + i,
    series: 900,
    category: 'unseen',
    start: Date.UTC(1500 + i, 0),
    end: Date.UTC(2100 + i, 0),
    coordinates: [-179.999 + i, -89 + i, 0],
  }),
)

const PATHS = [
  '/ogc/collections',
  '/ogc/collections/events',
  '/ogc/collections/eventseries',
  `/ogc/collections/events-${UUID}`,
  `/ogc/collections/events-${UUID}/items`,
  `/ogc/collections/events-${UUID}/items/950001`,
  `/ogc/collections/events-${UUID}/queryables`,
  '/ogc/collections/events/items',
  `/ogc/collections/events/items?limit=${MAX_PAGE_SIZE}&offset=10000`,
  '/ogc/collections/events/items?resultType=hits',
  '/ogc/collections/events/items?bbox=-180,-90,-170,-80',
  '/ogc/collections/events/items?datetime=../1600-01-01',
  '/ogc/collections/events/items?category=unseen',
  `/ogc/collections/events/items?event_series=${UUID}`,
  `/ogc/collections/events/items?filter=${encodeURIComponent("category = 'unseen' OR id > 900000")}`,
  `/ogc/collections/events/items?filter=${encodeURIComponent("NOT (event_series_name LIKE 'A%' AND id < 5)")}`,
  `/ogc/collections/events/items?filter=${encodeURIComponent('S_DISJOINT(geom, BBOX(0, 0, 10, 10))')}`,
  '/ogc/collections/events/items?sortby=-timestamp_end&limit=3',
  '/ogc/collections/events/items/950001',
  '/ogc/collections/eventseries/items',
  '/ogc/collections/eventseries/items/900',
  `/ogc/collections/eventseries/items?filter=${encodeURIComponent('event_count = 3')}`,
  '/ogc/collections/events/tiles/WebMercatorQuad/0/0/0',
  '/ogc/collections/events/tiles/WorldCRS84Quad/3/7/0',
  '/ogc/collections/events/tiles/WorldCRS84Quad/3/7/0?category=unseen',
  '/ogc/collections/events/tiles/WorldCRS84Quad/0/0/0?bbox=-180,-90,-170,-80',
  `/ogc/collections/events/tiles/WorldCRS84Quad/0/0/0?filter=${encodeURIComponent("category = 'unseen' OR id > 900000")}`,
  `/ogc/collections/events-${UUID}/tiles`,
  `/ogc/collections/events-${UUID}/tiles/WebMercatorQuad/tilejson.json`,
  `/ogc/collections/events-${UUID}/tiles/WorldCRS84Quad/0/0/0`,
  '/ogc/api',
]

const seenOf = async (path: string, options: Options) => {
  const response = await send(path, options)
  const headers = Object.fromEntries(
    [...response.headers].filter(
      // Last-Modified is absent during the second of a write.
      ([name]) => !['x-request-id', 'x-d1-bookmark', 'last-modified', 'server-timing'].includes(name),
    ),
  )
  return { path, status: response.status, headers, body: await response.text() }
}

const CALLERS: [string, () => Options | Promise<Options>][] = [
  ['anyone', () => ({})],
  ['a common key', () => withKey('common')],
]

type Seen = Awaited<ReturnType<typeof seenOf>>
const before = new Map<string, Seen[]>()

beforeAll(async () => {
  await load(seedRecords)
  for (const [name, caller] of CALLERS) {
    const seen = []
    for (const path of PATHS) seen.push(await seenOf(path, await caller()))
    before.set(name, seen)
  }
  await load([secret, ...events])
})

describe.each(CALLERS)('a hidden series changes nothing for %s', (name, caller) => {
  it.each(PATHS.map((path, i) => [path, i] as const))('%s', async (path, i) => {
    expect(await seenOf(path, await caller())).toEqual(before.get(name)?.[i])
  })
})

describe('a key that reads the hidden series', () => {
  it('sees it in the collections and their items', async () => {
    const key = await withKey('private')
    const collection = await get('/ogc/collections/events', key)
    expect(collection.extent.temporal.interval).toEqual([['1501-01-01T00:00:00Z', '2103-01-01T00:00:00Z']])
    expect((await get(`/ogc/collections/events-${UUID}`, key)).itemCount).toBe(3)
    expect((await get(`/ogc/collections/events-${UUID}/items?datetime=1502-06-01`, key)).numberMatched).toBe(2)
    const response = await send(`/ogc/collections/events-${UUID}/items/950001`, key)
    expect([response.status, response.headers.get('Cache-Control')]).toEqual([200, 'private, no-store'])
  })

  it('a wrong key is a 401', async () => {
    expect((await send('/ogc/collections', { headers: { Authorization: 'Bearer none' } })).status).toBe(401)
  })
})
