import { describe, expect, it } from 'vitest'
import { parametersOf, SUMMARY_PARAMETERS } from '../../src/http/page.ts'
import { SUMMARY } from '../../src/http/summary.ts'
import { events as eventList } from '../../src/lists/event.ts'
import { MAX_PAGE_SIZE, type Resource } from '../../src/lists/resource.ts'
import { LISTS } from '../../src/lists/versions.ts'
import { COLLECTIONS } from '../../src/ogc/collection.ts'
import { ITEMS, TILE_PARAMETERS } from '../../src/ogc/parameters.ts'
import { eventOf } from '../filters/records.ts'
import { durationOf, expectPace } from '../pace.ts'
import { answer, beginWithSeed, get, load, ORIGIN, post, send, unhinted } from '../service.ts'
import { splitRows } from '../tags.ts'

beginWithSeed()

const EVENTS = '/api/v3/events/'
const unknown = (suggestion?: string) => [`Unknown parameter.${suggestion ? ` Did you mean ${suggestion}?` : ''}`]
const TWICE = ['Given more than once. Give it once.']
const PAGE_SIZE = [`Enter a whole number from 1 to ${MAX_PAGE_SIZE}.`]
const FORMATS = ['Enter one of json, api, geojson, csv, spreadsheet, ndjson, atom.']
const WHOLE = ['Enter a whole number, such as 986.']
const PREFIX = ['Enter a uuid or its first characters, such as 99fe5d0. For a number use event_series__id.']

describe('every bad parameter is named in one 400', () => {
  it.each<[string, Record<string, string[]>]>([
    ['categry=x', { categry: unknown('category') }],
    ['CATEGORY=x', { CATEGORY: unknown('category') }],
    ['category__istartwith=x', { category__istartwith: unknown('category__istartswith') }],
    ['event_series__nam=x', { event_series__nam: unknown('event_series__name') }],
    ['pagesize=5', { pagesize: unknown('page_size') }],
    ['xyzzy', { xyzzy: unknown() }],
    ['=x', { '': unknown() }],
    ['object_type=storm', { object_type: unknown('object_type__model') }],
    ['page=1&page=2', { page: TWICE }],
    ['category=a&category=a', { category: TWICE }],
    ['timestamp_start__gte=2018&timestamp_start__gte=2018', { timestamp_start__gte: expect.arrayContaining(TWICE) }],
    ['datetime=2018-01-01&datetime=2018-01-01', { datetime: TWICE }],
    ['bbox=3,50,8&bbox=54,9', { bbox: [expect.stringMatching(/^Enter west/)] }],
    ['format=json&format=json', { format: TWICE }],
    ['constructor=1', { constructor: unknown() }],
    ['toString=1&hasOwnProperty=1', { toString: unknown(), hasOwnProperty: unknown() }],
    [
      'event_series=xyz&object_id=abc&page_size=0&nope=1',
      { event_series: PREFIX, object_id: WHOLE, page_size: PAGE_SIZE, nope: unknown() },
    ],
    ['object_id=abc&page=0', { object_id: WHOLE }],
    ['page_size=0&page=abc', { page_size: PAGE_SIZE }],
    ['page=9999999&nope=1', { nope: unknown() }],
    ['format=xml&nope=1&object_id=abc', { format: FORMATS, nope: unknown(), object_id: WHOLE }],
  ])('%s', async (query, body) => {
    expect(await answer(`${EVENTS}?${query}`)).toEqual({ status: 400, body })
    expect(await answer(EVENTS, post(query))).toEqual({ status: 400, body })
  })

  it('__proto__=1', async () => {
    const response = await send(`${EVENTS}?__proto__=1&__proto__.x=1`)
    expect([response.status, await response.text()]).toEqual([
      400,
      '{"__proto__":["Unknown parameter."],"__proto__.x":["Unknown parameter."]}',
    ])
  })

  it.each([
    'category__iregex=(',
    'category__isnull=maybe',
    'timestamp_start__gte=yesterday',
    'timestamp_end__range=2018-01-01',
    'duration=P1M',
    'object_type__model__regex=(?=a)',
    'object_id__in=1,x',
    'object=storm',
    'event_series=99fe5d0,zz',
    'event_series__name__isnull=maybe',
    'geom_within=POINT(1',
  ])('%s together with object_id=x', async (query) => {
    const { status, body } = await answer(`${EVENTS}?${query}&object_id=x`)
    const name = query.slice(0, query.indexOf('='))
    expect([status, body]).toEqual([400, { [name]: [expect.any(String)], object_id: WHOLE }])
  })

  it.each([
    ['/api/v3/events/1/?category=x', { category: unknown() }],
    ['/api/v3/?nope=1', { nope: unknown() }],
    ['/?nope=1&pages=2', { nope: unknown(), pages: unknown('page') }],
    ['/api/v4/eventseries/99fe5d0/?format=json&format=json', { format: TWICE }],
    ['/api/v3/observationtypes/?name=x', { name: unknown() }],
    ['/api/v3/eventseries/?created=2018-01-01', { created: unknown() }],
  ])('%s', async (path, body) => {
    expect(await answer(path)).toEqual({ status: 400, body })
  })
})

