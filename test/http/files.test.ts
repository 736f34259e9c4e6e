import { describe, expect, it } from 'vitest'
import { FILES } from '../../src/formats/downloads.ts'
import { answer, bearer, beginWithSeed, get, headersOf, type Options, post, send, withKey } from '../service.ts'
import { splitRows } from '../tags.ts'

/** Addresses of lists without their end, a query with several pages, and the name of their files. */
const LISTS = [
  ['/api/v3/events', 'category=hurricane&page_size=60&ordering=-timestamp_start', 'events_category-hurricane'],
  ['/api/v3/eventseries', 'name__icontains=e&page_size=2', 'eventseries_name-icontains-e'],
  ['/api/v4/eventseries', 'page_size=2', 'eventseries'],
  ['/api/v3/observationtypes', 'page_size=2', 'observationtypes'],
  ['/api/v4/observationtypes', 'page_size=2', 'observationtypes'],
  [
    '/api/v4/eventseries/99fe5d0/events',
    'start__year__gte=2012&page_size=60',
    'events_Atlantic-storms-2010-2020_start-year-gte-2012',
  ],
] as const
const KEYS = [null, 'common', 'private', 'hidden'] as const
const ADDRESSES = LISTS.flatMap(([path, query, name]) => FILES.map((file) => [path, file, query, name] as const))

/** Returns an answer with the addresses of pages as the list writes them, without hints. */
const plain = async (address: string, options: Options, path: string, file: string) => {
  const response = await send(address, options)
  const written = JSON.stringify({ status: response.status, headers: headersOf(response), text: await response.text() })
  return JSON.parse(
    written
      .replaceAll('DELETE, ', '') // only lists empty
      .replaceAll(/hint=[\w-]+&/g, '')
      .replaceAll(`format=${file}&`, '')
      .replaceAll(`${path}.${file}`, `${path}/`),
  )
}

/** Returns the text of each page, by following the header Link. */
const pagesFrom = async (address: string, options: Options): Promise<string[]> => {
  const response = await send(address, options)
  const [, next] = /<([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '') ?? []
  const text = (await response.text()).replace(/"links":\[.*?\]/, '')
  return [text, ...(next === undefined ? [] : await pagesFrom(next, options))]
}

beginWithSeed()

describe('the end of an address names the format of a list, at every level', () => {
  for (const [how, rows] of splitRows(3, ADDRESSES))
    it.each(rows)('%s.%s', how, async (path, file, query, name) => {
      for (const key of KEYS) {
        const options = key === null ? {} : await withKey(key)
        const found = await plain(`${path}.${file}?${query}`, options, path, file)
        expect(found).toEqual(await plain(`${path}/?format=${file}&${query}`, options, path, file))
        expect(found).toMatchObject({
          status: 200,
          headers: {
            allow: 'GET, POST, HEAD, OPTIONS',
            'content-disposition': `attachment; filename="${name}.${file}"`,
          },
        })
        const pages = await pagesFrom(`${path}.${file}?${query}`, options)
        expect(pages.length).toBeGreaterThan(1)
        expect(pages).toEqual(await pagesFrom(`${path}/?format=${file}&${query}`, options))
        const head = await plain(`${path}.${file}?${query}`, { ...options, method: 'HEAD' }, path, file)
        expect({ ...head, text: found.text }).toMatchObject(found)
        const posted = await send(`${path}.${file}`, { ...options, ...post(query), headers: post(query).headers ?? {} })
        expect([posted.status, posted.headers.get('Content-Type')]).toEqual([200, found.headers['content-type']])
      }
    })

  it('next keeps the end of the address', async () => {
    const { headers } = await send('/api/v3/events.csv?category=hurricane')
    expect(headers.get('Link')).toMatch(
      /^<http:\/\/localhost:8787\/api\/v3\/events\.csv\?category=hurricane&hint=[^&]+&page=2>/,
    )
  })

  it('page_size=all is the whole list', async () => {
    const [file, list] = ['/api/v3/events.csv?', '/api/v3/events/?format=csv&'].map((path) =>
      send(`${path}page_size=all`),
    )
    expect(await (await file)?.text()).toBe(await (await list)?.text())
  })

  it.each([
    ['events.geojson?category=hurricane', true],
    ['events.geojson?category=none', true],
    ['eventseries.geojson?', true],
    ['events.geojson?', false],
  ])('page_size=all has a length if one batch has all items: %s', async (query, hasLength) => {
    const path = `/api/v3/${query}&page_size=all`
    const [whole, head] = [await send(path), await send(path, { method: 'HEAD' })]
    const { byteLength } = await whole.arrayBuffer()
    expect(head.headers.get('Content-Length')).toBe(hasLength ? String(byteLength) : null)
    expect([head.status, head.headers.get('X-Total-Count')]).toEqual([200, whole.headers.get('X-Total-Count')])
    expect(head.headers.get('ETag')).toBe(whole.headers.get('ETag'))
  })
})

describe('the address of a file', () => {
  it.each([
    ['/api/v3/events.csv?format=csv', 'csv'],
    ['/api/v3/events.ndjson?format=geojson', 'ndjson'],
    ['/api/v4/eventseries.geojson?format=', 'geojson'],
  ])('takes no format: %s', async (path, file) => {
    const message = `The address ends in .${file}, which is its format. Leave format out, or leave .${file} out.`
    expect(await answer(path)).toEqual({ status: 400, body: { format: [message] } })
  })

  it('takes no format in a form', async () => {
    expect(await answer('/api/v3/events.csv', post('format=csv'))).toMatchObject({
      status: 400,
      body: { format: [expect.stringContaining('Leave format out')] },
    })
  })

  it.each([
    ['/api/v3/events.csv?nope=1', 400],
    ['/api/v3/events.xml', 404],
    ['/api/v3/events.spreadsheet', 404],
    ['/api/v3/events.json', 404],
    ['/api/v4/eventseries/ffff/events.csv', 404],
    ['/api/v3/events.csv?page=9999', 404],
  ])('%s is a %i in JSON, also in a browser', async (path, status) => {
    const headers = { Accept: 'text/html', 'Sec-Fetch-Dest': 'document' }
    const response = await send(path, path.includes('?') ? { headers } : {})
    expect([response.status, response.headers.get('Content-Type')]).toEqual([status, 'application/json'])
  })

  it('has no slash at its end', async () => {
    const { status, headers } = await send('/api/v3/events.csv/?category=hurricane', { redirect: 'manual' })
    expect([status, headers.get('Location')]).toEqual([301, '/api/v3/events.csv?category=hurricane'])
  })

  it('takes no new items', async () => {
    const options = await withKey('all')
    const headers = { ...bearer('all'), 'Content-Type': 'application/json' }
    const { status } = await send('/api/v3/events.ndjson', { ...options, headers, method: 'POST', body: '[]' })
    expect(status).toBe(415)
    expect((await send('/api/v4/eventseries/99fe5d0/events.csv', { ...options, method: 'DELETE' })).status).toBe(405)
  })

  it('describes itself', async () => {
    const list = await get('/api/v3/events/', { method: 'OPTIONS' })
    const without = ['format', 'include', 'explain', 'locale']
    expect(await get('/api/v3/events.csv', { method: 'OPTIONS' })).toEqual({
      ...list,
      renders: ['text/csv'],
      parses: ['application/x-www-form-urlencoded'],
      parameters: list.parameters.filter((name: string) => !without.includes(name)),
    })
  })
})
