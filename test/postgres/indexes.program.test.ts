import { execFileSync, spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkDatabase } from '../../seed/postgres/service.ts'
import { OTHER_COUNTS } from '../../src/engine/postgres/check.ts'
import { GRADE_B, GRADE_C } from './grades.ts'
import { isInstalled, type PostgresDatabase, type PostgresServer, runScript, runSql, startPostgres } from './server.ts'

/** Writes the three views of an owner. */
const viewsOf = (event: string, series = `SELECT 1::bigint AS id, gen_random_uuid() AS uuid, 'Name' AS name`) => `
  CREATE SCHEMA events_api;
  CREATE VIEW events_api.observation_type AS SELECT 1::bigint AS id, 'type' AS code, 'Type' AS name;
  CREATE VIEW events_api.event_series AS SELECT *, '' AS description, 1::bigint AS observation_type_id,
    'event' AS statistic, '#3366cc' AS color, '2026-01-01Z'::timestamptz AS created FROM (${series}) AS s;
  CREATE VIEW events_api.event AS ${event};
  GRANT USAGE ON SCHEMA events_api TO events_reader;
  GRANT SELECT ON ALL TABLES IN SCHEMA events_api TO events_reader;
  DO $$ BEGIN
    EXECUTE format('ALTER ROLE events_reader IN DATABASE %I SET search_path = events_api, public', current_database());
  END $$`

/** A register in RD, with times without a zone, open ends and names in mixed case. */
const REGISTER = `
  CREATE TABLE "Meldingen" ("Nr" int PRIMARY KEY, "Begin" timestamp NOT NULL, eind timestamp, rd geometry(Point, 28992),
    soort varchar(60));
  INSERT INTO "Meldingen" SELECT i, '2020-01-01'::timestamp + i * interval '1 day',
    CASE WHEN i % 2 = 0 THEN '2024-01-01'::timestamp END, ST_SetSRID(ST_MakePoint(120000 + i, 480000), 28992), 's' || i % 3
  FROM generate_series(1, 500) AS i;
  ${viewsOf(`SELECT p."Nr" AS id, 1::bigint AS event_series_id, coalesce(p.soort, 'Jan''s (p.soort)') AS category,
    'p."Nr"' AS value, p."Begin" AT TIME ZONE 'Europe/Amsterdam' AS timestamp_start,
    coalesce(p.eind, p."Begin") AT TIME ZONE 'Europe/Amsterdam' AS timestamp_end,
    ST_Transform(p.rd, 4326)::geometry(Point, 4326) AS geometry FROM "Meldingen" p`)}`
const registerOf = (from: string) => REGISTER.replace('FROM "Meldingen" p', from)
const [BEGIN, END] = [
  `("Begin" AT TIME ZONE 'Europe/Amsterdam'::text)`,
  `(COALESCE(eind, "Begin") AT TIME ZONE 'Europe/Amsterdam'::text)`,
]

/** A table with partitions beside a table of places. The view has three tables. */
const ALARMS = `
  CREATE TABLE regions (code text PRIMARY KEY, kind text);
  CREATE TABLE locations (loc_id int PRIMARY KEY, region text REFERENCES regions, geom geometry(Point, 4326));
  CREATE TABLE alarms (alarm_id bigint, ts timestamptz(3) NOT NULL, sensor_id bigint, loc_id int, PRIMARY KEY (alarm_id, ts))
    PARTITION BY RANGE (ts);
  CREATE TABLE alarms_1 PARTITION OF alarms FOR VALUES FROM ('2020-01-01Z') TO ('2021-01-01Z');
  CREATE TABLE alarms_2 PARTITION OF alarms DEFAULT;
  INSERT INTO regions SELECT 'r' || i, 'k' || i FROM generate_series(0, 9) AS i;
  INSERT INTO locations SELECT i, 'r' || i % 10, ST_SetSRID(ST_MakePoint(i % 50, i % 80), 4326) FROM generate_series(1, 200) AS i;
  INSERT INTO alarms SELECT i, '2020-12-20Z'::timestamptz + i * interval '1 hour', 1 + i % 2, 1 + i % 200
  FROM generate_series(1, 1000) AS i;
  ${viewsOf(
    `SELECT a.alarm_id AS id, a.sensor_id AS event_series_id, r.kind AS category, '' AS value, a.ts AS timestamp_start,
      a.ts AS timestamp_end, l.geom AS geometry
    FROM alarms a LEFT JOIN locations l USING (loc_id) LEFT JOIN regions r ON r.code = l.region`,
    `SELECT i::bigint AS id, md5(i::text)::uuid AS uuid, 'Sensor ' || i AS name FROM generate_series(1, 2) AS i`,
  )}`

