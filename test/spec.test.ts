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

const names = async (path: string) => {
  const { count, results } = await get(path, EVERYTHING)
  expect(count).toBe(results.length)
  return results.map(({ name }: { name: string }) => name)
}
const named = (matches: (series: SeriesRecord) => boolean) => seedSeries.filter(matches).map(({ name }) => name)
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

describe('4.1 Filters of the events', () => {
  const storms = '99fe5d03-893d-5b20-8244-b9189db33e37'
  const cases: [string, (event: EventRecord) => boolean][] = [
    ['category=hurricane', ({ category }) => category === 'hurricane'],
    ['category__istartswith=TROPICAL', ({ category }) => category.startsWith('tropical')],
    ['timestamp_start=2018-02-02T04:08:04.618Z', ({ start }) => start === 1517544484618],
    [
      'timestamp_start__gte=2018-02-06T00:00:00Z&event_series=1f3f',
      ({ start, series }) => start >= Date.UTC(2018, 1, 6) && series === 1,
    ],
    [
      'timestamp_start__gte=2018-02-06T01:00:00%2B01:00&event_series=1f3f',
      ({ start, series }) => start >= Date.UTC(2018, 1, 6) && series === 1,
    ],
    [
      'timestamp_start__gte=2018-02-05T22:30:00-01:30&event_series=1f3f',
      ({ start, series }) => start >= Date.UTC(2018, 1, 6) && series === 1,
    ],
    ['timestamp_end=2011-09-16T12:00:00Z', ({ end }) => end === 1316174400000],
    ['timestamp_end__lt=1920-01-01T00:00:00Z', ({ end }) => end < Date.UTC(1920, 0, 1)],
    ['timestamp_end__lt=1920-01-01T02:00:00%2B02:00', ({ end }) => end < Date.UTC(1920, 0, 1)],
    ['duration=06:00:00', ({ start, end }) => end - start === 21_600_000],
    ['duration=PT6H0M', ({ start, end }) => end - start === 21_600_000],
    [
      'duration__gte=21:02:00&category=hurricane',
      ({ start, end, category }) => end - start >= 75_720_000 && category === 'hurricane',
    ],
    [
      'duration__gte=PT21H2M&category=hurricane',
      ({ start, end, category }) => end - start >= 75_720_000 && category === 'hurricane',
    ],
    ['object_type__model=storm', ({ object }) => object?.model === 'storm'],
    ['object_id=371', ({ object }) => object?.id === 371],
    ['object_type__model=storm&object_id=371', ({ object }) => object?.model === 'storm' && object.id === 371],
    ['object=storm$371', ({ object }) => object?.model === 'storm' && object.id === 371],
    ['object=storm%24371', ({ object }) => object?.model === 'storm' && object.id === 371],
    [`event_series=${storms}`, ({ series }) => series === 5],
    ['event_series=99fe5d0', ({ series }) => series === 5],
    ['event_series=cae2,c907', ({ series }) => series === 13 || series === 14],
    ['event_series__name=aTLANTIC storms 2010-2020', ({ series }) => series === 5],
  ]
  it.each(cases)('4.1 %s', async (query, matches) => {
    const expected = found(matches)
    expect(expected).not.toEqual([])
    expect(await eventIds(query)).toEqual(expected)
  })
})

describe('4.1 geom_within', () => {
  const ring: [number, number][] = [
    [-80, 20],
    [-60, 20],
    [-60, 35],
    [-80, 35],
    [-80, 20],
  ]
  /** Returns the ring as a polygon in WKB, in little endian, with or without an SRID. */
  const wkb = (srid?: number): Uint8Array => {
    const head = srid === undefined ? [3, 1, ring.length] : [0x20000003, srid, 1, ring.length]
    const view = new DataView(new ArrayBuffer(1 + head.length * 4 + ring.length * 16))
    view.setUint8(0, 1)
    for (const [i, word] of head.entries()) view.setUint32(1 + i * 4, word, true)
    for (const [i, number] of ring.flat().entries()) view.setFloat64(1 + head.length * 4 + i * 8, number, true)
    return new Uint8Array(view.buffer)
  }
  const hex = (bytes: Uint8Array, before = '') =>
    Array.from(bytes, (byte) => before + byte.toString(16).padStart(2, '0')).join('')

  it.each([
    ['WKT', encodeURIComponent(`POLYGON ((${ring.map((position) => position.join(' ')).join(', ')}))`)],
    ['HEXEWKB', hex(wkb(4326)).toUpperCase()],
    ['WKB', hex(wkb(), '%')],
    ['GeoJSON', encodeURIComponent(JSON.stringify({ type: 'Polygon', coordinates: [ring] }))],
  ])('4.1 events within a polygon in %s', async (_, value) => {
    const expected = found(({ coordinates }) => {
      const [x = 0, y = 0] = coordinates ?? []
      return x > -80 && x < -60 && y > 20 && y < 35
    })
    expect(expected.length).toBeGreaterThan(100)
    expect(await eventIds(`geom_within=${value}`)).toEqual(expected)
  })
})

