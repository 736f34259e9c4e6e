import { beforeAll, describe, expect, it } from 'vitest'
import { PRODUCT } from '../../src/base/product.ts'
import { eventOf } from '../filters/records.ts'
import { answer, get, load, ORIGIN, post, seedRecords, send, unhinted, withKey } from '../service.ts'

const hostile = eventOf(90_001, {
  series: 5,
  category: '<script>alert(1)</script>',
  value: '"><img src=x onerror=alert(1)> https://example.org/"onclick="x &lt;',
})
const address = { ...hostile, id: 90_002, category: 'https://example.org/"onclick="alert(1)//' }

beforeAll(() => load([...seedRecords, hostile, address]))

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'
const JSON_TYPE = 'application/json'
const HTML_TYPE = 'text/html; charset=utf-8'
const GEOJSON_TYPE = 'application/geo+json'
const CSV_TYPE = 'text/csv; charset=utf-8; header=present'
const NDJSON_TYPE = 'application/x-ndjson'
const LISTS = [
  '/api/v3/events/',
  '/api/v3/eventseries/',
  '/api/v3/observationtypes/',
  '/api/v4/eventseries/',
  '/api/v4/observationtypes/',
]
const accepting = (Accept: string) => ({ headers: { Accept } })

describe('the header Accept', () => {
  it.each([
    ['', JSON_TYPE],
    ['*/*', JSON_TYPE],
    [BROWSER, HTML_TYPE],
    ['application/json', JSON_TYPE],
    ['Application/JSON', JSON_TYPE],
    ['application/json; indent=2', JSON_TYPE],
    ['application/*', JSON_TYPE],
    ['text/html', HTML_TYPE],
    ['text/*', HTML_TYPE],
    ['application/json, text/html', JSON_TYPE],
    ['text/html, application/json', JSON_TYPE],
    ['text/html;q=0.4, application/json;q=0.5', JSON_TYPE],
    ['application/json;q=0.4, text/html;q=0.5', HTML_TYPE],
    ['application/json;q=0, */*', HTML_TYPE],
    ['*/*;q=0.1, text/html;q=0', JSON_TYPE],
    ['application/vnd.geo+json, */*;q=0.1', JSON_TYPE],
    ['application/json, text/plain, */*', JSON_TYPE],
    ['application/xml, application/json;q=0.1', JSON_TYPE],
  ])('%j chooses the right format', async (accept, contentType) => {
    for (const path of ['/', '/api/v4/', '/api/v3/events/', '/api/v3/events/1/']) {
      const { status, headers } = await send(path, accept === '' ? {} : accepting(accept))
      expect([path, status, headers.get('Content-Type')]).toEqual([path, 200, contentType])
    }
  })

  it.each(['application/xml', 'image/*', '*/*;q=0', 'nonsense'])('%s is a 406', async (accept) => {
    const items = ', application/geo+json, text/csv, application/x-ndjson'
    for (const [path, more] of [
      ['/api/v3/events/', `${items}, application/atom+xml`],
      ['/api/v3/events/1/', items],
      ['/api/v3/', ''],
    ] as const) {
      const detail = `Could not satisfy the request Accept header. Available: application/json, text/html${more}.`
      expect(await answer(path, accepting(accept))).toEqual({ status: 406, body: { detail } })
    }
  })

  it.each([
    ['application/geo+json', GEOJSON_TYPE],
    ['application/geo+json, application/json;q=0.9', GEOJSON_TYPE],
    ['application/geo+json, */*;q=0.1', GEOJSON_TYPE],
    ['text/csv', CSV_TYPE],
    ['Text/CSV; header=present, text/html;q=0.5', CSV_TYPE],
    ['application/x-ndjson, text/csv;q=0.9', NDJSON_TYPE],
    ['application/json;q=0, application/*', GEOJSON_TYPE],
    ['text/html;q=0, text/*', CSV_TYPE],
  ])('%s works for lists and items, but not for roots', async (accept, contentType) => {
    for (const path of LISTS) {
      const { status, headers } = await send(path, accepting(accept))
      expect([path, status, headers.get('Content-Type'), headers.get('Vary')]).toEqual([
        path,
        200,
        contentType,
        contentType === GEOJSON_TYPE ? 'Accept' : 'Accept, Accept-Encoding',
      ])
    }
    expect((await send('/api/v3/events/1/', accepting(accept))).headers.get('Content-Type')).toBe(contentType)
    const narrow = accept.split(',')[0] ?? ''
    if (!narrow.includes('q=0')) expect((await answer('/api/v4/', accepting(narrow))).status).toBe(406)
  })
})

