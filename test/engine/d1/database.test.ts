import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { restoreIndexes, suspendIndexes } from '../../../seed/load/indexes.ts'
import { openDatabase } from '../../../src/engine/d1/database.ts'
import { watchedDatabase } from '../../isolates.ts'
import type { LoadRecord } from '../../records.ts'
import { get, load, type Options, send, withKey } from '../../service.ts'

const LIST = '/api/v3/events/'
const UNAVAILABLE = { detail: 'The database does not answer at the moment. Try again in a few seconds.' }
const ROUTES = [
  LIST,
  '/api/v3/events/1/',
  '/api/v3/events/?category__regex=a',
  '/api/v3/events/?geom_within=POLYGON((0+0,1+0,1+1,0+0))',
  '/api/v4/eventseries/?page=last',
  '/api/v3/observationtypes/',
  '/readyz',
]

type Batch = Parameters<typeof watchedDatabase>[0]

const failing = (reason: string) => async () => {
  throw new Error(`D1_ERROR: ${reason}`)
}
const lost = failing('Network connection lost. SELECT secret FROM event')
const overloaded = failing('D1 DB is overloaded. Requests queued for too long. SELECT secret FROM event')
const ours = failing('near "secret": syntax error in SELECT secret FROM event: SQLITE_ERROR')

const log = vi.spyOn(console, 'error')
beforeAll(() => load())
beforeEach(() => {
  log.mockReset()
})
afterAll(() => log.mockRestore())

/** Expects a complete 503 that reveals nothing of the query in its body or headers. */
const expectUnavailable = async (response: Response) => {
  const [headers, text] = [Object.fromEntries(response.headers), await response.text()]
  expect([response.status, JSON.parse(text)]).toEqual([503, UNAVAILABLE])
  expect(headers).toMatchObject({
    'retry-after': '5',
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
    'x-request-id': expect.stringMatching(/^[\w-]+$/),
    vary: 'Accept',
  })
  expect([headers.etag, headers['last-modified']]).toEqual([undefined, undefined])
  expect(`${text} ${JSON.stringify(headers)}`).not.toMatch(/SELECT|SQL|D1_|secret|no such|revision/)
}

describe('a transient fault of the database is retried once', () => {
  it.each(ROUTES)('%s: a second fault is a 503', async (path) => {
    const { DB, seen } = watchedDatabase(lost)
    await expectUnavailable(await send(path, { vars: { DB } }))
    expect([seen.trips, log.mock.calls.length]).toEqual([2, 2])
  })

  it.each(ROUTES)('%s: after one fault the answer is complete', async (path) => {
    let faults = 0
    const { DB } = watchedDatabase((real) => (faults++ === 0 ? lost() : real()))
    const [response, expected] = [await send(path, { vars: { DB } }), await send(path)]
    expect([response.status, await response.text()]).toEqual([200, await expected.text()])
    expect(log).toHaveBeenCalledOnce()
  })

  it('a fault in a later round trip is a 503 without a part of the answer', async () => {
    let trips = 0
    const { DB } = watchedDatabase((real) => (trips++ === 0 ? real() : lost()))
    await expectUnavailable(await send('/api/v4/eventseries/?page=last', { vars: { DB } }))
  })

  it('a fault is a 503 even for If-None-Match', async () => {
    const { DB } = watchedDatabase(lost)
    await expectUnavailable(await send(LIST, { vars: { DB }, headers: { 'If-None-Match': '*' } }))
  })

  it('the roots need no database', async () => {
    const { DB, seen } = watchedDatabase(lost)
    for (const path of ['/', '/api/v3/', '/healthz']) expect((await send(path, { vars: { DB } })).status).toBe(200)
    expect(seen.trips).toBe(0)
  })
})

