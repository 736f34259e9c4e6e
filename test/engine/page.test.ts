import { beforeAll, describe, expect, it } from 'vitest'
import { MAX_PAGE_SIZE } from '../../src/lists/resource.ts'
import { eventOf, seriesOf } from '../filters/records.ts'
import { answer, eventIds, get, load, ORIGIN, post, seedRecords, send, unhinted, walk } from '../service.ts'

const EVENTS = '/api/v3/events/'
const SERIES = '/api/v4/eventseries/'
const empty = seriesOf(900, {
  uuid: '90000000-0000-4000-8000-000000000900',
  name: 'Without events',
  created: Date.UTC(2020, 0, 1) * 1000 + 1,
})
const nowhere = eventOf(90_000, { series: 10 })

beforeAll(() => load([...seedRecords, empty, nowhere]))

const idsOf = (pages: { results: { id: number }[] }[]) => pages.flatMap(({ results }) => results.map(({ id }) => id))

const EVENT_ORDERS =
  'id, timestamp_start, timestamp_end, category, value, value_number, duration, event_series__name, external_id, object_id, last_modified, distance, attributes__NAME'

describe('the ordering of series', () => {
  it.each([
    ['/api/v3/eventseries/?ordering=start', 'id, name, created, last_modified'],
    [`${SERIES}?ordering=uuid`, 'id, name, created, last_modified, start, end'],
    [`${EVENTS}?ordering=constructor`, EVENT_ORDERS],
    [`${EVENTS}?ordering=--id`, EVENT_ORDERS],
  ])('%s is a 400', async (path, names) => {
    const ordering = [`Enter one of ${names}, or one of these with a - in front.`]
    expect(await answer(path)).toEqual({ status: 400, body: { ordering } })
  })
})

describe('the parameter page', () => {
  it.each(['0', '-1', 'abc', '1.5', '18', '99999999999', '999999999999999', '9'.repeat(400), 'Last', '__proto__'])(
    '%s is a 404',
    async (page) => {
      const path = `${EVENTS}?event_series=99fe5d0&page=${page}`
      expect(await answer(path)).toEqual({ status: 404, body: { detail: 'Invalid page.' } })
    },
  )

  it('999999999999999 is a 404 with the largest page_size', async () => {
    const path = `${EVENTS}?page_size=${MAX_PAGE_SIZE}&page=999999999999999`
    expect(await answer(path)).toEqual({ status: 404, body: { detail: 'Invalid page.' } })
  })

  it.each(['last', '17', '017', ' 17 '])('%j is the last page', async (page) => {
    const { next, previous, results } = await get(`${EVENTS}?event_series=99fe5d0&page=${page}`)
    expect(unhinted([next, previous, results.length])).toEqual([
      null,
      `${ORIGIN}${EVENTS}?event_series=99fe5d0&page=16`,
      10,
    ])
  })

  it.each(['', '?page=1', '?page=last', '?page='])('%j is an empty page if the list is empty', async (query) => {
    const path = `${EVENTS}${query}${query === '' ? '?' : '&'}category=none`
    expect(await get(path)).toEqual({ count: 0, next: null, previous: null, results: [] })
  })

  it('2 is a 404 if the list is empty', async () => {
    expect(await answer(`${EVENTS}?category=none&page=2`)).toEqual({ status: 404, body: { detail: 'Invalid page.' } })
  })
})

describe('the parameter page_size', () => {
  it.each([
    [EVENTS, MAX_PAGE_SIZE],
    ['/api/v3/eventseries/', 1000],
    [SERIES, 1000],
    ['/api/v3/observationtypes/', 1000],
    ['/api/v4/observationtypes/', 1000],
  ])('%s allows page_size up to %j', async (path, limit) => {
    const { count, results } = await get(`${path}?page_size=${limit}`)
    expect(results).toHaveLength(Math.min(count, limit))
    for (const size of [limit + 1, 0, -1, 1.5, 'abc', '1e3', '9'.repeat(400)])
      expect(await answer(`${path}?page_size=${size}`)).toEqual({
        status: 400,
        body: { page_size: [`Enter a whole number from 1 to ${limit}.`] },
      })
  })

  it.each(['', '?page_size='])('%j gives 10 items', async (query) => {
    expect((await get(`${EVENTS}${query}`)).results).toHaveLength(10)
  })
})

