import { env } from 'cloudflare:workers'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { bearer } from '../service.ts'
import { EVENTS, expectKept, feature, SERIES, STORED_TABLES, stored } from '../store/writer.ts'
import { EXHAUSTIVE, splitRows } from '../tags.ts'
import { type Platform, SICKNESSES, type Sickness } from './d1.ts'
import {
  at,
  begin,
  createWorld,
  FIRST_SERIES,
  idsIn,
  LOADED,
  persist,
  READS,
  runClocks,
  seen,
  soon,
  WRITES,
} from './world.ts'

const quiet = [vi.spyOn(console, 'error').mockReturnValue(), vi.spyOn(console, 'log').mockReturnValue()]

beforeEach(begin)
afterAll(() => {
  runClocks()
  for (const log of quiet) log.mockRestore()
})

/** There are two seeds by default, and more with FUZZ=20000. */
const SEEDS = Array.from({ length: Math.max(2, env.TEST_FUZZ.count / 1000) }, (_, i) => env.TEST_FUZZ.seed + i)

describe.each(SEEDS)('the service with faults of D1, seed %i', EXHAUSTIVE, (seed) => {
  it('answers every read from one state or with a 503', { timeout: 120_000 }, async () => {
    const { platform, history, next, upTo } = await createWorld(seed)
    const [ids, bookmarks, statuses] = [[] as number[], [] as string[], new Map<number, number>()]
    await history.extend()
    for (let n = 0; n < 8; n++) {
      Object.assign(platform.weather, { fails: 0, overloads: 0, loses: 0, follows: 1, sick: null })
      const write = WRITES[(n + seed) % WRITES.length]?.(ids, n, upTo) ?? ['GET', '/', undefined]
      const written = await persist(platform, `${seed}-${n}`, write)
      expect([write, written.text, written.status < 300]).toEqual([write, written.text, true])
      bookmarks.push(written.headers.get('X-D1-Bookmark') ?? '')
      ids.push(...idsIn(written.text))
      await history.extend()
      for (let i = 0; i < 20; i++) {
        const [fails, overloads, loses, follows] = [next() * 0.2, next() * 0.05, next() * 0.1, next()]
        const sick = next() < 0.4 ? { copy: 1 + upTo(2), how: SICKNESSES[upTo(3)] } : null
        Object.assign(platform.weather, { fails, overloads, loses, follows, sick })
        const [read, bookmark] = [upTo(READS.length), next() < 0.5 ? bookmarks[upTo(bookmarks.length)] : undefined]
        const [path, init] = READS[read] ?? ['/']
        const sent = at(platform.binding(), path, init, bookmark === undefined ? {} : { 'X-D1-Bookmark': bookmark })
        const response = await soon(platform, sent)
        const answer = await soon(platform, seen(response))
        statuses.set(response.status, 1 + (statuses.get(response.status) ?? 0))
        if (response.status === 503) {
          expect(response.headers.get('Retry-After')).toBe('5')
          continue
        }
        // The answer must be that of any state.
        const isSame = ({ status, etag, body }: typeof answer) =>
          status === answer.status && etag === answer.etag && (body === answer.body || answer.body === 'null')
        const state = history.lastWith(read, isSame)
        expect(response.headers.get('X-D1-Bookmark')).toBe(null)
        if (bookmark !== undefined) expect(state).toBeGreaterThanOrEqual(platform.stateOf(bookmark))
        const expected = history.at(state, read)
        // If a transfer broke off, its body is unknown.
        if (answer.body === 'null') expect(path).toContain('page_size=all')
        else expect({ path, state, ...answer }).toEqual({ path, state, ...expected })
      }
    }
    expect(statuses.get(200)).toBeGreaterThan(80)
  })

  it('stores every write once, even if its answer is lost', { timeout: 120_000 }, async () => {
    const { platform, upTo } = await createWorld(seed)
    const [ids, tried] = [[] as number[], [] as number[]]
    for (let n = 0; n < 24; n++) {
      const sick = upTo(2) === 0 ? { copy: 1 + upTo(2), how: SICKNESSES[upTo(3)] } : null
      Object.assign(platform.weather, { fails: 0.1, overloads: 0.05, loses: 0.15, follows: 0.5, sick })
      const write = WRITES[(n + seed) % WRITES.length]?.(ids, n, upTo) ?? ['GET', '/', undefined]
      const written = await persist(platform, `${seed}-${n}`, write)
      tried.push(written.sent)
      // The answer to a deletion was lost, and its retry found nothing.
      const gone = write[0] === 'DELETE' && written.status === 404
      expect([write, written.text, written.status < 300 || gone]).toEqual([write, written.text, true])
      if (write[0] === 'POST') ids.push(...idsIn(written.text))
      Object.assign(platform.weather, { fails: 0, overloads: 0, loses: 0, sick: null })
      if (write[0] !== 'POST') continue
      const again = await persist(platform, `${seed}-${n}`, write)
      expect([again.status, again.text]).toEqual([written.status, written.text])
    }
    expect(Math.max(...tried)).toBeGreaterThan(1)
    expect(new Set(ids).size).toBe(ids.length)
    const held = await env.DB.prepare('SELECT id FROM event WHERE id > ? ORDER BY id').bind(LOADED).raw()
    expect(held.flat()).toEqual([...ids].sort((a, b) => a - b))
    await expectKept()
    // A replica must reach the same content.
    const before = await stored()
    for (let from = 0; from < platform.stored(); from++) await platform.follow(env.REFERENCE, from)
    const copied = await Promise.all(
      STORED_TABLES.map(async (table) => (await env.REFERENCE.prepare(`SELECT * FROM ${table}`).all()).results),
    )
    expect(JSON.stringify(copied)).toBe(before)
  })
})

