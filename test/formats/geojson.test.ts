import { beforeAll, describe, expect, it } from 'vitest'
import { seriesOf } from '../filters/records.ts'
import { answer, get, load, ORIGIN, post, send, unhinted } from '../service.ts'

beforeAll(() => load())

const EVENTS = '/api/v3/events/'
const TYPE = 'application/geo+json'
const hidden = { vars: { ANONYMOUS_LEVEL: 'Hidden' } }

const iso = (time: number): string =>
  new Date(time)
    .toISOString()
    .replace('.000Z', 'Z')
    .replace(/(\.\d{3})Z/, '$1000Z')

/** Returns the links of a collection by their relation. */
const linksOf = ({ links }: { links: { rel: string; href: string; type: string }[] }) => {
  for (const { type } of links) expect(type).toBe(TYPE)
  return Object.fromEntries(links.map(({ rel, href }) => [rel, href]))
}

describe('a list as a FeatureCollection', () => {
  it('has each event in the form of a table', async () => {
    const response = await send(`${EVENTS}?format=geojson&category=hurricane&page=2&page_size=1`)
    const text = await response.text()
    const [feature] = (await get(`${EVENTS}?category=hurricane&page=2&page_size=1`)).results
    const { count } = await get(`${EVENTS}?category=hurricane`)
    const address = (page: string) => `${ORIGIN}${EVENTS}?category=hurricane&format=geojson${page}&page_size=1`
    const link = (rel: string, page: string) => ({ rel, href: address(page), type: TYPE })
    expect(unhinted(JSON.parse(text))).toEqual({
      type: 'FeatureCollection',
      numberMatched: count,
      numberReturned: 1,
      links: [link('self', '&page=2'), link('next', '&page=3'), link('prev', '')],
      features: [
        {
          id: feature.id,
          type: 'Feature',
          geometry: feature.geometry,
          properties: expect.objectContaining({
            category: 'hurricane',
            value: feature.properties.value,
            timestamp_start: iso(feature.properties.timestamp_start),
            timestamp_end: iso(feature.properties.timestamp_end),
            event_series: '99fe5d03-893d-5b20-8244-b9189db33e37',
            event_series_name: 'Atlantic storms 2010-2020',
            object_type: 'storm',
            object_id: feature.properties.object.id,
            external_id: null,
            last_modified: expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/),
            url: `${ORIGIN}${EVENTS}${feature.id}/`,
          }),
        },
      ],
    })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': TYPE,
      'content-disposition': 'attachment; filename="events_category-hurricane_page-2.geojson"',
      'x-total-count': String(count),
      vary: 'Accept',
    })
  })

  it('has properties for all columns of CSV beside the id and the place', async () => {
    const { features } = await get(`${EVENTS}?format=geojson&page_size=1`)
    const [header = ''] = (await (await send(`${EVENTS}?format=csv&page_size=1`)).text()).split('\r\n')
    const beside = ['id', 'longitude', 'latitude', 'z']
    expect(Object.keys(features[0].properties)).toEqual(header.split(',').filter((name) => !beside.includes(name)))
  })

  it('is empty without matches', async () => {
    expect(await get(`${EVENTS}?format=geojson&category=none`)).toEqual({
      type: 'FeatureCollection',
      numberMatched: 0,
      numberReturned: 0,
      links: [{ rel: 'self', href: `${ORIGIN}${EVENTS}?category=none&format=geojson`, type: TYPE }],
      features: [],
    })
  })

  it('has the links of the header Link and of the JSON', async () => {
    for (const path of [EVENTS, '/api/v4/eventseries/', '/api/v3/observationtypes/']) {
      const response = await send(`${path}?page=2&page_size=1&format=geojson`)
      const { next, prev } = linksOf(await response.json())
      expect(response.headers.get('Link')).toBe(`<${next}>; rel="next", <${prev}>; rel="prev"`)
      const json = await get(`${path}?page=2&page_size=1`)
      expect([next, prev].map((link) => unhinted(link)?.replace('format=geojson&', ''))).toEqual(
        unhinted([json.next, json.previous]),
      )
      expect((await get(next ?? '')).numberReturned).toBeGreaterThan(0)
    }
  })

  it('continues for a posted query if the client posts it to next', async () => {
    const first = await get(EVENTS, post('category=hurricane&format=geojson&page_size=3'))
    const { next = '' } = linksOf(first)
    const second = await get(next, post('category=hurricane&format=geojson&page_size=3'))
    const { results } = await get(`${EVENTS}?category=hurricane&page_size=6`)
    expect([...first.features, ...second.features].map(({ id }) => id)).toEqual(
      results.map(({ id }: { id: number }) => id),
    )
  })
})

