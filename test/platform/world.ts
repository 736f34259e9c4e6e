import { applyD1Migrations, reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, vi } from 'vitest'
import { insertRecords } from '../../seed/load/insert.ts'
import type { Env } from '../../src/http/env.ts'
import { random, records } from '../bench/events.ts'
import { wholeRecords } from '../records.ts'
import { apiKeys, bearer, send, unhinted } from '../service.ts'
import { EVENTS, feature, SERIES } from '../store/writer.ts'
import { createPlatform, type Platform } from './d1.ts'

export const LOADED = 600
export const FIRST_SERIES = [...records(0)].flatMap((record) => (record.kind === 'event_series' ? [record.uuid] : []))

/** Requests that use different parts of the service. */
export const READS: readonly (readonly [path: string, init?: RequestInit])[] = [
  [`${EVENTS}?page_size=3`],
  [`${EVENTS}?ordering=-timestamp_start&page_size=5&page=last`],
  [`${EVENTS}?category=storm surge`],
  [`${EVENTS}?category__iregex=SURGE|7&event_series__name__icontains=1&page=2`],
  [`${EVENTS}?geom_within=POLYGON((-90 -45,90 -45,90 60,-90 60,-90 -45))&page_size=50`],
  [`${EVENTS}?geom_within=POLYGON((-90 -45,90 -45,0 60,-90 -45))&timestamp_start__gte=2010-01-01&page=2`],
  [`${EVENTS}summary/?bins=9&level=3`],
  [`${EVENTS}summary/?category__icontains=SURGE`],
  [`${EVENTS}summary/?geom_within=POLYGON((-90 -45,90 -45,0 60,-90 -45))`],
  [`${EVENTS}?format=csv&page_size=all`],
  [`${EVENTS}?format=geojson&page_size=all&geom_within=POLYGON((-90 -45,90 -45,0 60,-90 -45))`],
  [`${EVENTS}?format=ndjson&page_size=all&ordering=-timestamp_end&category=storm surge`],
  [`${EVENTS}1/`],
  [`${EVENTS}${LOADED + 1}/`],
  [`${SERIES}?ordering=-last_modified`],
  [`/api/v3/eventseries/?page_size=2&page=2`],
  [`${SERIES}${FIRST_SERIES[0]}/`],
  [`${EVENTS}?page_size=1`, { method: 'HEAD' }],
]

/** The parts of an answer that depend only on the data. */
interface Seen {
  readonly status: number
  readonly etag: string | null
  readonly body: string | null
}

export const seen = async (response: Response): Promise<Seen> => ({
  status: response.status,
  etag: response.headers.get('ETag'),
  body: unhinted(JSON.stringify(await textOf(response))),
})

/** Reads the body. Null if the transfer broke off. */
const textOf = (response: Response): Promise<string | null> =>
  response.arrayBuffer().then(
    (bytes) => new TextDecoder().decode(bytes),
    () => null,
  )

/** Sends a request to the service with this database. */
export const at = async (
  DB: D1Database,
  path: string,
  init: RequestInit = {},
  headers: HeadersInit = {},
  vars: Partial<Env> = {},
) => {
  const all = { DB, API_KEYS: await apiKeys(), ...vars }
  return send(path, { ...init, vars: all, headers: { ...init.headers, ...headers } })
}

/** Records the right answers for each state of the data. They come from a database without replicas or failures. */
const createHistory = (platform: Platform) => {
  const states: Seen[][] = []
  const extend = async () => {
    for (let from = states.length - 1; from < platform.stored(); from++) {
      if (from >= 0) await platform.follow(env.REFERENCE, from)
      const answers: Seen[] = []
      for (const [path, init] of READS)
        answers.push(await seen(await at(env.REFERENCE, path, init, { 'Cache-Control': 'no-cache' })))
      states.push(answers)
    }
  }
  /** Returns the last state in which a read has such an answer. -1: none has. */
  const lastWith = (read: number, isSo: (answer: Seen) => boolean) =>
    states.findLastIndex((answers) => isSo(answers[read] as Seen))
  return { extend, at: (state: number, read: number) => states[state]?.[read], lastWith }
}

