import { afterEach, describe, expect, it, vi } from 'vitest'
import { version } from '../package.json'
import { pagePolicy } from '../src/formats/html.ts'
import type { Env } from '../src/http/env.ts'
import { UNREACHABLE } from './isolates.ts'
import { answer, bearer, beginWithSeed, inChunks, type Options, ORIGIN, post, send, withKey } from './service.ts'

beginWithSeed()

describe('an address without its final slash redirects, and keeps its query', () => {
  it.each([
    ['/api/v3', '/api/v3/'],
    ['/api/v4?format=api', '/api/v4/?format=api'],
    ['/api/v3/events?category=a+b%2Bc&page=2', '/api/v3/events/?category=a+b%2Bc&page=2'],
    ['/api/v3/events/12?format=json', '/api/v3/events/12/?format=json'],
    ['/api/v3/events/summary?level=3', '/api/v3/events/summary/?level=3'],
    ['/api/v4/eventseries/99fe5d0', '/api/v4/eventseries/99fe5d0/'],
    ['/api/v3/observationtypes', '/api/v3/observationtypes/'],
  ])('%s', async (path, to) => {
    for (const method of ['GET', 'HEAD']) {
      const response = await send(path, { method, redirect: 'manual' })
      const location = new URL(response.headers.get('Location') ?? '', ORIGIN).href
      expect([response.status, location]).toEqual([301, `${ORIGIN}${to}`])
      expect(response.headers.get('Allow')).toBe((await send(to)).headers.get('Allow'))
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    }
  })

  it.each([
    ['', '/api/v3/events/'],
    ['https://events.example.org', 'https://events.example.org/api/v3/events/'],
    ['https://example.org/data', 'https://example.org/data/api/v3/events/'],
  ])('with BASE_URL %j', async (BASE_URL, to) => {
    const { headers } = await send('/api/v3/events', { vars: { BASE_URL }, redirect: 'manual' })
    const location = new URL(headers.get('Location') ?? '', BASE_URL || ORIGIN).href
    expect(location).toBe(new URL(to, ORIGIN).href)
  })

  it('keeps the method and the body of a post', async () => {
    const { status, headers } = await send('/api/v3/events?page=2', { ...post('category=Climb'), redirect: 'manual' })
    expect([status, headers.get('Location')]).toEqual([308, '/api/v3/events/?page=2'])
  })
})

describe('an unknown address is a 404', () => {
  it.each([
    '/nowhere',
    '/nowhere/',
    '/api',
    '/api/',
    '/api/v5/',
    '/api/v3/nope/',
    '/api/v3/nope',
    '//api/v3/events',
    '/api/v3/events/1/2',
    '/api/v3/events/summary/1',
    '/api/v3/events/summary/1/',
    '/API/v3/',
    '/constructor',
    '/api/v3/events//',
    '/api/v3/events/%/',
    '/api/v3/events/%E0%A4%A/',
  ])('%s', async (path) => {
    expect(await answer(`${ORIGIN}${path}`)).toEqual({ status: 404, body: { detail: 'Not found.' } })
  })
})

describe('an error has the same Content-Type, Vary and CORS headers as a list', () => {
  it.each([
    [200, '/api/v3/events/', {}],
    [200, '/api/v3/events/', post('category=Climb')],
    [200, '/api/v3/events/', { method: 'OPTIONS' }],
    [200, '/', {}],
    [400, '/api/v3/events/?nope=1', {}],
    [400, '/api/v3/events/?format=xml', {}],
    [401, '/api/v3/events/', { headers: bearer('wrong') }],
    [401, '/api/v3/events/', { method: 'POST', body: '{}' }],
    [404, '/api/v3/events/?page=0', {}],
    [404, '/api/v3/events/0/', {}],
    [404, '/nowhere/', {}],
    [404, '/nowhere/', { method: 'OPTIONS' }],
    [405, '/api/v3/events/', { method: 'DELETE' }],
    [405, '/api/v3/', { method: 'POST' }],
    [406, '/api/v3/events/', { headers: { Accept: 'application/xml' } }],
  ])('%j %s %j', async (status, path, options) => {
    const response = await send(path, options)
    const { headers } = response
    expect(response.status).toBe(status)
    const shared = { 'content-type': 'application/json', vary: 'Accept', 'access-control-allow-origin': '*' }
    expect(Object.fromEntries(headers)).toMatchObject(shared)
    const body = (await response.json()) as object
    if (status >= 400 && status !== 400) expect(body).toEqual({ detail: expect.stringMatching(/\.$/) })
    if (path.startsWith('/api/'))
      expect(headers.get('Allow')).toMatch(/^GET, (POST, |PUT, PATCH, DELETE, )?HEAD, OPTIONS$/)
  })
})

