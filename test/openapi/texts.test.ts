import { describe, expect, it } from 'vitest'
import { answer, bearer, get, headersOf, measuredHeadersOf, ORIGIN, send, withKey } from '../service.ts'

const TEXTS = [
  ['/openapi.json', 'application/json', 'application/json'],
  ['/docs', 'text/html; charset=utf-8', 'text/html'],
  ['/robots.txt', 'text/plain; charset=utf-8', 'text/plain'],
] as const
const ALLOW = 'GET, HEAD, OPTIONS'

describe.each(TEXTS)('%s', (path, contentType, mediaType) => {
  it('is sent to everyone, with any Accept', async () => {
    for (const accept of ['*/*', 'text/html', 'application/json', 'image/png']) {
      const { status, headers } = await send(path, { headers: { Accept: accept } })
      expect([status, Object.fromEntries(headers)]).toEqual([
        200,
        expect.objectContaining({
          'content-type': contentType,
          'cache-control': 'private, no-cache',
          allow: ALLOW,
          vary: expect.stringContaining('Accept'),
          etag: expect.stringMatching(/^W\/"[0-9a-f]{16}"$/),
          'access-control-allow-origin': '*',
        }),
      ])
    }
  })

  it('is a 304 for a client with its tag', async () => {
    const first = await send(path)
    const tag = first.headers.get('ETag') ?? ''
    const again = await send(path, { headers: { 'If-None-Match': tag } })
    expect([again.status, await again.text(), again.headers.get('ETag')]).toEqual([304, '', tag])
    expect((await send(path, { headers: { 'If-None-Match': 'W/"0"' } })).status).toBe(200)
  })

  it('HEAD is like GET without the body', async () => {
    const [head, got] = [await send(path, { method: 'HEAD' }), await send(path)]
    expect([head.status, headersOf(head), await head.text()]).toEqual([200, await measuredHeadersOf(got), ''])
    expect(head.headers.get('ETag')).toBe(got.headers.get('ETag'))
  })

  it('OPTIONS describes it', async () => {
    expect(await get(path, { method: 'OPTIONS' })).toEqual({
      name: expect.stringMatching(/^\w+$/),
      description: expect.stringMatching(/\.$/),
      renders: [mediaType],
      parses: [],
    })
  })

  it('refuses other methods', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect((await send(path, { method })).headers.get('Allow')).toBe(ALLOW)
      const detail = `Method "${method}" not allowed. Use one of ${ALLOW}.`
      expect(await answer(path, { method })).toEqual({ status: 405, body: { detail } })
    }
  })

  it('may be stored like other answers, but not with a key', async () => {
    const kept = await send(path, { vars: { CACHE_SECONDS: '60' } })
    expect(kept.headers.get('Cache-Control')).toContain('max-age=60')
    const asked = await send(path, await withKey('common'))
    expect([asked.status, asked.headers.get('Cache-Control')]).toEqual([200, 'private, no-store'])
    expect((await send(path, { headers: bearer('wrong') })).status).toBe(401)
  })

  it('has one address without a final slash', async () => {
    const response = await send(`${path}/?a=1`, { redirect: 'manual' })
    expect([response.status, response.headers.get('Location')]).toEqual([301, `${path}?a=1`])
    expect((await send(`${path}//`)).status).toBe(404)
    expect((await send(`${path}x/`)).status).toBe(404)
  })
})

describe('/openapi.json', () => {
  it.each([
    [`${ORIGIN}/openapi.json`, {}, ORIGIN],
    ['https://data.example.org/openapi.json', {}, 'https://data.example.org'],
    [`${ORIGIN}/openapi.json`, { BASE_URL: 'https://example.org/data/' }, 'https://example.org/data'],
  ])('%s with %j describes addresses below %s', async (address, vars, base) => {
    const { servers } = await get(address, { vars })
    expect(servers).toEqual([{ url: base }])
  })

  it('has a different tag for each base', async () => {
    const tagOf = async (vars: object) => (await send('/openapi.json', { vars })).headers.get('ETag')
    expect(await tagOf({ BASE_URL: 'https://example.org' })).not.toBe(await tagOf({}))
  })
})

describe('/docs', () => {
  it('loads only scripts and styles of this service, and has none inline', async () => {
    const response = await send('/docs')
    const text = await response.text()
    expect(text).not.toMatch(/<style|style=|\son\w+=|<script(?! src="assets\/)|https?:/)
    const policy = response.headers.get('Content-Security-Policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
  })
})

describe('a root links to both documents', () => {
  it.each([
    ['/', {}, ORIGIN],
    ['/api/v3/', {}, ORIGIN],
    ['/api/v4/?format=json', { BASE_URL: 'https://example.org/data' }, 'https://example.org/data'],
  ])('%s with %j', async (path, vars, base) => {
    const { headers } = await send(path, { vars })
    expect(headers.get('Link')).toBe(`<${base}/openapi.json>; rel="service-desc", <${base}/docs>; rel="service-doc"`)
  })
})
