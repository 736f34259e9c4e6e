import { describe, expect, it } from 'vitest'
import { SEED } from './files.ts'
import type { EventRecord, SeriesRecord } from './records.ts'
import {
  beginWithSeed,
  eventIds,
  get,
  ORIGIN,
  publicEvents,
  publicSeries,
  seedEvents,
  seedSeries,
  send,
  unhinted,
  walk,
} from './service.ts'

beginWithSeed()

const EVENTS = '/api/v3/events/'
const SERIES_V3 = '/api/v3/eventseries/'
const SERIES_V4 = '/api/v4/eventseries/'
const LISTS = [EVENTS, SERIES_V3, SERIES_V4]
const EVERYTHING = { vars: { ANONYMOUS_LEVEL: 'Hidden' } }

const feature = ({ id, series, category, value, start, end, coordinates, object }: EventRecord) => ({
  id,
  type: 'Feature',
  geometry: { type: 'Point', coordinates },
  properties: {
    category,
    value,
    url: `${ORIGIN}/api/v3/events/${id}/`,
    timestamp_start: start,
    timestamp_end: end,
    event_series: series,
    the_geom: { type: 'Point', coordinates },
    object: object && { type: object.model, id: object.id },
  },
})

/** The times of the default data as texts, by the id of the series. */
const written = new Map<number, { created: string; last_modified: string | null }>(
  SEED.trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ kind }) => kind === 'event_series')
    .map((series) => [series.id, series]),
)
const withoutZeros = (instant: string | null = null) => instant?.replace('.000000Z', 'Z') ?? null
const iso = (milliseconds: number) => new Date(milliseconds).toISOString().replace('Z', '000Z').replace('.000000Z', 'Z')

const extent = (id: number) => {
  const events = seedEvents.filter(({ series }) => series === id)
  const at = (axis: 0 | 1) => events.map(({ coordinates }) => coordinates?.[axis] ?? Number.NaN)
  return {
    start: Math.min(...events.map(({ start }) => start)),
    end: Math.max(...events.map(({ end }) => end)),
    bounds: {
      west: Math.min(...at(0)),
      east: Math.max(...at(0)),
      north: Math.max(...at(1)),
      south: Math.min(...at(1)),
    },
  }
}

const seriesV3 = ({ id, uuid, name, description, observation_type, color }: SeriesRecord) => ({
  url: `${ORIGIN}/api/v3/eventseries/${uuid}/`,
  name,
  description,
  observation_type: `${ORIGIN}/api/v3/observationtypes/${observation_type}/`,
  statistic: 'raw',
  color,
  first_value_timestamp: extent(id).start,
  last_value_timestamp: extent(id).end,
  spatial_bounds: extent(id).bounds,
})

const ACCESS = new Map([
  [0, 'Public'],
  [100, 'Common'],
  [200, 'Private'],
  [300, 'Hidden'],
])

const seriesV4 = ({ id, uuid, name, description, observation_type, color, access_modifier }: SeriesRecord) => ({
  url: `${ORIGIN}/api/v4/eventseries/${uuid}/`,
  uuid,
  name,
  description,
  observation_type: `${ORIGIN}/api/v4/observationtypes/${observation_type}/`,
  statistic: 'raw',
  color,
  start: iso(extent(id).start),
  end: iso(extent(id).end),
  access_modifier: ACCESS.get(access_modifier),
  last_modified: withoutZeros(written.get(id)?.last_modified),
  created: withoutZeros(written.get(id)?.created),
})

const found = (matches: (event: EventRecord) => boolean) => publicEvents.filter(matches).map(({ id }) => id)

describe('1 The service', () => {
  it.each(LISTS)('1 %s sends exactly these headers', async (path) => {
    const { status, headers } = await send(path)
    expect([status, headers.get('Allow'), headers.get('Content-Type'), headers.get('Vary')]).toEqual([
      200,
      'GET, POST, HEAD, OPTIONS',
      'application/json',
      'Accept',
    ])
  })

  it('1 several filters in one request are combined', async () => {
    const ids = await eventIds('category=Climb&timestamp_start__gte=2001-01-01T00:00:00Z&event_series=c90714b')
    expect(ids).toEqual(
      found(({ category, start, series }) => category === 'Climb' && start >= Date.UTC(2001, 0, 1) && series === 14),
    )
    expect(ids).not.toEqual([])
  })
})

describe('2.1 Page of a list', () => {
  it.each([
    [EVENTS, publicEvents.length],
    [SERIES_V3, publicSeries.length],
    [SERIES_V4, publicSeries.length],
  ])('2.1 the envelope of %s', async (path, count) => {
    const first = await get(path)
    expect(unhinted(first)).toEqual({
      count,
      next: `${ORIGIN}${path}?page=2`,
      previous: null,
      results: expect.any(Array),
    })
    expect(first.results).toHaveLength(10)
    const pages = await walk(`${path}?page_size=${Math.ceil(count / 2)}`)
    expect(pages.map(({ next }) => next === null)).toEqual([false, true])
    expect(pages.map(({ previous }) => previous === null)).toEqual([true, false])
  })
})

