import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { answer as answerOf, get, load, type Options, post, send, withKey } from '../../service.ts'

beforeAll(() => load())

const AREA = 'geom_within=POLYGON((-100 20,-60 25,-65 50,-90 55,-110 40,-100 20))'
const BOX = 'geom_within=POLYGON((-100 20,-60 20,-60 50,-100 50,-100 20))'

/**
 * A query, and its plan: the access path, the estimated rows read and matches, how the page is read, and how the
 * matches are counted.
 */
const PLANS: [string, string, number, number | null, string, string][] = [
  ['', 'inOrder', 11, null, 'scan', 'stored counts: everything'],
  ['page=200', 'seek', 2001, null, 'seek', 'stored counts: everything'],
  ['page=last', 'inOrder', 1, null, 'scan', 'stored counts: everything'],
  ['ordering=-timestamp_start', 'inOrder', 11, null, 'scan', 'stored counts: everything'],
  ['ordering=-timestamp_start&page=300', 'seek', 3001, null, 'seek', 'stored counts: everything'],
  ['ordering=timestamp_end&page=300', 'seek', 3001, null, 'seek', 'stored counts: everything'],
  ['ordering=timestamp_end&page=last', 'inOrder', 1, null, 'scan', 'stored counts: everything'],
  ['page_size=1000', 'inOrder', 1001, null, 'scan', 'stored counts: everything'],
  ['category=hurricane', 'entries', 11, null, 'merge', 'stored counts: matching entries'],
  ['category__icontains=o', 'entries', 6618, 6618, 'merge', 'stored counts: entries'],
  ['category__regex=^h', 'entries', 164, 164, 'merge', 'stored counts: entries'],
  ['event_series=af29', 'entries', 11, null, 'merge', 'stored counts: matching entries'],
  ['event_series__name=Atlantic storms 2010-2020', 'entries', 11, null, 'merge', 'stored counts: matching entries'],
  ['event_series__name__icontains=storms', 'entries', 170, 170, 'merge', 'stored counts: entries'],
  ['event_series=af29&ordering=-timestamp_start', 'entries', 11, null, 'merge', 'stored counts: matching entries'],
  ['object_type__model=storm', 'entries', 11, null, 'merge', 'stored counts: matching entries'],
  ['object_id=7', 'pairs', 152, 15175, 'scan or sort', 'path: counts the rows of the path'],
  ['object_id__gte=7&object_id__lte=20', 'pairs', 1518, 15175, 'scan or sort', 'path: counts the rows of the path'],
  ['external_id=x', 'entryRows', 0, 0, 'sort', 'stored counts: entries'],
  ['external_id__in=a,b', 'entryRows', 0, 0, 'sort', 'stored counts: entries'],
  ['timestamp_start__gte=2017-01-01', 'durationClasses', 3231, 3231, 'scan or sort', 'stored counts: times'],
  ['timestamp_start__range=2017-08-01,2017-10-01', 'durationClasses', 196, 196, 'sort', 'stored counts: times'],
  [
    'timestamp_start__range=2017-08-01,2017-10-01&ordering=timestamp_start&page=5',
    'seek',
    51,
    223,
    'seek',
    'known count: of an earlier request',
  ],
  [
    'timestamp_start__lte=2017-10-01&timestamp_end__gte=2017-08-01',
    'durationClasses',
    291,
    291,
    'sort',
    'stored counts: overlap',
  ],
  ['timestamp_end__lte=1990-01-01', 'durationClasses', 1525, 1525, 'scan or sort', 'stored counts: times'],
  ['datetime=2017-08-01/2017-10-01', 'durationClasses', 297, 297, 'sort', 'stored counts: overlap'],
  ['datetime=2017-08-01/2017-10-01&page=20', 'durationClasses', 297, 271, 'sort', 'stored counts: overlap'],
  ['duration__gte=240:00:00', 'durationClasses', 3651, 3651, 'scan or sort', 'stored counts: durations'],
  ['duration=01:00:00', 'column', 0, 1, 'merge', 'stored counts: durations'],
  ['duration__lte=00:30:00', 'durationClasses', 11067, 11067, 'scan or sort', 'stored counts: durations'],
  [
    'category=hurricane&timestamp_start__gte=2017-01-01',
    'entries',
    35,
    35,
    'sort',
    'path: counts the rows of the path',
  ],
  [
    'category=hurricane&timestamp_start__gte=2017-01-01&ordering=-timestamp_start',
    'entries',
    35,
    35,
    'sort',
    'path: counts the rows of the path',
  ],
  [
    'event_series__name=Atlantic storms 2010-2020&timestamp_end__lte=2015-01-01',
    'entries',
    126,
    126,
    'scan or sort',
    'path: counts the rows of the path',
  ],
  [
    'category=hurricane&event_series__name__icontains=storms',
    'entries',
    164,
    2,
    'sort',
    'the same scan: the page and the count',
  ],
  [`${BOX}`, 'cells', 6652, 6436, 'scan or sort', 'rectangles: 6219 by stored counts, and 40 ranges of cells'],
  [
    `${AREA}`,
    'cells',
    6704,
    6472,
    'scan or sort',
    'tests of cells: 6235 by stored counts, and the Worker tests rows at the boundary',
  ],
  [`${AREA}&category=hurricane`, 'entries', 164, 70, 'scan or sort', 'tests of the path: the Worker tests each row'],
  [
    `${AREA}&timestamp_start__gte=2017-01-01`,
    'durationClasses',
    3231,
    1378,
    'scan or sort',
    'tests of the path: the Worker tests each row',
  ],
  [`${BOX}&category=hurricane`, 'entries', 164, 70, 'scan or sort', 'path: counts the rows of the path'],
  [
    `${AREA}&page=3`,
    'cells',
    6704,
    6472,
    'scan or sort',
    'tests of cells: 6235 by stored counts, and the Worker tests rows at the boundary',
  ],
  [
    'bbox=-100,20,-60,50',
    'cells',
    6652,
    6436,
    'scan or sort',
    'rectangles: 6219 by stored counts, and 40 ranges of cells',
  ],
  [
    'bbox=-100,20,-60,50&ordering=-timestamp_end',
    'cells',
    6652,
    6436,
    'scan or sort',
    'rectangles: 6219 by stored counts, and 40 ranges of cells',
  ],
  ['timestamp_start__gte=2030-01-01', 'durationClasses', 0, 0, 'sort', 'stored counts: times'],
  ['id__gte=5000', 'ids', 21001, 10501, 'scan or sort', 'stored counts: ids'],
  ['id__in=5,6,7', 'ids', 6, 1518, 'sort', 'path: counts the rows of the path'],
  ['category__in=hurricane,flood', 'entries', 164, 164, 'merge', 'stored counts: entries'],
]

