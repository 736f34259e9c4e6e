import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { expect, it } from 'vitest'
import { beginWithSeed, eventIds, get, post, send, walk } from '../service.ts'

// A filter finds the same events on each surface. What it finds stands in test/oracle.

beginWithSeed()

const SERIES = '/api/v4/eventseries/99fe5d03/events/'
const ITEMS = '/ogc/collections/events/items'
const TILE = '/ogc/collections/events/tiles/WebMercatorQuad/0/0/0'
const idsIn = (items: readonly { readonly id: number }[]) => items.map(({ id }) => id)

it.each([
  ['category__iexact=HURRICANE&timestamp_start__gte=2017-01-01'],
  ['value__range=150,160'],
  ['attributes__mag__gte=4&external_id__in__not=none'],
  ['event_series=9&timestamp_start__gte=2017-01-01'],
  [
    'event_series__observation_type=wind_speed&event_series__access_modifier=Public&timestamp_start__range=2017-09-01,2017-09-10',
  ],
  ['near=5.1,52.1&radius=90000'],
  ['bbox=-80,20,-60,35&datetime=2015-01-01/2015-12-31'],
  ['q=storm* 2017'],
  ['timestamp_start__gte=2018-02-05&timestamp_end__lt=2018-02-10'],
  ['timestamp_start__year=2017&timestamp_start__month__in=8,9&timestamp_start__hour__gte=20&timezone=Europe/Amsterdam'],
  ['external_id=none'],
])('%s', async (filter) => {
  const query = encodeURI(filter)
  const ids = await eventIds(query)
  expect(ids.length > 0, 'has events').toBe(filter !== 'external_id=none')
  expect(ids.length).toBeLessThan(1000)
  expect(await eventIds('', post(query)), 'posted').toEqual(ids)
  const pages = await walk(`/api/v3/events/?${query}&page_size=${Math.ceil(ids.length / 3) || 1}`)
  expect(
    pages.flatMap(({ results }) => idsIn(results)),
    'by next',
  ).toEqual(ids)
  const v4 = query.replaceAll('timestamp_', '')
  expect(idsIn((await get(`/api/v4/events/?${v4}&page_size=1000`)).results), 'v4').toEqual(ids)
  const own = await get(`${SERIES}?${v4.replace('event_series=9&', '')}&page_size=1000`).catch(() => ({ results: [] }))
  expect(ids).toEqual(expect.arrayContaining(idsIn(own.results)))
  expect(idsIn((await get(`${ITEMS}?${query}&limit=1000`)).features), 'ogc').toEqual(ids)
  expect((await get(`${ITEMS}?${query}&resultType=hits`)).numberMatched, 'hits').toBe(ids.length)
  const csv = await (await send(`/api/v3/events/?${query}&format=csv&fields=id&page_size=all`)).text()
  expect(csv.trim().split('\r\n').slice(1).map(Number), 'csv').toEqual(ids)
  const { count, facets } = await get(`/api/v3/events/summary/?${query}&facets=event_series`)
  const counts = facets.event_series.entries.map((entry: { count: number }) => entry.count)
  expect([count, counts.reduce((sum: number, each: number) => sum + each, 0)]).toEqual([ids.length, ids.length])
  const { layers } = new VectorTile(new PbfReader(await (await send(`${TILE}?${query}`)).bytes()))
  expect(layers.events?.length ?? 0, 'tile').toBe(ids.length)
})
