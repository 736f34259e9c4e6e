import { describe, expect, test } from 'vitest'
import { MAX_PAGE_SIZE } from '../../src/lists/resource.ts'
import { beginWithSeed, get, send } from '../service.ts'

// Repeats each check of the official suite for Part 1 (opengeospatial/ets-ogcapi-features10), and adds checks that it
// lacks.

const ROOT = '/ogc'
const GEOJSON = 'application/geo+json'
const OPENAPI = 'application/vnd.oai.openapi+json;version=3.0'
const COLLECTIONS = ['events', 'eventseries']

beginWithSeed()

interface Link {
  readonly rel: string
  readonly type: string
  readonly href: string
}

const accept = (type: string): RequestInit => ({ headers: { Accept: type } })

/** Returns the status, media type and body of an answer. */
const ask = async (address: string, type = 'application/json') => {
  const response = await send(address, accept(type))
  const text = await response.text()
  const sent = response.headers.get('Content-Type') ?? ''
  return { status: response.status, type: sent, body: sent.includes('json') ? JSON.parse(text) : text }
}

const linkOf = (links: readonly Link[], rel: string, type: string) => {
  const found = links.find((link) => link.rel === rel && link.type === type)
  expect([rel, type, found?.href]).toEqual([rel, type, expect.stringMatching(/^http:\/\/localhost:8787\/ogc/)])
  return found?.href ?? ''
}

const isLinked = (links: readonly Link[]) => {
  for (const link of links)
    expect(link).toMatchObject({
      rel: expect.stringMatching(/./),
      type: expect.stringMatching(/^\w+\/[\w.+=;-]+$/),
      href: expect.stringMatching(/^http/),
    })
}

describe('the landing page', () => {
  test.each(['/ogc', '/ogc/'])('%s', async (path) => {
    const { status, type, body } = await ask(path)
    expect([status, type]).toEqual([200, 'application/json'])
    isLinked(body.links)
    for (const [rel, kind] of [
      ['self', 'application/json'],
      ['alternate', 'text/html'],
      ['conformance', 'application/json'],
      ['data', 'application/json'],
      ['service-desc', OPENAPI],
      ['service-doc', 'text/html'],
    ] as const) {
      const href = linkOf(body.links, rel, kind)
      const answer = await ask(href, kind)
      expect([href, answer.status, answer.type.startsWith(kind)]).toEqual([href, 200, true])
    }
  })

  test.each([
    '/ogc',
    '/ogc/api',
    '/ogc/conformance',
    '/ogc/collections',
    '/ogc/collections/events',
    '/ogc/collections/events/items',
    '/ogc/collections/events/items/1',
    '/ogc/collections/eventseries/items',
    '/ogc/collections/events/queryables',
    '/ogc/collections/events/schema',
    '/ogc/collections/events/schema/feature',
    '/ogc/tileMatrixSets',
    '/ogc/tileMatrixSets/WebMercatorQuad',
    '/ogc/collections/events/tiles',
    '/ogc/collections/events/tiles/WorldCRS84Quad',
    '/ogc/collections/events/tiles/WebMercatorQuad/tilejson.json',
    '/ogc/collections/events/tiles/WebMercatorQuad/style.json',
  ])('%s has the same answer with a final slash, and is also a page', async (path) => {
    const plain = await ask(path)
    const slashed = await ask(`${path}/`)
    expect([plain.status, plain.body]).toEqual([200, slashed.body])
    for (const answer of [await ask(path, 'text/html'), await ask(`${path}?f=html`, '*/*')])
      expect([answer.status, answer.type]).toEqual([200, 'text/html; charset=utf-8'])
    expect((await ask(`${path}?f=json`, 'text/html')).type).toMatch(/json/)
    expect((await ask(`${path}?f=xml`)).status).toBe(400)
    expect((await ask(`${path}?unknown=1`)).status).toBe(400)
    expect((await send(path, { method: 'HEAD' })).status).toBe(200)
    const options = await send(path, { method: 'OPTIONS' })
    expect([options.status, options.headers.get('Allow')]).toEqual([200, 'GET, HEAD, OPTIONS'])
    const [one, other] = await Promise.all(['POST', 'PUT'].map((method) => send(path, { method })))
    // An address that allows the method requires a key.
    const [taken, put] = [path.endsWith('/items'), path.includes('/items/')]
    expect([one?.status, other?.status]).toEqual([taken ? 401 : 405, put ? 401 : 405])
  })
})

test.each([
  'ogcapi-features-1/1.0/conf/core',
  'ogcapi-features-1/1.0/conf/oas30',
  'ogcapi-features-1/1.0/conf/geojson',
  'ogcapi-features-1/1.0/conf/html',
  // QGIS looks for the second name, of the draft.
  'ogcapi-common-3/1.0/conf/schemas',
  'ogcapi-features-5/1.0/conf/schemas',
  'ogcapi-features-6/1.0/conf/properties-features',
  'ogcapi-features-8/1.0/conf/features-sorting',
  'ogcapi-tiles-1/1.0/conf/core',
  'ogcapi-tiles-1/1.0/conf/mvt',
])('the conformance class %s', async (name) => {
  expect((await get('/ogc/conformance')).conformsTo).toContain(`http://www.opengis.net/spec/${name}`)
})

