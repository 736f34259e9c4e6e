import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { MAX_PAGE_SIZE } from '../../src/lists/resource.ts'
import { random } from '../bench/events.ts'
import { pick, skewedEvents } from '../bench/skewed.ts'
import type { EventRecord } from '../records.ts'
import { get, load, type Options, send } from '../service.ts'
import { feature, write } from '../store/writer.ts'
import { EXHAUSTIVE } from '../tags.ts'
import { freezeClock } from './cost.ts'
import { filterOf } from './filters.ts'
import { summaryOf } from './slow.ts'
import { EVENTS, expectPages, foundation, isVisible, LEVELS, type Level, ORDERS, seenBy } from './world.ts'

const SEED = 20_261_121
/** The number of events in each write. The last writes are small, as in a database that clients poll. */
const LOADS = [9000, 40, 900, 1, 1, 1, 20]

const events = [
  ...skewedEvents(
    LOADS.reduce((sum, count) => sum + count),
    5,
  ),
].map(
  (event, i): EventRecord => ({
    ...event,
    series: 1 + (event.series % 6),
    coordinates: i % 50 === 0 ? null : event.coordinates,
  }),
)
/** The time of each write by event id, in microseconds since 1970. */
const stamps = new Map<number, number>()
let stamped: readonly EventRecord[] = []

freezeClock()

beforeAll(async () => {
  await load(foundation)
  let from = 0
  for (const count of LOADS) {
    await load(events.slice(from, from + count))
    from += count
  }
  const { results } = await env.DB.prepare('SELECT id, last_modified AS at FROM event').all<Record<string, number>>()
  for (const { id = 0, at = 0 } of results) stamps.set(id, at)
  stamped = events.map((event) => ({ ...event, last_modified: stampOf(event) }))
})

const stampOf = ({ id }: EventRecord): number => stamps.get(id) ?? 0
/** Writes microseconds as ISO 8601. */
const iso = (micros: number): string =>
  `${new Date(Math.floor(micros / 1000)).toISOString().slice(0, -1)}${String(micros % 1000).padStart(3, '0')}Z`

type Random = () => number

/** Makes a filter for events since another event, or until it. */
const since = (next: Random): string => {
  const [one, other] = [pick(next, events), pick(next, events.slice(-100))]
  const [at, id] = [stampOf(pick(next, [one, other])) + pick(next, [0, 0, -1, 1]), pick(next, [one, other]).id]
  const [first, last] = [Math.min(stampOf(one), at), Math.max(stampOf(one), at)]
  return pick(next, [
    ...['__gt', '__gte', '__lt', '__lte', ''].map((lookup) => `last_modified${lookup}=${iso(at)}`),
    `last_modified__range=${iso(first)},${iso(last)}`,
    `id__gt=${id}`,
    `id__lte=${id}`,
    `id__gte=${id}&last_modified__gt=${iso(at)}`,
    `id__in=${id},${one.id},${other.id}`,
  ])
}

const OTHERS = [
  ...['event_series=1000,3000', 'event_series__id=5', 'category__icontains=flood', 'timestamp_start__gte=1990-01-01'],
  ...['duration__gt=1', 'bbox=0,50,6,54', 'geom_within=POLYGON((0+40,0+60,20+60,0+40))'],
]

const expectAll = async (seed: number, more: boolean): Promise<number> => {
  const next = random(seed)
  const [own, other] = [since(next), pick(next, OTHERS)]
  const [ordering, level] = [pick(next, Object.keys(ORDERS)), pick(next, Object.keys(LEVELS) as Level[])]
  const filter = filterOf(`${own}${more ? `&${other}` : ''}`)
  const found = stamped.filter((event) => isVisible(event, level) && filter.matches(event)).sort(ORDERS[ordering])
  const query = `${filter.query}${ordering && `&ordering=${ordering}`}`
  const size = Math.max(1, Math.ceil(found.length / pick(next, [1, 3, 5])))
  await expectPages(
    `${EVENTS}?${query}&page_size=${size}`,
    found.map(({ id }) => id),
    size,
    [1, 3],
    seenBy(level),
  )
  const summary = await get(`${EVENTS}summary/?${query}&bins=32&level=6`, seenBy(level))
  expect(summary, `${query} ${level}`).toEqual(summaryOf(found, { bins: 32, level: 6 }, false))
  return found.length
}

