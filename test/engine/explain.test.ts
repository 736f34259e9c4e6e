import { describe, expect, it, vi } from 'vitest'
import { freshDatabase } from '../database.ts'
import { answer as answerOf, beginWithSeed, get, type Options, post, send, withKey } from '../service.ts'

beginWithSeed()

const BOX = 'geom_within=POLYGON((-100 20,-60 20,-60 50,-100 50,-100 20))'

const COSTS: Options = { vars: { SHOW_COST: 'true' } }
/** Asks a new isolate, without statistics and answers of earlier requests. */
const newIsolate = (): Options => ({
  vars: { ...COSTS.vars, DB: freshDatabase() },
  headers: { 'Cache-Control': 'no-cache' },
})

/** A query, and the paths to its matches. */
const PATHS: [query: string, path: string][] = [
  ['', 'all'],
  ['page=200', 'all'],
  ['category=hurricane', 'entries or all'],
  ['category__regex=^h', 'entries or all'],
  ['event_series=af29&ordering=-timestamp_start', 'entries or all'],
  ['category=hurricane&timestamp_start__range=2017-08-01,2017-10-01', 'entries or time'],
  ['timestamp_start__range=2017-08-01,2017-10-01', 'time'],
  ['datetime=2017-08-01/2017-10-01', 'time'],
  ['last_modified__gte=2026-01-01', 'column or all'],
  ['external_id=x', 'entries'],
  ['object_id=7', 'pairs'],
  [BOX, 'cells'],
  ['geom_within=POLYGON((-100 20,-60 20,-60 50,-100 20))', 'cells or ids'],
  // Rows in list order fill this page.
  ['geom_within=POLYGON((-179 -80,179 -80,0 89,-179 -80))&ordering=-timestamp_start', 'cells'],
  ['near=-80,30&radius=500000&ordering=distance', 'cells or ids'],
]

describe('the path of a query', () => {
  it.each(PATHS)('%s', async (query, path) => {
    await get('/api/v3/events/', COSTS)
    const { plan } = await get(`/api/v3/events/?${query}&explain=true`, COSTS)
    expect(plan.path).toBe(path)
    expect(plan.paths.map((each: { path: string }) => each.path).join(' or ')).toBe(path)
  })
})

it('a list of series is read as a whole', async () => {
  const { plan, envelope } = await get('/api/v3/eventseries/?explain=true', COSTS)
  expect([plan.path, plan.paths, envelope.count]).toEqual(['whole table', [], expect.any(Number)])
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
    expect(statements.flatMap(({ query_plan }: { query_plan: string[] }) => query_plan).join(' ')).toContain('INDEX')
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
    expect(await get('/api/v3/events/', { ...posted, ...COSTS })).toHaveProperty('plan.path', 'entries or all')
  })
})

it('the log has the name of the path', async () => {
  const log = vi.spyOn(console, 'log')
  await get('/api/v3/events/?page=200')
  const lines = log.mock.calls.map(([line]) => JSON.parse(line))
  expect(lines.at(-1)).toMatchObject({ plan_path: 'all' })
  log.mockRestore()
})