export const createWorld = async (seed: number) => {
  const platform = createPlatform(env.DB, [env.REPLICA_A, env.REPLICA_B], seed)
  await insertRecords(platform.binding(), wholeRecords(records(LOADED)))
  clocks(platform)
  const next = random(seed + 1000)
  const upTo = (count: number) => Math.floor(next() * count)
  return { platform, history: createHistory(platform), next, upTo }
}

/** Waits for an answer. If no call is active, it fires the next timer, so pauses and deadlines take no real time. */
export const soon = async <T>(platform: Platform, answer: Promise<T>): Promise<T> => {
  let ended = false
  const end = () => {
    ended = true
  }
  answer.then(end, end)
  while (!ended) {
    await scheduler.wait(0)
    if (!ended && platform.isIdle()) await vi.advanceTimersToNextTimerAsync()
  }
  return answer
}

let stopped: { mockRestore: () => void }[] = []

/** Installs clocks that stand still during computation, as at Cloudflare. */
const clocks = ({ now }: Platform) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  stopped = [vi.spyOn(Date, 'now').mockImplementation(now), vi.spyOn(performance, 'now').mockImplementation(now)]
}

export const runClocks = () => {
  for (const clock of stopped) clock.mockRestore()
  stopped = []
  vi.useRealTimers()
}

/** Empties and migrates the databases, and starts the real clocks. */
export const begin = async (): Promise<void> => {
  runClocks()
  await reset()
  for (const db of [env.DB, env.REPLICA_A, env.REPLICA_B, env.REFERENCE])
    await applyD1Migrations(db, env.TEST_MIGRATIONS)
}

/** The writes of a test, in order. A write may use ids from earlier answers. */
export const WRITES: ((
  ids: number[],
  n: number,
  upTo: (count: number) => number,
) => readonly [string, string, unknown])[] = [
  (_, n) => ['POST', EVENTS, feature({ value: `one ${n}`, event_series: FIRST_SERIES[n % 5] })],
  (_, n) => [
    'POST',
    EVENTS,
    Array.from({ length: 30 }, (_, i) =>
      feature({ value: `${n} ${i}`, category: `new ${n}`, timestamp_start: n * 1e9 + i }),
    ),
  ],
  (ids, n, upTo) => ['PATCH', `${EVENTS}${ids[upTo(ids.length)] ?? 1}/`, { properties: { value: `changed ${n}` } }],
  (_, n) => ['PATCH', `${EVENTS}${1 + n}/`, { geometry: { type: 'Point', coordinates: [n, n] } }],
  (_, n) => ['PATCH', `${SERIES}${FIRST_SERIES[n % 50]}/`, { access_modifier: n % 2 ? 'Private' : 'Common' }],
  (_, n) => ['POST', SERIES, { name: `Series of ${n}`, observation_type: '/api/v4/observationtypes/1/' }],
  (_, n) => ['DELETE', `${EVENTS}${100 + n}/`, undefined],
  (_, n) => ['DELETE', `${SERIES}${FIRST_SERIES[20 + n]}/?events=delete`, undefined],
]

const TRIES = 60

/** Repeats a write until the answer is not a 503, at most 60 times. `sent` is the number of requests. */
export const persist = async (
  platform: Platform,
  key: string,
  [method, path, body]: readonly [string, string, unknown],
) => {
  const headers = {
    ...bearer('all'),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(method === 'POST' && { 'Idempotency-Key': key }),
  }
  for (let sent = 1; ; sent++) {
    const init = { method, body: body === undefined ? null : JSON.stringify(body) }
    const response = await soon(platform, at(platform.binding(), path, init, headers))
    const text = await response.text()
    if (response.status !== 503 || sent === TRIES)
      return { status: response.status, text, sent, headers: response.headers }
    expect([response.headers.get('Retry-After'), response.headers.get('Cache-Control')]).toEqual(['5', 'no-store'])
  }
}

export const idsIn = (text: string): number[] => {
  const body = text === '' ? {} : JSON.parse(text)
  return body.ids ?? (typeof body.id === 'number' ? [body.id] : [])
}
