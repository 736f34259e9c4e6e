import { beforeAll, describe, expect, it } from 'vitest'
import { takesGzip } from '../src/encoding.ts'
import { freezeClock } from './engine/cost.ts'
import { headersOf, load, send } from './service.ts'
import { EVENTS } from './store/writer.ts'

// An HTML page shows its headers, but it has Last-Modified only after a second.
freezeClock()
beforeAll(() => load())

it.each<[string | null, boolean]>([
  [null, false],
  ['', false],
  ['gzip', true],
  ['br, GZIP;q=0.5', true],
  ['gzip;q=0', false],
  ['gzip; q=0.000, br', false],
  ['*', true],
  ['*;q=0', false],
  ['gzip;q=0, *', false],
  ['identity, *;q=0.1', true],
  ['x-gzipped', false],
])('Accept-Encoding %j takes gzip: %s', (header, takes) => {
  expect(takesGzip(header)).toBe(takes)
})

describe('HEAD has the Content-Length of the body that GET sends', () => {
  it.each<[string, number, HeadersInit?]>([
    ['/', 200],
    ['/api/v3/', 200],
    [EVENTS, 200],
    [`${EVENTS}?format=csv&page_size=5`, 200],
    [`${EVENTS}?format=geojson&valeu=%C3%89`, 400],
    [`${EVENTS}?page_size=100`, 200, { Accept: 'text/html' }],
    [`${EVENTS}1/`, 200],
    [`${EVENTS}summary/`, 200],
    ['/api/v4/eventseries/99fe5d0/events/?page_size=3', 200],
    ['/ogc/collections/events/items?limit=3', 200],
    ['/ogc/collections/events/tiles/WebMercatorQuad/0/0/0', 200],
    ['/openapi.json', 200],
    ['/docs', 200],
    ['/healthz', 200],
    ['/nowhere', 404],
    ['/api/v3/events', 301],
  ])('%s: %i', async (path, status, headers = {}) => {
    const [whole, head] = [await send(path, { headers }), await send(path, { method: 'HEAD', headers })]
    const length = (await whole.arrayBuffer()).byteLength
    expect([head.status, head.headers.get('Content-Length'), head.body]).toEqual([status, String(length), null])
    expect([whole.status, headersOf(head)['content-type']]).toEqual([status, headersOf(whole)['content-type']])
  })

  it.each<[string, HeadersInit]>([
    [`${EVENTS}?format=geojson&page_size=all`, {}],
    [`${EVENTS}?format=csv`, { 'Accept-Encoding': 'gzip' }],
    [`${EVENTS}1/`, { 'If-None-Match': '*' }],
  ])('%s: no Content-Length, because GET has none', async (path, headers) => {
    const head = await send(path, { method: 'HEAD', headers })
    expect(head.headers.get('Content-Length')).toBeNull()
  })
})

describe('an answer is compressed', () => {
  const asked = async (path: string, method = 'GET', headers: HeadersInit = { 'Accept-Encoding': 'gzip, br' }) => {
    const response = await send(path, { method, headers })
    await response.arrayBuffer()
    const { status, headers: said } = response
    return [status, said.get('Content-Encoding'), said.get('Vary')?.includes('Accept-Encoding')]
  }
  const CSV = `${EVENTS}?format=csv`

  it.each<[string, string, unknown[]]>([
    ['GET', CSV, [200, 'gzip', true]],
    ['HEAD', CSV, [200, 'gzip', true]],
    ['GET', `${CSV}&page_size=all`, [200, 'gzip', true]],
    ['HEAD', `${CSV}&page_size=all`, [200, 'gzip', true]],
    ['GET', `${EVENTS}1/?format=ndjson`, [200, 'gzip', true]],
    ['GET', EVENTS, [200, null, false]],
    ['GET', `${EVENTS}?format=geojson`, [200, null, false]],
    ['GET', `${CSV}&nope=1`, [400, null, false]],
  ])('%s %s: %j', async (method, path, expected) => {
    expect(await asked(path, method)).toEqual(expected)
  })

  it('only for a client that accepts gzip', async () => {
    expect(await asked(CSV, 'GET', { 'Accept-Encoding': 'br' })).toEqual([200, null, true])
  })
})
