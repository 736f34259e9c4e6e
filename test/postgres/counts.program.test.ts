import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { GRADE_C } from './grades.ts'
import { isInstalled, type PostgresDatabase, type PostgresServer, runScript, runSql, startPostgres } from './server.ts'

const TABLES = readFileSync(join(import.meta.dirname, '../../schema/postgres/tables.sql'), 'utf8')

/** Eight series, two of each level, without events. */
const SERIES = `INSERT INTO observation_type VALUES (1, 'T', 'Type');
  INSERT INTO event_series
    (id, uuid, name, description, observation_type_id, statistic, color, access_modifier, created)
  SELECT i, gen_random_uuid(), '', '', 1, 'event', '#000000', 100 * (i % 4), now() FROM generate_series(1, 8) AS i`

/** Random numbers below `limit`, from a seed. */
const randomly = (seed: number) => {
  let state = seed
  return (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * limit)
  }
}
type Random = ReturnType<typeof randomly>

/** Returns a random write. Each changes what someone sees, if it changes a row. */
const writeOf = (random: Random, ids: () => number): string => {
  const [series, other] = [1 + random(8), 1 + random(8)]
  const month = `'2020-01-31 23:30Z'::timestamptz + interval '1 day' * ${random(90)}`
  const place = () => (random(4) === 0 ? 'NULL' : `ST_SetSRID(ST_MakePoint(${random(90)}, ${random(80)}, 0), 4326)`)
  const values = () => `(${ids()}, ${1 + random(8)}, 'c${random(3)}', '', ${month}, ${month}, ${place()})`
  const columns = '(id, event_series_id, category, value, timestamp_start, timestamp_end, geometry)'
  const some = `id % 7 = ${random(7)}`
  const kinds = [
    `INSERT INTO event ${columns} VALUES ${Array.from({ length: 1 + random(9) }, values).join(', ')}`,
    `INSERT INTO event ${columns} VALUES ${values()}, ${values()}`,
    `INSERT INTO event ${columns} SELECT id, event_series_id, 'x', '', ${month}, ${month}, geometry FROM event
      WHERE event_series_id = ${series} ON CONFLICT (id) DO UPDATE SET category = 'd', value = event.value || '.'`,
    `UPDATE event SET category = 'c${random(3)}', value = value || '.' WHERE ${some}`,
    `UPDATE event SET event_series_id = ${series}
      WHERE event_series_id = ${other} AND ${series} <> ${other} AND ${some}`,
    `UPDATE event SET timestamp_start = ${month}, value = value || '.' WHERE event_series_id = ${series}`,
    `DELETE FROM event WHERE event_series_id = ${series} AND ${some}`,
    `UPDATE event_series SET access_modifier = ${100 * random(4)}, name = name || '.' WHERE id = ${series}`,
    `UPDATE observation_type SET name = name || '.' WHERE id = ${1 + random(2)}`,
    `UPDATE event SET geometry = ${place()}, value = value || '.' WHERE ${some}`,
    'DELETE FROM event WHERE id < 0',
  ]
  return kinds[random(kinds.length)] as string // one of them
}

const insert = (id: number) => `INSERT INTO event (id, event_series_id, category, value, timestamp_start, timestamp_end)
  VALUES (${id}, 3, '', '', '2020-01-01Z', now())`

/** Compares the counts to the events. Each answer is empty if the counts are exact. */
const WRONG_COUNTS = `
  WITH counted AS (
    SELECT event_series_id, category, date_trunc('month', timestamp_start, 'UTC') AS month, count(*) AS count
    FROM event GROUP BY 1, 2, 3
  )
  , summed AS (SELECT event_series_id, category, month, sum(count)::bigint AS count FROM event_count GROUP BY 1, 2, 3)
  , cells AS (
    SELECT event_series_id, floor((ST_X(geometry) + 180) / 22.5) * 16 + floor((ST_Y(geometry) + 90) / 11.25) AS cell, count(*)
    FROM event WHERE geometry IS NOT NULL GROUP BY 1, 2
  )
  , placed AS (SELECT event_series_id, cell::float8, sum(count)::bigint FROM event_cell GROUP BY 1, 2 HAVING sum(count) <> 0)
  SELECT c::text FROM ((TABLE counted EXCEPT TABLE summed) UNION ALL (SELECT * FROM summed WHERE count <> 0 EXCEPT TABLE counted)) AS c
  UNION ALL SELECT c::text FROM ((TABLE cells EXCEPT TABLE placed) UNION ALL (TABLE placed EXCEPT TABLE cells)) AS c`

