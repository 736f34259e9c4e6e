import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { version } from '../../package.json'
import { freshDatabase } from '../database.ts'
import { databaseWith, UNREACHABLE } from '../isolates.ts'
import { apiKeys, bearer, load, type Options, post, send, sendToEdge, withKey } from '../service.ts'
import { EVENTS, feature, SERIES, write } from '../store/writer.ts'

beforeAll(() => load())

const log = vi.spyOn(console, 'log').mockReturnValue()
const faults = vi.spyOn(console, 'error').mockReturnValue()
afterEach(() => {
  log.mockClear()
})
afterAll(() => {
  log.mockRestore()
  faults.mockRestore()
})

/** Returns the only new line of the log. */
const line = async () => {
  await vi.waitFor(() => expect(log).toHaveBeenCalledOnce())
  return JSON.parse(log.mock.calls[0]?.[0])
}

const logged = async (path: string, options: Options = {}) => {
  const response = await send(path, options)
  await response.arrayBuffer()
  return line()
}

it('a line contains the request, its status and its cost', async () => {
  const { headers, vars } = await withKey('private')
  const asked = {
    'X-Request-Id': '0b5a7c1e-63d4-4f0a-9c2f-1f6a4d3e2b10',
    Authorization: new Headers(headers).get('Authorization') ?? '',
  }
  const fresh = { ...vars, DB: freshDatabase() }
  expect(await logged(`${EVENTS}?page_size=2&category=storm`, { headers: asked, vars: fresh })).toEqual({
    id: '0b5a7c1e-63d4-4f0a-9c2f-1f6a4d3e2b10',
    version,
    method: 'GET',
    route: EVENTS,
    status: 200,
    ms: expect.any(Number),
    caller: 'private',
    parameters: ['category', 'page_size'],
    ask: expect.any(Number),
    plan_path: 'entries or all',
    read: expect.any(Number),
    write: expect.any(Number),
    d1: expect.any(Number),
    rows_read: expect.any(Number),
    estimate_rows: expect.any(Number),
    round_trips: 1,
    cache: 'none',
    cache_hit: false,
  })
})

describe('the names of the parameters', () => {
  it.each<[string, string, Options, string[]]>([
    ['of an address, without duplicates', `${EVENTS}?page=1&page=1&category__in=a`, {}, ['category__in', 'page']],
    ['posted', `${EVENTS}?page_size=1`, post('geom_within=POINT(1 2)'), ['geom_within', 'page_size']],
    ['that are unknown', `${EVENTS}?hunter2=1&category=b&token`, {}, ['?', 'category']],
    ['without those of other programs', `${EVENTS}?_=1&utm_source=token&page=1`, {}, ['page']],
    ['of a summary', `${EVENTS}summary/?bins=4`, {}, ['bins']],
    [
      'of items',
      '/ogc/collections/events/items?limit=2&f=json&category=a&bbox=1,2,3,4',
      {},
      ['bbox', 'category', 'f', 'limit'],
    ],
    ['of a tile', '/ogc/collections/events/tiles/WebMercatorQuad/1/0/0?filter=x&hunter2=1', {}, ['?', 'filter']],
    ['of an address without any', '/healthz', {}, []],
  ])('%s', async (_, path, options, parameters) => {
    const said = await logged(path, options)
    expect(said.parameters).toEqual(parameters)
    expect(JSON.stringify(said)).not.toMatch(/hunter2|token|POINT/)
  })
})

describe('the region of the database', () => {
  const at = (meta: object) => ({
    DB: databaseWith(async (real) => (await real()).map((each) => ({ ...each, meta: { ...each.meta, ...meta } }))),
    SHOW_COST: 'true',
  })

  it.each<[object, string | undefined]>([
    [{ served_by_region: 'WEUR', served_by_primary: false }, 'WEUR'],
    [{ served_by_region: 'ENAM', served_by_primary: true }, 'ENAM primary'],
    [{}, undefined],
  ])('%j', async (meta, region) => {
    const { headers } = await send(EVENTS, { vars: at(meta) })
    expect((await line()).region).toBe(region)
    expect(/region;desc="([^"]*)"/.exec(headers.get('Server-Timing') ?? '')?.[1]).toBe(region)
  })
})

