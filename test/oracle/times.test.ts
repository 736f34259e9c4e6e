import { expect, it } from 'vitest'
import { ORIGIN } from '../service.ts'
import { fetchFrom, type Row, testRows } from './oracle.ts'
import { WORLD } from './world.ts'

// Dates and times of filters, in UTC and in the zone of the request.

const IN_UTC: readonly Row[] = [
  { asks: 'timezone=Europe/Amsterdm&category=flood', finds: { faults: ['timezone'] } },
  { asks: 'start__gte=2025-10-26', question: 'start from 2025-10-26T00:00:00Z', finds: [11, 12, 13, 14] },
  { asks: 'datetime=2025-01-01', finds: [2, 3] },
  // One event starts and ends at the instant between both, so it meets no condition.
  { asks: 'start__lte=2025-10-26T00:29:59.999Z&end__gte=2025-10-26T00:30:00.001Z', finds: [] },
  { asks: 'datetime=2025-10-26T00:30:00/..', question: 'end from 2025-10-26T00:30:00Z', finds: [11, 12, 13, 14] },
]

const AMSTERDAM = 'timezone=Europe/Amsterdam'
const items = (more: string) => `/ogc/collections/events/items?${more}`

const IN_ZONES: readonly Row[] = [
  {
    asks: `${AMSTERDAM}&start__gte=2025-10-26`,
    question: 'start from 2025-10-25T22:00:00Z',
    finds: [10, 11, 12, 13, 14],
  },
  { asks: `${AMSTERDAM}&start__gte=2025-01-01&start__lt=2025-02-01`, finds: [2, 3, 4] },
  { asks: `${AMSTERDAM}&start__range=2025-01-01,2025-02-01`, finds: [2, 3, 4, 5] },
  { asks: `${AMSTERDAM}&start=2025-02-01`, question: 'start is 2025-01-31T23:00:00Z', finds: [5] },
  { asks: `${AMSTERDAM}&start__not=2025-10-27&start__gte=2025-10-26T23:00:00Z`, finds: [] },
  { asks: `${AMSTERDAM}&start__gt=2025-10-26`, finds: [11, 12, 13, 14] },
  // 23 hours, and 25 hours.
  { asks: `${AMSTERDAM}&datetime=2025-03-30`, finds: [6, 7, 8] },
  { asks: `${AMSTERDAM}&datetime=2025-10-26`, finds: [10, 11, 12, 13] },
  { asks: `${AMSTERDAM}&datetime=2025-10-26/2025-10-27`, finds: [10, 11, 12, 13, 14] },
  // A time that comes twice is the first of the two. An offset, an integer and a time from now need no zone.
  { asks: `${AMSTERDAM}&start=2025-10-26T02:30:00`, question: 'start is 2025-10-26T00:30:00Z', finds: [11] },
  { asks: `${AMSTERDAM}&start=2025-10-26T02:30:00+01:00`, question: 'start is 2025-10-26T01:30:00Z', finds: [12] },
  { asks: `${AMSTERDAM}&start=1761438600000`, question: 'start is 2025-10-26T00:30:00Z', finds: [11] },
  { asks: `${AMSTERDAM}&start__gte=2025-03-30T02:30:00`, finds: { faults: ['start__gte'] } },
  // The day begins with its first instant if the clock skips its midnight.
  {
    asks: 'timezone=Africa/Cairo&start__gte=2025-04-25&start__lt=2025-06-01',
    finds: [16],
  },
  { asks: 'timezone=America/Sao_Paulo&start__lt=2018-11-04', finds: [17, 20] },
  { asks: 'timezone=America/Sao_Paulo&datetime=2018-11-04', finds: [18] },
  { asks: 'timezone=Pacific/Apia&datetime=2011-12-30', finds: { faults: ['datetime'] } },
  // Each list, in each version.
  { asks: `/api/v3/events/?${AMSTERDAM}&timestamp_start__lt=2025-01-01`, finds: [1, 17, 18, 20] },
  { asks: `/api/v4/eventseries/?${AMSTERDAM}&created__gte=2025-01-01`, finds: [1] },
  // CQL2. A date is the whole day.
  { asks: items(`${AMSTERDAM}&datetime=2025-03-30`), finds: [6, 7, 8] },
  { asks: items(`${AMSTERDAM}&filter=timestamp_start = DATE('2025-03-30')`), finds: [6, 7, 8] },
  { asks: items(`${AMSTERDAM}&filter=T_DURING(timestamp_start, INTERVAL('2025-03-30', '2025-03-30'))`), finds: [7, 8] },
  { asks: items(`${AMSTERDAM}&filter=T_INTERSECTS(timestamp_start, DATE('2025-10-26'))`), finds: [10, 11, 12, 13] },
  { asks: items(`${AMSTERDAM}&filter=timestamp_start >= TIMESTAMP('2025-10-27T00:00:00')`), finds: [14] },
  { asks: items(`${AMSTERDAM}&filter=timestamp_start >= '2025-10-27'`), finds: [14] },
  { asks: items(`${AMSTERDAM}&filter=timestamp_start > DATE('2025-10-26')`), finds: [14] },
  {
    asks: items(`${AMSTERDAM}&filter=timestamp_start > TIMESTAMP('2025-03-30T02:30:00')`),
    finds: { faults: ['filter'] },
  },
]