describe('filters on last_modified and id find the same events as a test of every event', EXHAUSTIVE, () => {
  it.each([
    ['alone', false, 12],
    ['with another filter', true, 18],
  ])('%s', async (_, more, runs) => {
    let found = 0
    for (let run = 0; run < runs; run++) if ((await expectAll(SEED + run, more)) > 0) found += 1
    expect(found).toBeGreaterThan(runs / 4)
  })
})

describe('polling reads few rows more than it finds', () => {
  const last = () => iso(Math.max(...stamps.values()))
  const fromEnd = (count: number) => iso(stampOf(events[events.length - count - 1] as EventRecord))
  const costOf = async (query: string, options: Options = {}): Promise<[count: number, rows: number]> => {
    const response = await send(`${EVENTS}?page_size=1000&${query}`, {
      ...options,
      vars: { SHOW_COST: 'true', ...options.vars },
    })
    const { count } = (await response.json()) as { count: number }
    return [count, Number(/rows_read;desc="(\d+)"/.exec(response.headers.get('Server-Timing') ?? '')?.[1])]
  }

  it.each<[string, () => string, number]>([
    ['no new event, by last_modified', () => `last_modified__gt=${last()}`, 0],
    ['no new event, by id', () => `id__gt=${events.length}`, 0],
    ['20 new events, by last_modified', () => `last_modified__gt=${fromEnd(20)}`, 20],
    ['20 new events, by id', () => `id__gt=${events.length - 20}`, 20],
    ['23 new events, latest first', () => `last_modified__gt=${fromEnd(23)}&ordering=-timestamp_start`, 23],
    ['many new events, by id', () => 'id__gt=9000', events.length - 9000],
    [
      'many new events, by last_modified',
      () => `last_modified__gt=${iso(stamps.get(9000) ?? 0)}`,
      events.length - 9000,
    ],
  ])('%s', async (_, query, expected) => {
    await get(`${EVENTS}?category=none&duration__gt=5`, seenBy('Hidden')) // reads statistics
    const [count, rows] = await costOf(query(), seenBy('Hidden'))
    expect(count).toBe(expected)
    expect(rows).toBeLessThan(8 * expected + Math.min(expected, 500) + 150)
  })
})

describe('a client that polls with last_modified__gt', () => {
  it('misses nothing while others write', async () => {
    const [ids, seen] = [[] as number[], new Map<number, string>()]
    let at = 0
    const poll = async () => {
      const { results } = await get(
        `${EVENTS}?last_modified__gt=${iso(at)}&page_size=${MAX_PAGE_SIZE}`,
        seenBy('Hidden'),
      )
      for (const { id, properties } of results) seen.set(id, properties.value)
      const stored = await env.DB.prepare(
        'SELECT max(last_modified) AS at FROM event WHERE id IN (SELECT value FROM json_each(?))',
      )
        .bind(JSON.stringify(results.map(({ id }: { id: number }) => id)))
        .first<number>('at')
      at = Math.max(at, stored ?? 0)
    }
    await poll()
    const next = random(11)
    for (let turn = 0; turn < 6; turn++) {
      await Promise.all(
        [1, 2, 3].map(async (writer) => {
          const value = `${turn} ${writer}`
          const id = ids[Math.floor(next() * ids.length)]
          if (id !== undefined && next() < 0.5) await write('PATCH', `${EVENTS}${id}/`, { properties: { value } })
          else ids.push((await write('POST', EVENTS, feature({ value }))).body.id)
        }),
      )
      if (turn % 2 === 0) await poll()
    }
    await poll()
    for (const id of ids) expect(seen.get(id)).toBe((await get(`${EVENTS}${id}/`)).properties.value)
    const distinct = await env.DB.prepare(
      'SELECT count(DISTINCT last_modified) = count(*) AS each FROM event WHERE id > ?',
    )
      .bind(events.length)
      .first('each')
    expect(distinct).toBe(1)
  })
})
