import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { readBody, SMALL } from '../src/base/transfers.ts'
import { bodies } from '../src/http/limits.ts'
import { answer, inChunks, type KEYS, load, type Options, post, send, withKey } from './service.ts'
import { feature } from './store/writer.ts'

beforeAll(() => load())
afterEach(() => vi.useRealTimers())

const EVENTS = '/api/v3/events/'

/** Makes a body whose bytes arrive when the test sends them. */
const upload = () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, {
    highWaterMark: 1e9,
    size: () => 1,
  })
  const writer = writable.getWriter()
  return {
    body: readable,
    send: (bytes: number) => void writer.write(new Uint8Array(bytes)).catch(() => {}),
    end: () => void writer.close().catch(() => {}),
    fail: () => void writer.abort(new Error('gone')).catch(() => {}),
  }
}

/** Returns the options of a write of JSON with a key. */
const writing = async (body: BodyInit, key: keyof typeof KEYS = 'writer'): Promise<Options> => {
  const { headers, vars = {} } = await withKey(key)
  return { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body, vars }
}

const MOST = 100_000
const read = (request: Request, most = MOST, grow: (bytes: number) => void = () => {}) =>
  readBody(request, most, 'Send less.', grow)
const requestOf = (body: BodyInit | null, headers: HeadersInit = {}) =>
  new Request('http://localhost/', { method: 'POST', body, headers })

describe('readBody reads a body', () => {
  it.each<[string, number[]]>([
    ['none', []],
    ['in one chunk', [1000]],
    ['in chunks', [1, 2, 300, 4, 500]],
    ['byte by byte', Array.from({ length: 100 }, () => 1)],
  ])('%s', async (_, sizes) => {
    const chunks = sizes.map((size, i) => new Uint8Array(size).fill(i + 1))
    const bytes = await read(requestOf(inChunks(chunks)))
    expect([...new Uint8Array(bytes)]).toEqual(chunks.flatMap((chunk) => [...chunk]))
  })

  it('without any bytes', async () => {
    expect((await read(requestOf(null))).byteLength).toBe(0)
  })
})

describe('readBody refuses a body', () => {
  it.each<[string, () => Request]>([
    ['that is too long', () => requestOf('x'.repeat(100_001))],
    ['with a Content-Length over the limit', () => requestOf(upload().body, { 'Content-Length': '100001' })],
  ])('%s', async (_, request) => {
    const body = { detail: 'The body has more than 100000 bytes. Send less.' }
    await expect(read(request())).rejects.toMatchObject({ status: 413, body })
  })

  it('for which the Worker has no memory left', async () => {
    const full = new Error('full')
    const grow = () => {
      throw full
    }
    await expect(read(requestOf('x'), MOST, grow)).rejects.toBe(full)
  })

  it('broken off before its end', async () => {
    const { body, send, fail } = upload()
    const bytes = read(requestOf(body))
    send(1)
    fail()
    await expect(bytes).rejects.toMatchObject({
      status: 400,
      body: { detail: 'The body ended too early. Send it again.' },
    })
  })
})