const engines = testRows(WORLD, { 'in UTC': IN_UTC, 'in a zone': IN_ZONES })

/** Asks each database, which knows a zone as the arrays do not: in tiles, in bins and in links. */
const askEach = async (path: string): Promise<Uint8Array[]> => {
  const databases = [...engines].filter(([name]) => name !== 'arrays')
  const answers = databases.map(([, engine]) => fetchFrom(engine, `${ORIGIN}${path}`))
  return Promise.all(answers.map(async (answer) => (await answer).bytes()))
}
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

it.each([
  '/ogc/collections/events/tiles/WebMercatorQuad/0/0/0?',
  '/api/v3/events/summary/?bins=1&',
  '/api/v3/events/?format=ndjson&',
  '/ogc/collections/events/items?f=csv&',
])('a day of a zone is a period of UTC: %s', async (path) => {
  const days = await askEach(`${path}${AMSTERDAM}&datetime=2025-03-30`)
  expect(days).toEqual(await askEach(`${path}datetime=2025-03-29T23:00:00Z/2025-03-30T21:59:59.999999Z`))
  expect(days[0]).not.toEqual((await askEach(`${path}datetime=2025-03-30`))[0])
})

it.each([
  '/api/v3/events/?page_size=1&',
  '/api/v3/events/?page_size=1&format=geojson&',
  '/api/v3/events/summary/?facets=category&facet_size=1&',
  '/ogc/collections/events/items?limit=1&',
  '/ogc/collections/events/tiles/WebMercatorQuad?',
  '/ogc/collections/events/tiles/WebMercatorQuad/tilejson.json?',
])('the links of %s have the zone', async (path) => {
  for (const bytes of await askEach(`${path}${AMSTERDAM}&timestamp_start__gte=2024-01-01`))
    expect(textOf(bytes)).toMatch(/timestamp_start__gte=2024-01-01&timezone=Europe(\/|%2F)Amsterdam/)
})

it('a hint of one zone has no effect in another', async () => {
  const pageOf = async (address: string) => JSON.parse(textOf((await askEach(address))[0] ?? new Uint8Array()))
  const list = '/api/v3/events/?page_size=3&datetime=2025-03-30/..'
  const { next } = await pageOf(`${list}&${AMSTERDAM}`)
  const { search } = new URL(next)
  const utc = await pageOf(`/api/v3/events/${search.replace(/&timezone=[^&]*/, '')}`)
  const { results, count } = await pageOf(`${list}&page=2`)
  expect([utc.count, utc.results]).toEqual([count, results])
})
