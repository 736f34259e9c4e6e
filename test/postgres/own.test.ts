import { beforeAll, describe, expect, it } from 'vitest'
import simple from '../../schema/postgres/views-simple.sql?raw'
import { DEADLINES } from '../../src/engine/postgres/connection.ts'
import { freshPostgres, hasPostgres, type PostgresDatabase } from './database.ts'
import { send } from './faulty.ts'
import { READER } from './rows.ts'

// The values of people's own columns in filters, orders, facets and answers.

const TYPES: Readonly<Record<string, string>> = {
  r: 'real',
  d: 'float8',
  n: 'numeric',
  big: 'bigint',
  tz: 'timestamptz',
  ts: 'timestamp',
  dt: 'date',
  status: 'status',
  label: 'label',
  code: 'char(4)',
  folded: 'text COLLATE folded',
  tags: 'text[]',
  j: 'json',
  '"a b"': 'int',
  category__in: 'text',
  lasts: 'interval',
  found: 'bytea',
  size: 'float8',
  is_safe: 'boolean',
}

const ROWS: readonly Readonly<Record<string, string>>[] = [
  {
    ...{
      r: '0.1',
      d: '0.1',
      n: '0.1',
      big: '9007199254740993',
      status: 'closed',
      label: 'x',
      code: 'ab',
      folded: 'Flood',
    },
    ...{ tz: '2020-06-01 12:00+00', ts: '2020-06-01 12:00', dt: '2020-06-01', tags: '{b,a}', '"a b"': '1' },
    ...{ category__in: 'c', j: '{"a": null, "c": {"d": null}}', lasts: '1 day', found: 'x' },
    ...{ size: '1.7976931348623157e308', is_safe: 'true' },
  },
  {
    ...{
      r: 'NaN',
      d: 'NaN',
      n: 'NaN',
      big: '9007199254740992',
      status: 'open',
      folded: 'flood',
      tags: '{}',
      j: 'null',
    },
    ...{ tz: '2020-12-01 12:00:00.5+00', ts: 'infinity', dt: '10000-01-01', size: '-1.7976931348623157e308' },
  },
  {
    ...{ r: '2.7', d: '-Infinity', n: '9007199254740993', big: '-9007199254740993', status: 'closed', folded: 'FLOOD' },
    ...{ tz: '0044-03-15 00:00+00 BC', ts: '0044-03-15 00:00 BC', dt: '0044-03-15 BC', j: String.raw`"x\u0000"` },
    ...{ size: '0.1', is_safe: 'true' },
  },
  {
    r: 'Infinity',
    d: '5',
    n: '9007199254740992.0000000000000000001',
    tz: '10000-01-01 00:00+00',
    dt: 'infinity',
    j: '5.0',
    size: '5e-324',
  },
  {},
]

const PLACES = `
  CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
  CREATE TYPE status AS ENUM ('open', 'closed');
  CREATE DOMAIN short AS varchar(9);
  CREATE DOMAIN label AS short CHECK (VALUE <> '');
  CREATE TABLE places (id int PRIMARY KEY, time timestamptz, geom geometry(Point, 4326), name text,
    ${Object.entries(TYPES).map((column) => column.join(' '))});
  ${ROWS.map(
    (row, i) => `INSERT INTO places (${['id', 'time', 'name', ...Object.keys(row)]})
      VALUES (${[String(i + 1), '2020-01-01Z', '', ...Object.values(row)].map((value) => `'${value}'`)})`,
  ).join(';')}`

const COLUMNS = Object.keys(TYPES).map((name) => `, p.${name}`)
const SERIES = `CREATE VIEW events_api.event_series AS SELECT 1 AS id, '7f6d0d5e-2f0c-4f0e-9c39-5b0d3f1f6a01'::uuid AS uuid,
  'Places' AS name, '' AS description, 1 AS observation_type_id, 'event' AS statistic, '#3366cc' AS color, now() AS created`
const VIEWS = `${simple.replace('-- , p.depth', COLUMNS.join(''))};
  ${SERIES};
  COMMENT ON COLUMN events_api.event.size IS 'Size (m)'`
const COLLECTION = '/ogc/collections/events-7f6d0d5e-2f0c-4f0e-9c39-5b0d3f1f6a01'
const filter = (text: string) => `${COLLECTION}/items?filter=${encodeURIComponent(text)}`

