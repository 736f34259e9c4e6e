import { describe, expect, it } from 'vitest'
import api from '../../docs/api.md?raw'
import { events } from '../../src/lists/event.ts'
import { answer, beginWithSeed, get, headersOf, type Options, post, publicEvents, send, withKey } from '../service.ts'
import { splitRows } from '../tags.ts'

beginWithSeed()

const EVENTS = '/api/v3/events/'
const SUMMARY = `${EVENTS}summary/`

describe('a summary', () => {
  it('has this structure', async () => {
    const body = await get(`${SUMMARY}?category=hurricane&timestamp_start__range=2017-08-01,2017-10-01&bins=4&level=3`)
    const matches = publicEvents.filter(
      ({ category, start }) =>
        category === 'hurricane' && start >= Date.UTC(2017, 7, 1) && start <= Date.UTC(2017, 9, 1),
    )
    const starts = matches.map(({ start }) => start)
    expect(body).toEqual({
      count: matches.length,
      time: {
        start: Math.min(...starts),
        end: Math.max(...starts),
        step: 2 ** 31,
        bins: expect.arrayContaining([[Math.floor(Math.max(...starts) / 2 ** 31) * 2 ** 31, expect.any(Number)]]),
      },
      spatial_bounds: { west: -96.8, south: 13.6, east: -50.2, north: 38.2 },
      density: { level: 3, cells: expect.arrayContaining([[-90, 22.5, -45, 45, expect.any(Number)]]) },
      without_geometry: 0,
    })
    expect(Object.keys(body)).toEqual(['count', 'time', 'spatial_bounds', 'density', 'without_geometry'])
  })

  it('has the requested facets in the requested order', async () => {
    const asked = 'event_series__name=Atlantic storms 2010-2020&bins=year'
    const body = await get(`${SUMMARY}?${asked}&facets=object_type__model, category,category`)
    expect(Object.keys(body)).toEqual(['count', 'time', 'spatial_bounds', 'density', 'without_geometry', 'facets'])
    expect(Object.keys(body.facets)).toEqual(['object_type__model', 'category'])
    const { facets, ...rest } = body
    expect(rest).toEqual(await get(`${SUMMARY}?${asked}`))
    expect(body.time.step).toBeNull()
    expect(body.time.bins[0][0]).toBe(Date.UTC(2010, 0, 1))
    const sum = facets.category.entries.reduce((total: number, { count }: { count: number }) => total + count, 0)
    expect([sum, facets.category.more]).toEqual([body.count, 0])
  })
})

it('the example of docs/api.md shows the answer of the service', async () => {
  const [, address = '', shown = ''] = /`(\/api\/v3\/events\/summary\/\?[^`]+)`\n\n```json\n([^`]*)```/.exec(api) ?? []
  expect(JSON.parse(shown)).toEqual(await get(address))
})

describe('the query of a summary', () => {
  const FACETS =
    'Enter one or more of category, event_series, object_type__model, timestamp_start__year, timestamp_start__month, timestamp_start__weekday, timestamp_start__hour, attributes__NAME, separated by commas.'
  const DISTINCT =
    'Enter one or more of category, event_series, object_type__model, attributes__NAME, separated by commas.'
  const LEVEL = ['Enter a whole number from 0 to 12.']
  it.each([
    ['bins=0', { bins: ['Enter a whole number from 1 to 512.'] }],
    ['bins=513', { bins: ['Enter a whole number from 1 to 512.'] }],
    ['bins=many', { bins: ['Enter a whole number from 1 to 512, or one of hour, day, week, month, year.'] }],
    ['bins=months', { bins: ['Enter a whole number from 1 to 512, or one of hour, day, week, month, year.'] }],
    ['facets=category,series', { facets: [FACETS] }],
    ['facets=,', { facets: [FACETS] }],
    ['facets=category&facet_size=1001', { facet_size: ['Enter a whole number from 1 to 1000.'] }],
    ['facets=category&facet_size=0', { facet_size: ['Enter a whole number from 1 to 1000.'] }],
    ['facets=category&facet_offset=-1', { facet_offset: ['Enter a whole number from 0 to 999999999.'] }],
    ['facet_size=10', { facet_size: ['Add the name of a facet, such as facets=category.'] }],
    ['facet_offset=10&facets=', { facet_offset: ['Add the name of a facet, such as facets=category.'] }],
    ['by=category&by_size=101', { by_size: ['Enter a whole number from 1 to 100.'] }],
    ['by_size=5', { by_size: ['Add the name of a facet, such as by=category.'] }],
    ['by_ordering=text&facets=category', { by_ordering: ['Add the name of a facet, such as by=category.'] }],
    ['by=category&by_ordering=-value__sum', { by_ordering: ['Enter value in statistics as well.'] }],
    ['distinct=timestamp_start__year', { distinct: [DISTINCT] }],
    ['distinct=value', { distinct: [DISTINCT] }],
    ['statistics=category', { statistics: ['Enter one or more of value, attributes__NAME, separated by commas.'] }],
    ['facet=category', { facet: ['Unknown parameter. Did you mean facets?'] }],
    ['level=13', { level: LEVEL }],
    ['level=-1', { level: LEVEL }],
    ['level=1.5', { level: LEVEL }],
    ['levl=1', { levl: ['Unknown parameter. Did you mean level?'] }],
    ['bin=1', { bin: ['Unknown parameter. Did you mean bins?'] }],
    ['categroy=a', { categroy: ['Unknown parameter. Did you mean category?'] }],
    ['bins=1&bins=2', { bins: ['Given more than once. Give it once.'] }],
    ['format=xml', { format: ['Enter one of json, api, csv, spreadsheet.'] }],
    [
      'object_id=x&geom_within=nowhere&level=x',
      { object_id: ['Enter a whole number, such as 986.'], geom_within: [expect.any(String)], level: LEVEL },
    ],
  ])('%s', async (query, body) => {
    expect(await answer(`${SUMMARY}?${query}`)).toEqual({ status: 400, body })
    expect(await answer(SUMMARY, post(query))).toEqual({ status: 400, body })
  })

  it.each([
    'bins=&by=&by_size=&by_ordering=&level=&facets=&facet_size=&facet_offset=&statistics=&distinct=',
    'page=last&page_size=100&ordering=-timestamp_start&hint=1',
    'page=7&page_size=10000&after=12',
    'format=json',
    'fields=id&fields=category',
    'level=08&bins=+256',
  ])('%s changes nothing', async (query) => {
    expect(await get(`${SUMMARY}?${query}`)).toEqual(await get(SUMMARY))
  })

  for (const [options, names] of splitRows(3, [...events.filters.keys()]))
    it('filters have the same meaning as in the list', { ...options, timeout: 30_000 }, async () => {
      for (const name of names) {
        const [list, summary] = await Promise.all([answer(`${EVENTS}?${name}=1`), answer(`${SUMMARY}?${name}=1`)])
        expect([name, summary.status]).toEqual([name, list.status])
        const seen = ({ status, body }: typeof list) => (status === 400 ? body : (body as { count: number }).count)
        expect([name, seen(summary)]).toEqual([name, seen(list)])
      }
    })

  it('bins and level are unknown parameters of the list', async () => {
    expect((await answer(`${EVENTS}?bins=1&level=1`)).status).toBe(400)
  })

  it('a posted form gives the same summary', async () => {
    const query = 'category__icontains=a&level=5'
    expect(await get(SUMMARY, post(query))).toEqual(await get(`${SUMMARY}?${query}`))
    expect(await get(`${SUMMARY}?level=5`, post('category__icontains=a&page=2'))).toEqual(
      await get(`${SUMMARY}?${query}`),
    )
    expect((await answer(SUMMARY, { method: 'POST', body: '{}' })).status).toBe(415)
  })
})