describe('a series is a feature with the rectangle around its events', () => {
  it.each(['v3', 'v4'])('%s', async (version) => {
    const path = `/api/${version}/eventseries/`
    const { results } = await get(`${path}?page_size=100`, hidden)
    const bounded = (await get('/api/v3/eventseries/?page_size=100', hidden)).results
    const { features, numberReturned } = await get(`${path}?page_size=100&format=geojson`, hidden)
    expect(numberReturned).toBe(results.length)
    for (const [i, { type, id, bbox, geometry, properties }] of features.entries()) {
      const { west, south, east, north } = bounded[i].spatial_bounds
      expect([type, id, bbox]).toEqual(['Feature', results[i].url.split('/')[6], [west, south, east, north]])
      expect(geometry).toEqual({
        type: 'Polygon',
        coordinates: [
          [
            [west, south],
            [east, south],
            [east, north],
            [west, north],
            [west, south],
          ],
        ],
      })
      const { first_value_timestamp: first, last_value_timestamp: last, spatial_bounds, ...plain } = results[i]
      const flat = { first_value_timestamp: iso(first ?? 0), last_value_timestamp: iso(last ?? 0), ...spatial_bounds }
      expect(properties).toEqual({ ...plain, ...(version === 'v3' && flat) })
    }
  })

  it('a series without events has a null geometry', async () => {
    await load([seriesOf(900, { uuid: 'ffffffff-0000-4000-8000-000000000000', name: 'Empty' })])
    const feature = await get('/api/v3/eventseries/ffffffff/?format=geojson')
    expect([Object.keys(feature), feature.geometry, feature.properties.west]).toEqual([
      ['type', 'id', 'geometry', 'properties'],
      null,
      null,
    ])
    const [, line] = (await (await send('/api/v3/eventseries/ffffffff/?format=csv')).text()).split('\r\n')
    expect(line).toMatch(/#000000,,,,,,$/)
  })
})

it('observation types are features without a geometry, so that their addresses work in GeoJSON', async () => {
  const series = await get('/api/v4/eventseries/99fe5d0/?format=geojson')
  const address = `${ORIGIN}/api/v4/observationtypes/2/`
  expect(series.properties.observation_type).toBe(address)
  expect(await get(`${address}?format=geojson`)).toEqual({
    type: 'Feature',
    id: 2,
    geometry: null,
    properties: {
      url: address,
      id: 2,
      code: 'wind_speed',
      name: 'Maximum sustained wind speed',
      unit: 'kn',
    },
  })
})

it('an item is one Feature', async () => {
  const response = await send(`${EVENTS}1/`, { headers: { Accept: TYPE } })
  const [listed] = (await get(`${EVENTS}?format=geojson&page_size=1`)).features
  expect([response.headers.get('Content-Type'), await response.json()]).toEqual([TYPE, listed])
  expect(response.headers.get('Content-Disposition')).toBe('attachment; filename="events_1.geojson"')
  expect(await answer(`${EVENTS}0/?format=geojson`)).toEqual({ status: 404, body: { detail: 'Not found.' } })
})
