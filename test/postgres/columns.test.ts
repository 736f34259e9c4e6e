import { createExecutionContext } from 'cloudflare:test'
import { beforeAll, describe, expect, it } from 'vitest'
import reader from '../../schema/postgres/reader.sql?raw'
import simple from '../../schema/postgres/views-simple.sql?raw'
import { plainSql } from '../../seed/postgres/script.ts'
import postgres from '../../src/postgres.ts'
import { freshPostgres, hasPostgres, type PostgresDatabase } from './database.ts'

/** The least and the greatest double, and others. The last two are no sizes. */
const SIZES = [5e-324, -5e-324, 0, 0.1, Number.MAX_VALUE, -Number.MAX_VALUE, Number.NaN, Number.NEGATIVE_INFINITY]

const PLACES = `CREATE TABLE places (id int PRIMARY KEY, time timestamptz, geom geometry(Point, 4326), name text,
    depth numeric(8, 2), is_safe boolean, kind varchar(20), seen timestamptz, found bytea, size float8);
  INSERT INTO places SELECT i, timestamptz '2020-01-01T00:00:00Z' + i * interval '1 day', ST_SetSRID(ST_Point(i, 50), 4326),
    'Place ' || i, i * 1.5, i % 2 = 0, CASE WHEN i % 3 > 0 THEN 'well' END, '2021-05-01T12:00:00Z', 'x', (ARRAY[${SIZES.map((size) => `'${size}'`)}]::float8[])[i]
  FROM generate_series(1, 9) AS i;
  CREATE INDEX ON places (time, id);
  CREATE INDEX ON places USING gist (geom)`

/** The views with all columns of the table. */
const VIEWS = `${simple.replace('-- , p.depth', ', p.depth, p.is_safe, p.kind, p.seen, p.found, p.size')};
  COMMENT ON COLUMN events_api.event.depth IS 'Depth (m)'`

const SERIES = 'events-7f6d0d5e-2f0c-4f0e-9c39-5b0d3f1f6a01'

describe.runIf(hasPostgres)('columns of people’s own in the view of events', () => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await freshPostgres(PLACES, VIEWS, plainSql(reader))
  })

  const ask = async (path: string): Promise<string> => {
    const request = new Request(`http://localhost:8787${path}`)
    const env = { HYPERDRIVE: database } as never // the database is its only binding
    const response = await postgres.fetch(request, env, createExecutionContext())
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${response.status} ${text}`)
    return text
  }
  const countOf = async (query: string) => JSON.parse(await ask(`/api/v3/events/?${query}`)).count

  it.each([
    ['attributes__depth__gt=6', 5],
    ['attributes__depth=3', 1],
    ['attributes__kind=well', 6],
    ['attributes__kind__isnull=true', 3],
    ['attributes__is_safe=true', 4],
    ['attributes__found__isnull=true', 9],
  ])('%s finds %i events', async (query, count) => {
    expect(await countOf(query)).toBe(count)
  })

  it('are attributes of an event, and sort it', async () => {
    const { results } = JSON.parse(await ask('/api/v4/events/?ordering=-attributes__depth&page_size=1'))
    expect(results[0].properties.attributes).toEqual({
      depth: 13.5,
      is_safe: false,
      seen: '2021-05-01T12:00:00Z',
    })
  })

  it('are typed and titled properties of the collection of a series', async () => {
    const { properties } = JSON.parse(await ask(`/ogc/collections/${SERIES}/queryables`))
    expect(properties.depth).toMatchObject({ title: 'Depth', type: 'number', 'x-ogc-unit': 'm' })
    expect(properties.is_safe).toMatchObject({ type: 'boolean' })
    const filter = encodeURIComponent('depth > 6 AND is_safe = true')
    expect(JSON.parse(await ask(`/ogc/collections/${SERIES}/items?filter=${filter}`)).numberMatched).toBe(2)
  })

  it('are columns of a CSV file of the series', async () => {
    const [head, first] = (await ask(`/ogc/collections/${SERIES}/items?f=csv`)).split('\r\n')
    expect(head).toContain('depth')
    expect(first).toContain('1.5')
  })

  it('are counted and summed', async () => {
    const summary = JSON.parse(
      await ask('/api/v3/events/summary/?facets=attributes__kind&statistics=attributes__depth'),
    )
    expect(summary.facets).toMatchObject({ attributes__kind: { without: 3, entries: [{ value: 'well', count: 6 }] } })
    expect(summary.statistics.attributes__depth).toMatchObject({ count: 9, min: 1.5, max: 13.5, sum: 67.5 })
  })

  it('stand beside two indexes, which are enough for grade B', async () => {
    expect(JSON.parse(await ask('/readyz'))).toMatchObject({ grade: 'B' })
  })

  it('have exact sums over all doubles that are finite', async () => {
    const { statistics } = JSON.parse(await ask('/api/v3/events/summary/?statistics=attributes__size'))
    const [min, max] = [-Number.MAX_VALUE, Number.MAX_VALUE]
    expect(statistics.attributes__size).toMatchObject({ count: 6, min, max, sum: 0.1 })
  })
})