describe('CORS', () => {
  it.each(['/', '/api/v3/events/', '/api/v4/eventseries/99fe5d0/', '/nowhere/'])(
    'allows a preflight of %s',
    async (path) => {
      const { status, headers } = await send(path, {
        method: 'OPTIONS',
        headers: {
          Origin: 'https://viewer.example.org',
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'authorization,content-type',
        },
      })
      const told = (name: string) => headers.get(`Access-Control-${name}`)?.toLowerCase().replaceAll(/, */g, ' ')
      expect([status, told('Allow-Origin'), told('Max-Age')]).toEqual([204, '*', '86400'])
      expect(told('Allow-Methods')).toBe('get post put patch delete head options')
      expect(told('Allow-Headers')).toBe(
        'accept authorization content-type idempotency-key if-match if-modified-since if-none-match mcp-protocol-version mcp-method mcp-name x-d1-bookmark',
      )
      expect(told('Allow-Credentials')).toBe(undefined)
    },
  )

  it('lets pages read the important headers', async () => {
    const { headers } = await send('/api/v3/events/', { headers: { Origin: 'https://viewer.example.org' } })
    expect(headers.get('Access-Control-Expose-Headers')).toBe(
      'Allow,Content-Crs,Content-Disposition,ETag,Link,Location,OGC-NumberMatched,Retry-After,Server-Timing,WWW-Authenticate,X-D1-Bookmark,X-Request-Id,X-Total-Count',
    )
  })
})

describe('an error of the service', () => {
  it.each<[string, Record<string, string>]>([
    ['/api/v3/events/', { ANONYMOUS_LEVEL: 'Everyone' }],
    ['/', { ANONYMOUS_LEVEL: 'Everyone' }],
  ])('%s with %j is a 500 that hides its cause', async (path, vars) => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const detail = 'The service failed. Its log has the error. Try again later.'
    expect(await answer(path, { vars })).toEqual({ status: 500, body: { detail } })
    expect(log).toHaveBeenCalledOnce()
    log.mockRestore()
  })
})

/** Makes options for requests from one address. The limiter in them admits so many requests, and records its keys. */
const limiter = (most: number) => {
  const keys: string[] = []
  const limit = async ({ key }: { key: string }) => ({ success: keys.push(key) <= most })
  return {
    keys,
    vars: { RATE_LIMITER: { limit } } satisfies Partial<Env>,
    headers: { 'CF-Connecting-IP': '192.0.2.9' },
  }
}

/** Makes a body of so many bytes, in chunks of 100 bytes. */
const chunked = (bytes: number): Options => {
  const text = new TextEncoder().encode(`category=${'x'.repeat(bytes)}`.slice(0, bytes))
  const body = inChunks(Array.from({ length: Math.ceil(bytes / 100) }, (_, i) => text.slice(i * 100, i * 100 + 100)))
  return { ...post(''), body }
}

/** Returns the status, a header and the body of an answer. */
const toldOf = async (name: string, path: string, options: Options) => {
  const response = await send(path, options)
  return [response.status, response.headers.get(name), await response.json()]
}

