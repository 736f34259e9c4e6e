import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { digest } from '../../src/http/query.ts'
import { cacheControl, entityTag, httpDate, isHeld } from '../../src/http/validators.ts'
import { countingDatabase } from '../isolates.ts'
import { MAKE_EARLIER, MAKE_LATER } from '../revisions.ts'
import { load, type Options, ORIGIN, post, seedSeries, send, withKey } from '../service.ts'
import { splitRows } from '../tags.ts'
import { typeOf } from './writes.ts'

const LIST = '/api/v3/events/'
const ITEM = '/api/v3/events/1/'
const SUMMARY = '/api/v3/events/summary/'
const SECOND = 1000 // milliseconds

beforeAll(() => load())

afterEach(() => vi.restoreAllMocks())

/** Moves the clock a second ahead. Last-Modified then identifies the last write. */
const later = () => {
  const at = Date.now() + SECOND
  return vi.spyOn(Date, 'now').mockReturnValue(at)
}

const tagOf = async (path: string, options: Options = {}) => (await send(path, options)).headers.get('ETag') ?? ''

/** Sends a request, and counts the rows and round trips of the database. */
const ask = async (path: string, headers: Record<string, string>, options: Options = {}) => {
  const { cost, DB } = countingDatabase()
  const vars = { ...options.vars, DB }
  const response = await send(path, { ...options, vars, headers: { ...options.headers, ...headers } })
  return { response, status: response.status, ...cost }
}

describe('If-None-Match', () => {
  const made: [string, (tag: string) => string, number][] = [
    ['the tag', (tag) => tag, 304],
    ['the tag without W/', (tag) => tag.slice(2), 304],
    ['a list with the tag', (tag) => `"x", W/"y" ,${tag}`, 304],
    ['*', () => '*', 304],
    ['another tag', () => 'W/"1-0123456789abcdef"', 200],
    ['a part of the tag', (tag) => `${tag.slice(0, -2)}"`, 200],
    ['the tag without quotes', (tag) => tag.slice(3, -1), 200],
    ['nothing', () => '', 200],
  ]
  const paths = [
    LIST,
    `${LIST}?category=earthquake&page=2`,
    `${LIST}summary/`,
    `${LIST}summary/?category=earthquake&page=2`,
    ITEM,
    '/api/v4/eventseries/',
    '/api/v3/observationtypes/1/',
  ]

  const all = paths.flatMap((path) => made.map(([name, make, status]) => [path, name, make, status] as const))
  for (const [how, rows] of splitRows(5, all))
    it.each(rows)('%s: %s', how, async (path, _, make, status) => {
      const tag = await tagOf(path)
      expect(tag).toMatch(/^W\/"(\d+-[0-9a-z]+|e\d+)-[0-9a-f]{16}"$/)
      for (const method of ['GET', 'HEAD']) {
        const { response } = await ask(path, { 'If-None-Match': make(tag) }, { method })
        expect([response.status, response.headers.get('ETag')]).toEqual([status, tag])
        expect((await response.text()) === '').toBe(status === 304 || method === 'HEAD')
      }
    })

  it.each([
    LIST,
    `${LIST}summary/`,
    `${LIST}?page=40`,
    `${LIST}?category__regex=a&ordering=-timestamp_end`,
    '/api/v4/eventseries/',
  ])('%s reads one row if the client has the current tag', async (path) => {
    const tag = await tagOf(path)
    for (const method of ['GET', 'HEAD'])
      expect(await ask(path, { 'If-None-Match': tag }, { method })).toMatchObject({ status: 304, rows: 1, trips: 1 })
  })

  it('reads an item in one round trip', async () => {
    const { status, rows, trips } = await ask(ITEM, { 'If-None-Match': await tagOf(ITEM) })
    expect([status, trips]).toEqual([304, 1])
    expect(rows).toBeLessThanOrEqual(4 + seedSeries.length)
  })

  it('takes precedence over If-Modified-Since', async () => {
    const since = new Date(Date.now() + SECOND).toUTCString()
    const known = { 'If-None-Match': await tagOf(LIST), 'If-Modified-Since': new Date(0).toUTCString() }
    expect((await ask(LIST, { 'If-None-Match': '"x"', 'If-Modified-Since': since })).status).toBe(200)
    expect((await ask(LIST, known)).status).toBe(304)
  })

  it('a 304 has the headers of the 200', async () => {
    const [full, short] = [await send(LIST), (await ask(LIST, { 'If-None-Match': '*' })).response]
    for (const name of ['ETag', 'Last-Modified', 'Cache-Control', 'Vary', 'Access-Control-Allow-Origin', 'Allow'])
      expect([name, short.headers.get(name)]).toEqual([name, full.headers.get(name)])
    expect(short.headers.get('Content-Type')).toBe(null)
  })
})

