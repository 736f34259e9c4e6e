import { beforeAll, describe, expect, test } from 'vitest'
import { MAX_PAGE_SIZE } from '../../src/lists/resource.ts'
import type { EventRecord } from '../records.ts'
import { answer, get, isoOf, load, publicEvents, publicSeries, seedRecords, send } from '../service.ts'

const ITEMS = '/ogc/collections/events/items'
const uuids = new Map(publicSeries.map(({ id, uuid }) => [id, uuid]))
const names = new Map(publicSeries.map(({ id, name }) => [id, name]))

/** Events without a place. */
const placeless = publicEvents
  .filter(({ id }) => id % 400 === 0)
  .map((event): EventRecord => ({ ...event, id: event.id + 900_000, external_id: null, coordinates: null }))
const ALL = [...publicEvents, ...placeless]

beforeAll(async () => {
  await load(seedRecords)
  await load(placeless)
})

type Matches = (event: EventRecord) => boolean
const x = (event: EventRecord) => event.coordinates?.[0] ?? Number.NaN
const y = (event: EventRecord) => event.coordinates?.[1] ?? Number.NaN
const inBox =
  (west: number, south: number, east: number, north: number): Matches =>
  (event) =>
    x(event) >= west && x(event) <= east && y(event) >= south && y(event) <= north
const storms = '99fe5d03-893d-5b20-8244-b9189db33e37'

describe('an offset skips exactly so many features', () => {
  const hurricanes = publicEvents.filter(({ category }) => category === 'hurricane')
  const cases: [query: string, events: readonly EventRecord[]][] = [
    ['', [...ALL].sort((a, b) => a.id - b.id)],
    ['category=hurricane', ALL.filter(({ category }) => category === 'hurricane').sort((a, b) => a.id - b.id)],
    ['sortby=-timestamp_start', [...ALL].sort((a, b) => b.start - a.start || b.id - a.id)],
    ['sortby=%2Btimestamp_end,id', [...ALL].sort((a, b) => a.end - b.end || a.id - b.id)],
    ['filter=S_INTERSECTS(geom,BBOX(-80,20,-60,35))', ALL.filter(inBox(-80, 20, -60, 35)).sort((a, b) => a.id - b.id)],
  ]
  for (const [query, events] of cases)
    test.each([
      [0, 7],
      [3, 7],
      [7, 7],
      [100, 30],
      [hurricanes.length - 2, 5],
      [events.length - 3, 10],
      [events.length, 10],
      [10_000_000, 10],
    ])(`${query}: from %d, at most %d`, async (offset, limit) => {
      const { features, numberMatched, links } = await get(`${ITEMS}?${query}&offset=${offset}&limit=${limit}`)
      expect(numberMatched).toBe(events.length)
      expect(features.map(({ id }: { id: number }) => id)).toEqual(
        events.slice(offset, offset + limit).map(({ id }) => id),
      )
      const rels = links.map(({ rel }: { rel: string }) => rel)
      expect([rels.includes('next'), rels.includes('prev')]).toEqual([offset + limit < events.length, offset > 0])
      const next = links.find(({ rel }: { rel: string }) => rel === 'next')?.href
      if (next === undefined) return
      // ArcGIS changes only the offset in the address of the next page.
      for (const to of [offset + limit, offset + 2]) {
        const other = await get(next.replace(/([?&]offset=)\d+/, `$1${to}`))
        expect(other.features.map(({ id }: { id: number }) => id)).toEqual(
          events.slice(to, to + limit).map(({ id }) => id),
        )
      }
    })
})

test.each([
  [0, 4],
  [3, 4],
  [5, 2],
  [9, 4],
  [100, 4],
])('an offset of %d skips so many series, with at most %d', async (offset, limit) => {
  const path = '/ogc/collections/eventseries/items'
  const { features: all } = await get(path)
  const { features, numberMatched, links } = await get(`${path}?offset=${offset}&limit=${limit}`)
  expect([features, numberMatched]).toEqual([all.slice(offset, offset + limit), all.length])
  const isNext = links.some(({ rel }: { rel: string }) => rel === 'next')
  expect(isNext).toBe(offset + limit < all.length)
})

test('a feature has the fields of an event in one flat object', async () => {
  const { features } = await get(`${ITEMS}?id=1`)
  const [event] = ALL.filter(({ id }) => id === 1)
  expect(features).toEqual([
    {
      type: 'Feature',
      id: 1,
      geometry: { type: 'Point', coordinates: event?.coordinates },
      properties: {
        category: event?.category,
        value: event?.value,
        timestamp_start: isoOf(event?.start ?? 0),
        timestamp_end: isoOf(event?.end ?? 0),
        event_series: uuids.get(event?.series ?? 0),
        event_series_name: names.get(event?.series ?? 0),
        object_type: event?.object?.model ?? null,
        object_id: event?.object?.id ?? null,
        external_id: event?.external_id,
        last_modified: expect.stringMatching(/^20.*Z$/),
        attributes: event?.attributes,
      },
    },
  ])
})

