import { beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { fetchFrom } from '../oracle/oracle.ts'
import { ORIGIN } from '../service.ts'
import { engineOn, freshPostgres, hasPostgres } from './database.ts'
import { rowsOf, TABLES } from './rows.ts'

/** The number of events. The columns of each have a value, no value, or one that no answer shows, in turns. */
const EVENTS = 60

/** Times that JavaScript does not have. */
const [BEYOND, NEVER] = ["'294276-12-31Z'", "'infinity'"]

const ROWS = `
  ALTER TABLE observation_type ALTER code DROP NOT NULL, ALTER name DROP NOT NULL;
  ALTER TABLE event_series ALTER uuid DROP NOT NULL, ALTER name DROP NOT NULL, ALTER description DROP NOT NULL,
    ALTER observation_type_id DROP NOT NULL, ALTER statistic DROP NOT NULL, ALTER color DROP NOT NULL,
    ALTER created DROP NOT NULL, ALTER access_modifier DROP NOT NULL, ALTER west TYPE real,
    ALTER timestamp_start TYPE timestamptz, ALTER timestamp_end TYPE timestamptz;
  ALTER TABLE event ALTER event_series_id DROP NOT NULL, ALTER category DROP NOT NULL, ALTER value DROP NOT NULL,
    ALTER timestamp_start DROP NOT NULL, ALTER timestamp_end DROP NOT NULL, ALTER value_number TYPE real,
    ALTER timestamp_start TYPE timestamptz, ALTER timestamp_end TYPE timestamptz;
  INSERT INTO observation_type VALUES (1, 'a', 'Type'), (2, NULL, NULL), (3, 'b', NULL);
  INSERT INTO event_series (id, uuid, name, description, observation_type_id, statistic, color, access_modifier, created,
    last_modified, timestamp_start, timestamp_end, west, south, east, north) VALUES
    (1, '00000000-0000-0000-0000-000000000001', repeat('n', 150) || '2', '', 1, 'event', '#000000', 0, '2020-01-01Z', ${BEYOND},
      ${BEYOND}, ${BEYOND}, 'NaN', 50, 6, 'Infinity'),
    (2, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (3, '00000000-0000-0000-0000-000000000003', repeat('n', 150) || '1', '', 2, 'event', '#000000', 0, ${BEYOND}, '2020-01-01Z',
      '2020-01-01Z', ${NEVER}, 4.1, 50, 6, 52);
  INSERT INTO event (id, event_series_id, category, value, value_number, timestamp_start, timestamp_end, geometry,
    object_type, object_id, external_id, last_modified)
  SELECT i, (ARRAY[1, 3, 1, 2, NULL])[1 + i % 5], CASE WHEN i % 2 > 0 THEN 'c' || i % 3 END,
    CASE WHEN i % 3 > 0 THEN 'v' || i % 10 END, (ARRAY[0.1, NULL, 'NaN', 2.7, 'Infinity', 0.3, '-Infinity'])[1 + i % 7]::real,
    CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN (ARRAY[${BEYOND}, ${NEVER}, '-infinity'])[1 + i % 3]::timestamptz ELSE moment END,
    CASE i % 3 WHEN 0 THEN NULL WHEN 1 THEN (ARRAY[${BEYOND}, ${NEVER}])[1 + i % 2]::timestamptz ELSE moment END,
    CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN ST_SetSRID(ST_MakePoint('NaN', 52, 0), 4326)
      ELSE ST_SetSRID(ST_MakePoint(5, 52, CASE i % 4 WHEN 2 THEN 'Infinity'::float8 ELSE 0 END), 4326) END,
    CASE WHEN i % 2 > 0 THEN 'storm' END, CASE WHEN i % 3 > 0 THEN 9007199254740990 + i % 7 END,
    CASE WHEN i % 3 > 1 THEN 'x' || i END, CASE i % 3 WHEN 0 THEN NULL WHEN 1 THEN ${BEYOND} ELSE moment END
  FROM generate_series(1, ${EVENTS}) AS i, LATERAL (
    SELECT '2020-01-01Z'::timestamptz + i % 8 * interval '1 h' + i * 5 % 7 * interval '137 microseconds' AS moment) AS at;
  ALTER TABLE event RENAME TO place`
const VIEW = 'CREATE VIEW event AS TABLE place'
const INDEXES = `CREATE INDEX ON place (timestamp_start, id); CREATE INDEX ON place (timestamp_end, id);
  CREATE INDEX ON place (category); CREATE INDEX ON place (value_number, id) WHERE value_number IS NOT NULL`

const EVENT_ORDERS = [
  'id',
  'category',
  'value',
  'value_number',
  'duration',
  'event_series__name',
  'external_id',
  'object_id',
  'last_modified',
]
const V3_ORDERS = ['timestamp_start', 'timestamp_end', ...EVENT_ORDERS]
const both = (names: readonly string[]) => names.flatMap((name) => [name, `-${name}`])

interface Answer {
  readonly count?: number
  readonly next?: string | null
  readonly previous?: string | null
  readonly results?: readonly { readonly id: number | string }[]
  readonly numberMatched?: number
  readonly features?: readonly { readonly id: number }[]
  readonly links?: readonly { readonly rel: string; readonly href: string }[]
}

/** The service computes the bounds of series without these columns. */
const COMPUTED =
  'ALTER TABLE event_series DROP timestamp_start, DROP timestamp_end, DROP west, DROP south, DROP east, DROP north'

describe.runIf(hasPostgres).each([
  ['no index', [], null],
  ['indexes, and bounds that the service computes', [INDEXES, COMPUTED], '2020-01-01T02:00:00Z'],
] as const)('columns without a value, and with values that no answer shows, with %s', (_, more, start) => {
  let engine: Engine
  beforeAll(async () => {
    engine = engineOn(await freshPostgres(TABLES, ROWS, ...more, VIEW))
  })

  const ask = async (path: string): Promise<Response> => {
    const response = await fetchFrom(engine, String(new URL(path, ORIGIN)), 'Hidden')
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response
  }
  const page = async (path: string): Promise<Answer> => (await ask(path)).json()
  const idsIn = ({ results, features }: Answer) => (results ?? features ?? []).map(({ id }) => id)
  const linkIn = ({ links, ...answer }: Answer, rel: 'next' | 'prev'): string | null =>
    links?.find((link) => link.rel === rel)?.href ?? (rel === 'next' ? answer.next : answer.previous) ?? null

  /** Returns the ids of all pages from an address on, and the last page. */
  const walk = async (path: string, rel: 'next' | 'prev') => {
    const pages: (number | string)[][] = []
    let last: Answer = {}
    for (let address: string | null = path; address !== null; address = linkIn(last, rel)) {
      last = await page(address)
      pages.push(idsIn(last))
      expect(pages.length).toBeLessThan(50)
    }
    return { ids: (rel === 'next' ? pages : pages.reverse()).flat(), last }
  }

  it.each(both(V3_ORDERS))('%s has each event once, in pages to both sides, in each list', async (order) => {
    const path = `/api/v3/events/?ordering=${order}`
    const whole = idsIn(await page(`${path}&page_size=1000`))
    expect(new Set(whole).size).toBe(EVENTS)
    expect((await walk(`${path}&page_size=9`, 'next')).ids).toEqual(whole)
    expect((await walk(`${path}&page_size=9&page=last`, 'prev')).ids).toEqual(whole)
    expect(idsIn(await page(`${path}&page_size=9&page=4`))).toEqual(whole.slice(27, 36))
    const all = await (await ask(`${path}&page_size=all&format=csv&fields=id`)).text()
    expect(all.trim().split('\r\n').slice(1)).toEqual(whole.map(String))
    const v4 = `/api/v4/events/?ordering=${order.replace('timestamp_', '')}&page_size=1000`
    for (const other of [v4, `/ogc/collections/events/items?sortby=${order}&limit=1000`])
      expect(idsIn(await page(other))).toEqual(whole)
  })

  it.each(both(['start', 'end']))('ordering=%s has the events without a time last', async (order) => {
    const path = `/api/v4/events/?page_size=1000&ordering=${order}`
    const timed = idsIn(await page(`${path}&${order.replace('-', '')}__gte=1900-01-01T00:00:00Z`))
    expect(timed.length).toBeGreaterThan(0)
    expect(idsIn(await page(path)).slice(0, timed.length)).toEqual(timed)
  })

  it.each([
    ['start__gte=1900-01-01T00:00:00Z', 30],
    ['start__lte=9999-01-01T00:00:00Z', 30],
    // Answers show milliseconds, and some of these events start within the last one.
    ['start__lte=2020-01-01T03:00:00Z', 16],
    ['start__year=2020', 30],
    ['start__year__not=2020', 30],
    ['start__month=1&timezone=Asia/Tokyo', 30],
    ['start__month__not=1&timezone=Asia/Tokyo', 30],
    ['start__hour__in=2,3', 16],
    ['end__gte=1900-01-01T00:00:00Z', 20],
    ['duration__gte=PT0S', 10],
    ['last_modified__gte=1900-01-01T00:00:00Z', 20],
    ['datetime=2000-01-01/..', 20],
    ['value__lte=0.1', 8],
    ['value__gt=0.3', 9],
    ['value__lte=1e300', 25],
    ['object_id=9007199254740993', 6],
    ['object_id__gt=9007199254740993', 16],
    ['category__not=c1', 50],
    ['bbox=-180,-90,180,90', 30],
    ['near=5,52&radius=10', 30],
    ['latest=event_series', 3],
    ['q=storm', 30],
  ])('%s finds %i events', async (filter, count) => {
    expect((await page(`/api/v4/events/?${filter}`)).count).toBe(count)
  })

  it.each([
    ["timestamp_start > TIMESTAMP('2000-01-01T00:00:00Z')", 30],
    ["NOT (timestamp_start > TIMESTAMP('2000-01-01T00:00:00Z'))", 0],
    ['timestamp_start IS NULL', 30],
    ['timestamp_start = timestamp_end', 10],
    ['NOT (timestamp_start = timestamp_end)', 0],
    ['object_id = 9007199254740993', 6],
    ['geom IS NULL', 30],
  ])('the filter %s finds %i features', async (filter, count) => {
    expect((await page(`/ogc/collections/events/items?filter=${encodeURIComponent(filter)}`)).numberMatched).toBe(count)
  })

  it('a summary counts all events, and has the others in no bin', async () => {
    const names = 'facets=category,event_series,timestamp_start__year&by=category&statistics=value'
    for (const parameters of ['', '&bins=hour', '&bins=hour&timezone=Europe/Amsterdam', '&bins=1']) {
      const { count, time, without_geometry, ...told } = await (
        await ask(`/api/v3/events/summary/?${names}${parameters}`)
      ).json<{ count: number; time: { bins: number[][] }; without_geometry: number; by: object; facets: object }>()
      expect([count, without_geometry]).toEqual([EVENTS, 30])
      expect(time.bins.reduce((sum, [, rows = 0]) => sum + rows, 0)).toBe(30)
      expect(told).toMatchObject({
        facets: {
          category: { without: 30, more: 0 },
          event_series: { without: 12, more: 0 },
          timestamp_start__year: { without: 30, entries: [{ value: 2020, count: 30 }] },
        },
        by: { category: { rest: { count: 30 } } },
        statistics: { value: { count: 25, min: 0.1, max: 2.7, sum: 27.5 } },
      })
    }
  })

  it.each([
    '/api/v3/events/?page_size=100&format=',
    '/api/v4/events/?page_size=100&format=',
    '/api/v3/eventseries/?format=',
    '/api/v4/eventseries/?format=',
    '/api/v4/observationtypes/?format=',
    '/ogc/collections/events/items?limit=100&f=',
    '/ogc/collections/eventseries/items?f=',
  ])('%s has each format, with all digits of an integer', async (list) => {
    const formats = ['json', 'csv', 'ndjson', 'spreadsheet', list.includes('/ogc') ? 'html' : 'api']
    if (!list.includes('types')) formats.push('geojson')
    for (const format of formats) {
      const text = await (await ask(`${list}${format}`)).text()
      if (list.includes('/events/') && format !== 'spreadsheet') expect(text, format).toContain('9007199254740993')
    }
  })

  it.each([
    '/api/v3/events/1/',
    '/api/v4/events/4/',
    '/api/v3/events/?include=series',
    '/api/v4/eventseries/?ordering=name',
    '/api/v4/eventseries/?ordering=-start',
    '/api/v3/observationtypes/?ordering=-code',
    '/ogc/collections/events/tiles/WebMercatorQuad/0/0/0',
    '/ogc/collections/events/tiles/WebMercatorQuad/9/263/169',
  ])('%s answers', async (path) => {
    expect((await ask(path)).status).toBe(200)
  })

  it('the first start of a series is one that answers show', async () => {
    const { results } = await (await ask('/api/v4/eventseries/')).json<{ results: readonly object[] }>()
    expect(results[0]).toMatchObject({ uuid: expect.stringMatching(/1$/), start })
    const { collections } = await (await ask('/ogc/collections?f=json')).json<{ collections: readonly object[] }>()
    expect(collections).toHaveLength(5)
  })
})

it.runIf(hasPostgres)('a summary in a zone has bins of the first and the last years', { timeout: 60_000 }, async () => {
  const times = `UPDATE event SET timestamp_start = '4000-01-01Z BC' WHERE id = 1;
    UPDATE event SET timestamp_start = '275000-01-01Z' WHERE id = 2`
  const engine = engineOn(await freshPostgres(TABLES, rowsOf(3), times))
  const response = await fetchFrom(engine, `${ORIGIN}/api/v3/events/summary/?bins=year&timezone=Europe/Amsterdam`)
  expect(await response.json()).toMatchObject({
    count: 3,
    time: {
      bins: [
        [expect.any(Number), 1],
        [1577833200000, 1],
        [expect.any(Number), 1],
      ],
    },
  })
})
