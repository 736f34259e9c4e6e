import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { DEADLINES } from '../../src/engine/postgres/connection.ts'
import { hasPostgres, type PostgresDatabase, sqlIn } from './database.ts'
import {
  beside,
  databaseAt,
  portOf,
  RUNTIMES,
  replicaOf,
  send,
  signal,
  startServer,
  stopServer,
  told,
  until,
  untilAsleep,
  untilGone,
} from './faulty.ts'
import { GRADE_B, GRADE_C } from './grades.ts'
import { rowsOf, SLOW_VIEW, TABLES } from './rows.ts'

const EVENTS = 9
const PAGE = '/api/v3/events/?ordering=-timestamp_start&page_size=1&include=series'

/** One transaction. It adds an event whose value is its number, and tells the number by the uuids of the series. */
const writeOf = (write: number): string => `BEGIN;
  INSERT INTO event (id, event_series_id, category, value, timestamp_start, timestamp_end)
    VALUES (${1_000 + write}, 1, 'new', '${write}', '2021-01-01Z'::timestamptz + ${write} * interval '1 minute', '2022-01-01Z');
  UPDATE event_series SET uuid = (lpad(id::text, 8, '0') || '-0000-0000-0000-' || lpad('${write}', 12, '0'))::uuid;
  COMMIT`

/** Asks for the latest event. Returns the number of its write by each part of the answer. */
const seen = async (database: PostgresDatabase, runtime: (typeof RUNTIMES)[number] = 'workerd') => {
  const response = await send(database, PAGE, { runtime })
  const { count, results, series } = JSON.parse(await response.text())
  const numbers = [count - EVENTS, Number(results[0].properties.value), Number(series[0].uuid.slice(-12))]
  return { numbers, tag: response.headers.get('ETag') as string }
}

const all = (write: number) => [write, write, write]