const WRITER = { ...bearer('all'), 'Content-Type': 'application/json' }

/** Posts JSON with a key that can write. */
const post = (platform: Platform, path: string, body: unknown, headers: Record<string, string> = {}) =>
  at(platform.binding(), path, { method: 'POST', body: JSON.stringify(body) }, { ...WRITER, ...headers })

/** Runs a function once, before the next batch with this text. */
const once = (platform: Platform, text: string, happens: () => unknown) => {
  platform.before = async (bound) => {
    if (!bound.some(({ sql }) => sql.replaceAll('"', '').includes(text))) return
    platform.before = () => {}
    await happens()
  }
}

/** Loses the answer to the next batch with this text. */
const loseAnswerTo = (platform: Platform, text: string) =>
  once(platform, text, () => {
    platform.weather.loses = 1
    once(platform, '', () => {
      platform.weather.loses = 0
    })
  })

describe('a refused write is checked against the primary', () => {
  const flood = feature({ value: 'twice' })

  it.each([0, 1])(
    'the second of two posts with one key gets the first answer; replicas follow at %d',
    async (follows) => {
      const { platform } = await createWorld(21)
      platform.weather.follows = follows
      const key = { 'Idempotency-Key': 'same' }
      let first = ''
      once(platform, 'INSERT INTO idempotency_key', async () => {
        first = await (await post(platform, EVENTS, flood, key)).text()
      })
      const second = await post(platform, EVENTS, flood, key)
      expect([second.status, await second.text()]).toEqual([201, first])
    },
  )

  it.each([0, 1])('an event that changes meanwhile is changed; replicas follow at %d', async (follows) => {
    const { platform } = await createWorld(22)
    platform.weather.follows = follows
    const change = (properties: object) =>
      at(platform.binding(), `${EVENTS}7/`, { method: 'PATCH', body: JSON.stringify({ properties }) }, WRITER)
    once(platform, 'UPDATE event ', () => change({ timestamp_start: 5, timestamp_end: 6 }))
    const properties = { timestamp_end: 9, timestamp_start: 8 }
    const changed = await change(properties)
    expect([changed.status, await changed.json()]).toMatchObject([200, { properties }])
  })

  it('a post whose answer was lost is answered', async () => {
    const { platform } = await createWorld(23)
    loseAnswerTo(platform, 'INSERT INTO idempotency_key')
    const answer = await soon(platform, post(platform, EVENTS, flood, { 'Idempotency-Key': 'lost' }))
    expect(answer.status).toBe(201)
    const { n } =
      (await env.DB.prepare("SELECT count(*) AS n FROM event WHERE value = 'twice'").first<{ n: number }>()) ?? {}
    expect(n).toBe(1)
  })

  // src/http/change.ts reads the item again. If it is missing then, the deletion has succeeded.
  it('a deletion whose answer was lost is a 204', async () => {
    const { platform } = await createWorld(24)
    loseAnswerTo(platform, 'DELETE FROM event')
    const deleting = at(platform.binding(), `${EVENTS}9/`, { method: 'DELETE' }, bearer('all'))
    const { status } = await soon(platform, deleting)
    expect(status).toBe(204)
  })
})