describe('If-Modified-Since', () => {
  const since = async (path: string, milliseconds: number) => {
    const modified = Date.parse((await send(path)).headers.get('Last-Modified') ?? '')
    return ask(path, { 'If-Modified-Since': new Date(modified + milliseconds).toUTCString() })
  }

  it.each([
    [LIST, 0, 304],
    [LIST, SECOND, 200],
    [LIST, -SECOND, 200],
    [`${LIST}?page=2`, 0, 304],
    [`${LIST}summary/?bins=9`, 0, 304],
    [`${LIST}summary/?bins=9`, -SECOND, 200],
    [ITEM, 0, 304],
    [ITEM, -SECOND, 200],
  ])('%s, %j ms after the last change', async (path, milliseconds, status) => {
    later()
    expect((await since(path, milliseconds)).status).toBe(status)
  })

  /** Returns the three forms of a date in HTTP: the current form and two obsolete ones. */
  const formsOf = (date: Date) => {
    const [day = '', time = '', month = '', year = '', clock = ''] = date.toUTCString().split(/,? /)
    const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
    const short = days.find((name) => name.startsWith(day))
    return [
      date.toUTCString(),
      `${short}, ${time}-${month}-${year.slice(2)} ${clock} GMT`,
      `${day} ${month} ${time.replace(/^0/, ' ')} ${clock} ${year}`,
    ]
  }

  it('accepts every date format of HTTP', async () => {
    later()
    const modified = new Date((await send(LIST)).headers.get('Last-Modified') ?? '')
    for (const text of formsOf(modified))
      expect((await ask(LIST, { 'If-Modified-Since': text })).status, text).toBe(304)
    for (const text of formsOf(new Date('1994-11-06T08:49:37Z')))
      expect((await ask(LIST, { 'If-Modified-Since': text })).status, text).toBe(200)
  })

  it('ignores a time in the future', async () => {
    for (const ahead of [5 * SECOND, 86_400 * SECOND, 1e12])
      for (const path of [LIST, ITEM, `${LIST}summary/`])
        expect((await ask(path, { 'If-Modified-Since': new Date(Date.now() + ahead).toUTCString() })).status).toBe(200)
  })

  it.each([
    ...['', 'yesterday', 'NaN', '2099', '2026', '2020-01-01', '2026-11-21T00:00:00Z', '9999999999', '1 Jan 2026'],
    ...['Sat, 21 Nov 2026 08:00:00', 'Sat, 21 Nov 2026 08:00:00 UTC', 'Sat, 21 Nov 2026 08:00:00 +0000'],
    ...['Sat, 1 Nov 2026 08:00:00 GMT', 'Sat, 99 Nov 2026 08:00:00 GMT', 'Sat, 21 Nov 2026 08:00:00 GMT, x'],
  ])('ignores %j', async (text) => {
    const at = Date.UTC(2100, 0)
    vi.spyOn(Date, 'now').mockReturnValue(at)
    expect((await ask(LIST, { 'If-Modified-Since': text })).status).toBe(200)
  })
})

