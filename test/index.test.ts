import { beforeAll, describe, expect, it, vi } from 'vitest'
import { answer, bearer, load, ORIGIN, post, send } from './service.ts'

beforeAll(() => load())

describe('a missing slash at the end is a redirect with the query kept', () => {
  it.each([
    ['/api/v3', '/api/v3/'],
    ['/api/v4?format=api', '/api/v4/?format=api'],
    ['/api/v3/events?category=a+b%2Bc&page=2', '/api/v3/events/?category=a+b%2Bc&page=2'],
    ['/api/v3/events/12?format=json', '/api/v3/events/12/?format=json'],
    ['/api/v4/eventseries/99fe5d0', '/api/v4/eventseries/99fe5d0/'],
    ['/api/v3/observationtypes', '/api/v3/observationtypes/'],
  ])('%s', async (path, to) => {
    for (const method of ['GET', 'HEAD']) {
      const response = await send(path, { method, redirect: 'manual' })
      const location = new URL(response.headers.get('Location') ?? '', ORIGIN).href
      expect([response.status, location]).toEqual([301, `${ORIGIN}${to}`])
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

  it('that keeps what is posted', async () => {
    const { status, headers } = await send('/api/v3/events?page=2', { ...post('category=Climb'), redirect: 'manual' })
    expect([status, headers.get('Location')]).toEqual([308, '/api/v3/events/?page=2'])
  })
})

describe('an address that there is not', () => {
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
    '/API/v3/',
    '/constructor',
    '/api/v3/events//',
    '/api/v3/events/%/',
    '/api/v3/events/%E0%A4%A/',
  ])('%s', async (path) => {
    expect(await answer(`${ORIGIN}${path}`)).toEqual({ status: 404, body: { detail: 'Not found.' } })
  })
})

describe('every answer has the same headers, errors too', () => {
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
    expect([
      response.status,
      headers.get('Content-Type'),
      headers.get('Vary'),
      headers.get('Access-Control-Allow-Origin'),
    ]).toEqual([status, 'application/json', 'Accept', '*'])
    const body = (await response.json()) as object
    if (status >= 400 && status !== 400) expect(body).toEqual({ detail: expect.stringMatching(/\.$/) })
    if (path.startsWith('/api/')) expect(headers.get('Allow')).toMatch(/^GET, (POST, )?HEAD, OPTIONS$/)
  })
})

describe('CORS', () => {
  it.each(['/', '/api/v3/events/', '/api/v4/eventseries/99fe5d0/', '/nowhere/'])('a preflight of %s', async (path) => {
    const { status, headers } = await send(path, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://viewer.example.org',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,content-type',
      },
    })
    const list = (name: string) =>
      headers
        .get(name)
        ?.split(',')
        .map((item) => item.trim().toLowerCase())
    expect([status, headers.get('Access-Control-Allow-Origin'), headers.get('Access-Control-Max-Age')]).toEqual([
      204,
      '*',
      '86400',
    ])
    expect(list('Access-Control-Allow-Methods')).toEqual(['get', 'post', 'head', 'options'])
    expect(list('Access-Control-Allow-Headers')).toEqual([
      'accept',
      'authorization',
      'content-type',
      'if-modified-since',
      'if-none-match',
      'prefer',
      'x-d1-bookmark',
    ])
    expect(headers.get('Access-Control-Allow-Credentials')).toBe(null)
  })

  it('lets pages read the headers that matter', async () => {
    const { headers } = await send('/api/v3/events/', { headers: { Origin: 'https://viewer.example.org' } })
    expect(headers.get('Access-Control-Expose-Headers')).toBe(
      'Allow,ETag,Link,Preference-Applied,Retry-After,Server-Timing,WWW-Authenticate,X-D1-Bookmark,X-Request-Id',
    )
  })
})

describe('a fault of the service', () => {
  it.each<[string, Record<string, string>]>([
    ['/api/v3/events/', { ANONYMOUS_LEVEL: 'Everyone' }],
    ['/', { ANONYMOUS_LEVEL: 'Everyone' }],
  ])('%s with %j is a 500 without its reason', async (path, vars) => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const detail = 'An error of the service. It has been logged.'
    expect(await answer(path, { vars })).toEqual({ status: 500, body: { detail } })
    expect(log).toHaveBeenCalledOnce()
    log.mockRestore()
  })
})
