import { env } from 'cloudflare:workers'
import { Client } from 'pg'
import { CloudflareSocket } from 'pg-cloudflare'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { at } from '../../src/base/collections.ts'
import { DEADLINES } from '../../src/engine/postgres/connection.ts'
import { EXHAUSTIVE } from '../tags.ts'
import { hasPostgres, type PostgresDatabase } from './database.ts'
import { databaseAt, send, startServer, stopServer, untilGone } from './faulty.ts'
import { GRADE_B, GRADE_C } from './grades.ts'
import { rowsOf, TABLES } from './rows.ts'

/** Requests at a time, and the events that are no marks. */
const [AT_ONCE, EVENTS] = [50, 2_000]

/** The number of marks after a write. They are the events of the category `mark`. */
const marksOf = (write: number) => 10 + (write % 7)

/**
 * One transaction. The uuids of both series, the values of the marks and the number of marks tell its number. It also
 * moves other events between the series and the categories, and replaces some by new ones. Their number stays.
 */
const writeOf = (write: number): string => `BEGIN;
  UPDATE event_series SET uuid = (lpad(id::text, 8, '0') || '-0000-0000-0000-' || lpad('${write}', 12, '0'))::uuid;
  DELETE FROM event WHERE category = 'mark';
  INSERT INTO event (id, event_series_id, category, value, timestamp_start, timestamp_end)
    SELECT ${1_000_000 + 100 * write} + i, 1 + i % 2, 'mark', '${write}', '2021-01-01Z', '2021-01-02Z'
    FROM generate_series(1, ${marksOf(write)}) AS i;
  UPDATE event SET event_series_id = 3 - event_series_id, category = CASE category WHEN 'c0' THEN 'c1' ELSE 'c0' END
    WHERE category <> 'mark' AND id % 11 = ${write % 11};
  WITH removed AS (DELETE FROM event WHERE id IN (SELECT id FROM event WHERE category <> 'mark' ORDER BY id LIMIT 20)
    RETURNING *)
  INSERT INTO event (id, event_series_id, category, value, timestamp_start, timestamp_end)
    SELECT ${500_000 + 20 * write} + row_number() OVER (), event_series_id, category, value, timestamp_start, timestamp_end
    FROM removed;
  COMMIT`

interface Feature {
  readonly properties: { readonly value: string }
}

/** Returns the faults of an answer. */
type Look = (text: string, headers: Headers) => readonly unknown[]

const differs = (...numbers: readonly number[]) => (new Set(numbers).size === 1 ? [] : [numbers])

/** Looks at a page of marks: the numbers of the write in its rows, in its series and in its count are equal. */
const lookAtPage: Look = (text) => {
  const { count, results, series } = JSON.parse(text) as {
    readonly count: number
    readonly results: readonly Feature[]
    readonly series: readonly { readonly uuid: string }[]
  }
  const writes = [
    ...results.map(({ properties }) => Number(properties.value)),
    ...series.map(({ uuid }) => Number(uuid.slice(-12))),
  ]
  return [...differs(...writes), ...differs(count, marksOf(writes[0] ?? -1)), ...differs(results.length, 6)]
}