describe('If-Match', () => {
  const detail = 'The data has changed since you read it. Read it again, and send the new ETag in If-Match.'
  const made: [string, (tag: string) => string, number][] = [
    ['the tag', (tag) => tag, 200],
    ['the tag without W/', (tag) => tag.slice(2), 200],
    ['a list with the tag', (tag) => `"x", ${tag}`, 200],
    ['*', () => '*', 200],
    ['another tag', () => 'W/"1-0-0123456789abcdef"', 412],
    ['a tag of another answer of the same state', (tag) => tag.replace(/[0-9a-f]{16}"$/, '0123456789abcdef"'), 412],
    ['no tag', () => 'x', 412],
  ]

  for (const [how, rows] of splitRows(
    3,
    [LIST, `${LIST}?page=2`, SUMMARY, `${LIST}?format=csv&page_size=all`, ITEM, '/openapi.json'].flatMap((path) =>
      made.map(([name, make, status]) => [path, name, make, status] as const),
    ),
  ))
    it.each(rows)('%s: %s', how, async (path, _, make, status) => {
      const sent = { 'If-Match': make(await tagOf(path)) }
      for (const method of ['GET', 'HEAD']) {
        const response = await send(path, { method, headers: sent })
        expect([response.status, response.headers.get('Cache-Control')]).toEqual([
          status,
          status === 412 ? 'no-store' : path === SUMMARY ? 'private, max-age=10, must-revalidate' : 'private, no-cache',
        ])
        const body = await response.text()
        if (status === 412 && method === 'GET') expect(JSON.parse(body)).toEqual({ detail })
      }
    })

  it('comes before If-None-Match, and after errors of the request', async () => {
    const tag = await tagOf(LIST)
    for (const path of [LIST, ITEM]) {
      const both = { 'If-Match': '"x"', 'If-None-Match': '*' }
      expect((await send(path, { headers: both })).status).toBe(412)
    }
    expect((await send(LIST, { headers: { 'If-Match': tag, 'If-None-Match': tag } })).status).toBe(304)
    for (const [path, status] of [
      [`${LIST}?nope=1`, 400],
      [`${LIST}?page=99999`, 404],
      ['/api/v3/events/0/', 404],
    ] as const)
      for (const known of ['*', '"x"', tag])
        expect((await send(path, { headers: { 'If-Match': known } })).status).toBe(status)
  })
})

describe('a missing or hidden item is a 404, even if the client sends a matching tag', () => {
  const [hidden] = seedSeries.filter(({ access_modifier }) => access_modifier === 300)
  const uuid = hidden?.uuid ?? ''
  /** Computes the entity tag of an address, as any client could. */
  const guess = async (path: string) => {
    const [state] = /\d+-[0-9a-z]+/.exec(await tagOf(LIST)) ?? []
    const request = await digest([`${ORIGIN}${path}`, '', 'application/json', '', '0'])
    return entityTag(state ?? '', 0, request)
  }

  it('the test guesses tags correctly', async () => {
    const path = '/api/v3/observationtypes/1/'
    expect(await guess(path)).toBe(await tagOf(path))
  })

  it.each([
    `/api/v3/eventseries/${uuid}/`,
    `/api/v4/eventseries/${uuid.slice(0, 7)}/`,
    '/api/v4/eventseries/0000000/',
    '/api/v3/eventseries/nope/',
    '/api/v3/events/0/',
    '/api/v3/events/99999999/',
    '/api/v3/observationtypes/99/',
    `${LIST}?page=99999`,
    `${LIST}?event_series=${uuid}&page=2`,
  ])('%s', async (path) => {
    const future = new Date(Date.now() + 1000 * SECOND).toUTCString()
    const tags = ['*', await guess(path)].map((tag) => ({ 'If-None-Match': tag }))
    for (const headers of [...tags, { 'If-Modified-Since': future }]) {
      const { status, response } = await ask(path, headers)
      const told = ['ETag', 'Last-Modified', 'Cache-Control'].map((name) => response.headers.get(name))
      expect([status, ...told]).toEqual([404, null, null, 'no-store'])
    }
  })

  it('a 400 has no tag', async () => {
    const { response } = await ask(`${LIST}?nope=1`, { 'If-None-Match': '*' })
    expect([response.status, response.headers.get('ETag')]).toEqual([400, null])
  })

  it('the tag of a caller with a higher level does not match for a lower level', async () => {
    const path = `/api/v4/eventseries/${uuid}/`
    const tag = await tagOf(path, { vars: { ANONYMOUS_LEVEL: 'Hidden' } })
    const asked = { 'If-None-Match': tag }
    expect((await ask(path, asked, { vars: { ANONYMOUS_LEVEL: 'Hidden' } })).status).toBe(304)
    expect((await ask(path, asked)).status).toBe(404)
    const all = await tagOf(LIST, { vars: { ANONYMOUS_LEVEL: 'Hidden' } })
    expect((await ask(LIST, { 'If-None-Match': all })).status).toBe(200)
  })
})

describe('the ETag', () => {
  it.each([
    ['?category=earthquake&page_size=5', '?page_size=5&category=earthquake'],
    ['?category=approach%20start', '?category=approach+start'],
    ['?page=2&ordering=-timestamp_start&event_series=1f3f', '?event_series=1f3f&page=2&ordering=-timestamp_start'],
  ])('is equal for %s and %s', async (one, other) => {
    expect(await tagOf(`${LIST}${one}`)).toBe(await tagOf(`${LIST}${other}`))
  })

  it('is equal for a key of the same level', async () => {
    const common = await tagOf(LIST, await withKey('common'))
    expect(common).toBe(await tagOf(LIST, { vars: { ANONYMOUS_LEVEL: 'Common' } }))
    expect(common).not.toBe(await tagOf(LIST))
  })

  it('differs between all other answers', async () => {
    const queries = ['page=2', 'page_size=5', 'page_size=5&page=2', 'category=earthquake', 'category=hurricane']
    const addresses = [
      ...[LIST, '/api/v3/eventseries/', '/api/v4/eventseries/', ITEM, '/api/v3/events/2/'],
      ...[...queries, 'ordering=-id', 'format=json', 'format=api'].map((query) => `${LIST}?${query}`),
      ...[`http://127.0.0.1:8787${LIST}`, `https://localhost:8787${LIST}`],
    ]
    const requests: [string, Options?][] = [
      ...addresses.map((address): [string] => [address]),
      [LIST, { headers: { Accept: 'text/html' } }],
      [`${LIST}?format=api`, { headers: { Accept: 'text/html' } }],
      [LIST, { vars: { BASE_URL: 'https://events.example.org' } }],
      [LIST, { vars: { ANONYMOUS_LEVEL: 'Common' } }],
      [LIST, { vars: { ANONYMOUS_LEVEL: 'Private' } }],
      [LIST, { vars: { ANONYMOUS_LEVEL: 'Hidden' } }],
    ]
    const tags = await Promise.all(requests.map(([path, options]) => tagOf(path, options)))
    expect(tags).not.toContain('')
    expect(new Set(tags).size).toBe(requests.length)
  })

  it('changes with Last-Modified after a write', async () => {
    const before = (await send(LIST)).headers
    const known = { 'If-None-Match': before.get('ETag') ?? '' }
    expect((await ask(LIST, known)).status).toBe(304)
    await new Promise((resolve) => setTimeout(resolve, SECOND))
    const written = Math.floor(Date.now() / SECOND) * SECOND
    await load([typeOf(901)])
    const { response } = await ask(LIST, { ...known, 'If-Modified-Since': new Date(Date.now()).toUTCString() })
    expect([response.status, response.headers.get('ETag') === before.get('ETag')]).toEqual([200, false])
    expect((await ask(LIST, { 'If-Modified-Since': before.get('Last-Modified') ?? '' })).status).toBe(200)
    later()
    const { headers } = await send(LIST)
    const modified = Date.parse(headers.get('Last-Modified') ?? '')
    expect(modified).toBeGreaterThanOrEqual(written)
    expect(modified).toBeLessThanOrEqual(Date.now())
    expect(headers.get('ETag')).toBe(response.headers.get('ETag'))
  })

  it('changes if a rebuilt database reaches the same revision', async () => {
    const before = { 'If-None-Match': await tagOf(LIST) }
    expect((await ask(LIST, before)).status).toBe(304)
    await env.DB.prepare(MAKE_LATER).run()
    expect((await ask(LIST, before)).status).toBe(200)
    await env.DB.prepare(MAKE_EARLIER).run()
    expect((await ask(LIST, before)).status).toBe(304)
  })

  it('Last-Modified is sent after its second has passed', async () => {
    const written = await env.DB.prepare('SELECT changed FROM revision').first<number>('changed')
    const clock = vi.spyOn(Date, 'now').mockReturnValue(written ?? 0)
    expect((await send(LIST)).headers.get('Last-Modified')).toBe(null)
    clock.mockReturnValue((written ?? 0) + SECOND)
    expect((await send(LIST)).headers.get('Last-Modified')).toBe(new Date(written ?? 0).toUTCString())
  })
})

describe('the header Vary', () => {
  const all = 'Accept, Authorization, X-D1-Bookmark'
  it.each<[string, Options['vars'], string]>([
    ['by default', {}, 'Accept'],
    ['CACHE_SECONDS 0', { CACHE_SECONDS: '0' }, 'Accept'],
    ['CACHE_SECONDS 0 and BASE_URL', { CACHE_SECONDS: '0', BASE_URL: 'https://events.example.org' }, 'Accept'],
    ['CACHE_SECONDS 60', { CACHE_SECONDS: '60' }, all],
    ['CACHE_SECONDS 60 and BASE_URL', { CACHE_SECONDS: '60', BASE_URL: 'https://events.example.org' }, all],
  ])('%s', async (_, vars, expected) => {
    for (const path of [LIST, ITEM, '/', '/openapi.json', '/nowhere/', `${LIST}?nope=1`])
      expect((await send(path, { vars: vars ?? {} })).headers.get('Vary')).toBe(expected)
    // A browser may show a summary again.
    if (vars?.CACHE_SECONDS === undefined) expect((await send(SUMMARY)).headers.get('Vary')).toBe(all)
  })
})

/** Stores answers like a shared cache (RFC 9111, 4.1): public ones, by address and by the headers in Vary. */
describe('a shared cache', () => {
  it('gives no caller the answer of another', async () => {
    const { headers, vars } = await withKey('hidden')
    const requests: Options[] = [
      {},
      { headers: headers ?? {} },
      { headers: { Authorization: 'Bearer wrong' } },
      { headers: BOOKMARK },
      { headers: { Accept: 'text/csv' } },
    ]
    const kept = new Map<string, string>()
    const keyOf = (path: string, { headers }: Options, vary: string) =>
      [path, ...vary.split(', ').map((name) => new Headers(headers).get(name))].join()
    for (const path of [LIST, `${LIST}?nope=1`, '/api/v3/events'])
      for (const options of [...requests, ...requests]) {
        const response = await send(path, { ...options, redirect: 'manual', vars: { ...vars, ...SHARED } })
        const seen = `${response.status} ${await response.text()}`
        const vary = response.headers.get('Vary') ?? ''
        const before = kept.get(keyOf(path, options, vary))
        if (before !== undefined) expect(before).toBe(seen)
        if (response.headers.get('Cache-Control')?.startsWith('public')) kept.set(keyOf(path, options, vary), seen)
      }
    expect(kept.size).toBe(2)
  })
})

/** The variables that allow a shared cache to store answers. */
const SHARED = { CACHE_SECONDS: '60', BASE_URL: 'https://events.example.org' }
const BOOKMARK = { 'X-D1-Bookmark': '00000000-00000000-00000000-00000000000000000000000000000000' }
const WHOLE = `${LIST}?format=csv&page_size=all`
const own = (seconds: number) => `private, max-age=${seconds}, must-revalidate`

describe('the header Cache-Control', () => {
  it.each<[string, string, Options, string | null]>([
    ['by default', LIST, {}, 'private, no-cache'],
    ['of an item', ITEM, {}, 'private, no-cache'],
    ['CACHE_SECONDS 0', LIST, { vars: { CACHE_SECONDS: '0' } }, 'private, no-cache'],
    ['CACHE_SECONDS empty', LIST, { vars: { CACHE_SECONDS: '' } }, 'private, no-cache'],
    ['CACHE_SECONDS that is not a number', LIST, { vars: { CACHE_SECONDS: 'long' } }, 'private, no-cache'],
    ['CACHE_SECONDS 60', LIST, { vars: { CACHE_SECONDS: '60' } }, 'private, max-age=60, must-revalidate'],
    ['CACHE_SECONDS 60, of an item', ITEM, { vars: { CACHE_SECONDS: '60' } }, 'private, max-age=60, must-revalidate'],
    ['CACHE_SECONDS 60 and BASE_URL', LIST, { vars: SHARED }, 'public, max-age=60, must-revalidate'],
    ['CACHE_SECONDS 60 and BASE_URL, of an item', ITEM, { vars: SHARED }, 'public, max-age=60, must-revalidate'],
    ['CACHE_SECONDS 60 and BASE_URL, of a root', '/api/v3/', { vars: SHARED }, 'public, max-age=60, must-revalidate'],
    ['of a root', '/', {}, 'private, no-cache'],
    ['of a summary', SUMMARY, {}, 'private, max-age=10, must-revalidate'],
    ['of a summary, BASE_URL', SUMMARY, { vars: { BASE_URL: SHARED.BASE_URL } }, own(10)],
    ['of a summary, CACHE_SECONDS 60', SUMMARY, { vars: SHARED }, 'public, max-age=60, must-revalidate'],
    ['of a posted summary', SUMMARY, post('category=hurricane'), 'private, no-store'],
    ['of a posted query', LIST, { ...post('category=hurricane'), vars: { CACHE_SECONDS: '60' } }, 'private, no-store'],
    ['of a whole result', WHOLE, { method: 'HEAD', vars: SHARED }, own(60)],
    ['of a whole result by default', WHOLE, { method: 'HEAD' }, 'private, no-cache'],
    ['of an answer to a bookmark', LIST, { headers: BOOKMARK, vars: SHARED }, 'private, no-store'],
    ['of a redirect', '/api/v3/events', { redirect: 'manual', vars: SHARED }, 'no-store'],
    ['of a 400', `${LIST}?nope=1`, { vars: { CACHE_SECONDS: '60' } }, 'no-store'],
    ['of a 404', `${LIST}?page=99999`, { vars: { CACHE_SECONDS: '60' } }, 'no-store'],
    ['of a missing item', '/api/v3/events/0/', { vars: { CACHE_SECONDS: '60' } }, 'no-store'],
    ['of a 401', LIST, { headers: { Authorization: 'Bearer nope' } }, 'no-store'],
    ['of a 405', LIST, { method: 'DELETE' }, 'no-store'],
    ['of a 406', LIST, { headers: { Accept: 'image/png' } }, 'no-store'],
    ['of an unknown address', '/nowhere/', {}, 'no-store'],
  ])('%s', async (_, path, options, expected) => {
    expect((await send(path, options)).headers.get('Cache-Control')).toBe(expected)
  })

  it.each([
    ['Common', '', 'private'],
    ['Hidden', 'Public', 'private'],
    ['Hidden', 'Private', 'private'],
    ['Hidden', 'Hidden', 'public'],
    ['Common', 'Hidden', 'public'],
    ['Public', '', 'public'],
  ])('with ANONYMOUS_LEVEL %s and CACHE_LEVEL %j is %s', async (ANONYMOUS_LEVEL, CACHE_LEVEL, expected) => {
    const vars = { ...SHARED, ANONYMOUS_LEVEL, CACHE_LEVEL }
    for (const path of [LIST, ITEM, '/api/v3/', '/ogc/collections/events/items', '/ogc/collections'])
      expect((await send(path, { vars })).headers.get('Cache-Control')).toBe(`${expected}, max-age=60, must-revalidate`)
  })

  it.each([LIST, ITEM])('%s with a key may not be stored', async (path) => {
    const { vars, ...rest } = await withKey('common')
    const response = await send(path, { ...rest, vars: { ...vars, ...SHARED } })
    expect([response.status, response.headers.get('Cache-Control')]).toEqual([200, 'private, no-store'])
  })

  it('a posted query has no tag and ignores If-None-Match', async () => {
    const { headers, ...form } = post('category=hurricane')
    const response = await send(LIST, { ...form, headers: { ...headers, 'If-None-Match': '*' } })
    expect([response.status, response.headers.get('ETag')]).toEqual([200, null])
  })
})

describe('a database without a revision', () => {
  const state = { revision: 0, changed: 0 }
  it('has no Last-Modified and matches no precondition', () => {
    expect(httpDate(state, Date.now())).toBe(null)
    const sent = new Headers({ 'If-Modified-Since': new Date().toUTCString() })
    expect(isHeld(sent, 'W/"0-a"', null)).toBe(false)
    expect(cacheControl(false, Number.NaN, true)).toBe('private, no-cache')
  })
})
