import { env } from 'cloudflare:workers'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { bearer, KEPT, ORIGIN } from '../service.ts'

import { EXHAUSTIVE } from '../tags.ts'
import type { Platform } from './d1.ts'
import { at, begin, createWorld, idsIn, READS, runClocks, seen, soon, WRITES } from './world.ts'

const quiet = [vi.spyOn(console, 'error').mockReturnValue(), vi.spyOn(console, 'log').mockReturnValue()]

beforeEach(begin)
afterAll(() => {
  runClocks()
  for (const log of quiet) log.mockRestore()
})

/** An isolate of one data centre. It remembers states and answers. */
const makeIsolate = (platform: Platform, host: string) => {
  // Each session counts its queries alone.
  const DB = { withSession: (from: string) => platform.binding().withSession(from) } as unknown as D1Database
  const ask = async (path: string, init: RequestInit = {}, headers: HeadersInit = {}) => {
    const vars = { ...KEPT, STATE_SECONDS: '1', BASE_URL: ORIGIN }
    return soon(platform, at(DB, `${host}${path}`, init, headers, vars))
  }
  return { ask, written: 0 }
}

const SEEDS = Array.from({ length: Math.max(2, env.TEST_FUZZ.count / 1000) }, (_, i) => env.TEST_FUZZ.seed + i)
const WEATHERS = [
  { title: 'copies that follow', follows: 1, overloads: 0 },
  { title: 'copies that lag', follows: 0.3, overloads: 0 },
  { title: 'overloads', follows: 1, overloads: 0.4 },
] as const
const CASES = SEEDS.flatMap((seed) => WEATHERS.map((weather) => [seed, weather.title, weather] as const))

describe('two isolates that write, and one that only reads', EXHAUSTIVE, () => {
  it.each(CASES)('answer each read from one state; seed %i, %s', { timeout: 120_000 }, async (seed, _, weather) => {
    const { platform, history, upTo } = await createWorld(seed)
    const host = `http://${crypto.randomUUID()}.test`
    const isolates = [1, 2, 3].map(() => makeIsolate(platform, host))
    let ahead = 0
    vi.spyOn(Date, 'now').mockImplementation(() => platform.now() + ahead)
    const [ids, bookmarks, kept] = [[] as number[], [] as string[], { isolate: 0, hit: 0, stale: 0 }]
    const writes: { readonly time: number; readonly state: number }[] = []
    await history.extend()
    for (let n = 0; n < 8; n++) {
      Object.assign(platform.weather, { follows: weather.follows, overloads: 0 })
      const writer = isolates[n % 2]
      const [method, path, body] = WRITES[(n + seed) % WRITES.length]?.(ids, n, upTo) ?? ['GET', '/', undefined]
      const type = { 'Content-Type': 'application/json' }
      const sent = { method, body: body === undefined ? null : JSON.stringify(body) }
      const write = () => writer?.ask(path, sent, { ...bearer('all'), ...(body !== undefined && type) })
      let written = await write()
      // A large deletion takes several requests.
      while (written?.status === 503) written = await write()
      const text = (await written?.text()) ?? ''
      expect([path, text, Number(written?.status) < 300]).toEqual([path, text, true])
      bookmarks.push(written?.headers.get('X-D1-Bookmark') ?? '')
      if (method !== 'DELETE') ids.push(...idsIn(text))
      if (writer !== undefined) writer.written = platform.stored()
      writes.push({ time: Date.now(), state: platform.stored() })
      await history.extend()
      platform.weather.overloads = weather.overloads
      for (let i = 0; i < 24; i++) {
        ahead += upTo(150)
        const isolate = isolates[upTo(3)]
        // Streams are read while the clock stands still.
        const read = upTo(READS.length)
        const [path, init] = READS[read] ?? ['/']
        if (isolate === undefined || path.includes('page_size=all')) continue
        const bookmark = upTo(4) === 0 ? bookmarks[upTo(bookmarks.length)] : undefined
        const asked = Date.now()
        const response = await isolate.ask(path, init, bookmark === undefined ? {} : { 'X-D1-Bookmark': bookmark })
        const answer = await seen(response)
        if (response.status === 503) {
          expect(weather.overloads).toBeGreaterThan(0)
          continue
        }
        const { headers } = response
        const use = /cache;desc="(isolate|hit)"/.exec(headers.get('Server-Timing') ?? '')?.[1]
        if (use === 'isolate' || use === 'hit') kept[use] += 1
        const tagOf = (tag?: string | null) => tag?.replace(/[0-9a-f]{16}"$/, '')
        // The answer must be that of any state.
        const isSame = ({ status, etag, body }: typeof answer) =>
          status === answer.status && tagOf(etag) === tagOf(answer.etag) && body === answer.body
        const state = history.lastWith(read, isSame)
        const expected = history.at(state, read)
        expect([path, state, answer.status, tagOf(answer.etag), answer.body]).toEqual([
          ...[path, state, expected?.status, tagOf(expected?.etag), expected?.body],
        ])
        if (bookmark !== undefined) expect(state).toBeGreaterThanOrEqual(platform.stateOf(bookmark))
        const age = headers.get('Age')
        if (age !== null) kept.stale += 1
        // An answer is at most as old as its Age, or a second.
        const oldest = asked - (age === null ? 1000 : 1000 * (Number(age) + 1))
        const least = Math.max(0, ...writes.filter(({ time }) => time < oldest).map(({ state }) => state))
        if (weather.follows === 1) expect(state).toBeGreaterThanOrEqual(least)
        if (bookmark !== undefined || age !== null) continue
        expect(state).toBeGreaterThanOrEqual(isolate.written)
        isolate.written = 0
      }
    }
    expect(kept.isolate + kept.hit).toBeGreaterThan(2)
    if (weather.overloads > 0) expect(kept.stale).toBeGreaterThan(0)
  })
})
