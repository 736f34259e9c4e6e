import { Client } from 'pg'
import { CloudflareSocket } from 'pg-cloudflare'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { freshPostgres, type PostgresDatabase, sqlIn } from './database.ts'
import {
  type Binding,
  databaseAt,
  inEachRuntime,
  PATIENT,
  proxied,
  type RUNTIMES,
  restart,
  SHORT,
  SLOW,
  send,
  signal,
  startServer,
  stopServer,
  told as toldIn,
  until,
  untilAsleep,
  untilGone as untilGoneIn,
} from './faulty.ts'
import { rowsOf, SLOW_VIEW, TABLES } from './rows.ts'

const PAGE = '/api/v4/events/?page_size=2'
const fault = (detail: string) => ({ status: 503, retry: '5', body: { detail } })
const NO_ANSWER = fault('The database does not answer at the moment. Try again in a few seconds.')
const TOO_MANY = fault('The database has too many connections. Try again in a few seconds.')
const LOCKED = fault('A change of the tables is running. Try again in a few seconds.')
const NOT_COMPUTED = fault(
  'The views of the database cannot compute a value. Its operator can see in the log, and perhaps at /readyz, what is wrong.',
)
const NOT_SUPPORTED = fault(
  'The database does not support the query of this request. Leave out a filter, an order or a facet. Its operator can see in the log what it does not support.',
)
const TOO_SLOW = fault(
  'The database takes too long for this request. Add a filter, such as a period or a series. Its operator can make it faster, as docs/postgres.md says.',
)
const SERVES = { status: 200, retry: null, body: expect.objectContaining({ count: 9 }) }

/** Changes a setting of the role, as reader.sql does. */
const setting = (name: string, value: number) => `DO $$ BEGIN
  EXECUTE format('ALTER ROLE events_reader IN DATABASE %I SET ${name} = ${value}', current_database());
END $$`

const timed = async <T>(promise: Promise<T>): Promise<[T, number]> => {
  const start = performance.now()
  return [await promise, performance.now() - start]
}

/** Asks the service of a runtime. */
const inRuntime = (runtime: (typeof RUNTIMES)[number]) => ({
  /** The service has started, but has not read the database. */
  begun: (binding: Binding) => send(binding, '/healthz', { runtime }),
  told: (binding: Binding, path: string, deadlines = SHORT) => toldIn(binding, path, { runtime, deadlines }),
  untilGone: (database: PostgresDatabase) => untilGoneIn(database, runtime),
})

