import { DOMParser } from '@xmldom/xmldom'
import { beforeAll, describe, expect, it } from 'vitest'
import { DEADLINES } from '../../src/engine/postgres/connection.ts'
import { freshPostgres, hasPostgres, type PostgresDatabase } from '../postgres/database.ts'
import { send as sendTo } from '../postgres/faulty.ts'
import { READER, rowsOf, TABLES } from '../postgres/rows.ts'
import { answer, bearer, beginWithSeed, get, type Options, ORIGIN, post, send, withKey } from '../service.ts'

const V3 = '/api/v3/events/'
const V4 = '/api/v4/events/'
const OF_SERIES = '/api/v4/eventseries/99fe5d0/events/'
const TYPE = 'application/atom+xml; charset=utf-8'

beginWithSeed()

/** Reads the parts of a feed that these tests look at. */
const read = async (response: Response) => {
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status} ${text}`)
  const feed = new DOMParser().parseFromString(text, 'text/xml').documentElement
  const textsOf = (name: string) => Array.from(feed?.getElementsByTagName(name) ?? [], (each) => each.textContent ?? '')
  const [id = '', ...ids] = textsOf('id')
  const [title = '', ...titles] = textsOf('title')
  const links = Array.from(feed?.getElementsByTagName('link') ?? [], (each) => each.getAttribute('href') ?? '')
  const isHead = links.length > ids.length
  const [self = null, page = null] = isHead ? links : []
  const [author] = textsOf('name')
  const [updated, ...times] = textsOf('updated')
  const urls = isHead ? links.slice(2) : links
  return { text, id, ids, title, titles, self, page, urls, author, updated, times, contents: textsOf('content') }
}

const feed = async (path: string, options: Options = {}) => read(await send(path, options))
const idsOf = (numbers: readonly number[]) => numbers.map((id) => `tag:localhost,2026:/events/${id}`)

/** Returns the ids of the 50 events of a query that changed last, from the list. */
const changedLast = async (path: string, query: string, options: Options = {}): Promise<number[]> => {
  const { results } = await get(`${path}?${query}&ordering=-last_modified&page_size=50&format=json`, options)
  return results.map(({ id }: { readonly id: number }) => id)
}

const AREA = 'geom_within=POLYGON((-180+0,0+0,0+80,-180+80,-180+0))'
const QUERIES = [
  [V3, ''],
  [V3, 'category=hurricane'],
  [V3, `${AREA}&q=storm`],
  [V3, 'near=-80,25&radius=500000'],
  [V3, 'latest=event_series'],
  [V3, 'event_series=99fe5d0&timestamp_start__year=2012'],
  [V3, 'attributes__wind__gte=100'],
  [V3, 'category=none'],
  [V3, 'timezone=Europe/Amsterdam&timestamp_start__gte=2015-01-01'],
  [V4, 'bbox=-90,10,-50,40'],
  [V4, 'datetime=2012-01-01/2013-01-01'],
  [OF_SERIES, ''],
  [OF_SERIES, 'category__not=hurricane'],
] as const

describe('a feed has the 50 events that changed last, of any question', () => {
  it.each(QUERIES)('%s?%s', async (path, query) => {
    const ids = idsOf(await changedLast(path, query))
    const asked = await feed(`${path}?${query}&format=atom`)
    expect(asked.ids).toEqual(ids)
    expect(asked.times.toSorted().reverse()).toEqual(asked.times)
    const posted = await feed(path, post(`${query}&format=atom`))
    expect(posted.text).toBe(asked.text)
    expect((await feed(`${path}?${query}`, { headers: { Accept: 'application/atom+xml' } })).text).toBe(asked.text)
    // Each reader of the feed finds the same one, and its page.
    expect((await feed(asked.self ?? '')).text).toBe(asked.text)
    const page = await send(asked.page ?? '', { headers: { Accept: 'text/html' } })
    expect([page.status, page.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
    for (const url of asked.urls.slice(0, 1)) expect((await send(url)).status).toBe(200)
  })

  it('a changed event comes first', async () => {
    const { headers = {}, vars = {} } = await withKey('all')
    const [before] = (await feed(`${V3}?format=atom`)).ids
    const body = '{"properties":{"value":"Changed"}}'
    const init = { method: 'PATCH', body, vars, headers: { ...headers, 'Content-Type': 'application/json' } }
    expect((await send(`${V3}1/`, init)).status).toBe(200)
    const { ids, titles } = await feed(`${V3}?format=atom`)
    expect([ids.slice(0, 2), titles[0]]).toEqual([[...idsOf([1]), before], 'Changed, 2018-01-31'])
  })

  it.each([null, 'common', 'private', 'hidden'] as const)('of what the key %s reads', async (key) => {
    const options = key === null ? {} : await withKey(key)
    const query = 'category__in=hurricane,depression'
    expect((await feed(`${V3}?${query}&format=atom`, options)).ids).toEqual(
      idsOf(await changedLast(V3, query, options)),
    )
  })
})

describe('the head of a feed', () => {
  it.each([
    ['', `${V3}?format=atom`, 'Event Query Interface'],
    ['', `${V3}?format=atom&event_series=99fe5d0&category=`, 'Event Query Interface, Atlantic storms 2010-2020'],
    ['Flood', `${V3}?format=atom&value__in=a&category=b&value__in=c`, 'Flood, value__in=a, category=b, value__in=c'],
    ['Flood', `${OF_SERIES}?format=atom&start__gte=now-7d`, 'Flood, Atlantic storms 2010-2020, start__gte=now-7d'],
    ['Flood', `${V3}?format=atom&q=${'a'.repeat(61)}&id=1`, 'Flood, q, id=1'],
  ])('of the service "%s", %s has the title %s', async (TITLE, path, title) => {
    const head = await feed(path, { vars: { TITLE } })
    expect([head.title, head.author]).toEqual([title, TITLE || 'Event Query Interface'])
  })

  it.each([
    [
      'another order of parameters',
      `${V3}?format=atom&category=a&value=b`,
      `${V3}?value=b&category=a&format=atom`,
      true,
    ],
    ['a parameter of another program', `${V3}?format=atom`, `${V3}?format=atom&utm_source=x`, true],
    ['another value', `${V3}?format=atom&category=a`, `${V3}?format=atom&category=b`, false],
    ['another list', `${V3}?format=atom`, `${V4}?format=atom`, false],
  ])('with %s, %s and %s have equal ids: %s', async (_, one, other, isEqual) => {
    const [{ id }, { id: otherId }] = [await feed(one), await feed(other)]
    expect(id).toMatch(/^tag:localhost,2026:\/api\/v\d\/events\/\?[0-9a-f]{16}$/)
    expect(id === otherId).toBe(isEqual)
  })

  it('keeps times relative to now, and an equal question at that instant is another feed', async () => {
    const query = 'timestamp_start__gte=now-7d'
    const { self, page, id, text } = await feed(`${V3}?format=atom&${query}`)
    expect([self, page]).toEqual([`${ORIGIN}${V3}?format=atom&${query}`, `${ORIGIN}${V3}?${query}`])
    expect((await feed(V3, post(`format=atom&${query}`))).text).toBe(text)
    expect((await feed(`${V3}?format=atom&timestamp_start__gte=2100-01-01`)).id).not.toBe(id)
  })

  it('has the addresses of BASE_URL', async () => {
    const vars = { BASE_URL: 'https://example.org/water/' }
    const { id, ids, self, urls } = await feed(`${V3}?format=atom&id=1`, { vars })
    expect(id).toMatch(/^tag:example\.org,2026:\/water\/api\/v3\/events\/\?/)
    expect(ids).toEqual(['tag:example.org,2026:/water/events/1'])
    expect([self, ...urls]).toEqual([
      'https://example.org/water/api/v3/events/?format=atom&id=1',
      'https://example.org/water/api/v3/events/1/',
    ])
  })

  it.each([
    [0, true],
    [15_900, true],
    [16_300, false],
    [40_000, false],
  ])('of a posted query with %i more blanks has links: %s', async (blanks, hasLinks) => {
    const query = `format=atom&${AREA.replace('(', ` (`.padStart(blanks))}`
    const { text, self, ids } = await feed(V3, post(query))
    expect([self !== null, ids.length]).toEqual([hasLinks, 50])
    if (self !== null) expect((await feed(self)).text).toBe(text)
  })

  it('an empty feed does not change', async () => {
    const path = `${V3}?format=atom&category=none`
    const [first, second] = [await feed(path), await feed(path)]
    expect([first.text, first.updated, first.ids]).toEqual([second.text, '1970-01-01T00:00:00Z', []])
  })
})

describe('a feed in HTTP', () => {
  it('has the headers of a list, and no name of a file', async () => {
    const { headers } = await send(`${V3}?format=atom&category=hurricane`)
    const names = ['Content-Type', 'X-Total-Count', 'Link', 'Content-Disposition', 'Vary']
    const total = (await send(`${V3}?category=hurricane`)).headers.get('X-Total-Count')
    expect(names.map((name) => headers.get(name))).toEqual([TYPE, total, null, null, 'Accept, Accept-Encoding'])
  })

  it('is a 304 for its tag, until a write', async () => {
    const path = `${V3}?format=atom&category=hurricane`
    const tag = (await send(path)).headers.get('ETag') ?? ''
    const again = () => send(path, { headers: { 'If-None-Match': tag } })
    expect((await again()).status).toBe(304)
    const { headers = {}, vars = {} } = await withKey('all')
    const json = { ...headers, 'Content-Type': 'application/json' }
    await send(`${V3}2/`, { method: 'PATCH', body: '{"properties":{"value":"x"}}', vars, headers: json })
    expect((await again()).status).toBe(200)
  })

  it('is compressed', async () => {
    const { headers } = await send(`${V3}?format=atom`, { headers: { 'Accept-Encoding': 'gzip' } })
    expect(headers.get('Content-Encoding')).toBe('gzip')
  })

  const leave = (name: string) => [`A feed has the 50 events that changed last, whole. Leave ${name} out.`]
  const formats = 'Enter one of json, api, geojson, csv, spreadsheet, ndjson.'
  const faults: [path: string, faults: Record<string, unknown>][] = [
    [`${V3}?format=atom&after=1`, { after: leave('after') }],
    [`${V3}?format=atom&consistent=true`, { consistent: leave('consistent') }],
    [`${V3}?format=atom&fields=nope`, { fields: leave('fields') }],
    [`${V3}?format=atom&ordering=-id`, { ordering: leave('ordering') }],
    [`${V4}?format=atom&page=0&page_size=all`, { page: leave('page'), page_size: leave('page_size') }],
    [`${OF_SERIES}?format=atom&page=1&start=x`, { page: leave('page'), start: [expect.any(String)] }],
    [`${V3}?format=atom&include=series`, { include: leave('include') }],
    [`${V3}?format=atom&locale=nl`, { locale: [expect.stringMatching(/leave locale out\.$/)] }],
    ['/api/v3/eventseries/?format=atom', { format: [formats] }],
    [`${V3}1/?format=atom`, { format: [formats] }],
    [`${V3}summary/?format=atom`, { format: [expect.any(String)] }],
  ]
  it.each(faults)('%s is a 400', async (path, body) => {
    expect(await answer(path)).toEqual({ status: 400, body })
  })

  it('empty parameters of pages count as absent', async () => {
    expect((await send(`${V3}?format=atom&page=&ordering=&page_size=`)).status).toBe(200)
  })

  it('times are in the zone of the request', async () => {
    const { contents } = await feed(`${V3}?format=atom&id=1&timezone=Europe/Amsterdam`)
    expect(contents[0]).toContain('Start (Europe/Amsterdam): 2018-01-31T03:18:21.235000+01:00')
  })

  it('the events of one series have its titles, and a line for each attribute', async () => {
    const [content] = (await feed(`${OF_SERIES}?format=atom&category=hurricane`)).contents
    expect(content).toMatch(/^Category: hurricane;\n.*: Alex|^.*Start.*;\n/s)
    expect(content).not.toContain('Attributes')
  })

  it('a wrong key is a 401', async () => {
    expect((await send(`${V3}?format=atom`, { headers: bearer('wrong') })).status).toBe(401)
  })
})

describe('the page of a list tells the address of its feed', () => {
  it.each([
    [`${V3}?category=a%26b&ordering=-id&page=1&page_size=50&fields=id`, {}, '?category=a%26b&amp;format=atom'],
    [`${V3}?timezone=Europe/Amsterdam&geom_within=%01%FF"<`, {}, undefined],
    [V4, {}, '?format=atom'],
    [OF_SERIES, {}, '?format=atom'],
    [`${V3}?nope=1`, {}, undefined],
    ['/api/v3/eventseries/', {}, undefined],
    [`${V3}1/`, {}, undefined],
    [V3, post('category=hurricane'), undefined],
  ])('%s %j: %s', async (path, options: Options, href) => {
    const html = await (
      await send(path, {
        ...options,
        headers: { ...options.headers, Accept: 'text/html', 'Sec-Fetch-Dest': 'document' },
      })
    ).text()
    expect(/<link rel="alternate" type="application\/atom\+xml" href="([^"]*)"/.exec(html)?.[1]).toBe(href)
  })
})