describe('next and previous', () => {
  it.each([
    ['', null, '?page=2'],
    ['?page=2', '', '?page=3'],
    ['?page=3', '?page=2', '?page=4'],
    ['?page_size=5&category=Climb', null, '?category=Climb&page=2&page_size=5'],
    [
      '?page=2&timestamp_start__gte=1990-01-01T00:00:00%2B01:00&format=json',
      '?format=json&timestamp_start__gte=1990-01-01T00%3A00%3A00%2B01%3A00',
      '?format=json&page=3&timestamp_start__gte=1990-01-01T00%3A00%3A00%2B01%3A00',
    ],
    ['?category=tropical+storm', null, '?category=tropical+storm&page=2'],
    ['?category=tropical%20storm&ordering=', null, '?category=tropical+storm&ordering=&page=2'],
    [
      '?geom_within=%01%03%00%00%00%01%00%00%00%04%00%00%00%00%00%00%00%00%80f%c0%00%00%00%00%00%80V%c0%00%00%00%00%00%80f@%00%00%00%00%00%80V%c0%00%00%00%00%00%00%00%00%00%00%00%00%00%80V@%00%00%00%00%00%80f%c0%00%00%00%00%00%80V%c0',
      null,
      '?geom_within=%01%03%00%00%00%01%00%00%00%04%00%00%00%00%00%00%00%00%80f%C0%00%00%00%00%00%80V%C0%00%00%00%00%00%80f%40%00%00%00%00%00%80V%C0%00%00%00%00%00%00%00%00%00%00%00%00%00%80V%40%00%00%00%00%00%80f%C0%00%00%00%00%00%80V%C0&page=2',
    ],
  ])('%s', async (query, previous, next) => {
    const body = await get(`${EVENTS}${query}`)
    const absolute = (rest: string | null) => (rest === null ? null : `${ORIGIN}${EVENTS}${rest}`)
    expect(unhinted([body.previous, body.next])).toEqual([absolute(previous), absolute(next)])
  })

  it.each([
    ['', '<@?page=2>; rel="next"'],
    ['?page=2', '<@?page=3>; rel="next", <@>; rel="prev"'],
    ['?page=last', '<@?page=1517>; rel="prev"'],
    ['?category=none', null],
  ])('%j are in the header Link', async (query, link) => {
    const { headers } = await send(`${EVENTS}${query}`)
    expect(unhinted(headers.get('Link'))).toBe(link?.replaceAll('@', `${ORIGIN}${EVENTS}`) ?? null)
  })
})