describe('the collection of one series', () => {
  const expected = ALL.filter(({ series }) => uuids.get(series) === storms)
  test('has its own title, count and extent', async () => {
    const collection = await get(`/ogc/collections/events-${storms}`)
    expect([collection.title, collection.itemCount]).toEqual(['Atlantic storms 2010-2020', expected.length])
    expect(collection.extent.temporal.interval[0][0]).toBe('2010-06-25T18:00:00Z')
    const hurricanes = expected.filter(({ category }) => category === 'hurricane')
    for (const [query, events] of [
      ['limit=1', expected],
      ['limit=1&category=hurricane', hurricanes],
    ] as const)
      expect((await get(`/ogc/collections/events-${storms}/items?${query}`)).numberMatched).toBe(events.length)
    expect((await get(`/ogc/collections/events-${storms}/queryables`)).title).toBe('Atlantic storms 2010-2020')
  })

  test('has no feature of another series', async () => {
    const [own, other] = [expected[0], ALL.find(({ series }) => uuids.get(series) !== storms)]
    expect((await send(`/ogc/collections/events-${storms}/items/${own?.id}`)).status).toBe(200)
    expect((await send(`/ogc/collections/events-${storms}/items/${other?.id}`)).status).toBe(404)
  })

  test('is linked from the feature of its series', async () => {
    const [{ id }] = (await get(`/ogc/collections/eventseries/items?uuid=${storms}`)).features
    const href = `http://localhost:8787/ogc/collections/events-${storms}/items`
    for (const query of ['', '?properties=name']) {
      const { links } = await get(`/ogc/collections/eventseries/items/${id}${query}`)
      expect(links).toContainEqual(expect.objectContaining({ rel: 'items', href }))
    }
  })
})

describe('a query of the collection of series', () => {
  test.each<[query: string, count: number]>([
    ['', publicSeries.length],
    [
      "filter=name LIKE 'Atlantic%25' AND event_count > 0",
      publicSeries.filter(({ name }) => name.startsWith('Atlantic')).length,
    ],
    ['name__icontains=summer', publicSeries.filter(({ name }) => name.toUpperCase().includes('SUMMER')).length],
    ['datetime=1700-01-01', 0],
    ['bbox=-90,20,-60,35&datetime=2015-01-01/..&uuid=99fe5d03-893d-5b20-8244-b9189db33e37', 1],
  ])('%s', async (query, count) => {
    expect((await get(`/ogc/collections/eventseries/items?${query}`)).numberMatched).toBe(count)
  })
})

describe('a 400 lists all faults of the query', () => {
  test.each<[query: string, faults: object]>([
    ['limit=0', { limit: [`Enter a whole number from 1 to ${MAX_PAGE_SIZE}.`] }],
    ['limit=0&offset=-1', { limit: [expect.any(String)], offset: ['Enter a whole number from 0 to 999999999.'] }],
    ['bbox=1,2,3', { bbox: ['Enter west, south, east and north in degrees, such as bbox=3,50,8,54.'] }],
    ['filter=categry = 1', { filter: [expect.stringMatching(/^At character 1: there is no property "categry"/)] }],
    [
      "filter=attributes LIKE '%25Utrecht%25'",
      {
        filter: [
          'At character 1: there is no property "attributes". It is a parameter beside filter. The attribute with this name fulfils the lookup. Enter attributes__NAME or attributes__NAME__LOOKUP, such as attributes__mag__gte=4.5.',
        ],
      },
    ],
    [
      "filter=event_series__name = 'x'",
      { filter: [expect.stringMatching(/is a parameter beside filter\. The name of/)] },
    ],
    [
      'filter=diepte_m > 4.9',
      { filter: [expect.stringMatching(/quotes\. For an attribute, enter attributes__diepte_m beside filter\.$/)] },
    ],
    ['filter=id=1&filter-lang=sql', { 'filter-lang': ['Enter one of cql2-text, cql2-json, cql-text.'] }],
    ['filter=id=1&filter-crs=EPSG:4326', { 'filter-crs': [expect.stringMatching(/^Enter http:\/\/www.opengis.net/)] }],
    [
      'sortby=geom',
      {
        sortby: [
          'Enter one of id, timestamp_start, timestamp_end, category, value, value_number, duration, event_series__name, external_id, object_id, last_modified, distance, attributes__NAME, or one of these with a - in front.',
        ],
      },
    ],
    ['f=xml', { f: ['Enter one of json, geojson, html, csv, spreadsheet, ndjson.'] }],
    ['f=xml&resultType=all', { f: [expect.any(String)], resultType: ['Enter one of results, hits.'] }],
    ['categroy=x', { categroy: ['Unknown parameter. Did you mean category?'] }],
    ['limit=1&limit=2', { limit: ['Given more than once. Give it once.'] }],
  ])('%s', async (query, faults) => {
    const { status, body } = await answer(`${ITEMS}?${query}`)
    expect([status, body]).toEqual([400, expect.objectContaining({ title: 'Bad Request', errors: faults })])
  })
})

test.each([
  `${ITEMS}?limit=3`,
  `${ITEMS}/1`,
  '/ogc/collections',
  '/ogc/collections/events',
  '/ogc/collections/events/queryables',
])('%s is a 304 for a client with its tag', async (path) => {
  const first = await send(path)
  const tag = first.headers.get('ETag') ?? ''
  expect(tag).toMatch(/^W\/"/)
  const again = await send(path, { headers: { 'If-None-Match': tag } })
  expect([again.status, await again.text()]).toEqual([304, ''])
  const page = `${path}${path.includes('?') ? '&' : '?'}f=html`
  expect((await send(page, { headers: { 'If-None-Match': tag } })).status).toBe(200)
})

test('pages of any origin may read the items', async () => {
  const { headers } = await send(`${ITEMS}?limit=1`, { headers: { Origin: 'https://elsewhere.example' } })
  expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
  expect(headers.get('Access-Control-Expose-Headers')).toContain('OGC-NumberMatched')
  expect(headers.get('OGC-NumberMatched')).toBe(String(ALL.length))
})
