import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { Client } from 'pg'
import { CloudflareSocket } from 'pg-cloudflare'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { at } from '../../src/base/collections.ts'
import postgres from '../../src/postgres.ts'
import { random } from '../bench/events.ts'
import { pick } from '../bench/skewed.ts'
import { foundation, LEVELS, type Level, makeEvents, SERIES } from '../engine/world.ts'
import { answerOf, CHANGES, followerOf, NAMES, type ReadAs } from '../store/follower.ts'
import { EXHAUSTIVE } from '../tags.ts'
import { hasPostgres, type PostgresDatabase, sqlIn } from './database.ts'
import { GRADE_B, GRADE_C } from './grades.ts'
import { loadedPostgres } from './loaded.ts'
import { READER } from './rows.ts'

const records = [...foundation, ...makeEvents(80, 20_261_130)]

const readerOf =
  (database: PostgresDatabase): ReadAs =>
  async (level, path) => {
    const context = createExecutionContext()
    const env = { HYPERDRIVE: database, STATE_SECONDS: '0', ANONYMOUS_LEVEL: level } as never // the database is its only binding
    const answer = await answerOf(await postgres.fetch(new Request(`http://localhost:8787${path}`), env, context))
    await waitOnExecutionContext(context)
    return answer
  }

const clientOf = async ({ owner }: PostgresDatabase): Promise<Client> => {
  const client = new Client({ connectionString: owner, stream: () => new CloudflareSocket(false) })
  client.on('error', () => {}) // A socket reports its own end as an error.
  await client.connect()
  return client
}

/** Waits until all writes have ended, also those of other databases of the server. Changes are told only then. */
const settled = (database: PostgresDatabase) =>
  vi.waitUntil(
    async () => {
      const waiting = await sqlIn(
        database,
        'SELECT FROM event_change WHERE transaction >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint LIMIT 1',
      )
      return waiting.length === 0
    },
    { timeout: 30_000 },
  )

type Random = () => number

const LAST = '(SELECT count(*) FROM event)'
/** The id of an event that exists. */
const someId = (next: Random) => `(SELECT id FROM event ORDER BY id OFFSET floor(${next()} * ${LAST}) LIMIT 1)`

/** Writes of an owner's programs. */
const WRITES: readonly ((next: Random) => string)[] = [
  (next) => `INSERT INTO event (id, event_series_id, category, value, timestamp_start, timestamp_end)
    VALUES (${Math.floor(1e12 * next())}, ${pick(next, SERIES).id}, 'new', '${next()}', '2020-01-01Z', '2020-01-02Z')`,
  (next) => `UPDATE event SET value = '${next()}' WHERE id = ${someId(next)}`,
  (next) => `UPDATE event SET event_series_id = ${pick(next, SERIES).id} WHERE id = ${someId(next)}`,
  (next) => `DELETE FROM event WHERE id = ${someId(next)}`,
  (next) => `UPDATE event_series SET description = '${next()}' WHERE id = ${pick(next, SERIES).id}`,
  (next) =>
    `UPDATE event_series SET access_modifier = ${pick(next, Object.values(LEVELS))} WHERE id = ${pick(next, SERIES).id}`,
  (next) => `UPDATE observation_type SET name = '${next()}' WHERE id = 1`,
]

/**
 * Two connections write at random, and their transactions overlap. Two copies of each level follow. They are right when all
 * transactions have ended.
 */
const expectCopies = async (database: PostgresDatabase, seed: number, writes: number): Promise<void> => {
  const next = random(seed)
  const read = readerOf(database)
  const uuids = (
    await sqlIn<{ uuid: string }>(database, 'SELECT uuid::text FROM event_series ORDER BY id LIMIT 3')
  ).map(({ uuid }) => uuid)
  const followers = NAMES.flatMap((level) => [followerOf(level, null, read), followerOf(level, uuids, read)])
  const clients = await Promise.all([clientOf(database), clientOf(database)])
  for (const client of clients) await client.query("SET lock_timeout = '50ms'")
  for (const follower of followers) await follower.begin()
  const isOpen = [false, false]
  for (let count = 0; count < writes; count++) {
    const which = next() < 0.5 ? 0 : 1
    const client = at(clients, which)
    if (!isOpen[which]) await client.query('BEGIN')
    isOpen[which] = true
    // A write that waits for the other transaction is given up, with its own transaction.
    const isDone = await client.query(pick(next, WRITES)(next)).then(
      () => true,
      () => false,
    )
    if (!isDone || next() < 0.5) {
      await client.query(isDone ? 'COMMIT' : 'ROLLBACK')
      isOpen[which] = false
    }
    if (next() < 0.5) await pick(next, followers).poll(pick(next, [1, 3, 1000]))
  }
  for (const client of clients) await client.query('COMMIT')
  for (const client of clients) await client.end()
  await settled(database)
  for (const follower of followers) {
    while ((await follower.poll(5))?.more !== false);
    expect(follower.data()).toEqual(await follower.whole())
  }
}

