import { Geodesic } from 'geographiclib-geodesic'
import { beforeAll, describe, expect, it } from 'vitest'
import { at } from '../../src/base/collections.ts'
import type { LonLat } from '../../src/geometry/bbox.ts'
import { distanceBetween } from '../../src/geometry/circle.ts'
import type { EventRecord } from '../records.ts'
import { get, load, post, send } from '../service.ts'
import { splitRows } from '../tags.ts'
import { CALLERS, eventIds, eventOf, observationType, refusal, seriesOf } from './records.ts'

const LEVELS = [0, 100, 200, 300]
const OWNERS = LEVELS.map((access_modifier, i) => seriesOf(i + 1, { access_modifier }))

/** Positions with distances in metres, so that places lie on both sides of each circle. */
const CENTRES: readonly (readonly [near: string, centre: LonLat])[] = [
  ['5.1,52.1', [5.1, 52.1]],
  ['179.9999,-17', [179.9999, -17]],
  ['-180,66', [-180, 66]],
  ['12,90', [12, 90]],
  ['0,-89.9', [0, -89.9]],
]
const RADII = [1, 1000, 10_000, 2_000_000]

const EVENTS = CENTRES.flatMap(([, [x, y]], c) =>
  RADII.flatMap((radius, r) =>
    Array.from({ length: 12 }, (_, i): EventRecord => {
      const metres = i === 0 ? 0 : radius + at([-0.5, -0.002, 0.002, 0.5, 30], i % 5)
      const { lon2 = 0, lat2 = 0 } = Geodesic.WGS84.Direct(y, x, 31 * i, metres)
      const id = c * 1000 + r * 100 + i + 1
      const owner = 1 + (i % OWNERS.length)
      return eventOf(id, {
        series: owner,
        start: i * 1000,
        end: i * 1000,
        category: at(['flood', 'storm'], i % 2),
        coordinates: [lon2, lat2, 0],
      })
    }),
  ),
)
const NOWHERE = eventOf(99_999, { coordinates: null })

beforeAll(() => load([observationType, ...OWNERS, ...EVENTS, NOWHERE]))

/** Returns the events of a circle and of other conditions. It tests every event. */
const matching = (centre: LonLat, radius: number, level: number, also: (event: EventRecord) => boolean = () => true) =>
  EVENTS.filter(
    (event) =>
      event.coordinates !== null &&
      (LEVELS[event.series - 1] ?? 0) <= level &&
      distanceBetween(centre, [event.coordinates[0], event.coordinates[1]]) <= radius &&
      also(event),
  ).map(({ id }) => id)

const OTHERS: readonly (readonly [string, (event: EventRecord) => boolean])[] = [
  ['', () => true],
  ['&category=flood', ({ category }) => category === 'flood'],
  ['&timestamp_start__lt=1970-01-01T00:00:06Z', ({ start }) => start < 6000],
  ['&bbox=-180,-90,90,90', ({ coordinates }) => coordinates !== null && coordinates[0] <= 90],
]
describe('events near a position', () => {
  const all = CALLERS.flatMap(([level, of]) => CENTRES.map(([near, centre]) => [near, level, centre, of] as const))
  for (const [options, rows] of splitRows(4, all))
    it.each(rows)('of %s at level %d', options, async (near, level, centre, optionsOf) => {
      for (const radius of [...RADII, 1.5, 20_040_000])
        for (const [other, also] of OTHERS) {
          const found = await eventIds(`near=${near}&radius=${radius}${other}`, await optionsOf())
          const expected = matching(centre, radius, level, also)
          expect(
            found.sort((a, b) => a - b),
            `${radius} ${other}`,
          ).toEqual(expected)
        }
    })

  it('in two circles cannot be asked, but in a circle and an area', async () => {
    const wkt = 'geom_within=POLYGON((5.1 50,10 50,10 55,5.1 55,5.1 50))'
    const [centre, radius] = [CENTRES[0]?.[1] as LonLat, 10_000]
    expect(await eventIds(`near=5.1,52.1&radius=${radius}&${wkt}`)).toEqual(
      matching(centre, radius, 0, ({ coordinates }) => (coordinates?.[0] ?? 0) > 5.1),
    )
  })

  it('in a summary, a tile, a posted query, the v4 list, and under /ogc', async () => {
    const query = 'near=5.1,52.1&radius=10000'
    const ids = matching([5.1, 52.1], 10_000, 0)
    expect((await get(`/api/v3/events/summary/?${query}`)).count).toBe(ids.length)
    expect((await get('/api/v3/events/', post(query))).count).toBe(ids.length)
    expect((await get(`/ogc/collections/events/items?${query}`)).numberMatched).toBe(ids.length)
    const own = ids.filter((id) => EVENTS.some((event) => event.id === id && event.series === 1))
    expect((await get(`/api/v4/eventseries/${OWNERS[0]?.uuid}/events/?${query}`)).count).toBe(own.length)
    expect((await send(`/ogc/collections/events/tiles/WebMercatorQuad/0/0/0?${query}`)).status).toBe(200)
  })

  it('next has both parameters', async () => {
    const { next } = await get('/api/v3/events/?near=5.1,52.1&radius=10000&page_size=2')
    expect(next).toContain('near=5.1%2C52.1')
    expect(next).toContain('radius=10000')
    expect((await get(next)).previous).toContain('radius=10000')
  })
})

describe('a 400 names the parameter and shows an example', () => {
  it.each([
    ['near=5.1,52.1', 'near'],
    ['near=5.1,52.1&radius=', 'near'],
    ['radius=10', 'radius'],
    ['near=&radius=10', 'radius'],
    ['near=5.1&radius=10', 'near'],
    ['near=5.1,52.1,3&radius=10', 'near'],
    ['near=5.1+52.1&radius=10', 'near'],
    ['near=x,52.1&radius=10', 'near'],
    ['near=181,52.1&radius=10', 'near'],
    ['near=52.1,90.1&radius=10', 'near'],
    ['near=5.1,52.1&radius=0', 'radius'],
    ['near=5.1,52.1&radius=-1', 'radius'],
    ['near=5.1,52.1&radius=20040001', 'radius'],
    ['near=5.1,52.1&radius=10km', 'radius'],
    ['near=5.1,52.1&radius=1e999', 'radius'],
    ['near=5.1,52.1&radius=1&radius=2', 'radius'],
  ])('%s', async (query, name) => {
    for (const path of ['/api/v3/events/', '/ogc/collections/events/items']) {
      const body = JSON.stringify(await refusal(query, {}, path))
      expect(body).toContain(`"${name}"`)
      if (!query.includes('radius=2')) expect(body).toContain('near=5.1,52.1&radius=10000')
    }
  })
})