it('a line says if the answer came from the cache of the data centre', async () => {
  const path = `${EVENTS}?category__icontains=e&page_size=20`
  await sendToEdge(path)
  await sendToEdge(path)
  const told = log.mock.calls.map(([text]) => JSON.parse(text)).map(({ cache, cache_hit }) => [cache, cache_hit])
  expect(told).toEqual([
    ['miss', false],
    ['hit', true],
  ])
})

describe('the name of the caller', () => {
  it.each([
    ['common', '/'],
    ['all', '/'],
    ['all', '/ogc/collections/events/items?limit=1'],
  ])('%s is logged for reads of %s', async (key, path) => {
    expect((await logged(path, { headers: bearer(key), vars: { API_KEYS: await apiKeys() } })).caller).toBe(key)
  })

  it('is the beginning of the digest if the key has no name', async () => {
    const [digest = ''] = Object.keys(JSON.parse(await apiKeys()))
    const vars = { API_KEYS: JSON.stringify({ [digest]: {} }) }
    expect((await logged('/', { headers: bearer('common'), vars })).caller).toBe(digest.slice(0, 8))
  })

  it('is logged for writes', async () => {
    await write('POST', EVENTS, feature())
    expect(await line()).toMatchObject({ caller: 'writer', method: 'POST', status: 201, parameters: [] })
  })
})

describe('the fault in a line', () => {
  const SUMMARY = `${EVENTS}summary/`
  const posted = (name: string, value: string) => ({ ...post('bins=1'), headers: { [name]: value } })
  it.each<[string, Options, number, unknown]>([
    [`${EVENTS}?hunter2=1&timestamp_start=hunter2&object_id=x`, {}, 400, ['?', 'object_id', 'timestamp_start']],
    [`${EVENTS}?page=hunter2`, {}, 404, 'Invalid page'],
    [`${EVENTS}?geom_within=hunter2`, {}, 400, ['geom_within']],
    [EVENTS, { headers: bearer('hunter2') }, 401, 'Invalid key'],
    ['/hunter2/', {}, 404, 'Not found'],
    [EVENTS, { method: 'PUT' }, 405, 'Method'],
    [EVENTS, { headers: { Accept: 'image/hunter2' } }, 406, 'Could not satisfy the request Accept header'],
    [EVENTS, posted('Content-Encoding', 'hunter2'), 415, 'This service does not accept Content-Encoding'],
    [EVENTS, posted('Content-Encoding', 'x-"hunter2'), 415, 'This service does not accept Content-Encoding'],
    [SUMMARY, posted('Content-Type', 'text/hunter2'), 415, 'Set Content-Type to application/x-www-form-urlencoded'],
    [`${EVENTS}?format=hunter2`, {}, 400, ['format']],
    [`${EVENTS}?ordering=hunter2&hint=hunter2`, {}, 400, ['ordering']],
    [`${EVENTS}?value__regex=(hunter2`, {}, 400, ['value__regex']],
    ['/ogc/collections/hunter2/items', {}, 404, 'Not found'],
    ['/ogc/collections/events/items?filter=hunter2=1', {}, 400, ['filter']],
    ['/ogc/collections/events/tiles/hunter2/1/0/0', {}, 404, 'Not found'],
    [EVENTS, { headers: { 'X-D1-Bookmark': 'hunter2' } }, 200, undefined],
    [EVENTS, { vars: { DB: UNREACHABLE } }, 503, 'The database does not answer at the moment'],
    [EVENTS, { vars: { ANONYMOUS_LEVEL: 'hunter2' } }, 500, 'Error'],
  ])('%s %j', async (path, options, status, fault) => {
    const said = await logged(path, options)
    expect([said.status, said.fault]).toEqual([status, fault])
    expect(JSON.stringify(said)).not.toContain('hunter2')
  })

  const [KEY, CODE] = [{ 'Idempotency-Key': 'hunter2 hunter2' }, { code: 'hunter2', name: 'hunter2', unit: null }]
  it.each<[path: string, body: unknown, Record<string, string>, number, string]>([
    [EVENTS, '{"hunter2"', {}, 400, 'The body is not JSON in UTF-8'],
    [EVENTS, '{}', KEY, 400, 'Idempotency-Key takes 1 to 255 visible characters'],
    ['/api/v4/observationtypes/', CODE, {}, 409, 'An item with this code is stored already'],
  ])('of a write to %s of %j with %j has no text of the client', async (path, body, headers, status, fault) => {
    // The first write stores the code.
    await write('POST', path, body, headers)
    log.mockClear()
    await write('POST', path, body, headers)
    const said = await line()
    expect([said.status, said.fault]).toEqual([status, fault])
    expect(JSON.stringify(said)).not.toContain('hunter2')
  })

  it('names the fields of several items', async () => {
    await write('POST', EVENTS, [feature(), feature({ timestamp_start: 'hunter2' }), feature({ hunter2: 1 })])
    const said = await line()
    expect(said).toMatchObject({ status: 400, fault: ['?', 'properties.timestamp_start'] })
    expect(JSON.stringify(said)).not.toContain('hunter2')
  })
})