describe.runIf(hasPostgres)('at grade C, the changes after a mark', () => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await loadedPostgres(records, GRADE_B, GRADE_C, READER)
  })

  it('keep copies right while transactions overlap', { timeout: 120_000 }, () => expectCopies(database, 1, 150))
  it('keep copies right while many transactions overlap', { ...EXHAUSTIVE, timeout: 600_000 }, () =>
    expectCopies(database, 2, 1000),
  )

  const ask = (path: string, level: Level = 'Hidden') => readerOf(database)(level, path)
  const mark = async (level: Level = 'Hidden') => {
    await settled(database)
    return (await ask(CHANGES, level)).body.mark
  }
  const told = async (from: string, level: Level = 'Hidden') => {
    await settled(database)
    return (await ask(`${CHANGES}?after=${from}`, level)).body.changes
  }

  it('come after the commit of a transaction, also if a later one committed before', async () => {
    const from = await mark()
    const [slow, quick] = await Promise.all([clientOf(database), clientOf(database)])
    const insert = (id: number) =>
      `INSERT INTO event (id, event_series_id, category, value, timestamp_start, timestamp_end) VALUES (${id}, 1, '', 'x', now(), now())`
    await slow.query(`BEGIN; ${insert(7_000_001)}`)
    await quick.query(insert(7_000_002))
    const first = (await ask(`${CHANGES}?after=${from}`)).body
    expect(first).toMatchObject({ more: false, changes: [] })
    await slow.query('COMMIT')
    const ids = (await told(first.mark)).map(({ event }: { event: { id: number } }) => event.id)
    expect(ids.sort()).toEqual([7_000_001, 7_000_002])
    await Promise.all([slow.end(), quick.end()])
  })

  it('have the external id of a deleted event, for the levels that saw it', async () => {
    await sqlIn(
      database,
      `UPDATE event_series SET access_modifier = 100 WHERE id = 4;
      INSERT INTO event (id, event_series_id, category, value, timestamp_start, timestamp_end, external_id)
      VALUES (7000009, 4, '', 'x', now(), now(), 'A-17')`,
    )
    const [common, open] = [await mark('Common'), await mark('Public')]
    await sqlIn(database, 'DELETE FROM event WHERE id = 7000009')
    expect(await told(common, 'Common')).toEqual([
      { kind: 'gone', id: 7_000_009, event_series: expect.any(String), external_id: 'A-17' },
    ])
    expect(await told(open, 'Public')).toEqual([])
  })

  it('have nothing that a level never saw, also of one transaction', async () => {
    const from = await mark('Public')
    await sqlIn(
      database,
      `UPDATE event_series SET access_modifier = 0 WHERE id = 1;
      UPDATE event_series SET access_modifier = 300 WHERE id = 6`,
    )
    const [open, before] = [await mark('Public'), await mark('Hidden')]
    await sqlIn(
      database,
      `BEGIN; INSERT INTO event_series SELECT (jsonb_populate_record(s, '{"id": 999, "uuid": "99999999-0000-4000-8000-000000000000"}')).*
        FROM event_series s WHERE id = 1; UPDATE event_series SET access_modifier = 300 WHERE id = 999;
      INSERT INTO event (id, event_series_id, category, value, timestamp_start, timestamp_end, external_id)
        VALUES (7100001, 1, '', 'x', now(), now(), 'SECRET');
      UPDATE event SET event_series_id = 6 WHERE id = 7100001; COMMIT`,
    )
    expect(from).not.toBe(open)
    expect(await told(open, 'Public')).toEqual([])
    expect((await told(before)).map(({ kind }: { kind: string }) => kind)).toEqual(['series', 'event'])
  })

  it('of a series are also told if an event has none', async () => {
    await sqlIn(
      database,
      `INSERT INTO event (id, event_series_id, category, value, timestamp_start, timestamp_end) VALUES (7200001, NULL, '', 'x', now(), now())`,
    ).catch(() => null)
    const from = await mark()
    const [row] = await sqlIn(database, 'DELETE FROM event WHERE event_series_id IS NULL RETURNING id')
    expect(await told(from)).toEqual(
      row === undefined ? [] : [{ kind: 'gone', id: 7_200_001, event_series: null, external_id: null }],
    )
  })

  it('have no tag while a change waits for an open transaction', async () => {
    const from = await mark()
    const slow = await clientOf(database)
    await slow.query("BEGIN; UPDATE observation_type SET name = 'slow' WHERE id = 2")
    await sqlIn(database, "UPDATE observation_type SET name = name || '?' WHERE id = 1")
    const waiting = await ask(`${CHANGES}?after=${from}`)
    expect([waiting.body.changes, waiting.headers.get('ETag'), waiting.headers.get('Cache-Control')]).toEqual([
      [],
      null,
      'no-store',
    ])
    await slow.query('COMMIT')
    await slow.end()
    expect(await told(from)).toHaveLength(2)
  })

  it('leave a mark as it is without a write', async () => {
    const from = await mark('Public')
    await sqlIn(
      database,
      `UPDATE event SET value = value || '!' WHERE event_series_id = (SELECT id FROM event_series WHERE access_modifier = 300 LIMIT 1)`,
    )
    await settled(database)
    expect((await ask(`${CHANGES}?after=${from}`, 'Public')).body).toEqual({ mark: from, more: false, changes: [] })
  })

  it.each<[string, string, Level]>([
    ['of another level', 'SELECT 1', 'Common'],
    ['from before a TRUNCATE', 'TRUNCATE event', 'Hidden'],
    ['from before another run of the script', GRADE_C, 'Hidden'],
    [
      'from before changes that are forgotten',
      'UPDATE event_mark SET complete = pg_current_xact_id()::text::bigint',
      'Hidden',
    ],
    [
      'of a server that was restored',
      "DROP TABLE event_mark; CREATE TABLE event_mark AS SELECT repeat('0', 64) AS key, 0::bigint AS complete; GRANT SELECT ON event_mark TO events_reader",
      'Hidden',
    ],
  ])('need another mark after one %s', async (_, sql, level) => {
    const own = await loadedPostgres(records, GRADE_B, GRADE_C, READER)
    const read = readerOf(own)
    const from = (await read('Hidden', CHANGES)).body.mark
    await sqlIn(own, "UPDATE observation_type SET name = name || '!'")
    await sqlIn(own, sql)
    await sqlIn(own, "UPDATE observation_type SET name = name || '!'")
    expect(await read(level, `${CHANGES}?after=${from}`)).toMatchObject({ status: 410 })
  })

  it('older than 90 days are forgotten', async () => {
    await sqlIn(
      database,
      `INSERT INTO event_change (transaction, kind, id, written) VALUES (1, 2, 1, now() - interval '91 days')`,
    )
    await sqlIn(database, 'SELECT event_fold()')
    expect(await sqlIn(database, 'SELECT count(*) AS n FROM event_change WHERE transaction = 1')).toEqual([{ n: 0 }])
    expect(await sqlIn(database, 'SELECT complete FROM event_mark')).toEqual([{ complete: 1 }])
  })

  it('are a 400 at a lower grade, which names what to run', async () => {
    const own = await loadedPostgres(records)
    expect(await readerOf(own)('Public', CHANGES)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('--grade c') },
    })
  })

  it('tell all writes of a view with keys of its own', async () => {
    const own = await loadedPostgres(
      records,
      `ALTER TABLE event RENAME TO own_event;
      CREATE VIEW event AS SELECT id * 2 + 1 AS id, event_series_id, category, value, timestamp_start, timestamp_end, geometry FROM own_event`,
      GRADE_B,
      GRADE_C,
      READER,
    )
    const follower = followerOf('Hidden', null, readerOf(own))
    await follower.begin()
    await sqlIn(
      own,
      `UPDATE own_event SET value = 'y' WHERE id = (SELECT min(id) FROM own_event); DELETE FROM own_event WHERE id = (SELECT max(id) FROM own_event)`,
    )
    await settled(own)
    const answer = await follower.poll(100)
    expect(answer?.changes.map(({ kind }) => kind)).toEqual(['event', 'gone'])
    expect(follower.data()).toEqual(await follower.whole())
  })
})