describe('a bookmark that the database does not know', () => {
  const foreign = '00000fff-00000000-00004c6d-8e61117bf38d7adb71b934ebbf891683'

  it.each(READS.slice(0, 3).map(([path]) => path))('is ignored by %s', async (path) => {
    const { platform } = await createWorld(25)
    const answer = at(platform.binding(), path, {}, { 'X-D1-Bookmark': foreign })
    expect((await soon(platform, answer)).status).toBe(200)
  })

  // After Time Travel, clients have bookmarks of writes that were undone.
  it.each([
    [`${EVENTS}?page_size=3`, 200],
    [`${EVENTS}1/`, 200],
    [`${EVENTS}?category__iregex=SURGE`, 503],
  ])('from the future, with %s: %i', async (path, status) => {
    const { platform } = await createWorld(25)
    const { headers } = await at(platform.binding(), path, {}, bearer('all'))
    const [head = '', ...rest] = (headers.get('X-D1-Bookmark') ?? '').split('-')
    const future = [(Number.parseInt(head, 16) + 5).toString(16).padStart(8, '0'), ...rest].join('-')
    const answer = await soon(platform, at(platform.binding(), path, {}, { ...bearer('all'), 'X-D1-Bookmark': future }))
    expect(answer.status).toBe(status)
    if (status === 200) expect(platform.stateOf(answer.headers.get('X-D1-Bookmark') ?? '')).toBe(platform.stored())
  })
})

describe('one faulty copy of the database', () => {
  const outcomes = async (how: Sickness, copy: number, path: string) => {
    const { platform } = await createWorld(26)
    platform.weather.sick = { copy, how }
    const bookmark = (await post(platform, EVENTS, feature())).headers.get('X-D1-Bookmark') ?? ''
    const statuses: number[] = []
    for (let i = 0; i < 8; i++) {
      const answer = await soon(platform, at(platform.binding(), path, {}, { 'X-D1-Bookmark': bookmark }))
      statuses.push(answer.status)
    }
    return [...new Set(statuses)].sort()
  }

  for (const [options, rows] of splitRows<[Sickness, string, number[]]>(3, [
    ['fails', `${EVENTS}1/`, [200]],
    ['stalls', `${EVENTS}1/`, [200]],
    ['stalls', `${EVENTS}?page_size=3`, [200]],
    ['lags', `${EVENTS}?page_size=3`, [200]],
    ['lags', `${EVENTS}?category__iregex=SURGE`, [200, 503]],
    ['fails', `${EVENTS}?category__iregex=SURGE`, [200]],
    ['stalls', `${EVENTS}?category__iregex=SURGE`, [200, 503]],
  ]))
    it.each(rows)('a replica that %s, for a read with a bookmark: %s', options, async (how, path, expected) => {
      expect(await outcomes(how, 1, path)).toEqual(expected)
    })

  it.each(['fails', 'stalls'] as const)('a primary that %s refuses every write, after one try', async (how) => {
    const { platform } = await createWorld(27)
    platform.weather.sick = { copy: 0, how }
    const before = platform.stored()
    const answer = await soon(platform, post(platform, EVENTS, feature()))
    expect(platform.stored()).toBe(before)
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '5'])
  })
})