/** Keys that are uuids, and coordinates in two columns. */
const AUDIT = `
  CREATE TABLE audit (id uuid PRIMARY KEY, at timestamptz NOT NULL, lat float8, lon float8, action text NOT NULL);
  INSERT INTO audit SELECT md5(i::text)::uuid, '2020-01-01Z'::timestamptz + i * interval '1 s', 50, i % 90, 'a' || i % 4
  FROM generate_series(1, 500) AS i;
  ${viewsOf(`SELECT ('x' || left(md5(id::text), 13))::bit(52)::bigint AS id, 1::bigint AS event_series_id, action AS category,
    '' AS value, at AS timestamp_start, at AS timestamp_end,
    ST_SetSRID(ST_MakePoint(lon, lat), 4326)::geometry(Point, 4326) AS geometry FROM audit`)}`
const NUMBER = `(((('x'::text || "left"(md5((id)::text), 13)))::bit(52))::bigint)`

/** Two tables in one view. */
const BOTH = `
  CREATE TABLE works (id int PRIMARY KEY, at timestamptz NOT NULL, geom geometry(Point, 4326));
  CREATE TABLE breaks (LIKE works INCLUDING ALL);
  INSERT INTO works SELECT i, '2020-01-01Z'::timestamptz + i * interval '1 s', ST_SetSRID(ST_MakePoint(i % 90, 50), 4326)
  FROM generate_series(1, 500) AS i;
  INSERT INTO breaks TABLE works;
  ${viewsOf(
    `SELECT id::bigint * 2 AS id, 1::bigint AS event_series_id, '' AS category, '' AS value, at AS timestamp_start,
      at AS timestamp_end, geom AS geometry FROM works
    UNION ALL SELECT id::bigint * 2 + 1, 2::bigint, '', '', at, at, geom FROM breaks`,
    `SELECT i::bigint AS id, md5(i::text)::uuid AS uuid, 'Table ' || i AS name FROM generate_series(1, 2) AS i`,
  )}`

const gist = (table: string, key: string) => `CREATE INDEX ON ${table} USING gist (${key});`
const btree = (table: string, ...keys: string[]) => `CREATE INDEX ON ${table} USING btree (${keys.join(', ')});`

/** The databases of owners, and the indexes of their views. */
const OWNERS: readonly [title: string, sql: string, indexes: readonly string[]][] = [
  [
    'expressions',
    REGISTER,
    [
      gist('public."Meldingen"', '((public.st_transform(rd, 4326))::public.geometry(Point,4326))'),
      btree('public."Meldingen"', BEGIN, END),
      btree('public."Meldingen"', BEGIN, '"Nr"'),
      btree('public."Meldingen"', END, '"Nr"'),
      btree('public."Meldingen"', `(COALESCE(soort, 'Jan''s (p.soort)'::character varying))`),
      btree('public."Meldingen"', `((${END.slice(1, -1)}) - (${BEGIN.slice(1, -1)}))`, END, BEGIN),
    ],
  ],
  [
    'joins and partitions',
    ALARMS,
    [
      gist('public.locations', 'geom'),
      btree('public.locations', 'region'),
      btree('public.alarms', 'loc_id'),
      btree('public.alarms', 'ts', 'alarm_id', 'sensor_id'),
      btree('public.alarms', 'sensor_id', 'ts'),
      btree('public.regions', 'kind'),
    ],
  ],
  [
    'a number from a uuid, and a place from two columns',
    AUDIT,
    [
      gist('public.audit', '((public.st_setsrid(public.st_makepoint(lon, lat), 4326))::public.geometry(Point,4326))'),
      btree('public.audit', NUMBER),
      btree('public.audit', 'at', NUMBER),
      btree('public.audit', 'action'),
    ],
  ],
  [
    'two tables',
    BOTH,
    [
      gist('public.works', 'geom'),
      btree('public.works', '((id)::bigint * 2)'),
      btree('public.works', 'at', '((id)::bigint * 2)'),
      gist('public.breaks', 'geom'),
      btree('public.breaks', '(((id)::bigint * 2) + 1)'),
      btree('public.breaks', 'at', '(((id)::bigint * 2) + 1)'),
    ],
  ],
]

const run = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['seed/commands/indexes.ts', ...args], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

const statementsIn = (script: string) => script.split('\n').filter((line) => line.startsWith('CREATE'))

