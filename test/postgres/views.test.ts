import { beforeEach, describe, expect, it, vi } from 'vitest'
import series from '../../schema/postgres/series.sql?raw'
import { DEADLINES } from '../../src/engine/postgres/connection.ts'
import { withKey } from '../service.ts'
import { freshPostgres, hasPostgres, type PostgresDatabase, sqlIn } from './database.ts'
import { told } from './faulty.ts'
import { GRADE_B, GRADE_C } from './grades.ts'
import { rowsOf, TABLES } from './rows.ts'

const PAGE = '/api/v3/events/?page_size=2&value__icontains=value&include=series'
const SHOW = { vars: { SHOW_COST: 'true' } }
const fault = (detail: string, faults?: readonly string[]) => ({
  status: 503,
  retry: '5',
  body: { detail, ...(faults && { faults }) },
})
const NO_VIEWS =
  'The database does not have the views that this service reads. Its operator can see at /readyz what is wrong.'
const CHANGED = 'The views of the database have changed. Its operator can see at /readyz what is wrong.'
const NO_INDEXES = ['timestamp_start, id', 'event_series_id, timestamp_start', 'geometry gist_geometry_ops_2d'].map(
  (columns) =>
    `PostgreSQL finds no index on (${columns}) of the view event. Grade B needs one: npm run indexes prints it.`,
)
const SERVES = { status: 200, retry: null, body: expect.objectContaining({ count: 9 }) }

const noView = (name: string) => `The role sees no view ${name}. Create it, and run reader.sql.`
const wrong = (column: string, type: string, needs: string) =>
  `The column ${column} of the view event is ${type}. It must be ${needs}`
const POINTS = 'geometry(Point, 4326) or geometry(PointZ, 4326).'

const write = (point: string) => `Write ${point}::geometry(Point, 4326), with the column for the dots.`

const VIEW = `ALTER TABLE event RENAME TO stored_event; CREATE VIEW event AS TABLE stored_event`
const viewWith = (columns: string) => `DROP VIEW event; CREATE VIEW event AS SELECT ${columns} FROM stored_event`
const CONSTANT = '1 AS event_series_id, id, category, value, timestamp_start, timestamp_end, geometry'
const REST = 'id, event_series_id, category, timestamp_start, timestamp_end, geometry'

/** An owner writes these expressions to make points of columns of other types. */
const GEOMETRIES: readonly [title: string, type: string, point: string][] = [
  ['a plain geometry', 'geometry', '...'],
  ['a place without a system', 'geometry(Point)', 'ST_SetSRID(..., 4326)'],
  ['an area', 'geometry(MultiPolygon,4326)', 'ST_PointOnSurface(...)'],
  ['an area in metres', 'geometry(PolygonZ,28992)', 'ST_Transform(ST_PointOnSurface(...), 4326)'],
]

/** What an owner does, and the faults that an operator then sees. */
const FAULTS: readonly [title: string, sql: string, faults: readonly string[]][] = [
  ['a missing view', 'DROP VIEW event', [noView('event')]],
  ['a missing column', viewWith(REST), ['The view event has no column value. It must be text.']],
  ['a column of a wrong type', viewWith(`${REST}, length(value) AS value`), [wrong('value', 'integer', 'text.')]],
  [
    'two columns of a wrong type',
    viewWith(`${REST.replace('geometry', 'geometry::geography AS geometry')}, 1.5 AS value`),
    [wrong('value', 'numeric', 'text.'), wrong('geometry', 'geography', `${POINTS} ${write('...')}`)],
  ],
  [
    'a place in metres and a time without a zone',
    viewWith(
      `${REST.replace('geometry', 'ST_Transform(geometry, 28992)::geometry(PointZ, 28992) AS geometry').replace(
        'timestamp_end',
        'timestamp_end::timestamp AS timestamp_end',
      )}, value`,
    ),
    [
      wrong(
        'timestamp_end',
        'timestamp without time zone',
        "timestamptz. Write AT TIME ZONE 'Europe/Amsterdam' after it, or another zone.",
      ),
      wrong('geometry', 'geometry(PointZ,28992)', `${POINTS} ${write('ST_Transform(..., 4326)')}`),
    ],
  ],
  ...GEOMETRIES.map(([title, type, point]): (typeof FAULTS)[number] => [
    title,
    viewWith(`${REST.replace('geometry', `NULL::${type} AS geometry`)}, value`),
    [wrong('geometry', type, `${POINTS} ${write(point)}`)],
  ]),
  [
    'a key that is a uuid',
    viewWith(`${REST.replace('id,', 'gen_random_uuid() AS id,')}, value`),
    [
      wrong(
        'id',
        'uuid',
        "bigint. Write ('x' || left(md5(...::text), 13))::bit(52)::bigint, with the key for the dots.",
      ),
    ],
  ],
  [
    'an id that JavaScript does not have',
    viewWith(`${REST.replace('id', 'id + 9007199254740983 AS id')}, value`),
    [
      'The view event has the id 9007199254740992. An id is at most 9007199254740991: show a smaller key, such as a column GENERATED ALWAYS AS IDENTITY.',
    ],
  ],
  ['a view that the role may not read', 'REVOKE SELECT ON event FROM events_reader', [noView('event')]],
  [
    'a view of series that the role may not read',
    'REVOKE SELECT ON event_series FROM events_reader',
    [noView('event_series')],
  ],
  [
    'a view whose owner may not read its table',
    'CREATE ROLE another; ALTER VIEW event OWNER TO another',
    [
      'PostgreSQL cannot read the views: permission denied for table stored_event. The owner of a view needs SELECT on its tables.',
    ],
  ],
]