describe('a body that comes too slowly is a 408', () => {
  /** Returns the status after each second, for a body of these bytes at these seconds. */
  const outcomes = async (comes: ReadonlyMap<number, number>, seconds: number): Promise<(number | null)[]> => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const { body, send } = upload()
    let status: number | null = null
    read(requestOf(body), 10_000_000).catch((error) => {
      status = error.status
    })
    const seen: (number | null)[] = []
    for (let second = 0; second <= seconds; second += 1) {
      await vi.advanceTimersByTimeAsync(second === 0 ? 0 : 1000)
      const bytes = comes.get(second)
      if (bytes !== undefined) send(bytes)
      await scheduler.wait(1)
      seen.push(status)
    }
    return seen
  }
  const each = (seconds: number, bytes: number) =>
    new Map(Array.from({ length: seconds }, (_, i) => [i, bytes] as const))

  it.each<[string, ReadonlyMap<number, number>, number]>([
    ['a small one after 60 s', new Map(), 60],
    ['a small one after 60 s, though its bytes come', each(60, 500), 61],
    ['a large one after 10 s without a byte', new Map([[0, 1_000_000]]), 10],
    ['a large one after 10 s without a byte, at any time', new Map([...each(5, 500_000), [8, 500_000]]), 18],
    ['a large one with 40 KB a second, when it is 10 s late', each(60, 40_000), 47],
  ])('%s', async (_, comes, second) => {
    const seen = await outcomes(comes, second)
    expect([seen.slice(0, -1).every((status) => status === null), seen.at(-1)]).toEqual([true, 408])
  })

  it.each<[string, ReadonlyMap<number, number>]>([
    ['1 KB a second for a minute', each(59, 1000)],
    ['50 KB a second for two minutes', each(120, 50_000)],
  ])('but not with %s', async (_, comes) => {
    expect((await outcomes(comes, comes.size)).at(-1)).toBe(null)
  })

  it('at no other time, for 10 random sequences of pauses', async () => {
    const pauses = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 12 })
    const property = fc.asyncProperty(pauses, async (drawn) => {
      // Each part is as much as 10 seconds bring, so only a pause of more than 10 seconds is too long.
      const times = drawn.map((_, i) => drawn.slice(0, i + 1).reduce((sum, pause) => sum + pause, 0))
      const late = drawn.findIndex((pause) => pause >= 10)
      const comes = new Map([0, ...times].map((second) => [second, 500_000]))
      const seen = await outcomes(comes, times.at(late) ?? 0)
      expect(seen.at(-1)).toBe(late === -1 ? null : 408)
    })
    await fc.assert(property, { numRuns: 10 })
  })

  it('leaves no timer running', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await read(requestOf('abc'))
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('an error is sent before the body has arrived', () => {
  const JSON_TYPE = { 'Content-Type': 'application/json' }
  const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
  it.each<[number, string, string, HeadersInit]>([
    [405, 'POST', '/healthz', {}],
    [405, 'PUT', '/readyz', {}],
    [404, 'POST', '/nope/', JSON_TYPE],
    [404, 'PATCH', '/nope/', FORM],
    [308, 'POST', '/api/v3/events', FORM],
    [405, 'POST', '/api/v3/', FORM],
    [405, 'PATCH', EVENTS, JSON_TYPE],
    [401, 'POST', EVENTS, JSON_TYPE],
    [401, 'PATCH', `${EVENTS}1/`, JSON_TYPE],
    [401, 'POST', EVENTS, { ...FORM, Authorization: 'Bearer wrong' }],
    [401, 'POST', '/ogc/collections/events/items', { 'Content-Type': 'application/json' }],
    [401, 'POST', '/api/v3/observationtypes/', JSON_TYPE],
    [415, 'POST', '/api/v3/events/summary/', JSON_TYPE],
    [401, 'PUT', '/ogc/collections/events/items/1', JSON_TYPE],
  ])('%i to %s %s with %j', async (status, method, path, headers) => {
    const response = await send(path, { method, headers, body: upload().body, redirect: 'manual' })
    expect(response.status).toBe(status)
  })

  it.each(['common', 'hidden'] as const)('403 to the key %s', async (key) => {
    expect((await send(EVENTS, await writing(upload().body, key))).status).toBe(403)
  })

  it('429 from the rate limiter', async () => {
    const RATE_LIMITER = { limit: async () => ({ success: false }) }
    const headers = { ...FORM, 'CF-Connecting-IP': '192.0.2.81' }
    const request = { method: 'POST', headers, body: upload().body, vars: { RATE_LIMITER } }
    expect((await send(EVENTS, request)).status).toBe(429)
  })
})

describe('bodies that arrive at the same time', () => {
  /** Makes a form of so many bytes, with a query that has results. */
  const form = (bytes: number, from: string, chunked = false): Options => {
    const text = 'page_size=1'.padEnd(bytes, '&')
    const { headers, body } = post(text)
    const sent = chunked ? inChunks([new TextEncoder().encode(text)]) : (body ?? null)
    return { method: 'POST', headers: { ...headers, 'CF-Connecting-IP': from }, body: sent }
  }

  /** Sends forms of so many bytes from a client, whose last byte does not come. */
  const stall = (count: number, bytes: number, address: string) => {
    const stalled = Array.from({ length: count }, () => upload())
    const answers = stalled.map(({ body, send: write }) => {
      write(bytes)
      return send(EVENTS, { ...form(0, address), body })
    })
    const end = async () => {
      for (const each of stalled) each.end()
      return (await Promise.all(answers)).map(({ status }) => status)
    }
    return { end }
  }

  it('a client may stall 5 MB, and others send large forms meanwhile', async () => {
    const { end } = stall(20, 600_000, '192.0.2.82')
    for (const chunked of [false, true])
      expect((await send(EVENTS, form(630_000, '192.0.2.83', chunked))).status).toBe(200)
    const large = await send(EVENTS, form(600_000, '192.0.2.82'))
    expect([large.status, large.headers.get('Retry-After'), await large.json()]).toEqual([
      503,
      '5',
      { detail: 'The service is busy with the bodies of other requests. Try again in a few seconds.' },
    ])
    expect((await end()).filter((status) => status === 503)).toHaveLength(12)
    expect((await send(EVENTS, form(600_000, '192.0.2.82'))).status).toBe(200)
  })

  it('a client may stall 38 small forms, and others send theirs meanwhile', { timeout: 120_000 }, async () => {
    const { end } = stall(2_500, 65_500, '192.0.2.89')
    expect((await send(EVENTS, form(SMALL, '192.0.2.90'))).status).toBe(200)
    expect((await end()).filter((status) => status !== 503)).toHaveLength(38)
    expect((await send(EVENTS, form(SMALL, '192.0.2.89'))).status).toBe(200)
  })

  it('two clients that stall all they may leave room for the large forms of others', async () => {
    const stalled = ['192.0.2.91', '192.0.2.92'].map((address) => stall(2, 4_900_000, address))
    for (let i = 0; i < 3; i++) expect((await send(EVENTS, form(100_000, '192.0.2.93'))).status).toBe(200)
    for (const { end } of stalled) await end()
  })

  it('three clients may stall all large forms, but no small one and no write', async () => {
    const stalled = ['192.0.2.86', '192.0.2.87', '192.0.2.94'].map((address) => stall(2, 2_490_000, address))
    await vi.waitFor(async () => expect((await send(EVENTS, form(600_000, '192.0.2.88'))).status).toBe(503))
    expect((await send(EVENTS, form(SMALL, '192.0.2.88'))).status).toBe(200)
    const body = JSON.stringify(Array.from({ length: 2000 }, () => feature()))
    expect([body.length > 3 * SMALL, (await send(EVENTS, await writing(body))).status]).toEqual([true, 201])
    for (const { end } of stalled) await end()
    expect((await send(EVENTS, form(600_000, '192.0.2.88'))).status).toBe(200)
  })

  it.each<[string, () => Options]>([
    ['an answer', () => form(5_000_000, '192.0.2.84')],
    ['a mistake', () => ({ ...form(0, '192.0.2.84'), body: 'nope='.padEnd(4_900_000, 'x') })],
    ['a body that is too long', () => form(5_000_001, '192.0.2.84')],
  ])('%s frees its bytes', async (_, options) => {
    for (let i = 0; i < 5; i++) expect((await send(EVENTS, options())).status).not.toBe(503)
    const share = bodies({ name: '192.0.2.84', hasKey: false }, { until: Number.POSITIVE_INFINITY })
    share.grow(5_000_000)
    share.end()
  })

  it('a form is read if its path is percent-encoded', async () => {
    expect((await send('/api/v3/%65vents/', form(100, '192.0.2.85'))).status).toBe(200)
  })

  it('a write is read completely, in one chunk or in several', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(Array.from({ length: 3 }, () => feature())))
    for (const body of [bytes, inChunks([bytes.slice(0, 7), bytes.slice(7)])])
      expect(await answer(EVENTS, await writing(body))).toMatchObject({ status: 201, body: { created: 3 } })
  })
})