/** The revision of each level, and a digest of what its callers see. */
const SEEN = `
  SELECT level, revision, mark::text, (
    SELECT md5(json_build_array(
      (SELECT json_agg(s ORDER BY id) FROM event_series s WHERE access_modifier <= level),
      (SELECT json_agg(e ORDER BY e.id) FROM event e JOIN event_series s ON s.id = event_series_id
        WHERE access_modifier <= level),
      (SELECT json_agg(t ORDER BY id) FROM observation_type t))::text)) AS digest
  FROM event_revision ORDER BY level`

describe.runIf(isInstalled())('the triggers of grade C', () => {
  let server: PostgresServer
  let database: PostgresDatabase
  beforeAll(async () => {
    server = (await startPostgres()) as PostgresServer // it is installed
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    database = await server.createDatabase([TABLES, SERIES, GRADE_C])
  })
  const read = (sql: string) => runSql(database.owner, sql)

  it('count each event, and raise the revision of a level if and only if it sees the write', async () => {
    const [random, client] = [randomly(7), new Client({ connectionString: database.owner })]
    await client.connect()
    let [last, before] = [0, await read(SEEN)]
    for (let i = 0; i < 300; i++) {
      const write = writeOf(random, () => ++last)
      await client.query(write)
      const after = (await client.query(SEEN)).rows
      expect((await client.query(WRONG_COUNTS)).rows, write).toEqual([])
      const changed = after.map(({ digest }, level) => digest !== before[level]?.digest)
      const raised = after.map(({ revision }, level) => Number(revision) !== Number(before[level]?.revision))
      expect(raised, write).toEqual(changed)
      before = after
    }
    await client.end()
    expect(last).toBeGreaterThan(100)
  })

  it('follow TRUNCATE and the removal of a series', async () => {
    await read(`INSERT INTO event (id, event_series_id, category, value, timestamp_start, timestamp_end)
      VALUES (1, 8, '', '', now(), now())`)
    await read('TRUNCATE event')
    expect(await read('SELECT FROM event_count UNION ALL SELECT FROM event_cell')).toEqual([])
    const revisions = async () =>
      (await read('SELECT revision FROM event_revision ORDER BY level')).map(({ revision }) => revision)
    expect(await revisions()).toEqual([3, 3, 3, 3])
    await read('DELETE FROM event_series WHERE id = 2')
    expect(await revisions()).toEqual([3, 3, 4, 4])
  })

  it('count in a session of a replica', async () => {
    const revision = () => read('SELECT revision FROM event_revision WHERE level = 300')
    const before = await revision()
    await read(`SET session_replication_role = replica; ${insert(1)}`)
    expect(await read(WRONG_COUNTS)).toEqual([])
    expect(await revision()).not.toEqual(before)
  })

  it.each([
    [
      'a partitioned table',
      'CREATE TABLE whole (LIKE event) PARTITION BY LIST (id); CREATE TABLE one PARTITION OF whole DEFAULT',
    ],
    [
      'a partition',
      'CREATE TABLE parts (LIKE event) PARTITION BY RANGE (id); CREATE TABLE whole PARTITION OF parts DEFAULT',
    ],
    [
      'the target of a subscription',
      `CREATE TABLE whole (LIKE event); CREATE SUBSCRIPTION of_whole CONNECTION '' PUBLICATION whole WITH (connect = false);
        INSERT INTO pg_subscription_rel SELECT oid, 'whole'::regclass, 'r' FROM pg_subscription`,
    ],
  ])('refuse %s', async (_, sql) => {
    await read(sql)
    await read('ALTER TABLE event RENAME TO other; CREATE VIEW event AS TABLE whole')
    await expect(runScript(database.owner, GRADE_C)).rejects.toThrow(
      /cannot count public\.(whole|parts): it has partitions/,
    )
    await read('DELETE FROM pg_subscription_rel')
  })

  it('let a role write that may not write the counts', async () => {
    await read('CREATE ROLE writer LOGIN; GRANT SELECT, INSERT ON event TO writer')
    const writer = database.owner.replace('//postgres@', '//writer@')
    const insert = `CREATE TEMP TABLE event_count (LIKE event); INSERT INTO event
      (id, event_series_id, category, value, timestamp_start, timestamp_end) VALUES (1, 8, '', '', now(), now())`
    await runSql(writer, insert)
    expect(await read('SELECT event_series_id, count FROM event_count')).toEqual([{ event_series_id: 8, count: 1 }])
    await expect(runSql(writer, 'DELETE FROM event_count_base')).rejects.toThrow('permission denied')
  })

  it.each(['READ COMMITTED', 'REPEATABLE READ'])('keep few rows for the writes in %s', async (level) => {
    const client = new Client({ connectionString: database.owner })
    await client.connect()
    await client.query(`SET default_transaction_isolation = '${level}'`)
    for (let id = 1; id <= 250; id++) await client.query(insert(id))
    await client.end()
    expect(await read('SELECT count(*) AS count FROM event_revision_delta')).toEqual([{ count: 51 }])
    expect(await read('SELECT revision FROM event_revision WHERE level = 300')).toEqual([{ revision: 251 }])
    expect(await read(WRONG_COUNTS)).toEqual([])
  })

  it('let writers of events pass each other, and a change of an access modifier waits for them', async () => {
    const open = async (...statements: readonly string[]) => {
      const client = new Client({ connectionString: database.owner })
      await client.connect()
      for (const text of ['SET lock_timeout = 200', ...statements]) await client.query(text)
      return client
    }
    const insert = (
      id: number,
    ) => `INSERT INTO event (id, event_series_id, category, value, timestamp_start, timestamp_end)
      VALUES (${id}, 3, '', '', '2020-01-01Z', now())`
    const show = 'UPDATE event_series SET access_modifier = access_modifier - 100 WHERE id = 3'
    const rename = "UPDATE event_series SET name = 'name' WHERE id = 3"
    const [one, two] = [await open('BEGIN', insert(1)), await open('BEGIN', insert(2), rename)]
    const old = await open('BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1')
    await expect(read(`SET lock_timeout = 200; ${show}`)).rejects.toThrow('lock timeout')
    for (const client of [one, two]) await client.query('COMMIT')
    await one.query('BEGIN')
    await one.query(show)
    await expect(two.query(insert(3))).rejects.toThrow('lock timeout')
    await one.query('COMMIT')
    await expect(old.query(insert(4))).rejects.toThrow('could not serialize access')
    for (const client of [one, two, old]) await client.end()
    expect(await read('SELECT sum(count)::int AS count FROM event_count')).toEqual([{ count: 2 }])
  })

  it('stay exact while several clients write, in each snapshot', async () => {
    let [last, writes, isDone] = [0, 0, false]
    const write = async (seed: number) => {
      const random = randomly(seed)
      const client = new Client({ connectionString: database.owner })
      await client.connect()
      for (let i = 0; i < 40; i++) {
        await client.query(`BEGIN ISOLATION LEVEL ${random(4) === 0 ? 'REPEATABLE READ' : 'READ COMMITTED'}`)
        try {
          for (let size = 1 + random(3); size > 0; size--) await client.query(writeOf(random, () => ++last))
          const isKept = random(5) > 0
          await client.query(isKept ? 'COMMIT' : 'ROLLBACK')
          if (isKept) writes += 1
        } catch (error) {
          // Transactions that write the same rows may meet, as without grade C.
          expect((error as { code: string }).code).toMatch(/^(40001|40P01)$/)
          await client.query('ROLLBACK')
        }
      }
      await client.end()
    }
    const seen = new Map<string, unknown>()
    /** Callers with one state see the same rows. */
    const look = async () => {
      for (const { level, revision, mark, digest } of await read(SEEN)) {
        const state = [level, revision, mark].join()
        if (seen.has(state)) expect(digest, state).toBe(seen.get(state))
        seen.set(state, digest)
      }
      expect(await read(WRONG_COUNTS)).toEqual([])
    }
    const watch = async () => {
      while (!isDone) await look()
    }
    const watched = Promise.all([watch(), watch()])
    await Promise.all([1, 2, 3, 4, 5, 6].map(write))
    isDone = true
    await watched
    await look()
    expect(seen.size).toBeGreaterThan(20)
    expect((await read('SELECT count(*) AS count FROM event'))[0]?.count).toBeGreaterThan(100)
    // A Hidden caller sees every write.
    const [hidden] = await read('SELECT revision FROM event_revision WHERE level = 300')
    expect(hidden?.revision).toBeGreaterThan(writes)
  })
})