describe('a permanent fault of the database is not retried', () => {
  it.each(ROUTES)('%s: an overload is a 503', async (path) => {
    const { DB, seen } = watchedDatabase(overloaded)
    await expectUnavailable(await send(path, { vars: { DB } }))
    expect([seen.trips, log.mock.calls.length]).toEqual([1, 1])
  })

  it.each(ROUTES)('%s: an error in the SQL is a 500 and is logged with its text', async (path) => {
    const { DB, seen } = watchedDatabase(ours)
    const response = await send(path, { vars: { DB } })
    expect([response.status, await response.json()]).toEqual([
      500,
      { detail: 'The service failed. Its log has the error. Try again later.' },
    ])
    expect(seen.trips).toBe(1)
    expect(log.mock.calls.map(String)).toEqual([expect.stringContaining('near "secret"')])
  })
})

describe('a database that does not answer', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const CHEAP = [LIST, '/api/v3/events/1/', '/api/v3/observationtypes/', '/readyz', '/ogc/collections/events/items']
  const never = () => new Promise<never>(() => {})
  /** Returns the number of batches at each time, and whether the response has ended. Times are in milliseconds. */
  const runTo = async (path: string, answer: Batch, times: readonly number[]) => {
    const { DB, seen } = watchedDatabase(answer)
    const response = send(path, { vars: { DB } })
    let ended = false
    response.then(() => {
      ended = true
    })
    while (seen.trips === 0) await scheduler.wait(1)
    const states: [number, boolean][] = []
    let passed = 0
    for (const time of times) {
      await vi.advanceTimersByTimeAsync(time - passed)
      passed = time
      await scheduler.wait(1)
      states.push([seen.trips, ended])
    }
    return { states, response: await response, sessions: seen.sessions }
  }

  it.each(ROUTES.filter((path) => !CHEAP.includes(path)))(
    '%s is a 503 at the deadline, after one try',
    async (path) => {
      const { states, response } = await runTo(path, never, [9_999, 10_000])
      await expectUnavailable(response)
      expect(states).toEqual([
        [1, false],
        [1, true],
      ])
    },
  )

  it.each(CHEAP)('%s asks the primary after 1.5 s, and is a 503 at the deadline', async (path) => {
    const { states, response, sessions } = await runTo(path, never, [1_499, 1_500, 9_999, 10_000])
    expect(response.status).toBe(503)
    expect(states).toEqual([
      [1, false],
      [2, false],
      [2, false],
      [2, true],
    ])
    expect(sessions).toEqual(['first-unconstrained', 'first-primary'])
  })

  it.each(CHEAP)('%s is answered if the primary answers', async (path) => {
    let batches = 0
    const { response } = await runTo(path, (real) => (batches++ === 0 ? never() : real()), [1_500])
    expect(response.status).toBe(200)
  })

  it('a 304 asks the primary after 1.5 s, even for an expensive list', async () => {
    let batches = 0
    const first = await send(`${LIST}?category__regex=a`)
    const { DB, seen } = watchedDatabase((real) => (batches++ === 0 ? never() : real()))
    const headers = { 'If-None-Match': first.headers.get('ETag') ?? '' }
    const answer = send(`${LIST}?category__regex=a`, { vars: { DB }, headers })
    while (seen.trips === 0) await scheduler.wait(1)
    await vi.advanceTimersByTimeAsync(1_500)
    expect([(await answer).status, seen.trips]).toEqual([304, 2])
  })

  it('an answer leaves no timer running', async () => {
    expect((await send(LIST)).status).toBe(200)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a failed read reports null rows if its cost is unknown', () => {
  const rowsOf = async (answer: Batch, cheap = false) => {
    const rows: (number | null)[] = []
    const db = openDatabase(watchedDatabase(answer).DB, { level: 0, cheap, onRead: (read) => rows.push(read) })
    await db.read(sql`SELECT 1`).catch(() => {})
    return rows
  }

  it.each<[string, Batch, boolean, (number | null)[]]>([
    ['an overload', overloaded, false, [null]],
    ['an overload of a cheap read', overloaded, true, []],
    ['a connection that breaks twice', lost, false, []],
    ['an error in the SQL', ours, false, []],
  ])('%s', async (_, answer, cheap, rows) => {
    expect(await rowsOf(answer, cheap)).toEqual(rows)
  })

  it('after a deadline', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const rows = rowsOf(() => new Promise(() => {}))
      await vi.advanceTimersByTimeAsync(10_000)
      expect(await rows).toEqual([null])
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('the header X-D1-Bookmark', () => {
  const opened = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const { DB, seen } = watchedDatabase((real) => real())
    const keyed = await withKey('common')
    const options = { method, headers: { ...keyed.headers, ...headers }, vars: { ...keyed.vars, DB } }
    const response = await send(path, options)
    return { ...seen, status: response.status, bookmark: response.headers.get('X-D1-Bookmark') ?? '' }
  }

  it.each([LIST, '/api/v3/events/1/', '/api/v4/eventseries/99fe5d0/', '/api/v3/events/?page=99999'])(
    'from %s leads to a database that is at least as new',
    async (path) => {
      for (const method of ['GET', 'HEAD']) {
        const first = await opened(path, {}, method)
        expect(first.sessions).toEqual(['first-unconstrained'])
        expect(first.bookmark).toMatch(/^[0-9a-f]+(-[0-9a-f]+)+$/)
        const second = await opened(path, { 'X-D1-Bookmark': first.bookmark }, method)
        expect([second.status, second.sessions]).toEqual([first.status, [first.bookmark]])
      }
    },
  )

  it('is sent with a 304', async () => {
    expect(await opened(LIST, { 'If-None-Match': '*' })).toMatchObject({
      status: 304,
      bookmark: expect.stringMatching(/-/),
    })
  })

  it('is sent with writes and to callers with a key, and to no other caller', async () => {
    const bookmarkOf = async (path: string, options: Options) =>
      (await send(path, options)).headers.get('X-D1-Bookmark')
    const keyed = await withKey('common')
    for (const path of [
      LIST,
      '/api/v3/events/1/',
      '/api/v3/events/summary/',
      '/ogc/collections/events/items?limit=1',
    ]) {
      const sent = ['0-0', '-', '00000000-00000001-00000000-0'].map((each) => ({ headers: { 'X-D1-Bookmark': each } }))
      for (const options of [{}, { method: 'HEAD' }, { headers: { 'Cache-Control': 'no-cache' } }, ...sent])
        expect([path, options, await bookmarkOf(path, options)]).toEqual([path, options, null])
      expect(await bookmarkOf(path, keyed)).toMatch(/-/)
    }
    const { headers, vars } = await withKey('writer')
    const json = { ...headers, 'Content-Type': 'application/json' }
    const body = JSON.stringify({ code: 'marked', name: 'Marked', unit: null })
    const write = { method: 'POST', headers: json, body, ...(vars && { vars }) }
    expect(await bookmarkOf('/api/v4/observationtypes/', write)).toMatch(/-/)
  })

  it('from a read shows earlier writes', async () => {
    await load([{ kind: 'observation_type', id: 902, code: 'x', name: 'X', unit: null } satisfies LoadRecord])
    const { bookmark } = await opened(LIST)
    const { count } = await get('/api/v3/observationtypes/?id=902', { headers: { 'X-D1-Bookmark': bookmark } })
    expect(count).toBe(1)
  })

  it.each([
    '',
    'x',
    'first-primary',
    'null',
    "'; DROP TABLE event",
    '-',
    '1-',
    '1',
    '0000-zzzz',
    '1-2-3-4-5-6-7',
    'a-'.repeat(1000),
    `${'a'.repeat(33)}-1`,
  ])('%j is ignored', async (bookmark) => {
    expect(await opened(LIST, { 'X-D1-Bookmark': bookmark })).toMatchObject({
      status: 200,
      sessions: ['first-unconstrained'],
    })
  })
})

describe('a full database', () => {
  const detail =
    'The database is full, so it stores nothing more. Reading works. Its operator must make room first, as docs/operating.md says under “A full database”.'
  const ITEM = '/api/v3/events/1/'
  const json = { 'Content-Type': 'application/json' }
  const type = JSON.stringify({ code: 'full', name: 'Full', unit: null })

  /** A database that refuses each batch with a statement that writes. */
  const fullDatabase = (reason: string) =>
    watchedDatabase((real, _, statements) => {
      const writes = statements.some((each) =>
        /^\s*(INSERT|UPDATE|DELETE)/.test(String(Reflect.get(each, 'statement'))),
      )
      return writes ? failing(reason)() : real()
    })

  it.each<[string, string, RequestInit]>([
    ['Exceeded maximum DB size.', '/api/v4/observationtypes/', { method: 'POST', body: type }],
    ['database or disk is full: SQLITE_FULL', ITEM, { method: 'PATCH', body: '{"properties":{"value":"full"}}' }],
    ['Your account has exceeded D1’s maximum account storage limit', ITEM, { method: 'DELETE' }],
    ['Exceeded maximum account storage.', '/ogc/collections/events/items/1', { method: 'DELETE' }],
  ])('is a 507 without Retry-After, after one try, and is logged: %s %s', async (reason, path, write) => {
    const { DB } = fullDatabase(reason)
    const { headers, vars } = await withKey('all')
    const response = await send(path, { ...write, headers: { ...headers, ...json }, vars: { ...vars, DB } })
    const problem = path.startsWith('/ogc') ? { status: 507, title: 'Insufficient Storage' } : {}
    expect([response.status, response.headers.get('Retry-After'), await response.json()]).toEqual([
      507,
      null,
      expect.objectContaining({ detail, ...problem }),
    ])
    expect(log.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
      { level: 'error', message: 'database: full', error: `Error: D1_ERROR: ${reason}` },
    ])
    for (const read of ROUTES) expect((await send(read, { vars: { DB } })).status).toBe(200)
  })

  it('is foreseen by /readyz for callers who may see costs', async () => {
    const withSize = async (size_after: number, options: Options = {}) => {
      const { DB } = watchedDatabase(async (real) =>
        (await real()).map((result) => ({ ...result, meta: { ...result.meta, size_after } })),
      )
      return (await get('/readyz', { ...options, vars: { ...options.vars, DB } })).database
    }
    const limit = 10_000_000_000
    const hidden = await withKey('hidden')
    expect(await withSize(8_049_999_999, hidden)).toEqual({ bytes: 8_049_999_999, limit, percent: 80 })
    expect(await withSize(limit, { vars: { SHOW_COST: 'true' } })).toEqual({ bytes: limit, limit, percent: 100 })
    // Hidden data changes the size.
    for (const options of [{}, await withKey('private')]) expect(await withSize(limit, options)).toBe(undefined)
    expect((await get('/readyz', hidden)).database.bytes).toBeGreaterThan(100_000)
  })
})

describe('a database during a load', () => {
  const LOADING = { detail: 'The data is being loaded. Try again in a few minutes.' }
  const expectLoading = async (path: string) => {
    const response = await send(path)
    expect([path, response.status, await response.json()]).toMatchObject([path, 503, LOADING])
  }

  it('gives a 503 for /readyz and for requests that need an index', async () => {
    await suspendIndexes(env.DB as never)
    try {
      for (const path of ['/readyz', `${LIST}?category=flood`, `${LIST}?ordering=timestamp_start`])
        await expectLoading(path)
    } finally {
      await restoreIndexes(env.DB as never)
    }
    expect((await send('/readyz')).status).toBe(200)
    expect((await send(LIST)).status).toBe(200)
  })
})

describe('a database without its migrations', () => {
  const rename = (from: string, to: string) => env.DB.exec(`ALTER TABLE ${from} RENAME TO ${to}`)

  const TYPES = '/api/v4/observationtypes/'
  const detail =
    'The database lacks tables or columns of this version. Its operator must apply the migrations: npm run wrangler -- d1 migrations apply DB --remote'

  it.each([
    ['revision', ['/readyz', LIST, TYPES]],
    ['event', ['/readyz', LIST]],
    ['observation_type', ['/readyz', TYPES]],
  ])('is a 503 that names the remedy without the table %s', async (table, paths) => {
    await rename(table, 'gone')
    try {
      for (const path of paths) {
        const response = await send(path)
        expect([path, response.status, await response.json()]).toEqual([path, 503, { detail }])
      }
    } finally {
      await rename('gone', table)
    }
    for (const path of paths) expect((await send(path)).status).toBe(200)
  })
})