const FINDS: readonly (readonly [asks: string, ids: readonly number[]])[] = [
  // A real is its shortest decimal.
  ['attributes__r=0.1', [1]],
  ['attributes__r__lte=0.1', [1]],
  [filter('r = 0.1 OR r IN (2.7)'), [1, 3]],
  // NaN and infinity are unknown.
  ['attributes__n__lte=0', []],
  ['attributes__n=0', []],
  ['attributes__n__isnull=true', [2, 5]],
  ['attributes__d__gt=1', [4]],
  [filter('NOT (d > 1)'), [1]],
  ['attributes__r__isnull=true', [2, 4, 5]],
  // Numbers have all their digits.
  ['attributes__big=9007199254740993', [1]],
  ['attributes__big=-9007199254740993', [3]],
  ['attributes__big__gte=9007199254740993', [1]],
  ['attributes__big__lt=-9007199254740992', [3]],
  ['attributes__n__in=9007199254740993,0.1', [1, 3]],
  ['attributes__n__range=9007199254740992,9007199254740992.5', [4]],
  [filter('big = 9007199254740992 OR n > 9007199254740992.5'), [2, 3]],
  [filter('big IN (-9007199254740993, 1) OR NOT (n <> 9007199254740993)'), [3]],
  // Times are instants.
  [filter("tz = TIMESTAMP('2020-06-01T12:00:00Z')"), [1]],
  [filter("tz > TIMESTAMP('2020-12-01T12:00:00Z')"), [2, 4]],
  [filter("tz >= TIMESTAMP('2020-06-01T12:00:00Z')"), [1, 2, 4]],
  [filter("tz < DATE('2020-01-01')"), [3]],
  [filter("tz BETWEEN DATE('2020-06-01') AND TIMESTAMP('2020-12-01T12:00:00.5Z')"), [1, 2]],
  [filter("ts IN (TIMESTAMP('2020-06-01T12:00:00Z'))"), [1]],
  [filter("NOT (ts = TIMESTAMP('2020-06-01T12:00:00Z'))"), [3]],
  [filter("dt = DATE('2020-06-01') OR T_AFTER(dt, DATE('2021-01-01'))"), [1, 2]],
  [filter('tz = ts'), [1, 3]],
  ['attributes__tz=2020-06-01T12:00:00Z', [1]],
  ['attributes__dt__startswith=2020', [1]],
  // Enums, domains, arrays and padded texts.
  ['attributes__status=closed', [1, 3]],
  ['attributes__label__in=x,y', [1]],
  ['attributes__code=ab', [1]],
  ['attributes__tags__isnull=false', [1, 2]],
  ['attributes__j__isnull=false', [1, 3, 4]],
  ['attributes__j__icontains=x', [3]],
  ['attributes__j=5', [4]],
  [filter('"a b" = 1 AND category__in = \'c\''), [1]],
  ['attributes__is_safe=true', [1, 3]],
  [filter('size > 6 AND is_safe = true'), [1]],
  // A column that no answer shows has no value.
  ['attributes__found__isnull=true', [1, 2, 3, 4, 5]],
  // Texts compare by code points, whatever their collation is.
  ['attributes__folded=flood', [2]],
  ['attributes__folded__endswith=ood', [1, 2]],
  [filter("folded LIKE 'F%' AND folded > 'FM'"), [1]],
  ['ordering=-attributes__big&attributes__big__isnull=false', [1, 2, 3]],
  ['ordering=attributes__n&attributes__n__isnull=false', [1, 4, 3]],
  ['ordering=-attributes__folded&attributes__folded__isnull=false', [2, 1, 3]],
]