describe('4.2 Filters of the event series, v3', () => {
  const cases: [string, (series: SeriesRecord) => boolean][] = [
    ['name=Zomertijd+Nederland', ({ name }) => name === 'Zomertijd Nederland'],
    ['name=zomertijd+nederland', () => false],
    ['name__icontains=EARTHQUAKES', ({ name }) => name.includes('Earthquakes')],
    ['id=12', ({ id }) => id === 12],
    ['uuid=99fe5d03-893d-5b20-8244-b9189db33e37', ({ id }) => id === 5],
  ]
  it.each(cases)('4.2 %s', async (query, matches) => {
    expect(await names(`${SERIES_V3}?page_size=100&${query}`)).toEqual(named(matches))
  })
})

describe('4.3 Filters of the event series, v4', () => {
  const created = Date.UTC(2022, 8, 1, 9, 20, 6) * 1000
  const modified = Date.UTC(2018, 1, 7, 1, 42) * 1000
  const atModified = Date.UTC(2018, 1, 7, 1, 40, 41, 825) * 1000
  const cases: [string, (series: SeriesRecord) => boolean][] = [
    ['uuid=99fe5d03-893d-5b20-8244-b9189db33e37', ({ id }) => id === 5],
    ['uuid=00000000-893d-5b20-8244-b9189db33e37', () => false],
    ['name=Summer+time+Europe', ({ id }) => id === 11],
    ['name__exact=Summer+time+Europe', ({ id }) => id === 11],
    ['name__exact=Summer+time', () => false],
    ['name__startswith=Wildlife', ({ name }) => name.startsWith('Wildlife')],
    ['name__startswith=wildlife', () => false],
    ['name__icontains=STORM', ({ name }) => name.includes('storm')],
    ...[...ACCESS].flatMap(([number, name]): [string, (series: SeriesRecord) => boolean][] => [
      [`access_modifier=${name}`, (series) => series.access_modifier === number],
      [`access_modifier=${number}`, (series) => series.access_modifier === number],
    ]),
    ['created=2022-09-01T09:20:06Z', (series) => series.created === created],
    ['created__exact=2022-09-01T09:20:06Z', (series) => series.created === created],
    ['created__lt=2022-09-01T09:20:06Z', (series) => series.created < created],
    ['created__lte=2022-09-01T09:20:06Z', (series) => series.created <= created],
    ['created__gt=2022-09-01T09:20:06Z', (series) => series.created > created],
    ['created__gte=2022-09-01T09:20:06Z', (series) => series.created >= created],
    ['last_modified=2018-02-07T01:40:41.825Z', (series) => series.last_modified === atModified],
    ['last_modified__exact=2018-02-07T01:40:41.825Z', (series) => series.last_modified === atModified],
    [
      'last_modified__lt=2018-02-07T01:42:00Z',
      ({ last_modified }) => last_modified !== null && last_modified < modified,
    ],
    [
      'last_modified__lte=2018-02-07T01:42:00Z',
      ({ last_modified }) => last_modified !== null && last_modified <= modified,
    ],
    [
      'last_modified__gt=2018-02-07T01:42:00Z',
      ({ last_modified }) => last_modified !== null && last_modified > modified,
    ],
    [
      'last_modified__gte=2018-02-07T01:42:00Z',
      ({ last_modified }) => last_modified !== null && last_modified >= modified,
    ],
  ]
  it.each(cases)('4.3 %s', async (query, matches) => {
    expect(await names(`${SERIES_V4}?page_size=100&${query}`)).toEqual(named(matches))
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