describe('a write', () => {
  const ADDRESS = '203.0.113.7'
  const made = async (path: string, body: object, headers = {}) => {
    const { body: item } = await write('POST', path, body, headers)
    const said = await line()
    log.mockClear()
    return { item, said }
  }

  it('says which item it wrote', async () => {
    const { item, said } = await made(EVENTS, feature())
    expect(said).toMatchObject({ kind: 'event', item: String(item.id) })
    const path = `${EVENTS}${item.id}/`
    for (const [method, body] of [
      ['PATCH', { properties: { value: '2' } }],
      ['DELETE', undefined],
    ] as const) {
      await write(method, path, body)
      expect(await line()).toMatchObject({ method, kind: 'event', item: String(item.id) })
      log.mockClear()
    }
    await write('DELETE', path)
    expect(await line()).not.toHaveProperty('item')
  })

  it('says which series it wrote, also under /ogc', async () => {
    const { item, said } = await made(SERIES, { name: 'hunter2', observation_type: 1 })
    expect(said).toMatchObject({ kind: 'event_series', item: item.uuid })
    expect(JSON.stringify(said)).not.toContain('hunter2')
    const { uuid } = item
    const { item: feature } = await made(`/ogc/collections/events-${uuid}/items`, {
      type: 'Feature',
      geometry: null,
      properties: { category: 'flood', value: '1', timestamp_start: '2020-01-01T00:00:00Z' },
    })
    expect(feature).not.toBeNull()
    await write('DELETE', `${SERIES}${uuid}/?events=delete`)
    expect(await line()).toMatchObject({ kind: 'event_series', item: uuid })
  })

  it('says how many items it wrote', async () => {
    const { item } = await made(SERIES, { name: 'of many', observation_type: 1 })
    const { said } = await made(
      EVENTS,
      [1, 2, 3].map(() => feature({ event_series: item.uuid })),
    )
    expect(said).toMatchObject({ kind: 'event', items: 3 })
    await write('DELETE', `${SERIES}${item.uuid}/events/?category=flood`)
    expect(await line()).toMatchObject({ kind: 'event', items: 3 })
  })

  it('has a name of the client for one day, and reads have none', async () => {
    const clients: unknown[] = []
    for (const address of [ADDRESS, ADDRESS, '203.0.113.8', '127.0.0.1']) {
      const { said } = await made(EVENTS, feature(), { 'CF-Connecting-IP': address })
      expect(JSON.stringify(said)).not.toContain(address)
      clients.push(said.client)
    }
    expect(clients[0]).toMatch(/^[0-9a-f]{8}$/)
    expect(clients).toEqual([clients[0], clients[0], expect.not.stringContaining(String(clients[0])), undefined])
    expect(await logged(EVENTS, { headers: { 'CF-Connecting-IP': ADDRESS } })).not.toHaveProperty('client')
    log.mockClear()
    vi.setSystemTime(Date.now() + 86_400_000)
    const { said } = await made(EVENTS, feature(), { 'CF-Connecting-IP': ADDRESS }).finally(() => vi.useRealTimers())
    expect(said.client).toMatch(/^[0-9a-f]{8}$/)
    expect(said.client).not.toBe(clients[0])
  })
})

it('a stream is logged when it ends', async () => {
  const response = await send(`${EVENTS}?format=csv&page_size=all`)
  expect(log).not.toHaveBeenCalled()
  await response.body?.cancel()
  expect(await line()).toMatchObject({ status: 200, sent: 'left', parameters: ['format', 'page_size'] })
})
