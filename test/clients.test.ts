import { beforeAll, describe, expect, it } from 'vitest'
import { eventOf } from './filters/records.ts'
import type { EventRecord } from './records.ts'
import { get, load, ORIGIN, publicEvents, publicSeries, seedRecords, send, walk } from './service.ts'

const nowhere = eventOf(90_000, { series: 5, value: '12.5', start: -5, end: -5 })

beforeAll(() => load([...seedRecords, nowhere]))

type Feature = {
  id: number
  geometry: { coordinates: number[] } | null
  properties: {
    value: unknown
    timestamp_start: unknown
    timestamp_end: unknown
    object: { type: string; id: number } | null
  }
}
const found = (matches: (event: EventRecord) => boolean) => publicEvents.filter(matches).map(({ id }) => id)

describe('the web viewer', () => {
  it('reads all events of a series on one page, by 7 characters of the uuid', async () => {
    const { count, next, results } = await get('/api/v3/events/?event_series=99fe5d0&page_size=5000')
    expect([count, next, results.length]).toEqual([171, null, 171])
    for (const { geometry, properties } of results as Feature[]) {
      const { value, timestamp_start, timestamp_end, object } = properties
      expect([typeof value, typeof timestamp_start, typeof timestamp_end]).toEqual(['string', 'number', 'number'])
      if (geometry !== null) expect(geometry.coordinates).toHaveLength(3)
      if (object !== null) expect([object.type, typeof object.id]).toEqual(['storm', 'number'])
    }
    expect(results.filter(({ geometry }: Feature) => geometry === null)).toHaveLength(1)
  })

  it('reads a series by 7 characters of its uuid', async () => {
    for (const { uuid, name } of publicSeries) {
      const series = await get(`/api/v3/eventseries/${uuid.slice(0, 7)}/`)
      expect([
        series.name,
        Number.isInteger(series.first_value_timestamp),
        Number.isInteger(series.last_value_timestamp),
      ]).toEqual([name, true, true])
    }
  })
})

describe('the Python client', () => {
  const base = 'http://data.example.org:8080'
  const read = async (path: string) => {
    const response = await send(`${base}${path}`, { headers: { Accept: '*/*', 'User-Agent': 'python-requests/2.32' } })
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'application/json'])
    return response.json()
  }

  it('starts at the root with page_size=0', async () => {
    expect(await read('/api/v3/?page_size=0&format=json')).toEqual({
      events: `${base}/api/v3/events/?format=json`,
      eventseries: `${base}/api/v3/eventseries/?format=json`,
      observationtypes: `${base}/api/v3/observationtypes/?format=json`,
    })
    expect(Object.keys((await read('/api/v4/?page_size=0&format=json')) as object)).toEqual([
      'events',
      'eventseries',
      'observationtypes',
    ])
  })

  const storm = ({ category }: EventRecord) => category === 'tropical storm'
  const box = ({ coordinates }: EventRecord) => {
    const [x = 0, y = 0] = coordinates ?? []
    return x > -80 && x < -60 && y > 20 && y < 35
  }
  it.each<[string, (event: EventRecord) => boolean]>([
    ['category=tropical+storm', storm],
    ['geom_within=POLYGON+%28%28-80+20%2C+-60+20%2C+-60+35%2C+-80+35%2C+-80+20%29%29', box],
  ])('follows next to the last page: %s', async (query, matches) => {
    const pages = await walk(`${base}/api/v3/events/?format=json&page_size=1000&${query}`)
    expect(pages.flatMap(({ results }) => results.map(({ id }: Feature) => id))).toEqual(found(matches))
    for (const { next } of pages) if (next !== null) expect(next).toMatch(`${base}/api/v3/events/?`)
  })
})

describe('scripts', () => {
  it.each(['', 'format=json', 'format=api'])('find the uuid as the sixth part of url: %s', async (query) => {
    for (const version of ['v3', 'v4']) {
      const { results } = await get(`/api/${version}/eventseries/?page_size=100&${query}`, {
        headers: { Accept: '*/*' },
      })
      expect(results.map(({ url }: { url: string }) => url.split('/')[6])).toEqual(publicSeries.map(({ uuid }) => uuid))
    }
  })

  it('order by -last_modified and get the newest first', async () => {
    const { results } = await get('/api/v4/eventseries/?ordering=-last_modified')
    expect(results.slice(0, 3).map(({ last_modified }: { last_modified: string }) => last_modified)).toEqual([
      '2018-02-07T01:45:04.877000Z',
      '2018-02-07T01:40:41.825000Z',
      null,
    ])
  })
})

describe('curl, pandas and map libraries', () => {
  it('curl follows the header Link', async () => {
    const seen: number[] = []
    let address: string | undefined = `${ORIGIN}/api/v3/events/?event_series=99fe5d0&page_size=60`
    while (address !== undefined) {
      const response: Response = await send(address, { headers: { Accept: '*/*', 'User-Agent': 'curl/8.10.1' } })
      const { results } = (await response.json()) as { results: Feature[] }
      seen.push(...results.map(({ id }) => id))
      address = /<([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1]
    }
    expect(seen).toEqual([...found(({ series }) => series === 5), 90_000])
  })

  it('a page of another origin can read answers and errors', async () => {
    for (const query of ['', '?nope=1']) {
      const { headers } = await send(`/api/v3/events/${query}`, { headers: { Origin: 'https://map.example.org' } })
      expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
    }
  })
})