describe.runIf(hasPostgres)('over PostgreSQL', () => {
  const NO_TIMES = `ALTER TABLE event RENAME TO stored; CREATE VIEW event AS
    SELECT id, event_series_id, category, value, timestamp_start, timestamp_end, geometry FROM stored`
  const SOME_TIMES = `UPDATE event SET last_modified = '2020-01-01Z'::timestamptz + (id % 7) * interval '1 microsecond'
    WHERE id % 5 > 0`
  let [without, some]: PostgresDatabase[] = []
  beforeAll(async () => {
    without = await freshPostgres(TABLES, rowsOf(120), NO_TIMES, READER)
    some = await freshPostgres(TABLES, rowsOf(120), SOME_TIMES, READER)
  })
  const asked = async (database: PostgresDatabase | undefined, path: string) => {
    if (database === undefined) throw new Error('no database')
    return read(await sendTo(database, path, { deadlines: DEADLINES }))
  }
  const numbers = Array.from({ length: 120 }, (_, i) => 120 - i)

  it('without times of changes, the greatest ids come first, and the end is the time', async () => {
    const { ids, times, updated } = await asked(without, `${V3}?format=atom`)
    expect(ids).toEqual(idsOf(numbers.slice(0, 50)))
    expect([times[0], updated]).toEqual(['2020-01-01T02:01:00Z', '2020-01-01T02:01:00Z'])
  })

  it('events without such a time come last', async () => {
    const rank = (id: number) => (id % 5 > 0 ? id % 7 : -1)
    const sorted = numbers.toSorted((a, b) => rank(b) - rank(a) || b - a)
    const { ids, self, text } = await asked(some, `${V4}?format=atom&value__contains=value`)
    expect(ids).toEqual(idsOf(sorted.slice(0, 50)))
    expect((await asked(some, (self ?? '').replace(ORIGIN, ''))).text).toBe(text)
    const ofSeries = await asked(
      some,
      `${V4.replace('events/', 'eventseries/')}00000000-0000-0000-0000-000000000001/events/?format=atom`,
    )
    expect(ofSeries.ids).toEqual(idsOf(sorted.filter((id) => id % 2 === 0).slice(0, 50)))
  })
})