describe('collections', () => {
  test('have links, items and extents', async () => {
    const { links, collections } = await get('/ogc/collections')
    isLinked(links)
    linkOf(links, 'self', 'application/json')
    linkOf(links, 'alternate', 'text/html')
    expect(collections.slice(0, 2).map(({ id }: { id: string }) => id)).toEqual(COLLECTIONS)
    for (const collection of collections) {
      isLinked(collection.links)
      expect(collection.itemType).toBe('feature')
      const items = linkOf(collection.links, 'items', GEOJSON)
      expect((await ask(items, GEOJSON)).type).toBe(GEOJSON)
      const { spatial, temporal } = collection.extent
      expect(spatial.bbox).toEqual([[expect.any(Number), expect.any(Number), expect.any(Number), expect.any(Number)]])
      expect(temporal.interval).toEqual([[expect.stringMatching(/Z$/), expect.stringMatching(/Z$/)]])
      expect(await get(`/ogc/collections/${collection.id}`)).toEqual(collection)
    }
  })
})

const isCollection = ({ type, body }: Awaited<ReturnType<typeof ask>>) => {
  expect(type).toBe(GEOJSON)
  expect([body.type, body.numberReturned]).toEqual(['FeatureCollection', body.features.length])
  isLinked(body.links)
  linkOf(body.links, 'self', GEOJSON)
  linkOf(body.links, 'alternate', 'text/html')
  return body
}

/** Returns the positions of a geometry. */
const positions = (coordinates: unknown): number[][] =>
  Array.isArray(coordinates) && typeof coordinates[0] === 'number'
    ? [coordinates as number[]]
    : (coordinates as unknown[]).flatMap(positions)

describe.each(COLLECTIONS)('items of %s', (id) => {
  const items = `${ROOT}/collections/${id}/items`

  test('are GeoJSON features', async () => {
    const body = isCollection(await ask(items, GEOJSON))
    expect(body.features.length).toBeGreaterThan(0)
    for (const feature of body.features) expect(feature).toMatchObject({ type: 'Feature', id: expect.any(Number) })
  })

  test('numberMatched stays the same on all pages, even with another limit', async () => {
    let body = isCollection(await ask(`${items}?limit=5`, GEOJSON))
    const { numberMatched } = body
    let returned = body.numberReturned
    for (let page = 0; page < 4; page++) {
      const next = body.links.find(({ rel }: Link) => rel === 'next')?.href
      if (next === undefined) break
      // The suite decodes each parameter and encodes it again.
      const address = new URL(next)
      address.searchParams.set('limit', String(MAX_PAGE_SIZE))
      body = isCollection(await ask(address.href, GEOJSON))
      expect(body.numberMatched).toBe(numberMatched)
      returned += body.numberReturned
    }
    expect(returned).toBe(numberMatched)
    expect(body.links.some(({ rel }: Link) => rel === 'next')).toBe(false)
  })

  test.each([
    [1, 1],
    [100, 100],
    [MAX_PAGE_SIZE + 1, MAX_PAGE_SIZE],
  ])('limit=%d gives at most %d features', async (limit, most) => {
    expect(isCollection(await ask(`${items}?limit=${limit}`, GEOJSON)).features.length).toBeLessThanOrEqual(most)
  })

  const refused = ['limit=unlimited', 'limit=0', 'limit=-1', 'limit=1.5', 'unknownQueryParameter1234=1']
  test.each([...refused, 'limit='])('%s is a 400, or the default if empty', async (query) => {
    expect((await ask(`${items}?${query}`, GEOJSON)).status).toBe(query === 'limit=' ? 200 : 400)
  })

  test.each([
    [-1.5, 50, 1.5, 53],
    [-80, -5, -70, 5],
    [177, 65, -177, 70],
    [-180, 85, 180, 90],
    [-180, -90, 180, -85],
  ])('bbox=%d,%d,%d,%d finds only features that intersect it', async (west, south, east, north) => {
    const written = [west, south, east, north].map((each) => each.toFixed(7)).join(',')
    for (const { geometry } of isCollection(await ask(`${items}?bbox=${written}&limit=1000`, GEOJSON)).features) {
      if (geometry === null) continue
      const xs = positions(geometry.coordinates).map(([x = 0]) => x)
      const ys = positions(geometry.coordinates).map(([, y = 0]) => y)
      expect(Math.max(...ys) >= south && Math.min(...ys) <= north).toBe(true)
      const [isEastOf, isWestOf] = [Math.max(...xs) >= west, Math.min(...xs) <= east]
      expect(west <= east ? isEastOf && isWestOf : isEastOf || isWestOf).toBe(true)
    }
  })

  test('the extent of the collection contains all features', async () => {
    const { extent, itemCount } = await get(`${ROOT}/collections/${id}`)
    const [bbox] = extent.spatial.bbox
    const [[start, end]] = extent.temporal.interval
    expect((await get(`${items}?bbox=${bbox}&limit=1`)).numberMatched).toBe(itemCount)
    expect((await get(`${items}?datetime=${start}/${end}&limit=1`)).numberMatched).toBe(itemCount)
  })

  test('a single feature is the same as in the list', async () => {
    const [{ id: fid, properties }] = (await get(`${items}?limit=1`)).features
    const { status, type, body } = await ask(`${items}/${fid}`, GEOJSON)
    expect([status, type, body.id, body.properties]).toEqual([200, GEOJSON, fid, properties])
    isLinked(body.links)
    linkOf(body.links, 'self', GEOJSON)
    linkOf(body.links, 'alternate', 'text/html')
    linkOf(body.links, 'collection', 'application/json')
  })
})
