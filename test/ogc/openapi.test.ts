import { beforeAll, describe, expect, it } from 'vitest'
import { openapi } from '../../src/ogc/openapi.ts'
import { foundation } from '../engine/world.ts'
import { load, send, withKey } from '../service.ts'

// Compares answers with the description at /ogc/api: their status, their headers and their media type.

beforeAll(() => load(foundation))

interface Described {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>
  readonly content?: object
}

// biome-ignore lint/suspicious/noExplicitAny: the shapes are what the test looks at.
const document: any = JSON.parse(JSON.stringify(openapi('http://localhost:8787/ogc')))
const target = ($ref: string) =>
  $ref
    .split('/')
    .slice(1)
    .reduce((part, step) => part[step], document)

const SERIES = 'events-10000000-0000-4000-8000-000000000000'
const EVENTS = '/collections/events/items'
const TYPE = { 'Content-Type': 'application/geo+json' }

const feature = (properties: object = {}) => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [5.5, 52.25] },
  properties: {
    timestamp_start: '2018-02-07T01:49:14Z',
    event_series: '10000000-0000-4000-8000-000000000000',
    ...properties,
  },
})
const several = { type: 'FeatureCollection', features: [feature({ external_id: 'b' }), feature({ external_id: 'c' })] }

/** Returns the description of a path. A path of a listed collection goes before one with the id in braces. */
const operationAt = (path: string, method: string) => {
  const { pathname } = new URL(path, 'http://localhost')
  const fits = (known: string) => new RegExp(`^${known.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname)
  const [known = ''] = Object.keys(document.paths)
    .filter(fits)
    .sort((a, b) => a.split('{').length - b.split('{').length)
  return document.paths[known]?.[method.toLowerCase()]
}

/** Checks an answer. Returns its body. */
const conform = async (status: number, path: string, options: RequestInit = {}) => {
  const { method = 'GET' } = options
  const { headers, ...key } = await withKey('writer')
  const response = await send(path === '/' ? '/ogc' : `/ogc${path}`, {
    ...options,
    ...key,
    headers: { ...headers, ...options.headers },
  })
  const text = new TextDecoder().decode(await response.arrayBuffer())
  expect([path, response.status, text.slice(0, 200)]).toEqual([path, status, expect.anything()])
  const declared: Described | undefined = operationAt(path, method).responses[status]
  expect([method, path, status, declared]).toEqual([method, path, status, expect.anything()])
  const described: Described = declared?.$ref === undefined ? (declared as Described) : target(declared.$ref)
  for (const [name, { $ref }] of Object.entries(described.headers ?? {}))
    if (target($ref).required) expect([path, name, response.headers.has(name)]).toEqual([path, name, true])
  if (described.content === undefined) expect(text).toBe('')
  else {
    const types = Object.keys(described.content).map((type) => type.replace(/\s/g, ''))
    const type = (response.headers.get('Content-Type') ?? '').replace(/;\s*(charset|header)=[\w-]+/gi, '')
    expect(types).toContain(type)
  }
  return text
}

const write = (method: string, body?: object, headers: object = {}): RequestInit => ({
  method,
  headers: { ...TYPE, ...headers },
  ...(body && { body: JSON.stringify(body) }),
})

describe('an answer is as the description says', () => {
  it.each<[number, string, RequestInit?]>([
    [200, '/'],
    [200, '/?f=html'],
    [200, '/api'],
    [200, '/conformance'],
    [200, '/collections'],
    [200, '/collections?f=html'],
    [200, '/collections/events'],
    [200, `/collections/${SERIES}`],
    [404, '/collections/none'],
    [406, '/conformance', { headers: { Accept: 'text/csv' } }],
    [400, '/conformance?nope=1'],
    [401, '/conformance', { headers: { Authorization: 'Bearer wrong' } }],
    [200, '/collections/events/queryables'],
    [200, '/collections/events/schema'],
    [200, '/collections/events/schema/feature'],
    [200, '/tileMatrixSets'],
    [200, '/tileMatrixSets/WebMercatorQuad'],
    [404, '/tileMatrixSets/none'],
    [200, '/collections/events/tiles'],
    [200, `/collections/${SERIES}/tiles`],
    [200, '/collections/events/tiles/WebMercatorQuad'],
    [200, '/collections/events/tiles/WebMercatorQuad/0/0/0'],
    [200, '/collections/events/tiles/WebMercatorQuad/tilejson.json'],
    [200, '/collections/events/tiles/WebMercatorQuad/style.json'],
    [400, '/collections/events/tiles?limit=1'],
    [200, EVENTS],
    [200, `${EVENTS}?f=html`],
    [200, `${EVENTS}?f=csv`],
    [200, `${EVENTS}?f=spreadsheet`],
    [200, '/collections/eventseries/items/1?f=ndjson'],
    [405, '/collections/none/items', { method: 'POST' }],
    [200, `${EVENTS}?resultType=hits`],
    [304, EVENTS, { headers: { 'If-None-Match': '*' } }],
    [412, EVENTS, { headers: { 'If-Match': '"x"' } }],
    [400, `${EVENTS}?limit=x`],
    [414, `${EVENTS}?filter=${'x'.repeat(20_000)}`],
    [200, '/collections/eventseries/items'],
    [200, '/collections/eventseries/items/1'],
    [200, `/collections/${SERIES}/items`],
    [400, `${EVENTS}/1?limit=1`],
    [404, `${EVENTS}/1`],
  ])('%i %s %j', async (status, path, options) => {
    await conform(status, path, options)
  })

  it('for writes', async () => {
    const made = JSON.parse(await conform(201, EVENTS, write('POST', feature({ external_id: 'a' }))))
    const item = `${EVENTS}/${made.id}`
    expect(JSON.parse(await conform(201, EVENTS, write('POST', several)))).toHaveProperty('ids')
    await conform(200, EVENTS, write('POST', several))
    await conform(200, EVENTS, write('POST', feature({ external_id: 'a' })))
    await conform(201, EVENTS, write('POST', feature(), { Accept: 'text/html' }))
    await conform(400, EVENTS, write('POST', {}))
    await conform(415, EVENTS, write('POST', feature(), { 'Content-Type': 'text/csv' }))
    await conform(401, EVENTS, { ...write('POST', feature()), headers: { ...TYPE, Authorization: 'Bearer wrong' } })
    await conform(200, item)
    await conform(200, item, write('PUT', feature()))
    await conform(200, item, write('PATCH', { properties: { value: '2' } }))
    await conform(412, item, write('PATCH', { properties: {} }, { 'If-Match': '"x"' }))
    await conform(204, item, write('DELETE'))
    await conform(404, item, write('DELETE'))
    await conform(409, '/collections/eventseries/items/1', write('DELETE'))
    await conform(204, '/collections/eventseries/items/1?events=delete', write('DELETE'))
  })
})