describe('an overloaded database', () => {
  it.each<[string, RequestInit]>([
    [`${EVENTS}1/`, {}],
    [`${EVENTS}?category__iregex=SURGE`, {}],
    [EVENTS, { method: 'POST', body: JSON.stringify(feature()) }],
    [`${EVENTS}1/`, { method: 'PATCH', body: '{"properties": {"value": "x"}}' }],
    [`${EVENTS}1/`, { method: 'DELETE' }],
  ])('%s %j is a 503 after the first call', async (path, init) => {
    const { platform } = await createWorld(28)
    let calls = 0
    platform.before = () => {
      calls += 1
    }
    platform.weather.overloads = 1
    const answer = await at(platform.binding(), path, init, WRITER)
    expect([answer.status, answer.headers.get('Retry-After'), calls]).toEqual([503, '5', 1])
  })

  it('ends the retries of a write', async () => {
    const { platform } = await createWorld(29)
    let writes = 0
    platform.before = (bound) => {
      if (!bound.some(({ sql }) => /UPDATE\s+"?event"? /.test(sql))) return
      writes += 1
      platform.weather.overloads = 1
    }
    const init = { method: 'PATCH', body: '{"properties": {"value": "x"}}' }
    expect((await at(platform.binding(), `${EVENTS}7/`, init, WRITER)).status).toBe(503)
    expect(writes).toBe(1)
  })
})

const numbers = (count: number, of: (i: number) => unknown) => Array.from({ length: count }, (_, i) => of(i)).join(',')

/** Makes a star with this number of corners in the middle of the map. */
const star = (corners: number): string => {
  const corner = (i: number) => {
    const [angle, radius] = [(2 * Math.PI * (i % corners)) / corners, i % 2 === 0 ? 80 : 40]
    return `${2 * radius * Math.cos(angle)} ${radius * Math.sin(angle)}`
  }
  return `POLYGON((${numbers(corners, corner)},${corner(0)}))`
}

describe('the largest allowed request works', EXHAUSTIVE, () => {
  it.each<[string, string]>([
    ['1,000 values', `object_id__in=${numbers(1000, (i) => i)}`],
    ['1,000 categories', `category__in=${numbers(1000, (i) => `category ${i}`)}`],
    ['50 series', `event_series=${FIRST_SERIES.join(',')}`],
    ['a star of 20,000 corners', `geom_within=${star(20_000)}`],
    ['10,000 points', `geom_within=MULTIPOINT(${numbers(10_000, (i) => `${i / 100} 1`)})`],
    [
      'many filters and orders at once',
      `category__icontains=A&category__regex=.&category__in=${numbers(500, (i) => `category ${i}`)}&event_series__name__istartswith=s&timestamp_start__gte=2001-01-01&timestamp_end__lt=2020-01-01&duration__gte=0&geom_within=${star(2_000)}&ordering=-timestamp_end`,
    ],
  ])('%s', async (_, query) => {
    const { platform } = await createWorld(30)
    const form = { method: 'POST', body: new URLSearchParams(query) }
    for (const path of [`${EVENTS}?page_size=500`, `${EVENTS}summary/`, `${EVENTS}?format=ndjson&page_size=all`]) {
      const [limited, plain] = [await at(platform.binding(), path, form), await at(env.DB, path, form)]
      expect([path, await seen(limited)]).toEqual([path, { ...(await seen(plain)), status: 200 }])
    }
  })

  it('10,000 events with a different category each', async () => {
    const { platform } = await createWorld(32)
    const events = Array.from({ length: 10_000 }, (_, i) => feature({ category: `own ${i}`, timestamp_start: i }))
    const made = await post(platform, EVENTS, events)
    expect([made.status, idsIn(await made.text()).length]).toEqual([201, 10_000])
    const whole = await at(platform.binding(), `${EVENTS}?format=ndjson&page_size=all&event_series=${FIRST_SERIES[0]}`)
    expect(Number(whole.headers.get('X-Total-Count'))).toBeGreaterThanOrEqual(10_000)
    expect((await seen(whole)).body?.split('\\n').length).toBe(Number(whole.headers.get('X-Total-Count')) + 1)
  })

  it.each(['"', '\u0001', 'é', 'ﬀ', '\u{1F300}', 'a'])(
    'texts of %j with as many characters as allowed',
    async (character) => {
      const { platform } = await createWorld(31)
      const [value, category] = [character.repeat(10_000), character.repeat(300)]
      const event = await post(platform, EVENTS, feature({ value, category }))
      expect([event.status, (await event.text()).length > value.length]).toEqual([201, true])
      const type = '/api/v4/observationtypes/1/'
      const series = await post(platform, SERIES, { name: 'Long', description: value, observation_type: type })
      expect([series.status, ((await series.json()) as { description: string }).description === value]).toEqual([
        201,
        true,
      ])
    },
  )
})