describe('a hostile form is answered in the time of 400 small requests', () => {
  const MOST = 5_000_000 // bytes of a body
  const repeat = (text: (i: number) => string) => {
    let body = ''
    for (let i = 0; body.length < MOST - 60; i++) body += text(i).repeat(20)
    return body.slice(0, MOST - 60)
  }
  const tooMany = { detail: 'Send at most 1000 parameters.' }
  const textual = { category__exact: ['Enter at most 300000 characters.'] }

  it.each<[string, string, object | null]>([
    ['one repeated name', repeat(() => 'a&'), tooMany],
    ['one repeated pair', repeat(() => 'a=1&'), tooMany],
    ['one repeated known name', repeat(() => 'category&'), tooMany],
    ['many different names', repeat((i) => `${i.toString(36)}&`), tooMany],
    ['many misspelt names', repeat((i) => `categor${i.toString(36)}&`), tooMany],
    ['many percent-encoded names', repeat((i) => `%FF${i.toString(16)}&`), tooMany],
    ['only ampersands', repeat(() => '&'), null],
    ['one long value', `category__exact=${'x'.repeat(MOST - 60)}`, textual],
    ['one long name', 'x'.repeat(MOST - 60), { [`${'x'.repeat(100)}...`]: unknown() }],
    [
      'a list of commas',
      `category__in=${','.repeat(300_000 - 20)}`,
      { category__in: ['Enter at most 1000 values, separated by commas.'] },
    ],
    ['a long whole number', `object_id=${'9'.repeat(MOST - 60)}x`, { object_id: WHOLE }],
  ])('%s', async (_, body, faults) => {
    for (const path of [EVENTS, `${EVENTS}summary/`]) {
      const send = async () => {
        const { status, body: told } = await answer(path, post(body))
        expect([status, faults === null ? null : told]).toEqual([faults === null ? 200 : 400, faults])
      }
      // It usually takes as long as 20 of them. A check of each parameter would take more than 1,000.
      await expectPace(400, () => durationOf(send))
    }
  })

  it('more than 1,000 parameters are a 400 in a body and in an address', async () => {
    expect(await answer(EVENTS, post('a&'.repeat(1001)))).toEqual({ status: 400, body: tooMany })
    expect(await answer(`${EVENTS}?${'a&'.repeat(1001)}`)).toEqual({ status: 400, body: tooMany })
  })

  it('an answer lists the first 100 of 1,000 mistakes', async () => {
    const names = Array.from({ length: 1000 }, (_, i) => `x${i}x`)
    const told = Object.fromEntries(names.slice(0, 100).map((name) => [name, unknown()]))
    expect(await answer(EVENTS, post(names.join('&')))).toEqual({
      status: 400,
      body: { ...told, detail: ['There are 900 more mistakes like these.'] },
    })
  })
})

