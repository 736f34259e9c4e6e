import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { beforeAll, describe, expect, it } from 'vitest'
import { OTHER_COUNTS } from '../../src/engine/postgres/check.ts'
import postgres from '../../src/postgres.ts'
import { foundation, makeEvents } from '../engine/world.ts'
import { withKey } from '../service.ts'
import { hasPostgres, type PostgresDatabase, sqlIn } from './database.ts'
import { GRADE_B, GRADE_C } from './grades.ts'
import { loadedPostgres } from './loaded.ts'
import { READER } from './rows.ts'

const EVENTS = '/api/v3/events/'
const records = [...foundation, ...makeEvents(300, 20_261_128, 2000)]
const GRADES = [GRADE_B, GRADE_C, READER]

/** Asks the service on a database of PostgreSQL. Without STATE_SECONDS, each request reads the state. */
const ask = async (binding: PostgresDatabase, path: string, headers: Record<string, string> = {}, vars = {}) => {
  const context = createExecutionContext()
  const env = { HYPERDRIVE: binding, STATE_SECONDS: '0', ...vars } as never // the database is its only binding
  const response = await postgres.fetch(new Request(`http://localhost:8787${path}`, { headers }), env, context)
  const text = await response.text()
  await waitOnExecutionContext(context)
  return { status: response.status, headers: response.headers, text }
}

const tagOf = async (binding: PostgresDatabase, path = EVENTS) => (await ask(binding, path)).headers.get('ETag') ?? ''

const change = (binding: PostgresDatabase, series: number) =>
  sqlIn(binding, `UPDATE event SET value = value || '!' WHERE event_series_id = ${series}`)

const [LARGE, HIDDEN] = [1, 6]

describe.runIf(hasPostgres).each<[string, readonly string[]]>([
  ['tables alone', []],
  ['revisions and counts', GRADES],
])('with %s', (_, sql) => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await loadedPostgres(records, ...sql)
  })

  it('an answer that the client has is a 304 until its data changes', async () => {
    const tag = await tagOf(database)
    expect(tag).not.toBe('')
    expect(await ask(database, EVENTS, { 'If-None-Match': tag })).toMatchObject({ status: 304, text: '' })
    await change(database, LARGE)
    const changed = await ask(database, EVENTS, { 'If-None-Match': tag })
    expect(changed.status).toBe(200)
    expect(changed.headers.get('ETag')).not.toBe(tag)
  })

  it('a hidden write changes no public tag', async () => {
    const tag = await tagOf(database)
    await change(database, HIDDEN)
    expect(await tagOf(database)).toBe(tag)
  })

  it('an item has a tag of its own', async () => {
    const { results } = JSON.parse((await ask(database, EVENTS)).text)
    const path = `${EVENTS}${results[0].id}/`
    const tag = await tagOf(database, path)
    expect(await ask(database, path, { 'If-None-Match': tag })).toMatchObject({ status: 304 })
  })

  it('each page of a walk has the count of the whole', async () => {
    const ids: number[] = []
    const counts = new Set<number>()
    for (let path = `${EVENTS}?page_size=17&ordering=-timestamp_start`; path !== ''; ) {
      const { count, next, results } = JSON.parse((await ask(database, path)).text)
      counts.add(count)
      ids.push(...results.map(({ id }: { id: number }) => id))
      path = next === null ? '' : next.replace('http://localhost:8787', '')
    }
    expect(ids.length).toBeGreaterThan(17)
    expect([...counts]).toEqual([ids.length])
    expect(new Set(ids).size).toBe(ids.length)
  })

  it.each(['', 'category=flood', 'category__icontains=LOOD', 'category__regex=^f', 'event_series=10', 'id__gt=50'])(
    'the count of %s is the number of its events at each level',
    async (query) => {
      for (const key of ['common', 'private', 'hidden'] as const) {
        const { headers, vars } = await withKey(key)
        const { text } = await ask(database, `${EVENTS}?page_size=10000&${query}`, headers as never, vars)
        const { count, results } = JSON.parse(text)
        expect(count).toBe(results.length)
      }
    },
  )
})

const VIEW_BELOW = `ALTER TABLE event RENAME TO own_event; CREATE VIEW below AS TABLE own_event;
  CREATE VIEW event AS TABLE below`

/** What an owner does without a write, and a text of SQL before it. */
const CHANGES: readonly [title: string, change: string, before?: string][] = [
  [
    'a view that takes the place of the table',
    `ALTER TABLE event RENAME TO own_event; CREATE VIEW event AS SELECT * FROM own_event WHERE id > 9`,
  ],
  ['another definition of a view', `CREATE OR REPLACE VIEW event AS SELECT * FROM below WHERE id > 9`, VIEW_BELOW],
  [
    'another definition of a view below it',
    `CREATE OR REPLACE VIEW below AS SELECT * FROM own_event WHERE id > 9`,
    VIEW_BELOW,
  ],
  [
    'another table with the same name',
    'CREATE TABLE other (LIKE event); ALTER TABLE event RENAME TO old; ALTER TABLE other RENAME TO event',
  ],
  ['another type of a column', 'ALTER TABLE event ALTER value TYPE text USING upper(value)'],
  ['another title of a column', "COMMENT ON COLUMN event.id IS 'Number'"],
]

