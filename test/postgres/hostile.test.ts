import { beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { fetchFrom } from '../oracle/oracle.ts'
import { ORIGIN } from '../service.ts'
import { splitRows } from '../tags.ts'
import { engineOn, freshPostgres, hasPostgres } from './database.ts'

// Content that PostgreSQL takes, and that a cast, JSON or a function of it may refuse. Each row stands in a public series
// of one database, and in a hidden series of another one. No request is an error, and no answer tells of a hidden row.

const PUBLIC = 'a1000000-0000-4000-8000-000000000000'
const DESCRIPTION = {
  fields: [
    ...['a', 'r', 'd', 'n', 'i'].map((name) => ({ name: `attributes__${name}`, type: 'number' })),
    ...['s', 't', 'tz', 'ts', 'dt', 'e'].map((name) => ({ name: `attributes__${name}`, type: 'datetime' })),
  ],
}

/** Two plain rows of a series, which each database has. */
const TABLES = `
  CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
  CREATE TYPE grade AS ENUM ('low', 'high');
  CREATE DOMAIN label AS varchar(9);
  CREATE TABLE observation_type (id int, code text COLLATE folded, name text);
  INSERT INTO observation_type VALUES (1, 'T', 'Type');
  CREATE TABLE event_series (id int, uuid uuid, name text COLLATE folded, description text, observation_type_id int,
    statistic text DEFAULT 'raw',
    color text DEFAULT '#000000', created timestamptz DEFAULT '2020-01-01Z', access_modifier int DEFAULT LEVEL, metadata json);
  INSERT INTO event_series SELECT i, ('a' || i || '000000-0000-4000-8000-000000000000')::uuid, 'Series ' || i, '', 1,
    'raw', '#000000', '2020-01-01Z', 300 * (i - 1), '${JSON.stringify(DESCRIPTION)}' FROM generate_series(1, 2) AS i;
  CREATE TABLE event (id bigint, event_series_id int DEFAULT SERIES, category text COLLATE folded DEFAULT 'c',
    value text DEFAULT '7 m', timestamp_start timestamptz DEFAULT '2020-01-01Z', timestamp_end timestamptz DEFAULT '2020-01-01Z',
    geometry geometry(Point, 4326) DEFAULT ST_SetSRID(ST_MakePoint(5, 52), 4326), attributes json, s text COLLATE folded,
    r real, d float8, n numeric, i bigint, j json, b jsonb, t time, tz timestamptz, ts timestamp, dt date, e grade, l label,
    list float8[], documents json[]);
  INSERT INTO event (id, event_series_id, attributes, s) VALUES (1, 1, '{"a": 1}', 'x'), (2, 1, '{"a": "x"}', 'y')`

const NESTED = '['.repeat(6000) + ']'.repeat(6000)

/** Values of JSON that only the type json takes, and those that jsonb takes as well. */
const ONLY_JSON = [
  String.raw`"x\u0000y"`,
  String.raw`"\ud800"`,
  String.raw`"\udc00\ud83d\ude00\ud83d"`,
  String.raw`"\\ud83d\ude00"`,
  String.raw`"\\\u0000"`,
  `${'9'.repeat(140_000)}`,
  `1.${'0'.repeat(20_000)}`,
  '1e999999999999',
  '1e-999999999999',
]
const ANY_JSON = [
  ...['1e400', '1e-400', '-0.0', '5e-324', '7.4e-323', '1.7976931348623157e308', '9007199254740993', 'null', 'true'],
  ...['[]', '{}', '"\\u005cu0000"', '"2020-02-30"', '"9999-12-31T23:59:59.999Z"', NESTED],
]
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
const TIMES = [
  ...['infinity', '-infinity', '4714-11-24 00:00+00 BC', '0001-01-01 00:00+00 BC', '275759-01-01 00:00+00'],
  '294276-12-31 23:59:59.999999+00',
].map(quoted)
const VALUES: Readonly<Record<string, readonly string[]>> = {
  value: ['', '9'.repeat(140_000), `1.${'0'.repeat(20_000)}`, '1e99999999999', '.', '+', '\u{10ffff}'].map(quoted),
  category: ["'C'", "'É'", 'NULL'],
  s: ["'X'", "''", "'9999-99-99'", `repeat('\u{1d306}', 100000)`],
  r: ["'NaN'", "'Infinity'", '1e-45', '0.1'],
  d: ["'NaN'", "'-Infinity'", '5e-324', '7.4e-323', '1.7976931348623157e308', '-1e-310'],
  n: [
    "'NaN'",
    "'Infinity'",
    '1e-400',
    '1e400',
    `${'9'.repeat(131_072)}`,
    `1.${'0'.repeat(16_000)}1`,
    '9007199254740993',
  ],
  i: ['9223372036854775807', '-9223372036854775808'],
  ...Object.fromEntries(['tz', 'ts'].map((name) => [name, TIMES])),
  ...Object.fromEntries(['timestamp_start', 'timestamp_end'].map((name) => [name, TIMES])),
  dt: ["'infinity'", "'-infinity'", "'4714-11-24 BC'", "'5874897-12-31'"],
  t: ["'24:00'"],
  geometry: [
    ...["'NaN', 'NaN'", "'Infinity', '-Infinity'", '1e308, -1e308', '5e-324, 0', '1e300, 91'].map(
      (place) => `ST_SetSRID(ST_MakePoint(${place}), 4326)`,
    ),
    ...["ST_GeomFromText('POINT EMPTY', 4326)", 'NULL'],
  ],
  list: ["'{NaN,Infinity,NULL}'", "'{}'"],
}

const JSONS = [...ONLY_JSON, ...ANY_JSON]
const OBJECTS = [
  ...JSONS.map((value) => `{"a": ${value}, "k": 1}`),
  String.raw`{"a\u0000": 1, "a": 1}`,
  '{"a": 1, "a": 2, "n": 3}',
]
const EVENTS = Object.entries({
  ...VALUES,
  attributes: [...OBJECTS, '[1]', '"x"', 'null', '5', ' { } '].map(quoted),
  j: JSONS.map(quoted),
  b: ANY_JSON.map(quoted),
  documents: JSONS.map((value) => `ARRAY[${quoted(value)}]::json[]`),
})
  .flatMap(([column, values]) => values.map((value) => [column, value]))
  .map(([column, value], i) => `INSERT INTO event (id, ${column}) VALUES (${100 + i}, ${value})`)

/** Descriptions of series that are none. */
const METADATA = [
  ...['5', '"x"', '[1]', 'null', '{"fields": 5}', '{"fields": [1, null]}', '{"fields": null, "more": 5}'],
  '{"fields": [{"name": 5, "type": "number"}, {"name": "attributes__a", "type": "no type"}]}',
  '{"fields": [{"name": "attributes__a", "type": "number", "unit": 5}], "source": 5, "license": {}, "source_url": 7}',
  String.raw`{"source": "x\u0000\ud800", "fields": [{"name": "attributes__a\u0000", "type": "string"}]}`,
  `{"source": ${NESTED}}`,
]
const uuidOf = (i: number) => `b${i.toString(16)}000000-0000-4000-8000-000000000000`
const SERIES = METADATA.map(
  (metadata, i) => `INSERT INTO event_series (id, uuid, name, description, observation_type_id, metadata)
    VALUES (${10 + i}, '${uuidOf(i)}', 'x', '', 1, ${quoted(metadata)})`,
)

const COLUMNS = ['a', 'k', 'b', 's', 'r', 'd', 'n', 'i', 'j', 't', 'tz', 'ts', 'dt', 'e', 'l', 'list', 'documents']
const items = (parameters: string) => `/ogc/collections/events-${PUBLIC}/items?limit=1000&${parameters}`
const filter = (text: string) => items(`filter=${encodeURIComponent(text)}`)
const page = (parameters: string) => `/api/v4/events/?page_size=1000&${parameters}`
const summary = (parameters: string) => `/api/v3/events/summary/?${parameters}`
const PLACE = 'POLYGON((4 51,6 51,6 53,4 53,4 51))'

const PARTS = ['year', 'month', 'weekday', 'hour'].map((part) => `timestamp_start__${part}`)
const ORDERS = [...COLUMNS.map((name) => `attributes__${name}`), 'value_number', 'category', 'start', 'end', 'duration']

const LOOKUPS = [
  ...['=1', '=x', '__in=1,x,true', '__gt=1', '__lte=-1', '__icontains=x', '__startswith=x', '__endswith=Y'],
  ...['__iexact=X', '__iregex=x', '__isnull=true', '__not=1'],
]
/** Each lookup of each column. A third of them has each lookup, and each column. */
const LOOKED_UP = LOOKUPS.flatMap((lookup) =>
  COLUMNS.map((name) => page(`event_series__name__icontains=s&attributes__${name}${lookup}`)),
)

const REQUESTS: readonly string[] = [
  ...['bins=month', 'bins=hour', 'bins=7', 'bins=year', `facets=category,event_series,${PARTS}`].map((shape) =>
    summary(`timezone=Europe/Amsterdam&${shape}`),
  ),
  '/api/v4/eventseries/?include=metadata',
  ...METADATA.flatMap((_, i) => [
    ...['', '/schema', '/items', '/items?f=csv', '/tiles/WebMercatorQuad/0/0/0'].map(
      (part) => `/ogc/collections/events-${uuidOf(i)}${part}`,
    ),
    `/api/v4/eventseries/${uuidOf(i)}/metadata/`,
  ]),
  '/api/v4/events/?page_size=all&format=ndjson',
  ...['', 'format=csv', 'format=geojson', 'q=x', 'q=x7', 'latest=event_series'].map(page),
  ...[
    '/api/v3/events/?q=x',
    '/api/v4/eventseries/',
    '/api/v4/eventseries/?name__icontains=s',
    '/ogc/collections',
    '/readyz',
  ],
  ...[
    items(''),
    items('f=csv'),
    `/ogc/collections/events-${PUBLIC}/schema`,
    '/ogc/collections/events/tiles/WebMercatorQuad/0/0/0',
  ],
  ...COLUMNS.flatMap((name) => [page(`ordering=attributes__${name}`), page(`ordering=-attributes__${name}`)]),
  ...COLUMNS.map((name) => summary(`facets=attributes__${name}&by=attributes__${name}&statistics=attributes__${name}`)),
  ...['a', 'd', 'n', 'r', 'i'].map((name) =>
    filter(
      ['+', '-', '*', '/', '%', '^', 'DIV']
        .flatMap((op) =>
          ['1', '-1.5', '1e308', '2.5e-323', name].map((other) => `${name} ${op} ${other} = ${other} ${op} ${name}`),
        )
        .join(' OR '),
    ),
  ),
  ...['a', 's', 't', 'tz', 'ts', 'dt', 'e'].flatMap((name) =>
    [
      `${name} > TIMESTAMP('2020-01-01T00:00:00Z')`,
      `${name} IN (DATE('2020-01-01'))`,
      `T_AFTER(${name}, timestamp_start)`,
      `${name} LIKE '%x'`,
      `${name} > category`,
      `CASEI(${name}) = CASEI('X')`,
    ].map(filter),
  ),
  ...[
    'value__gt=1',
    'value__iregex=x',
    'value__icontains=x',
    'category=c',
    'category__icontains=c',
    'category__endswith=C',
  ],
  ...[
    'ordering=value_number',
    'ordering=category',
    'ordering=start',
    'ordering=-duration',
    'duration__gt=1',
    'end__gte=2020-01-01',
  ],
  ...[
    'near=5,52&radius=10000',
    'near=5,52&radius=1e6&ordering=distance',
    'bbox=4,51,6,53',
    `geometry__within=${PLACE}`,
    'start__gte=2020-01-01',
  ],
  ...['event_series__name__icontains=S&value__lt=1', 'event_series__name__startswith=s'],
].map((address) => (address.startsWith('/') ? address : page(address)))

describe.runIf(hasPostgres)('a hostile row is no error if it is visible, and changes nothing if it is hidden', () => {
  let engines: readonly Engine[] = []
  beforeAll(async () => {
    const tables = (series: number, level: number) =>
      TABLES.replace('DEFAULT SERIES', `DEFAULT ${series}`).replace('DEFAULT LEVEL', `DEFAULT ${level}`)
    const rows = [...SERIES, ...EVENTS].join(';\n')
    const databases = [
      await freshPostgres(tables(2, 300)),
      await freshPostgres(tables(2, 300), rows),
      await freshPostgres(tables(1, 0), rows),
    ]
    engines = databases.map(engineOn)
  })

  const compare = async (path: string) => {
    const [plain, hidden, visible] = await Promise.all(
      engines.map(async (engine) => {
        const response = await fetchFrom(engine, ORIGIN + path)
        return { status: response.status, body: await response.text() }
      }),
    )
    expect(plain?.status, plain?.body).toBe(/[/-]b.000000-/.test(path) ? 404 : 200)
    expect(hidden).toEqual(plain)
    expect(visible?.status, visible?.body).toBe(200)
  }
  it.each(REQUESTS)('%s', compare)
  for (const [options, paths] of splitRows(3, LOOKED_UP)) it.each(paths)('%s', options, compare)

  it.each(ORDERS.flatMap((name) => [name, `-${name}`]))(
    'the pages in the order %s have each visible row once',
    async (order) => {
      const ids: number[] = []
      for (let path = `/api/v4/events/?page_size=50&ordering=${order}`; path !== ''; ) {
        const page: { results: { id: number }[]; next: string | null } = await (
          await fetchFrom(engines[2] as Engine, ORIGIN + path)
        ).json()
        ids.push(...page.results.map(({ id }) => id))
        path = page.next === null || ids.length > 1000 ? '' : page.next.slice(ORIGIN.length)
      }
      expect(ids.toSorted((a, b) => a - b)).toEqual([1, 2, ...EVENTS.map((_, i) => 100 + i)])
    },
  )
})
