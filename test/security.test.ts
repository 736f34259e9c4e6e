import { Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import { beforeAll, describe, expect, it } from 'vitest'
import { PAGE_POLICY } from '../src/list/html.ts'
import { SECURITY_HEADERS } from '../src/security.ts'
import { load, send } from './service.ts'

beforeAll(() => load())

describe('headers for browsers', () => {
  it('are those that Hono recommends, but for framing, embedding and other hosts', async () => {
    const app = new Hono().use(
      secureHeaders({
        contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
        xFrameOptions: 'DENY',
        crossOriginResourcePolicy: 'cross-origin',
        strictTransportSecurity: 'max-age=15552000',
      }),
    )
    const { headers } = await app.get('/', () => new Response()).request('/')
    expect(new Headers(SECURITY_HEADERS)).toEqual(headers)
  })

  it.each([
    [200, '/api/v3/events/', {}],
    [200, '/api/v3/events/?format=csv', {}],
    [200, '/api/v3/events/?format=ndjson&page_size=all', {}],
    [200, '/openapi.json', {}],
    [204, '/api/v3/events/', { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'GET' } }],
    [301, '/api/v3/events', { redirect: 'manual' as const }],
    [404, '/nowhere/', {}],
    [405, '/healthz', { method: 'DELETE' }],
  ])('%i of %s has all of them', async (status, path, options) => {
    const response = await send(path, options)
    expect(response.status).toBe(status)
    const names = Object.keys(SECURITY_HEADERS)
    expect(Object.fromEntries(names.map((name) => [name, response.headers.get(name)]))).toEqual(SECURITY_HEADERS)
    await response.text()
  })

  it.each(['/', '/api/v3/events/?format=api'])('%s as a page has them too, with the policy of pages', async (path) => {
    const response = await send(path, { headers: { Accept: 'text/html' } })
    const expected = { ...SECURITY_HEADERS, 'Content-Security-Policy': PAGE_POLICY }
    const shown = Object.keys(expected).map((name) => [name, response.headers.get(name)])
    expect(Object.fromEntries(shown)).toEqual(expected)
    await response.text()
  })
})
