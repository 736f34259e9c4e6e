import { beforeAll, expect, it } from 'vitest'
import { load, publicEvents, publicSeries } from '../../service.ts'
import { ask, freezeClock } from '../cost.ts'

freezeClock()
beforeAll(() => load())

const EVENTS = '/api/v3/events/'
const largest = Math.max(...publicSeries.map(({ id }) => publicEvents.filter(({ series }) => series === id).length))
const series = publicSeries.find(({ id }) => publicEvents.filter((event) => event.series === id).length === largest)
const events = publicEvents.filter((event) => event.series === series?.id)
const uuid = series?.uuid ?? ''
const iso = (time: number) => new Date(time).toISOString()
const starts = events.map(({ start }) => start)
const first = Math.min(...starts)
const last = Math.max(...events.map(({ end }) => end))
const xs = events.flatMap(({ coordinates }) => coordinates?.[0] ?? [])
const ys = events.flatMap(({ coordinates }) => coordinates?.[1] ?? [])
const [west, south, east, north] = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
const ring = (x: number, y: number, r: number) =>
  `POLYGON((${x - r} ${y},${x} ${y - r},${x + r} ${y},${x} ${y + r},${x - r} ${y}))`

it('the events of the default data have coordinates', () => {
  expect(publicEvents.filter(({ coordinates }) => coordinates === null)).toEqual([])
})

it.each<[string, Record<string, string>, number]>([
  ['no other filter', {}, largest],
  ['a period around it', { timestamp_start__gte: iso(first), timestamp_end__lte: iso(last) }, largest],
  ['an overlap with its period', { datetime: `${iso(first)}/${iso(last)}` }, largest],
  ['a period before it', { timestamp_end__lt: iso(first) }, 0],
  ['a period after it', { timestamp_start__gt: iso(last) }, 0],
  ['a view of the world', { bbox: '-180,-90,180,90' }, largest],
  ['a view around it', { bbox: [west - 0.001, south - 0.001, east + 0.001, north + 0.001].join() }, largest],
  ['a polygon around it', { geom_within: 'POLYGON((-179 -89,179 -89,179 89,-179 89,-179 -88,-179 -89))' }, largest],
  ['a view beside it', { bbox: [west, north + 1, east, north + 2].join() }, 0],
  ['a polygon far from it', { geom_within: ring(west < 0 ? 170 : -170, -80, 1) }, 0],
])('a series with %s is as cheap as the series alone', async (_, filter, count) => {
  const query = { event_series: uuid, ...filter }
  await ask({ query }, EVENTS)
  const { body, rows, trips } = await ask({ query }, EVENTS)
  expect([body.count, trips]).toEqual([count, 1])
  expect(rows).toBeLessThan(60)
})

it.each<[string, Record<string, string>]>([
  ['its last start', { timestamp_start__lt: iso(Math.max(...starts)) }],
  ['its eastern side', { geom_within: `POLYGON((-180 -90,${east} -90,${east} 90,-180 90,-180 -90))` }],
])('a series without %s is filtered', async (_, filter) => {
  const { body } = await ask({ query: { event_series: uuid, ...filter } }, EVENTS)
  expect(body.count).toBeLessThan(largest)
  expect(body.count).toBeGreaterThan(0)
})

it('an area filters a series if an event has no coordinates', async () => {
  const query = { event_series: uuid, bbox: '-180,-90,180,90' }
  const [event] = events
  if (event === undefined) throw new Error('The series has no events.')
  await load([{ ...event, id: 900_000, coordinates: null }])
  const counts = [await ask({ query: { event_series: uuid } }, EVENTS), await ask({ query }, EVENTS)]
  expect(counts.map(({ body }) => body.count)).toEqual([largest + 1, largest])
})