inEachRuntime('a fault of the server, in %s', (runtime) => {
  const { begun, told, untilGone } = inRuntime(runtime)
  let database: PostgresDatabase
  const log = vi.spyOn(console, 'error')
  beforeAll(async () => {
    database = await freshPostgres(TABLES, rowsOf(9), SLOW_VIEW)
  })
  beforeEach(() => {
    log.mockReset()
  })
  afterEach(async () => {
    await sqlIn(database, 'UPDATE slowness SET of_rows = 0, of_value = 0')
    expect(await told(database, PAGE)).toEqual(SERVES)
    await untilGone(database)
  })
  const slow = (seconds: number) => sqlIn(database, `UPDATE slowness SET of_rows = ${seconds}`)

  it('silence of the server ends at the deadline of the connection', async () => {
    const proxy = await proxied(database)
    await begun(proxy)
    await proxy.pass({ bytes: 0, end: 'silence' })
    const [answer, milliseconds] = await timed(told(proxy, PAGE, SLOW))
    expect(answer).toEqual(NO_ANSWER)
    expect(milliseconds).toBeGreaterThan(SLOW.connect - 50)
    expect(milliseconds).toBeLessThan(SLOW.request)
    if (runtime === 'workerd') await until(async () => (await proxy.clients()) === 0)
    await proxy.pass(null)
    expect(await told(proxy, PAGE)).toEqual(SERVES)
  })

  it.each([false, true])(
    'silence within a statement ends a little later than it may take (known views: %s)',
    async (isKnown) => {
      const proxy = await proxied(database)
      await begun(proxy)
      if (isKnown) expect(await told(proxy, PAGE)).toEqual(SERVES)
      await slow(30)
      const asked = timed(told(proxy, PAGE))
      await untilAsleep(database)
      await proxy.pass({ bytes: 0, end: 'silence' })
      const [answer, milliseconds] = await asked
      expect(answer).toEqual(NO_ANSWER)
      expect(milliseconds).toBeGreaterThan(SHORT.request + SHORT.grace - 50)
      if (runtime === 'workerd') await until(async () => (await proxy.clients()) === 0)
      await untilGone(database)
      await slow(0)
      await proxy.pass(null)
      expect(await told(proxy, PAGE)).toEqual(SERVES)
    },
  )

  it('a statement that is too slow ends by the server, with advice', async () => {
    await slow(30)
    expect(await told(database, PAGE, PATIENT)).toEqual(TOO_SLOW)
    if (runtime === 'workerd') expect(log.mock.calls.flat().join()).toContain('57014')
  })

  it('a request has one deadline for all its statements', async () => {
    await slow(0.9) // the page reads the events twice, and the count once
    expect(await told(database, PAGE, PATIENT)).toEqual(TOO_SLOW)
  })

  it('a lock on the events ends in time, also during the check of the views', async () => {
    const client = new Client({ connectionString: database.owner, stream: () => new CloudflareSocket(false) })
    client.on('error', () => {})
    await client.connect()
    await client.query('BEGIN')
    await client.query('LOCK TABLE stored_event')
    expect(await told({ ...database }, PAGE)).toEqual(TOO_SLOW)
    await untilGone(database)
    await client.end()
  })

  it('a lock that reader.sql does not let it wait for', async () => {
    const other = await freshPostgres(TABLES, rowsOf(9), setting('lock_timeout', 100))
    const client = new Client({ connectionString: other.owner, stream: () => new CloudflareSocket(false) })
    client.on('error', () => {})
    await client.connect()
    expect(await told(other, PAGE)).toEqual(SERVES)
    await client.query('BEGIN')
    await client.query('LOCK TABLE event')
    expect(await told(other, PAGE)).toEqual(LOCKED)
    await client.end()
    expect(await told(other, PAGE)).toEqual(SERVES)
  })

  it('a statement that needs more room than its role has', async () => {
    const view = `ALTER TABLE event RENAME TO own_event; CREATE VIEW event AS SELECT own_event.* FROM own_event,
      (SELECT count(*) FROM (SELECT FROM generate_series(1, 100000) AS i ORDER BY md5(i::text) OFFSET 0) AS x) AS y`
    const limits = [setting('work_mem', 64), setting('temp_file_limit', 64)]
    expect(await told(await freshPostgres(TABLES, rowsOf(9), view, ...limits), PAGE)).toEqual(TOO_SLOW)
    if (runtime === 'workerd') expect(log.mock.calls.flat().join()).toContain('53400')
  })

  it('a value that a view cannot compute', async () => {
    const view = `ALTER TABLE event RENAME TO own_event;
      CREATE VIEW event AS SELECT id, event_series_id, category, (10 / (id - 7))::text AS value, timestamp_start,
        timestamp_end, geometry FROM own_event`
    const other = await freshPostgres(TABLES, rowsOf(9), view)
    expect(await told(other, PAGE)).toEqual(SERVES)
    expect(await told(other, `${PAGE}&page=4`)).toEqual(NOT_COMPUTED)
    if (runtime === 'workerd') expect(log.mock.calls.flat().join()).toContain('division by zero')
  })

  it('a query that the server does not support', async () => {
    const view = `ALTER TABLE event RENAME TO own_event;
      CREATE FUNCTION supported(id bigint) RETURNS text LANGUAGE plpgsql STABLE AS $$ BEGIN
        IF id = 7 THEN RAISE 'complex joins are not supported' USING ERRCODE = 'feature_not_supported'; END IF;
        RETURN 'value'; END $$;
      CREATE VIEW event AS SELECT id, event_series_id, category, supported(id) AS value, timestamp_start,
        timestamp_end, geometry FROM own_event`
    const other = await freshPostgres(TABLES, rowsOf(9), view)
    expect(await told(other, PAGE)).toEqual(SERVES)
    expect(await told(other, `${PAGE}&page=4`)).toEqual(NOT_SUPPORTED)
    if (runtime === 'workerd') expect(log.mock.calls.flat().join()).toContain('complex joins are not supported')
  })

  it('too many connections', async () => {
    const [{ name }] = (await sqlIn(database, 'SELECT current_database() AS name')) as [{ name: string }]
    await sqlIn(database, `ALTER DATABASE ${name} CONNECTION LIMIT 0`)
    expect(await told({ ...database }, PAGE)).toEqual(TOO_MANY)
    await sqlIn(database, `ALTER DATABASE ${name} CONNECTION LIMIT -1`)
  })

  it('a backend that is terminated within a statement', async () => {
    await slow(30)
    const asked = told(database, PAGE)
    await untilAsleep(database)
    await sqlIn(
      database,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE usename = 'events_reader' AND datname = current_database()`,
    )
    expect(await asked).toEqual(NO_ANSWER)
  })

  it('a connection that breaks after any number of bytes', async () => {
    const proxy = await proxied(database)
    const answers = []
    for (const bytes of [0, 1, 20, 200, 400, 600, 800, 1200, 2000, 4000, 8000]) {
      await proxy.pass({ bytes, end: 'cut' })
      answers.push(await told({ ...proxy }, PAGE))
    }
    expect(answers.length).toBeGreaterThan(answers.filter(({ status }) => status === 200).length)
    for (const answer of answers) expect([NO_ANSWER, SERVES]).toContainEqual(answer)
    if (runtime === 'workerd') expect(await proxy.clients()).toBe(0)
  })

  it('a password is neither in the answer nor in the log', async () => {
    const secret = database.connectionString.replace('events_reader@', 'events_reader:s3cret@')
    for (const connectionString of [secret.replace('/test_', '/none_'), secret.replace('events_reader:', 'nobody:')])
      expect(await told({ connectionString }, PAGE)).toEqual(NO_ANSWER)
    const logged = log.mock.calls.flat().map(String).join()
    if (runtime === 'workerd') expect(logged).toContain('postgres: given up')
    expect(logged).not.toContain('s3cret')
  })
})

inEachRuntime('a restart of the server, in %s', (runtime) => {
  const { told } = inRuntime(runtime)
  let port: number
  let database: PostgresDatabase
  vi.spyOn(console, 'error')
  beforeAll(async () => {
    port = await startServer()
    database = await databaseAt(port, TABLES, rowsOf(9))
    return () => stopServer(port)
  })

  // A pool keeps its connections, so the server would wait for them.
  it.runIf(runtime === 'workerd')(
    'is a 503 while it shuts down, while it is away, and until it has started',
    async () => {
      expect(await told(database, PAGE)).toEqual(SERVES)
      const client = new Client({ connectionString: database.owner, stream: () => new CloudflareSocket(false) })
      client.on('error', () => {})
      await client.connect()
      await signal(port, 'TERM')
      await until(async () => (await told(database, PAGE)).status === 503)
      expect(await told(database, PAGE)).toEqual(NO_ANSWER)
      await client.end()
      await signal(port, 'INT')
      const back = restart(port)
      let answer = await told(database, PAGE)
      for (; answer.status !== 200; answer = await told(database, PAGE)) expect(answer).toEqual(NO_ANSWER)
      await back
      expect(await told(database, PAGE)).toEqual(SERVES)
    },
  )

  it('ends a statement', async () => {
    await signal(port, 'INT')
    await until(async () => (await told(database, PAGE)).status === 503)
    expect(await told(database, PAGE)).toEqual(NO_ANSWER)
    await restart(port)
    expect(await told(database, PAGE)).toEqual(SERVES)
  })
})