describe('the address of a summary', () => {
  it('is described by OPTIONS', async () => {
    const { filters, parameters, ...body } = await get(SUMMARY, { method: 'OPTIONS' })
    expect(body).toEqual({
      name: 'Event Summary',
      description: expect.stringMatching(/\.$/),
      renders: ['application/json', 'text/html', 'text/csv'],
      parses: ['application/x-www-form-urlencoded'],
    })
    const own =
      'bins by by_size by_ordering timezone locale level facets facet_size facet_offset facet_ordering statistics distinct'
    expect(parameters.join(' ')).toBe(`after consistent format hint ordering page page_size ${own}`)
    expect(filters).toEqual((await get(EVENTS, { method: 'OPTIONS' })).filters)
    expect((await get('/api/v3/events/summary.csv', { method: 'OPTIONS' })).parses).toEqual([])
  })

  it.each<[string, string, () => Options | Promise<Options>]>([
    ['anyone', '?category=Climb', () => ({})],
    ['a browser', '', () => ({ headers: { Accept: 'text/html' } })],
    ['a form', '', () => post('category=Climb')],
    ['a page of another origin', '', () => ({ headers: { Origin: 'https://map.example.org' } })],
    ['a key', '', () => withKey('hidden')],
    ['the wrong key', '', () => ({ headers: { Authorization: 'Bearer wrong' } })],
    ['a client that accepts images only', '', () => ({ headers: { Accept: 'image/png' } })],
  ])('%s is answered with the headers of the list', async (_, query, options) => {
    const [list, summary] = [
      await send(`${EVENTS}${query}`, await options()),
      await send(`${SUMMARY}${query}`, await options()),
    ]
    const { link: _link, 'x-total-count': _count, ...headers } = headersOf(list)
    // A browser may show a summary again for some seconds.
    const isReused =
      summary.status === 200 && summary.headers.get('Cache-Control') !== list.headers.get('Cache-Control')
    const reused = { 'cache-control': 'private, max-age=10, must-revalidate', vary: summary.headers.get('Vary') }
    expect([summary.status, headersOf(summary)]).toEqual([list.status, isReused ? { ...headers, ...reused } : headers])
    expect(summary.headers.has('ETag')).toBe(list.headers.has('ETag'))
  })

  it('is a page in a browser', async () => {
    const page = await (await send(SUMMARY, { headers: { Accept: 'text/html' } })).text()
    expect(page).toContain('<h1>Event Summary</h1>')
    expect(page).toContain('&quot;density&quot;')
  })

  it('does not hide an item or another list', async () => {
    expect((await answer(`${EVENTS}1/`)).body).toMatchObject({ id: 1 })
    expect(await answer(`${EVENTS}summaries/`)).toEqual({ status: 404, body: { detail: 'Not found.' } })
    expect((await answer(`/api/v3/eventseries/summary/`)).status).toBe(404)
  })
})

it.each([
  'page_size=0',
  'page_size=all',
  'ordering=nothing',
  'ordering=distance',
  'fields=nothing',
  'after=x',
  'consistent=perhaps',
  'page=0',
  'state=12-mb2k0x9f',
])('%s is refused as by the list', async (query) => {
  const [list, summary] = [await answer(`${EVENTS}?${query}`), await answer(`${SUMMARY}?${query}`)]
  expect(summary).toEqual(list)
  expect([400, 404]).toContain(summary.status)
})
