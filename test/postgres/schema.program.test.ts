import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plainSql } from '../../seed/postgres/script.ts'
import { checkedService } from '../../seed/postgres/service.ts'
import { GRADE_B, GRADE_C } from './grades.ts'
import { isInstalled, type PostgresDatabase, type PostgresServer, runScript, runSql, startPostgres } from './server.ts'

const FOLDER = join(import.meta.dirname, '../../schema/postgres')
const scriptOf = (name: string) => plainSql(readFileSync(join(FOLDER, `${name}.sql`), 'utf8'))
const DJANGO = readFileSync(join(import.meta.dirname, 'django.sql'), 'utf8')
const ROWS = `INSERT INTO events_observationtype VALUES (1, 'T', 'Type');
  INSERT INTO events_objecttype VALUES (7, 'pump');
  INSERT INTO events_eventseries VALUES (2, '1f3fd2e4-e4f6-564f-b861-9051626e9eb4', 'Name', 'Text', 'event', '#123456',
    100, '2020-01-01Z', '2021-01-01Z', 1, 2, 4, 3, '2019-01-01Z', NULL, 1);
  INSERT INTO events_event VALUES (3, 'flood', '0.4 m', '2020-01-01Z', '2021-01-01Z',
    'SRID=4326;POINT Z (1 2 3)', 9, 2, 7)`
/** The databases of tests let the role read the schema `public`. Those of owners do not. */
const NO_DEFAULTS = 'ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE SELECT ON TABLES FROM events_reader'

/** The settings of reader.sql. */
const SETTINGS = {
  client_connection_check_interval: '2s',
  default_transaction_read_only: 'on',
  idle_in_transaction_session_timeout: '1min',
  lock_timeout: '3s',
  max_parallel_workers_per_gather: '1',
  search_path: 'public, public',
  statement_timeout: '20s',
  temp_file_limit: '1GB',
  work_mem: '32MB',
}
const SETTINGS_NOW = `SELECT name, current_setting(name) AS value FROM unnest('{${Object.keys(SETTINGS)}}'::text[]) AS name`