describe.runIf(hasPostgres)('a streaming replica', () => {
  let port: number
  let primary: PostgresDatabase
  let replica: PostgresDatabase
  let slow: PostgresDatabase
  let slowReplica: PostgresDatabase
  vi.spyOn(console, 'log').mockReturnValue()
  const log = vi.spyOn(console, 'error')
  beforeAll(async () => {
    port = await startServer()
    primary = await databaseAt(port, TABLES, rowsOf(EVENTS), GRADE_B, GRADE_C, writeOf(1))
    slow = await databaseAt(port, TABLES, rowsOf(EVENTS), SLOW_VIEW)
    replica = await replicaOf(primary)
    slowReplica = beside(slow, replica)
  })
  afterAll(async () => {
    await stopServer(portOf(replica))
    await stopServer(port)
  })

  it('answers as its primary, with the same tag', async () => {
    expect(await seen(replica)).toEqual(await seen(primary))
    expect(await sqlIn(replica, 'SELECT pg_is_in_recovery() AS copies')).toEqual([{ copies: true }])
    expect(await told(replica, '/readyz')).toMatchObject({ status: 200, body: { grade: 'C' } })
  })

  it('answers an old state as a whole, while it lags', async () => {
    const before = await seen(replica)
    await sqlIn(replica, 'SELECT pg_wal_replay_pause()')
    await until(async () => (await sqlIn(replica, 'SELECT pg_get_wal_replay_pause_state() AS is'))[0]?.is === 'paused')
    for (const write of [2, 3]) await sqlIn(primary, writeOf(write))
    expect(await seen(replica)).toEqual(before)
    const after = await seen(primary)
    expect(after).toEqual({ numbers: all(3), tag: expect.any(String) })
    expect(after.tag).not.toBe(before.tag)
    // A client with the tag of the primary gets the old state with its old tag. One with the old tag has it.
    const statusOf = async (tag: string) => (await send(replica, PAGE, { headers: { 'If-None-Match': tag } })).status
    expect([await statusOf(after.tag), await statusOf(before.tag)]).toEqual([200, 304])
    await sqlIn(replica, 'SELECT pg_wal_replay_resume()')
    await expect.poll(() => seen(replica)).toEqual(after)
  })

  it('tells revision and rows of one state, while its primary writes', async () => {
    const tags = new Map<string, string>()
    let [last, isOver] = [0, false]
    const watch = async () => {
      for (let asked = 0; ; asked++) {
        const { numbers, tag } = await seen(replica)
        expect(numbers).toEqual(all(numbers[0] as number))
        expect(numbers[0]).toBeGreaterThanOrEqual(last)
        expect(tags.get(tag) ?? numbers.join()).toBe(numbers.join())
        tags.set(tag, numbers.join())
        last = numbers[0] as number
        if (isOver && last === 53) return asked
      }
    }
    const watched = watch()
    for (let write = 4; write <= 53; write++) await sqlIn(primary, writeOf(write))
    isOver = true
    expect(await watched).toBeGreaterThan(5)
    expect(new Set(tags.values()).size).toBe(tags.size)
  })

  it('answers a 503 if its copy cancels a query', async () => {
    log.mockReset()
    // A query in the way of the copy ends at once. The default is 30 seconds.
    await sqlIn(replica, 'ALTER SYSTEM SET max_standby_streaming_delay = 0')
    await sqlIn(replica, 'SELECT pg_reload_conf()')
    const delay = 'SHOW max_standby_streaming_delay'
    await until(async () => (await sqlIn(replica, delay))[0]?.max_standby_streaming_delay === '0')
    await sqlIn(slow, 'UPDATE slowness SET of_rows = 30')
    await until(async () => (await sqlIn(slowReplica, 'SELECT of_rows FROM slowness'))[0]?.of_rows === 30)
    const asked = told(slowReplica, '/api/v4/events/', { deadlines: DEADLINES })
    await untilAsleep(slowReplica)
    await sqlIn(slow, 'DELETE FROM stored_event WHERE id > 5')
    await sqlIn(slow, 'VACUUM stored_event')
    expect(await asked).toEqual({
      status: 503,
      retry: '5',
      body: { detail: 'The database does not answer at the moment. Try again in a few seconds.' },
    })
    expect(log.mock.calls.flat().join()).toContain('canceling statement due to conflict with recovery')
    await sqlIn(slow, 'UPDATE slowness SET of_rows = 0')
    await until(async () => (await told(slowReplica, '/api/v4/events/')).body.count === 5)
    await untilGone(slowReplica)
  })

  it('answers while it becomes the primary, and then tells its own writes', async () => {
    const before = await Promise.all(RUNTIMES.map((runtime) => seen(replica, runtime)))
    let isOver = false
    const watch = async (runtime: (typeof RUNTIMES)[number], i: number) => {
      for (let asked = 0; !isOver || asked < 5; asked++) expect(await seen(replica, runtime)).toEqual(before[i])
    }
    const watched = Promise.all(RUNTIMES.map(watch))
    await signal(port, 'INT')
    await sqlIn(replica, 'SELECT pg_promote()')
    expect(await sqlIn(replica, 'SELECT pg_is_in_recovery() AS copies')).toEqual([{ copies: false }])
    isOver = true
    await watched
    await sqlIn(replica, writeOf(54))
    for (const [i, runtime] of RUNTIMES.entries()) {
      const after = await seen(replica, runtime)
      expect(after.numbers).toEqual(all(54))
      expect(after.tag).not.toBe(before[i]?.tag)
    }
    expect(await told(replica, '/readyz')).toMatchObject({ status: 200, body: { grade: 'C' } })
    const ofCategory = async () => (await told(replica, '/api/v3/events/?category=new')).body.count
    expect(await ofCategory()).toBe(54)
    expect(await sqlIn(replica, 'SELECT sum(count)::int AS count FROM event_count')).toEqual([{ count: EVENTS + 54 }])
  })
})