describe('a long text of one character and a letter is answered in the time of 400 small requests', () => {
  /** Some parameters are read only beside others. */
  const BESIDE: Readonly<Record<string, string>> = {
    near: 'radius=1',
    radius: 'near=5,52',
    page: 'format=csv&page_size=all',
  }
  const seen = new Set<string>()
  type Names = readonly [path: string, names: readonly string[]]
  /** Returns the parameters of a list, and one filter of each kind and lookup that no list had before. */
  const distinct = (path: string, parameters: readonly string[], { filters }: Resource): Names => {
    const names = new Map([...filters].map(([name, { kind }]) => [`${kind}${/(__[a-z]+)*$/.exec(name)?.[0]}`, name]))
    const others = new Map(parameters.map((name) => [name, name]))
    const found = [...names, ...others].filter(([reader]) => !seen.has(reader))
    for (const [reader] of found) seen.add(reader)
    return [path, found.map(([, name]) => name)]
  }
  const forms = [
    ...LISTS.map((list) => distinct(list.path, parametersOf(list), list)),
    distinct(SUMMARY.path, SUMMARY_PARAMETERS, eventList),
    ...COLLECTIONS.map((each) => distinct(`/ogc/collections/${each.id}/items`, Object.keys(ITEMS), each)),
  ].filter(([, names]) => names.length > 0)
  const addresses = [
    distinct('/ogc/collections/events/tiles/WebMercatorQuad/0/0/0', ['f', 'state', ...TILE_PARAMETERS], eventList),
  ].filter(([, names]) => names.length > 0)
  const isAnswered = async (name: string, query: string, send: (query: string) => Promise<Response>) => {
    const sent = async () => {
      const response = await send([BESIDE[name], query].filter(Boolean).join('&'))
      await response.arrayBuffer()
      expect([200, 400, 404, 409, 414]).toContain(response.status)
    }
    // A pattern that tries every split of the text takes as long as 1,000 of them.
    await expectPace(400, () => durationOf(sent), `${name}, ${query.slice(0, 60)}`)
  }

  const letters = (count: number, end = '') => `'${'a'.repeat(count)}${end}'`
  const patterns = (count: number, part: string) => `${letters(2 * count)} LIKE '%25${part.repeat(count)}b%25'`
  it.each([
    ['two long texts', patterns(50_000, 'a')],
    ['ten pairs of texts', Array.from({ length: 10 }, () => patterns(2_400, 'a_')).join(' OR ')],
    ['a text in a list', `value IN (${letters(1_000_000)},'b')`],
    ['many texts in a list', `value IN (${Array.from({ length: 900 }, (_, i) => letters(100, String(i)))})`],
    ['a long pattern', `value LIKE ${letters(90_000, '_')}`],
  ])('%s in a posted filter', { timeout: 60_000 }, async (name, filter) => {
    const sendTo = (query: string) => send('/ogc/collections/events/items', post(query))
    await isAnswered(name, `filter=${filter}`, sendTo)
  })

  // A plus is a blank.
  for (const [options, characters] of splitRows(10, ['1', '+', '0', '.', ',', '-', '(', "'", '/', 'a']))
    describe(characters.join(' '), { ...options, timeout: 180_000 }, () => {
      it.each(forms)('in a form to %s', async (path, names) => {
        const address = path.replace(':uuid', '99fe5d03-893d-5b20-8244-b9189db33e37')
        for (const character of characters)
          for (const name of names)
            await isAnswered(name, `${name}=${character.repeat(30_000)}x`, (query) => send(address, post(query)))
      })

      // An address has at most 16,384 characters.
      it.each(addresses)('in an address of %s', async (path, names) => {
        for (const character of characters)
          for (const name of names)
            await isAnswered(name, `${name}=${character.repeat(15_000)}x`, (query) => send(`${path}?${query}`))
      })
    })
})