/** Runs scripts as an owner does. Returns the notices. */
const psql = ({ owner }: PostgresDatabase, names: Readonly<Record<string, string>>, ...scripts: string[]) => {
  const variables = Object.entries({ ON_ERROR_STOP: '1', ...names }).flatMap(([name, value]) => [
    '-v',
    `${name}=${value}`,
  ])
  const files = scripts.flatMap((name) => ['-f', join(FOLDER, `${name}.sql`)])
  const { status, stderr } = spawnSync('psql', ['-X', '-q', ...variables, ...files, owner], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return stderr
}

describe.runIf(isInstalled())('the scripts of PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = (await startPostgres()) as PostgresServer // it is installed
  })
  afterAll(() => server.stop())

  it('the views over the tables of Django show their rows, and only they can be read', async () => {
    const database = await server.createDatabase([NO_DEFAULTS, DJANGO, ROWS])
    psql(database, {}, 'views-django')
    for (const grade of [GRADE_B, GRADE_C]) await runScript(database.owner, grade)
    psql(database, {}, 'reader')
    const read = (sql: string) => runSql(database.connectionString, sql)
    expect(
      await read(`SELECT id, event_series_id, category, value, object_type, object_id, ST_Z(geometry) AS z,
      timestamp_end = '2021-01-01Z' AS ends FROM event`),
    ).toEqual([
      {
        id: 3,
        event_series_id: 2,
        category: 'flood',
        value: '0.4 m',
        object_type: 'pump',
        object_id: 9,
        z: 3,
        ends: true,
      },
    ])
    expect(
      await read(`SELECT id, name, access_modifier, west, north, timestamp_start = '2020-01-01Z' AS starts
      FROM event_series`),
    ).toEqual([{ id: 2, name: 'Name', access_modifier: 100, west: 1, north: 4, starts: true }])
    expect(await read('SELECT * FROM observation_type')).toEqual([{ id: 1, code: 'T', name: 'Type' }])
    expect(await read('SELECT category, count FROM event_count')).toEqual([{ category: 'flood', count: 1 }])
    expect(await read('SELECT count(*) AS count FROM event_revision')).toEqual([{ count: 4 }])
    await expect(read('SELECT * FROM events_event')).rejects.toThrow('permission denied')
    await expect(read('SET default_transaction_read_only = off; DELETE FROM event_series')).rejects.toThrow(
      'permission denied',
    )
  })

  it('the views hide no index of the tables of Django', async () => {
    const database = await server.createDatabase([DJANGO, ROWS, scriptOf('views-django'), scriptOf('reader')])
    await runScript(database.owner, GRADE_B)
    const planOf = async (where: string) =>
      JSON.stringify(
        await runSql(
          database.connectionString,
          `SET enable_seqscan = off; EXPLAIN SELECT id FROM event WHERE ${where}`,
        ),
      )
    expect(await planOf("category = 'flood'")).toContain('events_event_category_idx')
    expect(await planOf("timestamp_start > '2020-01-01Z'")).not.toContain('Seq Scan')
    expect(await planOf('ST_ContainsProperly(ST_MakeEnvelope(0, 0, 9, 9, 4326), geometry)')).toContain(
      'events_event_geometry_idx',
    )
    expect(await planOf("object_type = 'pump' AND object_id = 9")).toContain('events_event_object_')
    expect(await planOf("timestamp_end - timestamp_start = interval '1 day'")).toContain(
      'events_event_expr_timestamp_end_timestamp_start_idx',
    )
    expect(await planOf('id = 3')).not.toContain('events_objecttype')
  })

  it('the views over the simplest table show its rows and a column of its own', async () => {
    const places = `
      CREATE TABLE places (id int PRIMARY KEY, time timestamptz, geom geometry(Point, 4326), name text, depth int);
      INSERT INTO places VALUES (1, '2020-01-01Z', 'SRID=4326;POINT (5 52)', 'well', 7)`
    const views = scriptOf('views-simple')
      .replace('-- , p.depth', ', p.depth')
      .replace('-- COMMENT ON COLUMN', 'COMMENT ON COLUMN')
    const database = await server.createDatabase([NO_DEFAULTS, places, views, scriptOf('reader')])
    const { connectionString } = database
    const sql =
      'SELECT e.id, value, depth, ST_X(geometry) AS x FROM event e JOIN event_series s ON s.id = event_series_id'
    expect(await runSql(connectionString, sql)).toEqual([{ id: 1, value: 'well', depth: 7, x: 5 }])
    const title = "SELECT col_description('event'::regclass, 8) AS title"
    expect(await runSql(connectionString, title)).toEqual([{ title: 'Depth (m)' }])
    expect(await runSql(connectionString, 'SELECT name FROM event_series')).toEqual([{ name: 'Places' }])
  })

  it('a role of another name has the limits of reader.sql', async () => {
    const database = await server.createDatabase([NO_DEFAULTS, scriptOf('tables')])
    psql(database, { role: 'second reader' }, 'reader', 'reader')
    const reader = database.owner.replace('postgres@', 'second%20reader@')
    const settings = (await runSql(reader, SETTINGS_NOW)).map(({ name, value }) => [name, value])
    expect(Object.fromEntries(settings)).toEqual(SETTINGS)
    expect(await runSql(reader, 'SELECT count(*) AS count FROM event')).toEqual([{ count: 0 }])
    const limit = "SELECT rolconnlimit AS most FROM pg_roles WHERE rolname = 'second reader'"
    expect(await runSql(database.owner, limit)).toEqual([{ most: 40 }])
    await runSql(database.owner, 'ALTER ROLE "second reader" CONNECTION LIMIT 9')
    psql(database, { role: 'second reader' }, 'reader')
    expect(await runSql(database.owner, limit)).toEqual([{ most: 9 }])
  })

  it('a role that is no superuser makes the reader, and a notice names the settings that it may not make', async () => {
    const database = await server.createDatabase([NO_DEFAULTS, scriptOf('tables')])
    await runSql(
      database.owner,
      'CREATE ROLE maker LOGIN CREATEROLE; ALTER SCHEMA public OWNER TO maker; ALTER TABLE event OWNER TO maker',
    )
    for (const table of ['event_series', 'observation_type'])
      await runSql(database.owner, `ALTER TABLE ${table} OWNER TO maker`)
    const notices = psql(
      { ...database, owner: database.owner.replace('postgres@', 'maker@') },
      { role: 'made' },
      'reader',
    )
    expect(notices.match(/NOTICE: .*/g)).toEqual([
      'NOTICE:  made has no temp_file_limit of 1GB: permission denied to set parameter "temp_file_limit". A superuser can run reader.sql again, or set it for the whole server.',
    ])
    const settings = (await runSql(database.owner.replace('postgres@', 'made@'), SETTINGS_NOW)).map(
      ({ name, value }) => [name, value],
    )
    expect(Object.fromEntries(settings)).toEqual({ ...SETTINGS, temp_file_limit: '-1' })
  })

  it('PostGIS may have a schema of its own', async () => {
    const places = `DROP EXTENSION postgis; CREATE SCHEMA extensions; CREATE EXTENSION postgis SCHEMA extensions;
      CREATE TABLE places (id bigint PRIMARY KEY, time timestamptz, geom extensions.geometry(Point, 4326), name text);
      INSERT INTO places VALUES (1, '2020-01-01Z', extensions.ST_SetSRID(extensions.ST_MakePoint(5, 52), 4326), 'a')`
    const database = await server.createDatabase([NO_DEFAULTS, places])
    psql(database, {}, 'views-simple')
    await runSql(database.owner, 'GRANT USAGE ON SCHEMA events_api TO events_reader')
    await runSql(database.owner, 'GRANT SELECT ON ALL TABLES IN SCHEMA events_api TO events_reader')
    const service = () => checkedService(`${database.connectionString}?sslmode=disable`)
    await runSql(
      database.owner,
      `DO $$ BEGIN
      EXECUTE format('ALTER ROLE events_reader IN DATABASE %I SET search_path = events_api, public', current_database());
    END $$`,
    )
    await expect(service()).rejects.toThrow(
      'The column geometry of the view event is extensions.geometry(Point,4326). The role does not search the schema extensions of this type: run reader.sql, which adds it to the search_path.',
    )
    psql(database, {}, 'reader')
    expect(await service()).toMatchObject({ advice: expect.any(Array) })
    expect(await runSql(database.connectionString, 'SELECT ST_X(geometry) AS x FROM event')).toEqual([{ x: 5 }])
  })

  it('the scripts make our own tables, and run again without a change', async () => {
    const database = await server.createDatabase([NO_DEFAULTS])
    for (let run = 0; run < 2; run++) {
      psql(database, {}, 'tables')
      for (const grade of [GRADE_B, GRADE_C]) await runScript(database.owner, grade)
      psql(database, {}, 'reader')
    }
    expect(await runSql(database.connectionString, 'SELECT DISTINCT revision FROM event_revision')).toEqual([
      { revision: 2 },
    ])
  })
})