describe.runIf(hasPostgres)('at grade C, a state is what the views show', () => {
  it.each(CHANGES)('%s', async (_, sql, before = 'SELECT 1') => {
    const database = await loadedPostgres(records, before, ...GRADES)
    const tag = await tagOf(database)
    expect(tag).not.toBe('')
    await sqlIn(database, 'VACUUM')
    await sqlIn(database, 'ANALYZE; REINDEX TABLE pg_class')
    expect(await ask(database, EVENTS, { 'If-None-Match': tag })).toMatchObject({ status: 304 })
    await sqlIn(database, sql)
    for (const worker of [database, { ...database }]) {
      const answer = await ask(worker, EVENTS, { 'If-None-Match': tag })
      expect(answer).toMatchObject({ status: 200 })
      expect(answer.headers.get('ETag')).not.toBe(tag)
    }
  })

  it('an isolate that knows the views finds their new columns at once', async () => {
    const database = await loadedPostgres(records, VIEW_BELOW, ...GRADES)
    const path = '/api/v4/events/?page_size=1'
    const before = await tagOf(database, path)
    await sqlIn(database, 'CREATE OR REPLACE VIEW event AS SELECT *, 7 AS depth FROM below')
    const answer = await ask(database, path)
    expect(answer.text).toContain('"depth":7')
    expect(answer.headers.get('ETag')).not.toBe(before)
  })

  it('counts that follow another table are not used', async () => {
    const database = await loadedPostgres(records, VIEW_BELOW, ...GRADES)
    const counted = async () => JSON.parse((await ask(database, EVENTS)).text).count
    const operator = { SHOW_COST: 'true' }
    const ready = async () => JSON.parse((await ask(database, '/readyz', {}, operator)).text)
    const before = await counted()
    expect(await ready()).toMatchObject({ grade: 'C', tables: ['event_series', 'observation_type', 'own_event'] })
    const few = `CREATE TABLE few (LIKE own_event INCLUDING ALL);
      INSERT INTO few SELECT * FROM own_event WHERE event_series_id = 1 ORDER BY id LIMIT 20`
    await sqlIn(database, `${few}; CREATE OR REPLACE VIEW below AS TABLE few`)
    expect([before > 20, await counted()]).toEqual([true, 20])
    expect(await ready()).toMatchObject({
      grade: 'B',
      tables: ['event_series', 'few', 'observation_type'],
      advice: expect.arrayContaining([OTHER_COUNTS]),
    })
    await sqlIn(database, 'DELETE FROM few WHERE id = (SELECT min(id) FROM few)')
    expect(await counted()).toBe(19)
    await sqlIn(database, GRADE_C)
    await sqlIn(database, 'TRUNCATE own_event')
    expect(await counted()).toBe(19)
    expect(await ready()).toMatchObject({ grade: 'C' })
  })

  it('counts of another version of the service are not used', async () => {
    const database = await loadedPostgres(records, ...GRADES)
    const asked = async () => JSON.parse((await ask(database, EVENTS)).text).count
    const ready = async () => JSON.parse((await ask(database, '/readyz', {}, { SHOW_COST: 'true' })).text)
    const before = await asked()
    expect(await ready()).toMatchObject({ grade: 'C' })
    await sqlIn(
      database,
      `DO $$ BEGIN
        EXECUTE format('COMMENT ON VIEW event_revision IS %L', split_part(obj_description('event_revision'::regclass), ' ', 2));
      END $$; UPDATE event_count_base SET count = count + 7`,
    )
    expect(await ready()).toMatchObject({ grade: 'B', advice: [OTHER_COUNTS] })
    expect(await asked()).toBe(before)
    await sqlIn(database, GRADE_C)
    expect([await ready(), await asked()]).toMatchObject([{ grade: 'C' }, before])
  })

  it.each([
    ['that leaves out rows', 'SELECT * FROM own_event WHERE id % 2 = 0'],
    [
      'with another category',
      `SELECT id, event_series_id, 'x' AS category, value, timestamp_start, timestamp_end, geometry FROM own_event`,
    ],
  ])('counts are not used for a view of the same table %s', async (_, definition) => {
    const database = await loadedPostgres(records, VIEW_BELOW, ...GRADES)
    const told = async () => {
      const answers = [await ask(database, EVENTS), await ask(database, `${EVENTS}?category=x`)]
      return answers.map(({ text }) => JSON.parse(text).count)
    }
    const counted = `SELECT count(*) AS all, count(*) FILTER (WHERE category = 'x') AS x
      FROM event JOIN event_series s ON s.id = event_series_id WHERE access_modifier = 0`
    const before = await told()
    await sqlIn(
      database,
      `DROP VIEW event, below; CREATE VIEW event AS ${definition}; GRANT SELECT ON event TO events_reader`,
    )
    const [row] = await sqlIn(database, counted)
    expect(await told()).toEqual([row?.all, row?.x])
    expect(await told()).not.toEqual(before)
  })
})

describe.runIf(hasPostgres)('a write of a service on PostgreSQL', () => {
  it.each([
    ['POST', EVENTS],
    ['PATCH', `${EVENTS}1/`],
    ['DELETE', `${EVENTS}1/`],
    ['POST', '/ogc/collections/events/items'],
  ])('%s %s is a 405 that says why', async (method, path) => {
    const database = await loadedPostgres(foundation)
    const headers = { 'Content-Type': 'application/json' }
    const request = new Request(`http://localhost:8787${path}`, {
      method,
      headers,
      body: method === 'DELETE' ? null : '{}',
    })
    const response = await postgres.fetch(request, { HYPERDRIVE: database } as never, createExecutionContext())
    expect([response.status, await response.text()]).toEqual([405, expect.stringContaining('only reads its database')])
    expect(response.headers.get('Allow')).not.toMatch(/PUT|PATCH|DELETE/)
  })
})