describe.runIf(isInstalled())('npm run indexes', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = (await startPostgres()) as PostgresServer // it is installed
  })
  afterAll(() => server.stop())
  const adviceOn = async ({ connectionString }: PostgresDatabase) => (await checkDatabase(connectionString))[1]

  it.each(OWNERS)('prints those of %s, and then grade B has all', async (_, sql, indexes) => {
    const database = await server.createDatabase([sql, 'ANALYZE'])
    expect(await adviceOn(database)).not.toEqual([])
    const { status, stdout, stderr } = run(database.owner)
    expect([status, stderr]).toEqual([0, ''])
    expect(statementsIn(stdout)).toEqual(indexes)
    execFileSync('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', database.owner], { input: stdout })
    expect(run(database.owner).stdout).toBe(
      '-- The tables of the view events_api.event have all indexes of grade B.\n\n',
    )
    expect(await adviceOn(database)).toEqual([])
  })

  it('leaves out an index if another one serves its queries', async () => {
    const table = `CREATE TABLE places (id int PRIMARY KEY, at timestamptz, name varchar(9), geom geometry(Point, 4326));
      CREATE INDEX ON places (at, id, name);
      CREATE INDEX ON places (name) WHERE name <> '';
      CREATE INDEX ON places USING gist (geom, at)`
    const view = `SELECT id, 1::bigint AS event_series_id, name::text AS category, '' AS value, at AS timestamp_start,
      at AS timestamp_end, geom AS geometry FROM places`
    const names = (order: string) => `CREATE INDEX ON places (name${order})`
    for (const [order, wanted] of [
      [' text_pattern_ops', [btree('public.places', 'name')]],
      [' COLLATE "C"', [btree('public.places', 'name')]],
      ['', []],
    ] as const) {
      const database = await server.createDatabase([
        `CREATE EXTENSION btree_gist; ${table}`,
        names(order),
        viewsOf(view),
      ])
      expect(statementsIn(run(database.owner).stdout)).toEqual(wanted)
    }
  })

  it('tells which index PostgreSQL refuses, and why', async () => {
    const table = 'CREATE TABLE places (id int PRIMARY KEY, at timestamp, doc json, geom geometry(Point, 4326))'
    const view = `SELECT id, 1::bigint AS event_series_id, '' AS category, '' AS value, at::timestamptz AS timestamp_start,
      at::timestamptz AS timestamp_end, geom AS geometry, doc AS external_id FROM places`
    const { owner } = await server.createDatabase([table, viewsOf(view)])
    const { status, stdout } = run(owner)
    expect([status, statementsIn(stdout)]).toEqual([0, [gist('public.places', 'geom')]])
    expect(stdout).toContain(' is refused: functions in index expression must be marked IMMUTABLE\n')
    expect(stdout).toContain(' is refused: data type json has no default operator class for access method "btree"\n')
  })

  it('prints indexes of a second table in a schema', async () => {
    const { owner } = await server.createDatabase([AUDIT, GRADE_B, 'DROP SCHEMA events_api CASCADE', REGISTER, GRADE_B])
    const count = `SELECT tablename AS name, count(*) AS count FROM pg_indexes
      WHERE tablename IN ('audit', 'Meldingen') GROUP BY 1 ORDER BY 1`
    expect(await runSql(owner, count)).toEqual([
      { name: 'Meldingen', count: 7 },
      { name: 'audit', count: 5 },
    ])
  })

  it('prints no index for a view that groups rows', async () => {
    const view = `SELECT DISTINCT 1::bigint AS id, 1::bigint AS event_series_id, '' AS category, '' AS value,
      now() AS timestamp_start, now() AS timestamp_end, NULL::geometry(Point, 4326) AS geometry FROM pg_class`
    const { owner } = await server.createDatabase([viewsOf(view)])
    expect(run(owner).stdout).toContain('-- No index helps the view events_api.event:')
  })

  it('prints the counts of expressions, which follow each write', async () => {
    const nullable = `ALTER TABLE "Meldingen" ALTER "Begin" DROP NOT NULL; INSERT INTO "Meldingen" ("Nr") VALUES (990), (991)`
    const views = REGISTER.replace("coalesce(p.soort, 'Jan''s (p.soort)')", 'p.soort')
    const { owner } = await server.createDatabase([views, nullable])
    const { status, stdout } = run(owner, '--grade', 'c')
    expect(status).toBe(0)
    execFileSync('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', owner], { input: stdout })
    const wrong = `WITH whole AS (SELECT event_series_id, category, date_trunc('month', timestamp_start, 'UTC') AS month, count(*)
        FROM events_api.event GROUP BY 1, 2, 3),
      counted AS (SELECT event_series_id, category, month, sum(count)::bigint FROM events_api.event_count GROUP BY 1, 2, 3 HAVING sum(count) <> 0)
      (TABLE whole EXCEPT TABLE counted) UNION ALL (TABLE counted EXCEPT TABLE whole)`
    const unplaced = `SELECT (SELECT coalesce(sum(count), 0) FROM events_api.event_cell) - (SELECT count(geometry) FROM events_api.event) AS rows`
    const revision = () => runSql(owner, 'SELECT revision FROM events_api.event_revision WHERE level = 0')
    for (const write of [
      'SELECT 1',
      `INSERT INTO "Meldingen" VALUES (900, '2020-01-31 23:30', NULL, NULL, NULL)`,
      `SET TimeZone = 'Asia/Tokyo'; INSERT INTO "Meldingen" VALUES (901, '2020-01-31 23:30', NULL, NULL, 'Jan')`,
      `UPDATE "Meldingen" SET "Begin" = "Begin" - interval '40 days', soort = NULL WHERE "Nr" < 50`,
      'DELETE FROM "Meldingen" WHERE "Nr" % 3 = 0',
      `DO $$ BEGIN FOR i IN 1..130 LOOP INSERT INTO "Meldingen" ("Nr") VALUES (1000 + i); END LOOP; END $$`,
      'TRUNCATE "Meldingen"',
    ]) {
      const before = await revision()
      await runSql(owner, write)
      expect(await runSql(owner, wrong), write).toEqual([])
      expect(Number((await runSql(owner, unplaced))[0]?.rows)).toBe(0)
      const raised = write === 'SELECT 1' ? 0 : write.startsWith('DO') ? 130 : 1
      expect(await revision()).toEqual([{ revision: Number(before[0]?.revision) + raised }])
    }
  })

  it('tells if another version made the counts', async () => {
    const { owner } = await server.createDatabase([REGISTER, GRADE_C])
    expect(run(owner).stdout).not.toContain(OTHER_COUNTS)
    await runSql(owner, "COMMENT ON VIEW events_api.event_revision IS 'f00'")
    expect(run(owner).stdout).toContain(`\n-- ${OTHER_COUNTS}\n`)
  })

  it.each([
    [BOTH, 'events_api.event: it has rows of several tables'],
    [ALARMS, 'it may leave out or repeat rows of its table'],
    [registerOf('FROM "Meldingen" p WHERE rd IS NOT NULL'), 'it may leave out or repeat rows of its table'],
    [
      `${registerOf(`FROM "Meldingen" p WHERE soort = 's1'`)}; CREATE INDEX ON "Meldingen" (soort) WHERE soort = 's1'; ANALYZE`,
      'it may leave out or repeat rows of its table',
    ],
    [
      registerOf('FROM "Meldingen" p WHERE NOT EXISTS (SELECT FROM "Meldingen" d WHERE d."Nr" = p."Nr" + 1)'),
      'it may leave out or repeat rows of its table',
    ],
    [
      registerOf('FROM (SELECT 1 AS one) AS o LEFT JOIN "Meldingen" p ON p."Nr" = o.one'),
      'it may leave out or repeat rows of its table',
    ],
    [
      registerOf('FROM "Meldingen" p LEFT JOIN "Meldingen" q ON q."Nr" = p."Nr" - 1').replace(
        'coalesce(p.soort',
        'coalesce(q.soort',
      ),
      'it may leave out or repeat rows of its table',
    ],
    [
      REGISTER.replace(`p."Begin" AT TIME ZONE 'Europe/Amsterdam' AS`, 'p."Begin"::timestamptz AS'),
      'may change without a write: functions in index expression must be marked IMMUTABLE',
    ],
    [`${REGISTER}; ALTER TABLE "Meldingen" ENABLE ROW LEVEL SECURITY`, 'policies of rows'],
    [
      REGISTER.replace(/FROM \(SELECT 1::bigint AS id/, 'FROM (SELECT DISTINCT 1::bigint AS id'),
      'event_series: it groups its rows',
    ],
  ])('refuses the counts of some views', async (sql, reason) => {
    const { owner } = await server.createDatabase([sql])
    await expect(runScript(owner, GRADE_C)).rejects.toThrow(`grade C cannot count `)
    await expect(runScript(owner, GRADE_C)).rejects.toThrow(reason)
  })
})

it.each([
  [[], 'ADDRESS is missing: see npm run indexes -- --help'],
  [['localhost'], 'ADDRESS is "localhost": enter one such as postgres://owner@localhost/events'],
  [['postgres://u:secret@127.0.0.1:1/d', '--grade', 'a'], '--grade is "a": enter b or c'],
  [['postgres://u:secret@127.0.0.1:1/d'], 'cannot connect to PostgreSQL: connect ECONNREFUSED 127.0.0.1:1'],
])('npm run indexes -- %j is refused', (args, reason) => {
  expect(run(...args)).toEqual({ status: 1, stdout: '', stderr: `indexes: ${reason}\n` })
})
