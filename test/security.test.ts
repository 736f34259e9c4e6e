import { beforeAll, describe, expect, it } from 'vitest'
import { pagePolicy } from '../src/formats/html.ts'
import { load, send } from './service.ts'

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

beforeAll(() => load())

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
})
