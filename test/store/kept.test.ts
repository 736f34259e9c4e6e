import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { foundation, makeEvents } from '../engine/world.ts'
import { watchedDatabase } from '../isolates.ts'
import { load, send, withKey } from '../service.ts'
import { EXHAUSTIVE } from '../tags.ts'
import { EVENTS, expectKept, feature, outcome, rows, SERIES, stored, write } from './writer.ts'

beforeAll(async () => {
  await load(foundation)
  await load(makeEvents(60, 7))
})

/** There are few values of each, so events often share, lose and regain an extreme. */
const time = fc.constantFrom(-(2 ** 40), -5, 0, 7, 2 ** 27, 2 ** 40)
const place = fc.option(fc.tuple(fc.constantFrom(-180, -1, 0, 5.1, 180), fc.constantFrom(-90, 0, 52.3, 90)), {
  nil: null,
})
const values = fc.record({
  category: fc.constantFrom('flood', '', 'new', 'É'),
  timestamp_start: time,
  length: fc.constantFrom(0, 1, 2 ** 33),
  event_series: fc.constantFrom(1, 2, 3, 4, 5, 6),
  object: fc.constantFrom(null, { type: 'pump', id: 1 }, { type: 'rare', id: 2 }),
  place,
})

const made = ({ length, place, ...properties }: typeof values extends fc.Arbitrary<infer T> ? T : never) => ({
  type: 'Feature',
  geometry: place && { type: 'Point', coordinates: place },
  properties: { ...properties, timestamp_end: properties.timestamp_start + length },
})

const step = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant('post' as const),
      items: fc.array(values, { minLength: 1, maxLength: 4 }),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('patch' as const),
      which: fc.nat(),
      values,
      members: fc.subarray(['geometry', 'category', 'time', 'event_series', 'object']),
    }),
    weight: 4,
  },
  { arbitrary: fc.record({ kind: fc.constant('delete' as const), which: fc.nat() }), weight: 4 },
  {
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      which: fc.nat(),
      level: fc.constantFrom('Public', 'Common', 'Private', 'Hidden'),
    }),
    weight: 1,
  },
  { arbitrary: fc.record({ kind: fc.constant('empty' as const), which: fc.nat() }), weight: 1 },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** The status of a change if no event is left. */
const NOTHING_THERE = 404

const pick = async (table: string, column: string, which: number): Promise<unknown> => {
  const all = await rows(`SELECT ${column} AS value FROM ${table} ORDER BY id`)
  return all[which % Math.max(1, all.length)]?.value
}

const partOf = (whole: ReturnType<typeof made>, members: readonly string[]) => {
  const { category, timestamp_start, timestamp_end, event_series, object } = whole.properties
  const named: Record<string, object> = {
    category: { category },
    time: { timestamp_start, timestamp_end },
    event_series: { event_series },
    object: { object },
  }
  const properties = Object.assign({}, ...members.map((member) => named[member] ?? {}))
  return { properties, ...(members.includes('geometry') && { geometry: whole.geometry }) }
}

const take = async (done: Step): Promise<number> => {
  const asked = async (method: string, path: string, body?: unknown) =>
    (await write(method, path, body, {}, 'all')).status
  if (done.kind === 'post') return asked('POST', EVENTS, done.items.map(made))
  if (done.kind === 'patch')
    return asked('PATCH', `${EVENTS}${await pick('event', 'id', done.which)}/`, partOf(made(done.values), done.members))
  if (done.kind === 'delete') return asked('DELETE', `${EVENTS}${await pick('event', 'id', done.which)}/`)
  const uuid = await pick('event_series', 'uuid', done.which)
  if (done.kind === 'move') return asked('PATCH', `${SERIES}${uuid}/`, { access_modifier: done.level })
  const emptied = await outcome('DELETE', `${SERIES}${uuid}/?events=delete`, undefined, {}, 'all')
  expect(emptied).toEqual({ status: 204, body: null })
  const id = /^(\d)/.exec(String(uuid))?.[1]
  const again = foundation.find((record) => record.kind === 'event_series' && record.uuid === uuid)
  return again && id ? (await load([again])).event_series : 0
}