describe('the health of the service', () => {
  it('/healthz is a 200 without a database', async () => {
    for (const vars of [{}, { DB: UNREACHABLE }])
      expect(await answer('/healthz', { vars })).toEqual({ status: 200, body: { status: 'ok' } })
  })

  it('/readyz is a 200 with a database', async () => {
    expect(await answer('/readyz')).toEqual({ status: 200, body: { status: 'ready', revision: 1, version } })
  })

  it('/readyz is a 503 without a database', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const detail = 'The database does not answer at the moment. Try again in a few seconds.'
    expect(await toldOf('Retry-After', '/readyz', { vars: { DB: UNREACHABLE } })).toEqual([503, '5', { detail }])
    log.mockRestore()
  })

  const methods = ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND']
  it.each(['/healthz', '/readyz'].flatMap((path) => methods.map((method) => [method, path] as const)))(
    '%s %s is a 405',
    async (method, path) => {
      const detail = `Method "${method}" not allowed. Use one of GET, HEAD.`
      expect(await toldOf('Allow', path, { method })).toEqual([405, 'GET, HEAD', { detail }])
    },
  )

  it.each(['/healthz', '/readyz'])('%s may not be stored, and answers HEAD', async (path) => {
    expect((await send(path)).headers.get('Cache-Control')).toBe('no-store')
    const head = await send(path, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})

describe('a body over the limit is a 413', () => {
  const detail = (limit: number) => ({
    detail: `The body has more than ${limit} bytes. Send a shorter query, such as a simpler geometry.`,
  })
  const form = (bytes: number) => post(`category=${'x'.repeat(bytes - 9)}`)

  it.each<[string, (bytes: number) => Options]>([
    ['as a form', (bytes) => form(bytes)],
    ['as a form with Content-Length', (bytes) => withLength(form(bytes), bytes)],
    ['in chunks', chunked],
  ])('%s', async (_, made) => {
    const vars = { BODY_LIMIT: '1000' }
    expect((await answer('/api/v3/events/', { ...made(1000), vars })).status).toBe(200)
    expect(await answer('/api/v3/events/', { ...made(1001), vars })).toEqual({ status: 413, body: detail(1000) })
  })

  it.each([undefined, '', '0', 'much'])('the limit is 5,000,000 bytes if BODY_LIMIT is %j', async (BODY_LIMIT) => {
    const vars = BODY_LIMIT === undefined ? {} : { BODY_LIMIT }
    const padded = `category=${'&'.repeat(5_000_000 - 9)}`
    expect((await send('/api/v3/events/', { ...post(padded), vars })).status).toBe(200)
    expect(await answer('/api/v3/events/', { ...post(`${padded}&`), vars })).toEqual({
      status: 413,
      body: detail(5_000_000),
    })
  })

  it.each([
    ['POST', '/api/v3/events/'],
    ['PATCH', '/api/v3/events/1/'],
  ])('%s %s has its own limit', async (method, path) => {
    const { headers, vars } = await withKey('writer')
    const json = { method, body: '{"a": 1}', headers: { ...headers, 'Content-Type': 'application/json' } }
    const refused = {
      status: 413,
      body: { detail: 'The body has more than 7 bytes. Send fewer items, and the rest in another request.' },
    }
    expect(await answer(path, { ...json, vars: { ...vars, WRITE_LIMIT: '7' } })).toEqual(refused)
    const taken = await answer(path, { ...json, vars: { ...vars, WRITE_LIMIT: '8', BODY_LIMIT: '1' } })
    expect(taken.status).not.toBe(413)
  })

  const withLength = (options: Options, bytes: number): Options => ({
    ...options,
    headers: { ...options.headers, 'Content-Length': String(bytes) },
  })
})

describe('a compressed body', () => {
  const json = { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } }
  const patch = { ...json, method: 'PATCH' }
  const encoded = ({ headers, ...rest }: Options, encoding: string) => ({
    ...rest,
    headers: { ...headers, 'Content-Encoding': encoding },
  })

  it.each<[string, string, Options]>([
    ['a query', '/api/v3/events/', post('category=x')],
    ['a query of a summary', '/api/v3/events/summary/', post('category=x')],
    ['a write', '/api/v3/events/', json],
    ['a change', '/api/v3/events/1/', patch],
    ['a body without a type', '/api/v4/eventseries/', { method: 'POST', body: 'x' }],
  ])('%s is a 415 that names the encoding', async (_, path, options) => {
    for (const encoding of ['gzip', 'br', 'deflate, gzip', 'x']) {
      const detail = `This service does not accept Content-Encoding "${encoding}". Send the body without Content-Encoding.`
      const told = await toldOf('Accept-Encoding', path, encoded(options, encoding))
      expect(told).toEqual([415, 'identity', { detail }])
    }
  })

  it.each(['identity', 'Identity', ''])('%j is not a compression', async (encoding) => {
    expect((await send('/api/v3/events/', encoded(post('category=x'), encoding))).status).toBe(200)
  })

  it('a Content-Encoding without a body is ignored', async () => {
    expect((await send('/api/v3/events/', { headers: { 'Content-Encoding': 'gzip' } })).status).toBe(200)
  })
})

describe('an address over the limit is a 414', () => {
  const address = (length: number) => `${ORIGIN}/api/v3/events/?category=`.padEnd(length, 'x')

  it('with the advice to post the query', async () => {
    // The limit leaves 160 characters for page and hint in the next address.
    expect((await answer(address(16_384 - 160))).status).toBe(200)
    expect(await answer(address(16_384 - 159))).toEqual({
      status: 414,
      body: {
        detail:
          'The address, or the address of the next page, has more than 16384 characters. Send the query by POST, as application/x-www-form-urlencoded.',
      },
    })
    // The next address writes a comma as three characters.
    const commas = (count: number) => `/api/v3/events/?category__in=${','.repeat(count)}`
    expect((await answer(commas(999))).status).toBe(200)
    expect((await answer(commas(6000))).status).toBe(414)
    const { search } = new URL(address(16_385))
    expect((await answer('/api/v3/events/', post(search.slice(1)))).status).toBe(200)
  })

  it.each([
    ['items', 'Send the query by POST'],
    ['tiles/WebMercatorQuad/0/0/0', 'Send a shorter query'],
  ])('under /ogc advises what the address takes: %s', async (path, advice) => {
    const { status, body } = await answer(`/ogc/collections/events/${path}?filter=${'x'.repeat(17_000)}`)
    expect([status, body]).toMatchObject([414, { detail: expect.stringContaining(advice) }])
  })
})

describe('a request that is refused early', () => {
  it.each<[number, string, Options]>([
    [413, '/api/v3/events/', { ...post('category=x'), vars: { BODY_LIMIT: '1' } }],
    [414, `/api/v4/eventseries/?name=${'x'.repeat(17_000)}`, {}],
  ])('has the header Allow on a %i', async (status, path, options) => {
    const response = await send(path, options)
    expect([response.status, response.headers.get('Allow')]).toEqual([status, 'GET, POST, HEAD, OPTIONS'])
  })
})

describe('the rate limiter', () => {
  it('accepts requests up to its limit', async () => {
    const { vars, headers } = limiter(2)
    for (const status of [200, 200, 429, 429])
      expect((await send('/api/v3/events/', { vars, headers })).status).toBe(status)
  })

  it('says when to try again', async () => {
    const detail = 'Too many requests. Try again in 60 seconds.'
    expect(await toldOf('Retry-After', '/api/v3/events/', limiter(0))).toEqual([429, '60', { detail }])
  })

  it('counts each client separately', async () => {
    const { keys, vars } = limiter(9)
    const addresses = ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2', '2001:db8:0:1::1', '127.0.0.1', '::1']
    for (const address of addresses) await send('/', { vars, headers: { 'CF-Connecting-IP': address } })
    await send('/', { vars })
    expect(keys).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8:0:0', '2001:db8:0:0', '2001:db8:0:1'])
  })

  it('is optional', async () => {
    for (let i = 0; i < 20; i++) expect((await send('/api/v3/')).status).toBe(200)
  })
})

/** One answer of every kind, as status, route in the log, path and options. */
const ANSWERS: [number, string, string, Options][] = [
  [200, '/', '/', {}],
  [200, '/api/v3/', '/api/v3/', {}],
  [200, '/api/v3/events/', '/api/v3/events/?category=secret', {}],
  [200, '/api/v3/events/', '/api/v3/events/', { headers: { Accept: 'text/html' } }],
  [200, '/api/v3/events/', '/api/v3/events/', post('category=secret')],
  [200, '/api/v3/events/', '/api/v3/events/', { method: 'HEAD' }],
  [200, '/api/v3/events/', '/api/v3/events/', { method: 'OPTIONS' }],
  [200, '/api/v3/events/summary/', '/api/v3/events/summary/', {}],
  [200, '/api/v3/events/:key/', '/api/v3/events/1/', {}],
  [200, '/api/v4/eventseries/:key/', '/api/v4/eventseries/99fe5d0/', {}],
  [200, '/ogc', '/ogc', {}],
  [200, '/ogc/collections/events/items', '/ogc/collections/events/items?category=secret', {}],
  [200, '/ogc/collections/events/items/:key', '/ogc/collections/events/items/1', {}],
  [404, '/ogc/collections/*', '/ogc/collections/secret/items/secret', {}],
  [404, '/ogc/*', `/ogc${'/secret'.repeat(9)}`, {}],
  [200, '/healthz', '/healthz', {}],
  [200, '/readyz', '/readyz', {}],
  [301, '/api/v3/events', '/api/v3/events?category=secret', { redirect: 'manual' }],
  [304, '/api/v3/events/', '/api/v3/events/', { headers: { 'If-None-Match': '*' } }],
  [400, '/api/v3/events/', '/api/v3/events/?secret=1', {}],
  [401, '/api/v3/events/', '/api/v3/events/', { headers: bearer('secret') }],
  [404, '/api/v4/eventseries/:key/', '/api/v4/eventseries/secret/', {}],
  [404, '/*', '/secret/?secret', {}],
  [405, '/api/v3/events/', '/api/v3/events/', { method: 'DELETE' }],
  [406, '/api/v3/events/', '/api/v3/events/', { headers: { Accept: 'image/secret' } }],
  [413, '/api/v3/events/', '/api/v3/events/', { ...post('category=secret'), vars: { BODY_LIMIT: '1' } }],
  [414, '/api/v3/events/', `/api/v3/events/?category=${'secret'.repeat(3000)}`, {}],
  [429, '/api/v3/events/', '/api/v3/events/?category=secret', limiter(0)],
  [500, '/', '/', { vars: { ANONYMOUS_LEVEL: 'secret' } }],
  [503, '/api/v3/events/', '/api/v3/events/', { vars: { DB: UNREACHABLE } }],
  [503, '/readyz', '/readyz', { vars: { DB: UNREACHABLE } }],
]

const POLICY = "default-src 'none'; frame-ancestors 'none'"

describe('every answer', () => {
  const log = vi.spyOn(console, 'log').mockReturnValue()
  const faults = vi.spyOn(console, 'error').mockReturnValue()
  afterEach(() => {
    log.mockClear()
    faults.mockClear()
  })

  it.each(ANSWERS)(
    '%j at %s has an id and a line in the log, and shows no secret',
    async (status, route, path, options) => {
      const { headers, ...response } = await show(path, options)
      expect(response.status).toBe(status)
      expect(Object.fromEntries(headers)).toMatchObject({
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'referrer-policy': 'no-referrer',
        'strict-transport-security': expect.stringMatching(/^max-age=\d+/),
        // A browser may show a summary again for some seconds.
        vary: route.endsWith('/summary/') ? 'Accept, Authorization, X-D1-Bookmark' : 'Accept',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/),
      })
      // After a 304 the browser uses the policy of its stored answer.
      const policy = headers.get('Content-Type')?.startsWith('text/html') ? pagePolicy() : POLICY
      expect(headers.get('Content-Security-Policy')).toBe(status === 304 ? null : policy)
      expect(log).toHaveBeenCalledOnce()
      const [line] = log.mock.calls[0] ?? []
      expect(line).not.toContain('secret')
      const reads =
        [200, 304, 404].includes(status) &&
        /^\/(api.*events|ogc.*events|readyz)/.test(route) &&
        options.method !== 'OPTIONS'
      const asked = status === 503 ? 2 : reads && !path.includes('/secret') ? 1 : 0
      expect(JSON.parse(line)).toMatchObject({
        id: headers.get('X-Request-Id'),
        version,
        method: options.method ?? 'GET',
        route,
        status,
        ms: expect.any(Number),
        caller: null,
        parameters: status === 200 && path.includes('category') ? ['category'] : expect.any(Array),
        rows_read: asked === 1 ? expect.toSatisfy((rows: number) => rows > 0) : 0,
        round_trips: asked,
        cache_hit: status === 304 || expect.any(Boolean),
      })
    },
  )

  it('to a preflight has a line in the log', async () => {
    const headers = { Origin: 'https://viewer.example.org', 'Access-Control-Request-Method': 'GET' }
    const answered = await show('/api/v3/events/?category=secret', { method: 'OPTIONS', headers })
    const [line] = log.mock.calls[0] ?? []
    expect(JSON.parse(line)).toMatchObject({ id: answered.headers.get('X-Request-Id'), method: 'OPTIONS', status: 204 })
  })

  const [UUID, RAY] = ['0b5a7c1e-63d4-4f0a-9c2f-1f6a4d3e2b10', '8f2c1d3e4a5b6c7d-AMS']
  it.each<[Record<string, string>, string | null]>([
    [{ 'X-Request-Id': UUID }, UUID],
    [{ 'X-Request-Id': UUID.toUpperCase() }, UUID.toUpperCase()],
    [{ 'X-Request-Id': UUID, 'CF-Ray': RAY }, UUID],
    [{ 'X-Request-Id': 'forged-id-of-another-request', 'CF-Ray': RAY }, RAY],
    [{ 'CF-Ray': RAY }, RAY],
    [{ 'X-Request-Id': 'abc-123_=' }, null],
    [{ 'X-Request-Id': `${UUID}0` }, null],
    [{ 'X-Request-Id': '' }, null],
  ])('to a request with %j has the id %j', async (sent, expected) => {
    const id = (await show('/', { headers: sent })).headers.get('X-Request-Id')
    expect(id).toMatch(expected === null ? /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/ : new RegExp(`^${expected}$`))
    expect(Object.values(sent).includes(id ?? '')).toBe(expected !== null)
    expect(JSON.parse(log.mock.calls[0]?.[0]).id).toBe(id)
  })

  it('has its own id', async () => {
    const ids = await Promise.all([1, 2, 3].map(async () => (await show('/', {})).headers.get('X-Request-Id')))
    expect(new Set(ids).size).toBe(3)
  })

  /** Returns an answer and its whole body. */
  const show = async (path: string, options: Options) => {
    const response = await send(path, options)
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
})