describe('a posted query', () => {
  it.each([
    'category=Climb&page_size=500',
    'event_series=83332016&page_size=40&ordering=-timestamp_start',
    'category=tropical+storm&geom_within=POLYGON((-80+20,-60+20,-60+35,-80+35,-80+20))',
  ])('%s: next and previous take the same body', async (body) => {
    const pages = await walk(EVENTS, post(body))
    const asGet = await walk(`${EVENTS}?${body}`)
    expect(unhinted(pages.map(({ next, previous }) => [next, previous]))).toEqual(
      asGet.map((_, i) => [
        i + 1 < asGet.length ? `${ORIGIN}${EVENTS}?page=${i + 2}` : null,
        i > 1 ? `${ORIGIN}${EVENTS}?page=${i}` : i > 0 ? `${ORIGIN}${EVENTS}?hint=p` : null,
      ]),
    )
    expect(pages.map(({ count, results }) => [count, results])).toEqual(
      asGet.map(({ count, results }) => [count, results]),
    )
    expect(pages.length).toBeGreaterThan(2)
  })

  const POST_IT = { hint: ['This address continues a posted query. Post the same body to it.'] }
  const linksOf = (link: string | null) => Array.from(link?.matchAll(/<([^>]*)>/g) ?? [], ([, address = '']) => address)

  it.each([
    [EVENTS, 'category=Climb&page_size=50&page=2'],
    [EVENTS, 'page_size=3'],
    [EVENTS, 'geom_within=POLYGON((-80+20,-60+20,-60+35,-80+35,-80+20))&page=2'],
    [EVENTS, 'near=4.9,52.4&radius=20000000&ordering=distance&page=last'],
    [EVENTS, 'after=4711&page_size=2'],
    [EVENTS, 'category='],
    [`${EVENTS}?page_size=2`, 'category=hurricane&page=2'],
    ['/api/v3/events.csv', 'category=hurricane'],
    [EVENTS, 'category=hurricane&format=ndjson'],
    ['/api/v4/events/', 'event_series=99fe5d0&format=geojson'],
    ['/api/v4/eventseries/99fe5d0/events/', 'category=hurricane'],
    ['/api/v3/eventseries/', 'name__icontains=a&page_size=1&page=2'],
    ['/api/v4/eventseries/', 'page_size=1'],
    ['/api/v3/observationtypes/', 'page_size=1&page=2'],
    ['/api/v3/events/summary/', 'facets=category&facet_size=1&event_series=99fe5d0'],
  ])('%s %s: its links are a 400 with GET, and go on with the same body', async (path, body) => {
    const first = await send(path, post(body))
    const text = await first.text()
    const inBody = /"next":"([^"]*)"/.exec(text)?.[1]
    const links = [...new Set([...linksOf(first.headers.get('Link')), ...(inBody === undefined ? [] : [inBody])])]
    expect([first.status, links.length]).toEqual([200, expect.toSatisfy((number) => number > 0)])
    for (const link of links) {
      expect(await answer(link, { headers: { Accept: 'application/json' } })).toEqual({ status: 400, body: POST_IT })
      expect((await send(link, { method: 'HEAD' })).status).toBe(400)
      const { status, headers } = await send(link, post(body))
      expect([status, headers.get('X-Total-Count')]).toEqual([200, first.headers.get('X-Total-Count')])
    }
  })

  it.each([
    [`${EVENTS}?category=Climb`, ''],
    [`${EVENTS}?category=Climb`, 'page=2'],
    [`${EVENTS}?category=Climb`, 'page=last'],
    [EVENTS, 'last_modified__lte=now%2B1d'],
    ['/api/v3/eventseries/?page_size=1', ''],
  ])('%s %s: its links take GET, because the address asks all', async (path, body) => {
    const first = await get(path, post(body))
    for (const link of [first.next, first.previous].filter((each) => each !== null))
      expect((await get(link)).count).toBe(first.count)
  })

  it('takes the hint of the same query in the address', async () => {
    const [query, { next }] = ['category=Climb&page_size=50', await get(`${EVENTS}?category=Climb&page_size=50`)]
    const { searchParams } = new URL(next)
    const address = `${EVENTS}?page=2&hint=${searchParams.get('hint')}`
    expect((await get(address, post(query))).results).toEqual((await get(next)).results)
  })

  it('continues if the page is in its body', async () => {
    const form = post('event_series=99fe5d0&page=2&page_size=50')
    const second = await get(EVENTS, form)
    expect(unhinted([second.previous, second.next])).toEqual([`${ORIGIN}${EVENTS}?page=1`, `${ORIGIN}${EVENTS}?page=3`])
    const all = [await get(second.previous, form), second, ...(await walk(second.next, form))]
    expect(idsOf(all)).toEqual(await eventIds('event_series=99fe5d0'))
  })
})

describe('an item without data', () => {
  it('a series without events has null times and bounds', async () => {
    expect(await get(`/api/v3/eventseries/${empty.uuid}/`)).toMatchObject({
      first_value_timestamp: null,
      last_value_timestamp: null,
      spatial_bounds: null,
    })
    expect(await get(`${SERIES}${empty.uuid}/`)).toMatchObject({
      start: null,
      end: null,
      created: '2020-01-01T00:00:00.000001Z',
    })
  })

  it('an event without geometry has null members', async () => {
    const { geometry, properties } = await get(`${EVENTS}90000/`)
    expect([geometry, properties.the_geom, properties.object]).toEqual([null, null, null])
  })
})