const COSTS: Options = { vars: { SHOW_COST: 'true' } }
/** Asks a new isolate, without statistics and counts of earlier requests. */
const newIsolate = (): Options => {
  const DB = { withSession: (from: string) => env.DB.withSession(from) } as unknown as D1Database
  return { vars: { ...COSTS.vars, DB }, headers: { 'Cache-Control': 'no-cache' } }
}

describe('the plan of a query', () => {
  it.each(PLANS)('%s', async (query, path, rows, matches, page, count) => {
    const { plan, envelope } = await get(`/api/v3/events/?${query}&explain=true`, newIsolate())
    expect([plan.path, plan.rows, plan.matches, plan.page.replace(/:.*/, ''), plan.count]).toEqual([
      ...[path, rows, matches, page, count],
    ])
    expect(envelope).toEqual(await get(`/api/v3/events/?${query}`, newIsolate()))
    for (const beaten of plan.beaten) expect(beaten.rows).toBeGreaterThanOrEqual(rows)
  })
})

describe('the range of a plan', () => {
  it.each([
    ['', 'rows in list order, without limit'],
    ['page=200', 'rows of one page, located by the tree "id"'],
    ['event_series=af29', 'event_by_series, the entries that match'],
    ['category__icontains=o', 'event_by_category, 37 entries'],
    ['category=hurricane&timestamp_start__gte=2017-01-01', 'event_of_category, 1 entry, then 1483228800000..'],
    [BOX, '17 ranges of cells'],
  ])('%s', async (query, range) => {
    const { plan } = await get(`/api/v3/events/?${query}&explain=true`, newIsolate())
    expect(plan.range).toBe(range)
  })
})

