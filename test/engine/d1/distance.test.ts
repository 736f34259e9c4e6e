import { beforeAll, describe, expect, it } from 'vitest'
import { placeOf } from '../../../src/filters/spatial.ts'
import { distanceBetween } from '../../../src/geometry/circle.ts'
import type { EventRecord } from '../../records.ts'
import { answer, get, load, send, walk } from '../../service.ts'
import { freezeClock } from '../cost.ts'
import { EVENTS, foundation, idsOf, makeEvents, remove, write } from '../world.ts'

freezeClock()

const events = makeEvents(1500, 6, 2001).map(
  (event, i): EventRecord => ({
    ...event,
    ...(i % 9 === 0 && { coordinates: [179.9 - (i % 5) / 7, 52 + i / 9000, 0] }),
  }),
)

beforeAll(async () => {
  await load(foundation)
  await write(events)
})

/** Returns the distance of an event from a position. It is infinite without a place. */
const distanceFrom = (near: string) => {
  const centre = placeOf(near) ?? [0, 0]
  return ({ coordinates }: EventRecord): number =>
    coordinates === null ? Number.POSITIVE_INFINITY : distanceBetween(centre, [coordinates[0], coordinates[1]])
}

describe('ordering=distance', () => {
  it('continues after the last event, even if nearer ones are written', async () => {
    const path = `${EVENTS}?near=0,0&radius=3000000&ordering=distance&page_size=50`
    const expected = (await walk(path)).flatMap(idsOf)
    const first = await get(path)
    const nearer: EventRecord = { ...(events[0] as EventRecord), id: 9001, series: 1, coordinates: [0, 0, 0] } // not empty
    await write([nearer])
    const rest = await walk(first.next.replace('http://localhost:8787', ''))
    await remove([nearer])
    expect([first, ...rest].flatMap(idsOf)).toEqual(expected)
  })
})

describe('the distance in flat formats', () => {
  const asked = 'near=0,0&radius=3000000&ordering=-distance&page_size=20'

  it('is a column of CSV and a property of GeoJSON, in metres', async () => {
    const { features } = await get(`${EVENTS}?${asked}&format=geojson`)
    const distances = features.map(({ id }: { id: number }) => {
      const event = events.find((each) => each.id === id)
      return event && distanceFrom('0,0')(event)
    })
    expect(features.map(({ properties }: { properties: { distance: number } }) => properties.distance)).toEqual(
      distances.map((distance: number) => expect.closeTo(distance, 3)),
    )
    const csv = await (await send(`${EVENTS}?${asked}&format=csv&fields=id,distance`)).text()
    expect(csv.trim().split('\r\n')).toEqual([
      'id,distance',
      ...features.map(
        ({ id, properties }: { id: number; properties: { distance: number } }) => `${id},${properties.distance}`,
      ),
    ])
  })

  it('is a property of features, also of one series, alone, and in another reference system', async () => {
    const listed = await get(`${EVENTS}?${asked}&event_series=1000&format=geojson`)
    const expected = listed.features.map(({ properties }: { properties: { distance: number } }) => properties.distance)
    expect(expected.length).toBeGreaterThan(5)
    const ogc = asked.replace('ordering', 'sortby').replace('page_size', 'limit')
    const { uuid } = (await get('/api/v4/eventseries/?page_size=1')).results[0]
    for (const [path, keys] of [
      ['events/items?event_series=1000', expect.any(Number)],
      [`events-${uuid}/items?properties=distance`, 1],
      ['events/items?event_series=1000&crs=http://www.opengis.net/def/crs/EPSG/0/3857&properties=distance', 1],
    ] as const) {
      const { features } = await get(`/ogc/collections/${path}&${ogc}`)
      expect(features.map(({ properties }: { properties: { distance: number } }) => properties.distance)).toEqual(
        expected,
      )
      expect(Object.keys(features[0].properties).length).toEqual(keys)
    }
    const csv = await (await send(`/ogc/collections/events-${uuid}/items?f=csv&properties=distance&${ogc}`)).text()
    expect(
      csv
        .trim()
        .split('\r\n')
        .slice(1)
        .map((line) => Number(line.split(',').at(-1))),
    ).toEqual(expected)
    expect((await answer('/ogc/collections/events/items?properties=distance')).status).toBe(400)
  })

  it('is absent without near', async () => {
    const [header] = (await (await send(`${EVENTS}?format=csv&page_size=1`)).text()).split('\r\n')
    expect(header).not.toContain('distance')
    expect((await answer(`${EVENTS}?format=csv&fields=distance`)).status).toBe(400)
  })
})

it.each([
  ['ordering=distance', { ordering: ['Enter a position and a radius as well, such as near=5.1,52.1&radius=10000.'] }],
  ['ordering=-distance&near=5.1&radius=7', { near: [expect.stringContaining('near=5.1,52.1&radius=10000')] }],
  ['ordering=distance&near=5.1,52.1&radius=7&after=5', { after: [expect.stringContaining('Only an order by id')] }],
])('%s is a 400', async (query, body) => {
  expect(await answer(`${EVENTS}?${query}&format=json`)).toEqual({ status: 400, body })
})