const LOOKS: Readonly<Record<string, Look>> = {
  '/api/v3/events/?category=mark&include=series&page_size=6': lookAtPage,
  '/api/v3/events/?category=mark&include=series&page_size=6&ordering=-timestamp_start': lookAtPage,
  '/api/v4/events/?category__not=mark&page_size=1': (text) => differs(JSON.parse(text).count, EVENTS),
  '/api/v4/events.csv?page_size=all&category=mark': (text, headers) => {
    const rows = text.trim().split(/\r?\n/).slice(1)
    const writes = rows.flatMap((row) => (/,mark,(\d+),.*-(\d{12}),/.exec(row) ?? []).slice(1).map(Number))
    return [
      ...differs(...writes),
      ...differs(rows.length, Number(headers.get('X-Total-Count')), marksOf(writes[0] ?? -1)),
    ]
  },
  '/api/v4/events.csv?page_size=all&consistent=true&category__not=mark': (text) =>
    differs(text.trim().split('\n').length - 1, EVENTS),
  '/api/v3/events/summary/?facets=category&category__not=mark': (text) => {
    const { count, facets } = JSON.parse(text)
    const entries: readonly { readonly count: number }[] = facets.category.entries
    return differs(
      count,
      EVENTS,
      entries.reduce((sum, { count: each }) => sum + each, 0),
    )
  },
  '/api/v4/eventseries/': (text) => {
    const { count, results } = JSON.parse(text) as {
      readonly count: number
      readonly results: readonly { readonly uuid: string }[]
    }
    return [...differs(...results.map(({ uuid }) => Number(uuid.slice(-12)))), ...differs(count, 2)]
  },
}
/** The service allows eight streams of callers without a key. The first readers ask for streams, and the others for pages. */
const STREAMERS = 6
const isStream = (path: string) => path.includes('.csv')
const [STREAMS, PAGES] = [Object.keys(LOOKS).filter(isStream), Object.keys(LOOKS).filter((path) => !isStream(path))]

const percentile = (sorted: readonly number[], part: number) =>
  Math.round(sorted[Math.floor(part * sorted.length)] ?? 0)

describe.runIf(hasPostgres)('many requests beside a writer', () => {
  let port: number
  let database: PostgresDatabase
  vi.spyOn(console, 'log').mockReturnValue()
  beforeAll(async () => {
    port = await startServer({ max_connections: '100' })
    database = await databaseAt(port, TABLES, rowsOf(EVENTS), GRADE_B, GRADE_C, writeOf(0))
  })
  afterAll(() => stopServer(port))

  let written = 0
  /** Writes until the end. Returns the number of writes. */
  const write = async (isOver: () => boolean): Promise<number> => {
    const client = new Client({ connectionString: database.owner, stream: () => new CloudflareSocket(false) })
    client.on('error', () => {})
    await client.connect()
    const before = written
    while (!isOver()) await client.query(writeOf(++written))
    await client.end()
    return written - before
  }

  for (const [options, seconds] of [
    [{}, 2],
    [EXHAUSTIVE, env.TEST_FUZZ.count >= 20_000 ? 60 : 10],
  ] as const)
    it(`see one state each, for at least ${seconds} s`, { ...options, timeout: 60_000 + 1_000 * seconds }, async () => {
      const end = performance.now() + 1_000 * seconds
      const [faults, times, tagged]: [unknown[], number[], Map<string, string>] = [[], [], new Map()]
      const before = written
      // A busy machine takes longer for this much.
      const isOver = () => performance.now() > end && times.length > AT_ONCE && written - before > 3
      const ask = async (reader: number) => {
        const headers = { 'CF-Connecting-IP': `10.0.0.${reader}` }
        const paths = reader < STREAMERS ? STREAMS : PAGES
        for (let i = reader; !isOver(); i++) {
          const path = at(paths, i % paths.length)
          const start = performance.now()
          const response = await send(database, path, { headers, deadlines: DEADLINES })
          const text = await response.text()
          times.push(performance.now() - start)
          const wrong = response.status === 200 ? LOOKS[path]?.(text, response.headers) : [response.status, text]
          if (wrong?.length !== 0) faults.push([path, wrong])
          const tag = `${path} ${response.headers.get('ETag')}`
          if ((tagged.get(tag) ?? text) !== text) faults.push([tag, 'has two answers'])
          tagged.set(tag, text)
        }
      }
      const readers = Array.from({ length: AT_ONCE }, (_, i) => ask(i))
      const [writes] = await Promise.all([write(isOver), ...readers])
      await untilGone(database)
      times.sort((a, b) => a - b)
      const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)]
      console.info(`${times.length} requests, ${writes} writes, ${faults.length} faults, p50 ${p50} ms, p95 ${p95} ms`)
      expect(faults.slice(0, 5)).toEqual([])
    })
})