/** What an owner does to views that have a plan, and cannot be read. */
const UNREADABLE: readonly [title: string, sql: string, fault: string][] = [
  [
    'a materialized view without rows',
    'DROP VIEW event; CREATE MATERIALIZED VIEW event AS TABLE stored_event WITH NO DATA',
    'materialized view "event" has not been populated. Use the REFRESH MATERIALIZED VIEW command.',
  ],
  [
    'a cast that fails',
    viewWith(
      `${REST.replace('category', "id || 'x' AS category")}, value, (value || category)::float8 AS value_number`,
    ),
    'invalid input syntax for type double precision: "value 1c1".',
  ],
  [
    'a foreign server that is away',
    `CREATE EXTENSION postgres_fdw; CREATE SERVER away FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '1');
      CREATE USER MAPPING FOR PUBLIC SERVER away OPTIONS (user 'u', password 'p'); ALTER TABLE observation_type RENAME TO stored_type;
      CREATE FOREIGN TABLE observation_type (id bigint, code text, name text) SERVER away`,
    'could not connect to server "away".',
  ],
  [
    'a row that fails in one of many columns',
    viewWith(
      `${REST}, value, ${Array.from({ length: 1_500 }, (_, i) => `ARRAY[1, 2] AS a${i}`).join()}, 1 / (id - 1) AS own`,
    ),
    'division by zero.',
  ],
]