describe('the parameter format', () => {
  it.each([
    ['json', '*/*', JSON_TYPE],
    ['json', BROWSER, JSON_TYPE],
    ['json', 'text/html', JSON_TYPE],
    ['json', 'application/xml', JSON_TYPE],
    ['api', '*/*', JSON_TYPE],
    ['api', 'application/json', JSON_TYPE],
    ['api', BROWSER, HTML_TYPE],
    ['geojson', '*/*', GEOJSON_TYPE],
    ['csv', BROWSER, CSV_TYPE],
    ['ndjson', 'application/xml', NDJSON_TYPE],
  ])('%s works for a client that accepts %s', async (format, accept, contentType) => {
    const { headers } = await send(`/api/v3/events/?format=${format}`, accepting(accept))
    expect(headers.get('Content-Type')).toBe(contentType)
  })

  it.each(['/', '/api/v3/', '/api/v3/events/', '/api/v3/events/1/', '/api/v4/eventseries/'])(
    'xml on %s is a 400 that lists the available formats',
    async (path) => {
      const isRoot = ['/', '/api/v3/'].includes(path)
      const names = ['xml', 'JSON', '__proto__', 'constructor', ...(isRoot ? ['csv', 'geojson', 'ndjson'] : [])]
      const feed = path === '/api/v3/events/' ? ', atom' : ''
      const format = [`Enter one of json, api${isRoot ? '' : ', geojson, csv, spreadsheet, ndjson'}${feed}.`]
      for (const name of names)
        expect(await answer(`${path}?format=${name}`)).toEqual({ status: 400, body: { format } })
    },
  )

  it.each(['api', 'json'])('%s is repeated in every address of the answer', async (format) => {
    const carried = `?format=${format}`
    const series = '/eventseries/99fe5d03-893d-5b20-8244-b9189db33e37/'
    for (const version of ['v3', 'v4']) {
      const item = await get(`/api/${version}/eventseries/99fe5d0/${carried}`)
      expect([item.url, item.observation_type]).toEqual([
        `${ORIGIN}/api/${version}${series}${carried}`,
        `${ORIGIN}/api/${version}/observationtypes/2/${carried}`,
      ])
      const { next, results } = await get(`/api/${version}/eventseries/${carried}&page_size=1`)
      expect(next).toBe(`${ORIGIN}/api/${version}/eventseries/${carried}&page=2&page_size=1`)
      expect(results[0].url).toMatch(carried)
      expect((await get(`/api/${version}/observationtypes/1/${carried}`)).url).toMatch(carried)
    }
    const { next, results } = await get(`/api/v3/events/${carried}`)
    expect(unhinted([next, results[0].properties.url])).toEqual([
      `${ORIGIN}/api/v3/events/${carried}&page=2`,
      `${ORIGIN}/api/v3/events/1/${carried}`,
    ])
    expect(await get(`/${carried}`)).toEqual({
      v3: `${ORIGIN}/api/v3/${carried}`,
      v4: `${ORIGIN}/api/v4/${carried}`,
    })
  })

  it('works in a posted form as in the address', async () => {
    const { results } = await get('/api/v4/eventseries/', post('format=api'))
    expect(results[0].url).toMatch(/\/\?format=api$/)
    expect(await answer('/api/v4/eventseries/', post('format=xml'))).toEqual({
      status: 400,
      body: { format: ['Enter one of json, api, geojson, csv, spreadsheet, ndjson.'] },
    })
  })
})