describe('a repeated parameter with a comma list becomes one list', () => {
  const OGC = '/ogc/collections/events/items'
  const SUMMARY = `${EVENTS}summary/`
  const found = async (address: string) => {
    const { count, numberMatched, facets } = await get(address)
    return [count ?? numberMatched, facets && Object.keys(facets)]
  }

  it('in the list, in a summary, under /ogc and in a form', async () => {
    const [repeated, list] = ['category__in=hurricane&category__in=Climb', 'category__in=hurricane,Climb']
    const expected = await found(`${EVENTS}?${list}`)
    for (const path of [EVENTS, SUMMARY, OGC]) expect(await found(`${path}?${repeated}`), path).toEqual(expected)
    expect(await get(EVENTS, post(repeated))).toMatchObject({ count: expected[0] })
  })

  it('facets=category&facets=event_series', async () => {
    const [, facets] = await found(`${SUMMARY}?facets=category&facets=event_series`)
    expect(facets).toEqual(['category', 'event_series'])
  })

  it('next repeats the parameters as the client sent them', async () => {
    const query = 'category__in=hurricane&category__in=Climb'
    const { count, next } = await get(`${EVENTS}?${query}`)
    expect(unhinted(next)).toBe(`${ORIGIN}${EVENTS}?${query}&page=2`)
    expect((await get(next)).count).toBe(count)
    const { links } = await get(`${OGC}?${query}&limit=3`)
    expect(links.find(({ rel }: { rel: string }) => rel === 'next').href).toContain(`?${query}&hint=`)
  })

  it('999 long values are not slower than one', async () => {
    const value = 'x'.repeat(4900)
    const repeated = Array(999).fill(`category__in=${value}`).join('&')
    await expectPace(200, () => durationOf(() => answer(EVENTS, post(repeated))))
  })
})

describe('_ and utm_ parameters, which other programs add, change nothing', () => {
  const STRAY = '_=1532&utm_source=a&utm_source=b&utm_campaign=%00'
  /** Returns the visible parts of an answer. */
  const seenIn = async (response: Response) => {
    const { etag, link, 'content-disposition': file } = Object.fromEntries(response.headers)
    return [response.status, etag, link, file, await response.text()]
  }
  const SERIES = '/api/v4/eventseries/99fe5d03-893d-5b20-8244-b9189db33e37/'
  const LAYER = '/ogc/collections/events-99fe5d03-893d-5b20-8244-b9189db33e37'

  it.each([
    ...[`${EVENTS}?page_size=2`, `${EVENTS}1/?`, '/api/v4/events/?category=hurricane', '/api/v3/?page_size=0', '/?'],
    ...[`${EVENTS}?format=csv&id=1`, `${EVENTS}?format=geojson&page_size=2`, '/api/v3/events.ndjson?id=1'],
    ...[`${EVENTS}summary/?facets=category&facet_size=1`, `${SERIES}?`, `${SERIES}metadata/?`, `${SERIES}events/?`],
    ...['/api/v3/observationtypes/?', '/ogc?', '/ogc/collections?limit=2', `${LAYER}?`, `${LAYER}/queryables?`],
    ...[`${LAYER}/items?limit=2`, `${LAYER}/items/1708?`, `${LAYER}/items?f=csv`],
    ...[`${LAYER}/tiles/WebMercatorQuad/0/0/0?`, `${LAYER}/tiles/WebMercatorQuad/tilejson.json?category=hurricane`],
  ])('%s', async (path) => {
    const expected = await seenIn(await send(path))
    expect(expected[0]).toBe(200)
    expect(await seenIn(await send(`${path}&${STRAY}`.replace('?&', '?')))).toEqual(expected)
  })

  it('in a posted form', async () => {
    const query = 'category=hurricane&page_size=2'
    const expected = await seenIn(await send(EVENTS, post(query)))
    expect(await seenIn(await send(`${EVENTS}?${STRAY}`, post(`${STRAY}&${query}`)))).toEqual(expected)
  })

  it.each(['__=1', '_x=1', 'utm=1', 'UTM_source=1'])('%s is another one, and unknown', async (query) => {
    expect((await answer(`${EVENTS}?${query}`)).status).toBe(400)
  })
})

it('a column with the name utm_source stays a filter', async () => {
  await load([eventOf(900_001, { series: 5, attributes: { utm_source: 'mail' } })])
  const items = '/ogc/collections/events-99fe5d03-893d-5b20-8244-b9189db33e37/items?limit=1'
  const counts = ['mail', 'web'].map(async (value) => (await get(`${items}&utm_source=${value}`)).numberMatched)
  expect(await Promise.all(counts)).toEqual([1, 0])
})