it('a walk continues in list order from page to page of an area', async () => {
  const isolate = newIsolate()
  const first = await get(`/api/v3/events/?${AREA}&page_size=3`, isolate)
  const { plan } = await get(`${first.next}&explain=true`, isolate)
  expect([plan.path, plan.page, plan.count]).toEqual([
    'walk',
    'walk: tests at most 44 rows in list order',
    'known count: of an earlier request',
  ])
})

it('a list of series is read as a whole', async () => {
  const { plan, envelope } = await get('/api/v3/eventseries/?explain=true', COSTS)
  expect([plan.path, plan.beaten, envelope.count]).toEqual(['wholeTable', [], expect.any(Number)])
})

const answer = async (path: string, options?: Options) => {
  const { status, body } = await answerOf(path, options)
  return [status, body]
}

describe('an explained answer', () => {
  const QUERY = '/api/v3/events/?category__icontains=o&page_size=5'

  it('has the statements of each round trip, with the rows that they read', async () => {
    const response = await send(`${QUERY}&explain=true`, newIsolate())
    const { plan } = JSON.parse(await response.text())
    const statements = plan.trips.flat()
    expect(plan.trips.length).toBeLessThanOrEqual(3)
    expect(statements.map(({ sql }: { sql: string }) => sql).join(' ')).toContain('INDEXED BY')
    const rows = statements.reduce((sum: number, { rows_read }: { rows_read: number }) => sum + rows_read, 0)
    expect(response.headers.get('Server-Timing')).toContain(`rows_read;desc="${rows}"`)
  })

  it('is not cached, and its links drop the parameter', async () => {
    const { envelope } = await get(`${QUERY}&explain=true`, COSTS)
    expect([envelope.next, envelope.next.includes('explain')]).toEqual([expect.any(String), false])
    const { headers } = await send(`${QUERY}&explain=true`, COSTS)
    expect([headers.get('Cache-Control'), headers.get('ETag')]).toEqual(['no-store', null])
  })

  it('is for callers who may see costs', async () => {
    expect(await answer(`${QUERY}&explain=true`)).toEqual([
      403,
      { detail: expect.stringContaining('A plan shows costs.') },
    ])
    expect((await answer(`${QUERY}&explain=true`, await withKey('private')))[0]).toBe(403)
    expect(await get(`${QUERY}&explain=true`, await withKey('hidden'))).toHaveProperty('plan')
    expect(await get(`${QUERY}&explain=false`)).toEqual(await get(QUERY))
  })

  it.each([
    ['explain=true&format=csv', 'A plan is written in JSON. Add format=json.'],
    ['explain=true&format=geojson', 'A plan is written in JSON. Add format=json.'],
    ['explain=true&page_size=all&format=json', 'Enter'],
    ['explain=yes', 'Enter true or false.'],
  ])('%s is a 400', async (query, message) => {
    const [status, body] = await answer(`/api/v3/events/?${query}`, COSTS)
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(message)])
  })

  it('is not a page for people', async () => {
    const page = { ...COSTS, headers: { Accept: 'text/html' } }
    expect((await send(`${QUERY}&explain=true`, page)).status).toBe(400)
  })

  it('answers a posted query', async () => {
    const posted = post('category=hurricane&explain=true')
    expect(await get('/api/v3/events/', { ...posted, ...COSTS })).toHaveProperty('plan.path', 'entries')
  })
})

it('the log has the name of the path', async () => {
  const log = vi.spyOn(console, 'log')
  await get('/api/v3/events/?page=200')
  const lines = log.mock.calls.map(([line]) => JSON.parse(line))
  expect(lines.at(-1)).toMatchObject({ plan_path: 'seek' })
  log.mockRestore()
})