describe.runIf(hasPostgres)('/readyz reads a row of each list', () => {
  vi.spyOn(console, 'error').mockReturnValue()

  it.each(UNREADABLE)('%s', async (_, sql, message) => {
    const database = await freshPostgres(TABLES, rowsOf(9), VIEW, sql)
    const faults = [`PostgreSQL cannot read the views: ${message}`]
    expect(await told(database, '/readyz', { ...SHOW, deadlines: DEADLINES })).toEqual(fault(NO_VIEWS, faults))
  })

  it('a database that is not UTF-8', async () => {
    const database = await freshPostgres()
    const name = `latin_${crypto.randomUUID().slice(0, 8)}`
    await sqlIn(database, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'`)
    const rename = (address: string) => address.replace(/[^/]+$/, name)
    const latin = { connectionString: rename(database.connectionString), owner: rename(database.owner) }
    await sqlIn(latin, `${TABLES}; GRANT SELECT ON ALL TABLES IN SCHEMA public TO events_reader`)
    expect((await told(latin, PAGE)).body).toEqual({ detail: NO_VIEWS })
    expect((await told(latin, '/readyz', SHOW)).body.faults).toEqual([
      "The database has the encoding LATIN1. It must be UTF8: run CREATE DATABASE name TEMPLATE template0 ENCODING 'UTF8', and restore a dump there.",
    ])
  })
})

describe.runIf(hasPostgres)('a fault of the views', () => {
  let database: PostgresDatabase
  vi.spyOn(console, 'error').mockReturnValue()
  beforeEach(async () => {
    database = await freshPostgres(TABLES, rowsOf(9), VIEW)
  })
  const repair = () =>
    sqlIn(
      database,
      `DROP VIEW IF EXISTS event; CREATE VIEW event AS TABLE stored_event;
      GRANT SELECT ON event_series TO events_reader`,
    )

  it.each(FAULTS)('%s', async (_, sql, faults) => {
    expect(await told(database, PAGE)).toEqual(SERVES)
    const role = `another_${crypto.randomUUID().slice(0, 8)}`
    await sqlIn(database, sql.replaceAll('another', role))
    // The first Worker knows the views from its last request. The second one reads them.
    const [first, second] = [await told(database, PAGE), await told({ ...database }, PAGE)]
    expect([fault(CHANGED), fault(NO_VIEWS)]).toContainEqual(first)
    expect(second).toEqual(fault(NO_VIEWS))
    expect(await told(database, PAGE)).toEqual(fault(NO_VIEWS))
    expect(await told(database, '/readyz', SHOW)).toEqual(fault(NO_VIEWS, faults))
    expect(await told(database, '/readyz')).toEqual(fault(NO_VIEWS))
    expect(await told(database, '/readyz', await withKey('hidden'))).toEqual(fault(NO_VIEWS, faults))
    expect(await told(database, '/readyz', await withKey('private'))).toEqual(fault(NO_VIEWS))
    await repair()
    expect(await told(database, PAGE)).toEqual(SERVES)
    expect(await told(database, '/readyz')).toMatchObject({ status: 200, body: { grade: 'A' } })
  })

  it('is in /readyz at once, although the Worker knows the views', async () => {
    expect(await told(database, '/readyz', SHOW)).toMatchObject({ status: 200 })
    await sqlIn(database, 'DROP VIEW event')
    expect((await told(database, '/readyz', SHOW)).body.faults).toEqual([noView('event')])
  })
})

describe.runIf(hasPostgres)('/readyz tells the grade', () => {
  it('and the columns that no answer shows', async () => {
    const view = viewWith(`${REST}, value, interval '1 day' AS lasts, 1 AS depth`)
    const { body } = await told(await freshPostgres(TABLES, rowsOf(9), GRADE_B, VIEW, view), '/readyz', SHOW)
    expect(body.advice).toEqual([
      'No answer shows these columns of the view event: lasts (interval). Show them as text.',
    ])
  })

  it.each([
    ['A', 0, NO_INDEXES, []],
    ['A', 0, NO_INDEXES.slice(2), [GRADE_B, 'DROP INDEX event_geometry_idx']],
    ['A', 0, NO_INDEXES.slice(1, 2), [GRADE_B, 'DROP INDEX event_event_series_id_timestamp_start_idx']],
    ['B', 0, [], [GRADE_B, 'DROP INDEX event_event_series_id_timestamp_start_idx', VIEW, viewWith(CONSTANT)]],
    ['B', 0, [], [GRADE_B]],
    ['C', 1, [], [GRADE_B, GRADE_C]],
  ])('%s (%#)', async (grade, revision, advice, scripts) => {
    const database = await freshPostgres(TABLES, rowsOf(9), ...scripts)
    const body = { status: 'ready', revision, version: expect.any(String), grade }
    expect(await told(database, '/readyz')).toEqual({ status: 200, retry: null, body })
    expect(await told(database, '/readyz', SHOW)).toEqual({
      status: 200,
      retry: null,
      body: { ...body, tables: expect.arrayContaining(['event_series']), ...(advice.length > 0 && { advice }) },
    })
    const { components } = (await told(database, '/openapi.json')).body
    expect(Object.keys(components.schemas.Readiness.properties)).toEqual(expect.arrayContaining(Object.keys(body)))
    expect(components.schemas.Readiness.properties.grade.enum).toContain(grade)
  })
})

describe.runIf(hasPostgres)('a view of series that lacks what its events tell', () => {
  const third = `INSERT INTO event_series (id, uuid, name, description, observation_type_id, statistic, color, access_modifier, created)
    VALUES (3, '00000000-0000-0000-0000-000000000003', 'Empty', '', 1, 'event', '#000000', 0, '2020-01-01Z')`
  const lacking = `ALTER TABLE event_series RENAME TO stored_series; CREATE VIEW event_series AS
    SELECT id, uuid, name, description, observation_type_id, statistic, color, created, west, south, east, north
    FROM stored_series`
  /** Answers show no infinite end. An index of durations cannot have it. */
  const infinite = `UPDATE event SET timestamp_end = 'infinity' WHERE id = 9;
    UPDATE event_series SET timestamp_end = '2020-01-01 00:08Z' WHERE id = 2`

  it.each([
    ['A', [infinite]],
    ['B', [GRADE_B]],
    ['C', [infinite, GRADE_C]],
  ])('has the answers of a whole one, at grade %s', async (_, scripts) => {
    const whole = await freshPostgres(TABLES, rowsOf(9), third, series, ...scripts)
    const view = await freshPostgres(TABLES, rowsOf(9), third, series, ...scripts, lacking)
    const ofSeries = '/api/v4/eventseries'
    for (const path of [
      '/ogc/collections?f=json',
      '/ogc/collections?f=json&limit=1&offset=2',
      '/ogc/collections?f=json&offset=9',
      '/ogc/collections/events?f=json',
      '/ogc/collections/events-00000000-0000-0000-0000-000000000002?f=json',
      `${ofSeries}/`,
      `${ofSeries}/?ordering=-start`,
      `${ofSeries}/00000000-0000-0000-0000-000000000002/`,
    ]) {
      const expected = await told(whole, path)
      expect(expected.status, path).toBe(200)
      expect(await told(view, path), path).toEqual(expected)
    }
  })
})
