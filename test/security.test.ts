import { describe, expect, it } from 'vitest'
import { pagePolicy } from '../src/formats/html.ts'
import { beginWithSeed, send } from './service.ts'

/** The security headers of every answer except an HTML page. HTTPS is required for half a year, for this host alone. */
const HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=15552000',
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
  'X-Download-Options': 'noopen',
  'X-Frame-Options': 'DENY',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'X-XSS-Protection': '0',
}

beginWithSeed()

describe('the security headers', () => {
  it.each([
    [200, '/api/v3/events/', {}],
    [200, '/api/v3/events/?format=csv', {}],
    [200, '/api/v3/events/?format=ndjson&page_size=all', {}],
    [200, '/openapi.json', {}],
    [204, '/api/v3/events/', { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'GET' } }],
    [301, '/api/v3/events', { redirect: 'manual' as const }],
    [404, '/nowhere/', {}],
    [405, '/healthz', { method: 'DELETE' }],
  ])('are sent with a %i of %s', async (status, path, options) => {
    const response = await send(path, options)
    expect(response.status).toBe(status)
    const names = Object.keys(HEADERS)
    expect(Object.fromEntries(names.map((name) => [name, response.headers.get(name)]))).toEqual(HEADERS)
    await response.text()
  })

  it.each(['/', '/api/v3/events/?format=api'])(
    'are sent with %s as a page, whose policy allows its own scripts',
    async (path) => {
      const response = await send(path, { headers: { Accept: 'text/html' } })
      const expected = { ...HEADERS, 'Content-Security-Policy': pagePolicy() }
      const shown = Object.keys(expected).map((name) => [name, response.headers.get(name)])
      expect(Object.fromEntries(shown)).toEqual(expected)
      await response.text()
    },
  )

  it('allow the hosts of MAP_STYLE and no others', async () => {
    const MAP_STYLE = 'https://tiles.example/style.json?a="b" https://glyphs.example nonsense ftp://files.example'
    const response = await send('/', { headers: { Accept: 'text/html' }, vars: { MAP_STYLE } })
    const policy = response.headers.get('Content-Security-Policy') ?? ''
    expect(policy.split('; ')).toContain("connect-src 'self' https://tiles.example https://glyphs.example")
    expect(await response.text()).toContain('"mapStyle":"https://tiles.example/style.json?a=%22b%22"')
  })

  it.each([
    ['openfreemap', 'https://tiles.openfreemap.org', '/styles/positron'],
    ['pdok', 'https://api.pdok.nl', '/kadaster/brt-achtergrondkaart/ogc/v1/styles/standaard__webmercatorquad?f=mapbox'],
  ])('allow the host of the base map %s', async (MAP_STYLE, host, style) => {
    const response = await send('/', { headers: { Accept: 'text/html' }, vars: { MAP_STYLE } })
    const policy = response.headers.get('Content-Security-Policy') ?? ''
    expect(policy.split('; ')).toContain(`connect-src 'self' ${host}`)
    expect(await response.text()).toContain(`"mapStyle":"${host}${style}"`)
  })

  const SITE = 'https://news.example'
  it.each([
    ['/api/v3/events/', SITE],
    ['/api/v3/events/?category=hurricane', SITE],
    ['/api/v3/events/?category__gt=1', SITE],
    ['/api/v4/events/', SITE],
    ['/api/v4/eventseries/99fe5d0/events/', SITE],
    ['/', "'none'"],
    ['/api/v3/', "'none'"],
    ['/api/v3/events/1/', "'none'"],
    ['/api/v3/eventseries/', "'none'"],
    ['/docs', "'none'"],
    ['/ogc/collections/events/items', "'none'"],
    ['/nowhere/', "'none'"],
  ])('with FRAME_ANCESTORS, let %s be framed by %s', async (path, framers) => {
    const headers = { Accept: 'text/html', 'Sec-Fetch-Dest': 'document' }
    const response = await send(path, { headers, vars: { FRAME_ANCESTORS: SITE } })
    expect(response.headers.get('Content-Security-Policy')).toContain(`; frame-ancestors ${framers}`)
    expect(response.headers.get('X-Frame-Options')).toBe(framers === SITE ? null : 'DENY')
    const json = await send(path, { headers: { Accept: 'application/json' }, vars: { FRAME_ANCESTORS: SITE } })
    if (path !== '/docs') expect(json.headers.get('X-Frame-Options')).toBe('DENY')
  })

  it.each([
    [undefined, "'none'"],
    ['', "'none'"],
    ['*', "'none'"],
    ['https:', "'none'"],
    ['https://*', "'none'"],
    ["'self'", "'none'"],
    ['example.org', "'none'"],
    ['javascript:alert(1)', "'none'"],
    ['https://a.example;script-src', "'none'"],
    ["https://a.example;script-src 'unsafe-inline' https://b.example", 'https://b.example'],
    ['https://a.example/some/page?q=1', 'https://a.example'],
    ['  https://A.example\thttps://a.example  http://localhost:3000 ', 'https://a.example http://localhost:3000'],
    ['https://*.a.example', 'https://*.a.example'],
  ])('read the sites in FRAME_ANCESTORS %j as %s', async (FRAME_ANCESTORS, framers) => {
    const { headers } = await send('/api/v3/events/?format=api', {
      headers: { Accept: 'text/html' },
      vars: FRAME_ANCESTORS === undefined ? {} : { FRAME_ANCESTORS },
    })
    expect(headers.get('Content-Security-Policy')).toBe(pagePolicy().replace(/(?<=frame-ancestors ).*/, framers))
  })

  it('stay as the browser stored them after a 304', async () => {
    const options = { headers: { Accept: 'text/html' }, vars: { FRAME_ANCESTORS: SITE } }
    const tag = (await send('/api/v3/events/', options)).headers.get('ETag') ?? ''
    const again = await send('/api/v3/events/', { ...options, headers: { ...options.headers, 'If-None-Match': tag } })
    const { status, headers } = again
    expect([status, headers.get('Content-Security-Policy'), headers.get('X-Frame-Options')]).toEqual([304, null, null])
  })
})