describe.runIf(hasPostgres)('columns of people’s own', () => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await freshPostgres(PLACES, VIEWS, READER)
  })
  const ask = async (path: string) => {
    const response = await send(database, path, { deadlines: DEADLINES })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${response.status} ${text}`)
    return text
  }

  it.each(FINDS)('%s', async (asks, ids) => {
    const path = asks.startsWith('/') ? asks : `/api/v4/events/?${asks}`
    const { features, results = features } = JSON.parse(await ask(path))
    expect(results.map(({ id }: { readonly id: number }) => id)).toEqual(ids)
  })

  it.each(['attributes__nothing=1', 'attributes__nothing__isnull=true', 'ordering=attributes__nothing'])(
    '%s is refused, because no column has the name',
    async (asks) => {
      const response = await send(database, `/api/v4/events/?${asks}`, { deadlines: DEADLINES })
      expect([response.status, await response.json()]).toEqual([
        400,
        { detail: expect.stringMatching(/^No event has the attribute nothing. Enter one of these: .*attributes__r/) },
      ])
    },
  )

  it('are shown with all their digits, and without what JSON cannot hold', async () => {
    const list = await ask('/api/v4/events/')
    for (const digits of [
      '"r":0.1',
      '"big":9007199254740993',
      '"big":-9007199254740993',
      '9007199254740992.0000000000000000001',
    ])
      expect(list).toContain(digits)
    const shown = JSON.parse(list).results.map(({ properties }: { readonly properties: object }) => properties)
    expect(shown).toMatchObject([
      {
        attributes: { tags: ['b', 'a'], j: { a: null, c: { d: null } }, dt: '2020-06-01', ts: '2020-06-01T12:00:00Z' },
      },
      { attributes: { tz: '2020-12-01T12:00:00.5Z', status: 'open', dt: '+010000-01-01', tags: [] } },
      { attributes: { r: 2.7, tz: '-000043-03-15T00:00:00Z', dt: '-000043-03-15', j: 'x\0' } },
      { attributes: { d: 5, tz: '+010000-01-01T00:00:00Z', j: 5 } },
      { attributes: null },
    ])
    expect(shown[0].attributes).not.toHaveProperty('found')
    expect(Object.keys(shown[1].attributes)).not.toEqual(expect.arrayContaining(['r', 'd', 'n', 'ts']))
    expect(await ask(`${COLLECTION}/items?f=csv`)).toContain('9007199254740993')
    expect(await ask(`${COLLECTION}/items`)).toContain('"big":9007199254740993')
  })

  it('have a format if they are times', async () => {
    const { properties } = JSON.parse(await ask(`${COLLECTION}/queryables`))
    expect(properties).toMatchObject({
      tz: { format: 'date-time' },
      ts: { format: 'date-time' },
      dt: { format: 'date' },
      size: { title: 'Size', type: 'number', 'x-ogc-unit': 'm' },
      is_safe: { type: 'boolean' },
    })
  })

  it('are counted by their exact values', async () => {
    const names = ['big', 'folded', 'r', 'status'].map((name) => `attributes__${name}`)
    const summary = await ask(
      `/api/v3/events/summary/?facets=${names}&statistics=attributes__r,attributes__n,attributes__size`,
    )
    expect(summary).toContain('{"value":9007199254740993,"count":1,')
    const { facets, statistics } = JSON.parse(summary)
    expect(facets.attributes__big).toMatchObject({ entries: { length: 3 }, without: 2 })
    expect(facets.attributes__folded).toMatchObject({ entries: { length: 3 }, without: 2 })
    expect(facets.attributes__r).toMatchObject({ entries: [{ value: 0.1 }, { value: 2.7 }], without: 3 })
    expect(statistics.attributes__r).toMatchObject({ count: 2, sum: 2.8000000000000003, max: 2.7 })
    const [min, max] = [-Number.MAX_VALUE, Number.MAX_VALUE]
    expect(statistics.attributes__size).toMatchObject({ count: 4, min, max, sum: 0.1 })
  })

  it.each(['ordering=-attributes__n', 'ordering=attributes__d', 'ordering=-attributes__big'])(
    '%s ends',
    async (order) => {
      const ids: number[] = []
      for (let path = `/api/v4/events/?page_size=1&${order}`; path !== ''; ) {
        const { results, next } = JSON.parse(await ask(path))
        ids.push(...results.map(({ id }: { readonly id: number }) => id))
        expect(ids.length).toBeLessThanOrEqual(5)
        path = next === null ? '' : next.replace(/^https?:\/\/[^/]+/, '')
      }
      expect(ids.toSorted()).toEqual([1, 2, 3, 4, 5])
    },
  )
})

describe.runIf(hasPostgres)('1,500 columns of people’s own', () => {
  const NAMES = Array.from({ length: 1500 }, (_, i) => `c${i}`)
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await freshPostgres(
      `CREATE TABLE places (id int PRIMARY KEY, time timestamptz, geom geometry(Point, 4326), name text,
        ${NAMES.map((name) => `${name} int`)});
      INSERT INTO places (id, time, name, c0, c1499) SELECT i, '2020-01-01Z', 'Place', i, 7 FROM generate_series(1, 3) AS i`,
      simple.replace('-- , p.depth', NAMES.map((name) => `, p.${name}`).join('')),
      SERIES,
      READER,
    )
  })

  it.each([
    ...['/api/v3/events/', '/api/v3/events/?q=7', '/api/v4/events/?page_size=2', '/api/v4/events/?attributes__c1499=7'],
    ...[
      '/api/v4/events/?format=csv',
      `${COLLECTION}/items`,
      `${COLLECTION}/items?f=csv`,
      `${COLLECTION}/items?c1499=7`,
    ],
    ...[`${COLLECTION}/schema`, '/ogc/collections', '/api/v3/events/summary/?facets=attributes__c1499'],
  ])('%s', async (path) => {
    const response = await send(database, path, { deadlines: DEADLINES })
    expect(response.status, await response.text()).toBe(200)
  })
})