describe('the HTML page', () => {
  const OWN =
    /<script type="module" src="\/assets\/page.js"><\/script>|<script type="application\/json" id="(?:context|answer)">([^<]*)<\/script>|<meta name="description" content="[^"<]*">/g
  const withoutOwn = (html: string) => html.replace(OWN, '')
  const contextOf = (html: string) => JSON.parse(/id="context">([^<]*)</.exec(html)?.[1] ?? '')
  const page = async (path: string) => (await send(path, accepting(BROWSER))).text()

  it.each(['/api/v3/events/90001/', '/api/v3/events/90002/', '/api/v3/events/?timestamp_start=1970-01-01T00:00:00Z'])(
    '%s escapes markup in the data',
    async (path) => {
      const html = await page(path)
      expect(html).toMatch(/&lt;img src=x onerror=alert\(1\)&gt;/)
      expect(withoutOwn(html)).not.toMatch(/<script|<img|<[^>]*\son\w+=/i)
      expect(html).toMatch(/(\\)?&quot;onclick=(\\)?&quot;x &amp;lt;/)
    },
  )

  it('escapes markup in the address', async () => {
    const response = await send('/api/v3/events/?x=<script>"\'&category=<script>', {
      headers: { Accept: BROWSER },
    })
    expect(withoutOwn(await response.text())).not.toMatch(/<script|"'/)
  })

  it.each(['http://[', 'https://%zz', 'http://:80', 'http://x:99999/', 'https://example.org/'])(
    'shows a stored %s as a text, not as a link',
    async (text) => {
      const writer = await withKey('all')
      const write = async (path: string, body: object) => {
        const headers = { ...writer.headers, 'Content-Type': 'application/json' }
        const response = await send(path, { ...writer, method: 'POST', headers, body: JSON.stringify(body) })
        const answer = (await response.json()) as { uuid: string }
        expect([response.status, answer]).toEqual([201, expect.any(Object)])
        return answer
      }
      const shown = { name: text, description: text, statistic: text, access_modifier: 'Public' }
      const { uuid } = await write('/api/v4/eventseries/', { ...shown, observation_type: 1 })
      const event = { category: text, value: text, external_id: text, attributes: { url: text } }
      const list = `/api/v4/eventseries/${uuid}/events/`
      await write(list, { type: 'Feature', geometry: null, properties: { ...event, start: '2020-01-01T00:00:00Z' } })
      const ogc = `/ogc/collections/events-${uuid}`
      const [item] = (await get(list)).results
      const own = new URL(item.properties.url).pathname
      for (const path of [
        list,
        own,
        `/api/v4/eventseries/?uuid=${uuid}`,
        `/api/v4/eventseries/${uuid}/`,
        ogc,
        `${ogc}/items`,
      ]) {
        const response = await send(path, accepting(BROWSER))
        const html = await response.text()
        expect([path, response.status, html.includes(`href="${text}`)]).toEqual([path, 200, false])
        expect(html).toContain(text)
      }
    },
  )

  it('turns addresses of the service into links', async () => {
    const html = unhinted(await page('/api/v3/events/?page_size=1'))
    const next = `${ORIGIN}/api/v3/events/?page=2&amp;page_size=1`
    expect(html).toContain(`<a href="${next}">Next page</a>`)
    const item = `${ORIGIN}/api/v3/events/1/`
    expect(html).toContain(`<a href="${item}">M 2.3 - 81km WNW of Skagway, Alaska</a>`)
    expect(await page('/api/v3/')).toContain(`&quot;events&quot;: &quot;<a href="${ORIGIN}/api/v3/events/">`)
  })

  it('shows the usual columns of a list without scripts', async () => {
    const table = async (path: string) => {
      const [, text = ''] = /<table>(.*)<\/table>/s.exec(await page(path)) ?? []
      const cells = (row: string) =>
        Array.from(row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g), ([, cell = '']) => cell.replace(/<[^>]*>/g, ''))
      return text
        .split('\n')
        .filter((line) => line.includes('<tr>'))
        .map(cells)
    }
    expect(await table('/api/v3/events/?category=hurricane&page_size=1')).toEqual([
      ['Value', 'Start (UTC)', 'Category', 'Name', 'Wind', 'Pressure', 'Object'],
      [expect.stringMatching(/^Alex 2010/), '2010-06-25 18:00:00', 'hurricane', 'Alex', '95', '946', 'storm 342'],
    ])
    expect(await table(`/api/v3/events/?category=hurricane&page_size=1&fields=duration,attributes__wind`)).toEqual([
      ['Duration', 'Wind'],
      ['540000 s', '95'],
    ])
    const series = await table('/api/v4/eventseries/?page_size=2')
    expect(series[0]).toEqual(['Name', 'Earliest start (UTC)', 'Latest end (UTC)', 'Access level', 'Description'])
    expect(series).toHaveLength(3)
    expect(await table('/ogc/collections/events/items?limit=1')).toEqual(await table('/api/v3/events/?page_size=1'))
    expect(await table('/api/v3/events/?category=none')).toEqual([])
    expect(await table('/api/v3/events/?page_size=1200')).toHaveLength(1001)
  })

  it.each(['/api/v3/events/1708/', '/ogc/collections/events/items/1708'])(
    'shows the facts of an event without scripts: %s',
    async (path) => {
      const facts = Array.from((await page(path)).matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g), ([, ...fact]) => fact)
      expect(Object.fromEntries(facts)).toMatchObject({
        Category: 'hurricane',
        Start: '2010-06-25 18:00:00',
        place: expect.stringMatching(/^-?[\d.]+, -?[\d.]+, 0$/),
      })
    },
  )

  it('is a complete document', async () => {
    const html = await page('/api/v3/')
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(html).toContain('<title>Api Root</title>')
    expect(html).toContain(`<p class="request"><b>GET</b> <code>${ORIGIN}/api/v3/</code> <b>200</b></p>`)
  })

  it.each([
    [{}, PRODUCT, 'Events on a map, over time, and as data.'],
    [{ TITLE: '', DESCRIPTION: '' }, PRODUCT, 'Events on a map, over time, and as data.'],
    [{ TITLE: 'Floods & <b>', DESCRIPTION: 'Of the Meuse' }, 'Floods &amp; &lt;b&gt;', 'Of the Meuse'],
  ])('the home page has the title of the variables: %j', async (vars, title, description) => {
    const html = await (await send('/', { ...accepting(BROWSER), vars })).text()
    expect(html).toContain(`<title>${title}</title>`)
    expect(contextOf(html).about.description).toBe(description)
    expect(await get('/', { vars })).toEqual({ v3: `${ORIGIN}/api/v3/`, v4: `${ORIGIN}/api/v4/` })
    expect(await get('/', { method: 'OPTIONS', vars })).toMatchObject({ name: 'Api Root' })
  })

  it('loads only scripts and styles of this service', async () => {
    const { headers } = await send('/api/v3/events/', accepting(BROWSER))
    const policy = headers.get('Content-Security-Policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /)
    expect(policy).not.toContain('unsafe')
    const links = /<(?:script|link)(?! rel="alternate")[^>]*(?:src|href)="([^"]+)"/g
    const loaded = Array.from((await page('/api/v3/events/')).matchAll(links))
    expect(loaded.map(([, address]) => address)).toEqual(['/assets/favicon.svg', '/assets/page.css', '/assets/page.js'])
  })

  it('contains the answer to OPTIONS and the settings of its controls', async () => {
    const { about } = contextOf(await page('/api/v4/eventseries/'))
    const { reads: _, ...options } = await get('/api/v4/eventseries/', { method: 'OPTIONS' })
    expect(about).toEqual({ ...options, fields: expect.any(Array), page_size: [10, 1000] })
    const item = await get('/api/v3/events/1/', { method: 'OPTIONS' })
    expect(contextOf(await page('/api/v3/events/1/')).about).toEqual({ ...item, fields: expect.any(Array) })
  })

  it('contains events as in GeoJSON, and the rest of the JSON unchanged', async () => {
    const path = '/api/v3/events/?timestamp_start=1970-01-01T00:00:00Z&page_size=100'
    const [, listed = ''] = /id="answer">([^<]*)</.exec(await page(path)) ?? []
    const [envelope, { features: results }] = [await get(path), await get(`${path}&format=geojson`)]
    expect(JSON.parse(listed)).toEqual({ ...envelope, results })
    const [, series = ''] = /id="answer">([^<]*)</.exec(await page('/api/v3/eventseries/')) ?? []
    expect(JSON.parse(series)).toEqual(await get('/api/v3/eventseries/'))
    const item = '/api/v3/events/90001/'
    const [, event = ''] = /id="answer">([^<]*)</.exec(await page(item)) ?? []
    expect(JSON.parse(event)).toEqual(await get(`${item}?format=geojson`))
  })

  it('loads its scripts behind a proxy', async () => {
    const vars = { BASE_URL: 'https://example.org/events/' }
    const html = await (await send('/', { ...accepting(BROWSER), vars })).text()
    expect(html).toContain('src="/events/assets/page.js"')
    expect(contextOf(html).prefix).toBe('/events')
  })

  it('shows an error only if a browser opens the address', async () => {
    const opening = { headers: { Accept: BROWSER, 'Sec-Fetch-Dest': 'document' } }
    const response = await send('/api/v3/events/0/', opening)
    expect([response.status, response.headers.get('Content-Type')]).toEqual([404, HTML_TYPE])
    const html = await response.text()
    expect(html).toContain('<title>Error 404</title>')
    expect(html).toContain('&quot;detail&quot;: &quot;Not found.&quot;')
    expect(contextOf(html)).toMatchObject({ status: 404, about: {} })
    expect((await send('/api/v3/events/?nope=<b>&format=json', opening)).headers.get('Content-Type')).toBe(JSON_TYPE)
    expect(await (await send('/api/v3/events/?<b>=1', opening)).text()).not.toContain('<b>=')
  })

  it('has the codes and values of the faults, beside the messages in English', async () => {
    const query = 'object_id=x&radius=0&near=5,52&page_size=0&categorie=a&fields=none'
    const opening = { headers: { Accept: BROWSER, 'Sec-Fetch-Dest': 'document' } }
    const html = await (await send(`/api/v3/events/?${query}`, opening)).text()
    expect(contextOf(html).faults).toEqual({
      object_id: [[['integer']]],
      radius: [[['metres', 20_040_000, 'near=5.1,52.1&radius=10000']]],
      page_size: [[['integerBetween', 1, 10_000]]],
      categorie: [[['unknown'], ['meant', 'category']]],
      fields: [[]],
    })
    expect(html).toContain('Enter a whole number, such as 986.')
  })

  it('shows an error to its own scripts that ask for a page, and to no others', async () => {
    const typeOf = async (site: string, accept: string) => {
      const headers = { Accept: accept, 'Sec-Fetch-Site': site, 'Sec-Fetch-Dest': 'empty' }
      return (await send('/api/v3/events/?nope=1', { headers })).headers.get('Content-Type')
    }
    expect(await typeOf('same-origin', 'text/html')).toBe(HTML_TYPE)
    expect(await typeOf('same-origin', BROWSER)).toBe(JSON_TYPE)
    expect(await typeOf('cross-site', 'text/html')).toBe(JSON_TYPE)
  })

  it('shows an error if Accept prefers HTML, as in a browser without Sec-Fetch-Dest', async () => {
    for (const path of ['/api/v3/events/?nope=1', '/api/v3/events/0/', '/nowhere/']) {
      for (const [accept, type] of [
        [BROWSER, 'text/html; charset=utf-8'],
        ['*/*', JSON_TYPE],
        ['application/json,text/html;q=0.9', JSON_TYPE],
        ['text/html,application/json', JSON_TYPE],
      ] as const)
        expect([accept, (await send(path, accepting(accept))).headers.get('Content-Type')]).toEqual([accept, type])
    }
  })
})