describe('2.2 Event', () => {
  it('2.2 every field of every event', async () => {
    const pages = await walk(`${EVENTS}?page_size=5000`)
    expect(pages.flatMap(({ results }) => results)).toMatchObject(publicEvents.map(feature))
  })

  it('2.2 the exact text of a page', async () => {
    const response = await send(`${EVENTS}?object=storm$371&page_size=1`)
    expect(unhinted(await response.text())).toBe(
      `{"count":42,"next":"${ORIGIN}/api/v3/events/?object=storm%24371&page=2&page_size=1","previous":null,"results":[` +
        '{"id":1737,"type":"Feature","geometry":{"type":"Point","coordinates":[-64.8,36.8,0]},"properties":{"category":"hurricane",' +
        `"value":"Maria 2011: 70 kn, 984 hPa","url":"${ORIGIN}/api/v3/events/1737/","timestamp_start":1315332000000,"timestamp_end":1316196000000,` +
        '"event_series":5,"the_geom":{"type":"Point","coordinates":[-64.8,36.8,0]},"object":{"type":"storm","id":371}}}]}',
    )
  })

  it('2.2 the category may be the empty string', async () => {
    expect(await eventIds('category__exact=')).toEqual(found(({ category }) => category === ''))
  })
})

describe('2.3 Event series, v3', () => {
  it('2.3 every field of every series', async () => {
    const { results } = await get(`${SERIES_V3}?page_size=100`)
    expect(results).toEqual(publicSeries.map(seriesV3))
    for (const { color, statistic } of results)
      expect([color, statistic]).toEqual([expect.stringMatching(/^#[0-9a-f]{6}$/), 'raw'])
  })

  it('2.3 first_value_timestamp may be negative', async () => {
    const { results } = await get(`${SERIES_V3}?name=Zomertijd+Nederland`)
    expect(results[0].first_value_timestamp).toBe(Date.UTC(1916, 3, 30, 23, 40, 28))
  })
})

describe('2.4 Event series, v4', () => {
  it('2.4 every field of every series', async () => {
    const { results } = await get(`${SERIES_V4}?page_size=100`, EVERYTHING)
    expect(results).toEqual(seedSeries.map(seriesV4))
  })

  it.each([
    [
      1,
      {
        start: '2018-01-31T02:18:21.235000Z',
        end: '2018-02-07T00:56:19.027000Z',
        last_modified: '2018-02-07T01:40:41.825000Z',
        created: '2018-02-07T01:49:14Z',
      },
    ],
    [
      10,
      {
        start: '1916-04-30T23:40:28Z',
        end: '2025-10-26T01:00:00Z',
        last_modified: null,
        created: '2026-10-29T10:32:16Z',
      },
    ],
    [
      12,
      {
        start: '1990-01-11T00:00:00Z',
        end: '2002-07-24T00:00:00Z',
        last_modified: null,
        created: '2025-08-21T23:04:37.691343Z',
      },
    ],
  ])('2.4 the instants of series %j', async (id, instants) => {
    const uuid = seedSeries.find((series) => series.id === id)?.uuid
    expect(await get(`${SERIES_V4}${uuid}/`)).toMatchObject(instants)
  })

  it('2.4 addresses end in ?format=api if the request has format=api', async () => {
    const { results } = await get(`${SERIES_V4}?page_size=100&format=api`)
    const expected = publicSeries.map(seriesV4).map((series) => ({
      ...series,
      url: `${series.url}?format=api`,
      observation_type: `${series.observation_type}?format=api`,
    }))
    expect(results).toEqual(expected)
  })
})

describe('9 Versions', () => {
  it('9 the fields of v3 and v4', async () => {
    const fields = async (path: string) => Object.keys((await get(path)).results[0]).join(' ')
    const shared = 'name description observation_type statistic color'
    expect(await fields(SERIES_V3)).toBe(`url ${shared} first_value_timestamp last_value_timestamp spatial_bounds`)
    expect(await fields(SERIES_V4)).toBe(`url uuid ${shared} start end access_modifier last_modified created`)
  })

  it.each(['v3', 'v4'])('9 the addresses in answers of %s stay in this version, and exist', async (version) => {
    const { results } = await get(`/api/${version}/eventseries/?page_size=100`)
    for (const { url, observation_type, name } of results) {
      expect(url).toMatch(new RegExp(`^${ORIGIN}/api/${version}/eventseries/[0-9a-f-]{36}/$`))
      expect(observation_type).toMatch(new RegExp(`^${ORIGIN}/api/${version}/observationtypes/\\d+/$`))
      expect((await get(url)).name).toBe(name)
      expect((await get(observation_type)).url).toBe(observation_type)
    }
  })
})