describe('the stored counts are exact', () => {
  it('after random sequences of writes', { ...EXHAUSTIVE, timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        for (const done of steps) expect([200, 201, 204, 1, NOTHING_THERE]).toContain(await take(done))
        await expectKept()
      }),
      { seed: 20_261_121, numRuns: 12 },
    )
  })

  it('after 400 simultaneous posts of two writers', { ...EXHAUSTIVE, timeout: 120_000 }, async () => {
    const before = Number((await rows('SELECT count(*) AS n FROM event'))[0]?.n)
    const ids: number[] = []
    const writer = async (from: number) => {
      for (let i = from; i < from + 200; i += 10) {
        const posts = Array.from({ length: 10 }, (_, j) =>
          feature({ timestamp_start: (i + j) * 2 ** 27, event_series: 2 }),
        )
        const answers = await Promise.all(posts.map((post) => write('POST', EVENTS, post, {}, 'all')))
        for (const { status, body } of answers) ids.push(status === 201 ? body.id : -status)
      }
    }
    await Promise.all([writer(0), writer(200)])
    expect([ids.length, new Set(ids).size, Math.min(...ids) > 0]).toEqual([400, 400, true])
    expect(Number((await rows('SELECT count(*) AS n FROM event'))[0]?.n)).toBe(before + 400)
    await expectKept()
  })

  it('after simultaneous changes and deletes of the same events', async () => {
    const posted = Array.from({ length: 6 }, (_, i) => feature({ timestamp_start: i }))
    const { body } = await write('POST', EVENTS, posted, {}, 'all')
    const changes = [
      { properties: { event_series: 2, timestamp_start: -99 } },
      { properties: { event_series: 3 }, geometry: null },
    ]
    const asked = body.ids.flatMap((id: number) =>
      changes.flatMap((change) => [
        write('PATCH', `${EVENTS}${id}/`, change, {}, 'all'),
        write('DELETE', `${EVENTS}${id}/`, undefined, {}, 'all'),
      ]),
    )
    const statuses = new Set((await Promise.all(asked)).map(({ status }) => status))
    expect([...statuses].filter((status) => ![200, 204, 404].includes(status))).toEqual([])
    await expectKept()
  })
})

describe('a batch that fails halfway changes nothing', () => {
  const log = vi.spyOn(console, 'error')
  beforeEach(() => {
    log.mockReset()
  })
  const unavailable = { detail: 'The database does not answer at the moment. Try again in a few seconds.' }

  it.each<[string, string, string, string, unknown?]>([
    ['a post', 'AFTER UPDATE ON revision', 'POST', EVENTS, [feature(), feature({ category: 'never seen' })]],
    [
      'a post, at its second event',
      "BEFORE INSERT ON event WHEN new.value = 'bad'",
      'POST',
      EVENTS,
      [feature(), feature({ value: 'bad' })],
    ],
    ['a series', 'AFTER UPDATE ON revision', 'POST', SERIES, { name: 'x', observation_type: 1 }],
    [
      'a change',
      'AFTER UPDATE ON revision',
      'PATCH',
      'event',
      { properties: { timestamp_start: -77 }, geometry: null },
    ],
    ['a delete', 'AFTER UPDATE ON revision', 'DELETE', 'event'],
    ['a move', 'AFTER UPDATE ON revision', 'PATCH', 'series', { access_modifier: 'Common' }],
    ['a series with events', 'AFTER DELETE ON event_series', 'DELETE', 'series'],
  ])('%s', async (_, at, method, address, sent) => {
    const event = (await write('POST', EVENTS, feature())).body.properties.url
    const [{ uuid } = {}] = await rows('SELECT uuid FROM event_series WHERE id = 1')
    await write('PATCH', `${SERIES}${uuid}/`, { access_modifier: 'Public' }, {}, 'all')
    const path =
      { event, series: `${SERIES}${uuid}/${method === 'DELETE' ? '?events=delete' : ''}` }[address] ?? address
    await env.DB.prepare(`CREATE TRIGGER fault ${at} BEGIN SELECT raise(ABORT, 'secret'); END`).run()
    const before = await stored()
    try {
      const key = { 'Idempotency-Key': crypto.randomUUID() }
      expect(await outcome(method, path, sent, key, 'all')).toEqual({ status: 503, body: unavailable })
      expect(await stored()).toBe(before)
      expect(await rows('SELECT * FROM idempotency_key')).toEqual([])
    } finally {
      await env.DB.prepare('DROP TRIGGER fault').run()
    }
    await expectKept()
    expect((await write(method, path, sent, {}, 'all')).status).toBeLessThan(300)
    if (path === `${SERIES}${uuid}/?events=delete`)
      await load(foundation.filter((record) => record.kind === 'event_series' && record.uuid === uuid))
  })

  it('a write that does not end is a 503 at its deadline, after one try', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { seen, DB } = watchedDatabase(() => new Promise(() => {}))
      const { headers, vars } = await withKey('writer')
      const options = {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(feature()),
      }
      const answer = send(EVENTS, { ...options, vars: { ...vars, DB } })
      while (seen.trips === 0) await scheduler.wait(1)
      await vi.advanceTimersByTimeAsync(30_000)
      const response = await answer
      expect([response.status, await response.json(), seen.trips]).toEqual([503, unavailable, 1])
    } finally {
      vi.useRealTimers()
    }
  })
})
