import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { beforeAll, describe, expect, it, test, vi } from 'vitest'
import { MAX_PAGE_SIZE } from '../../src/lists/resource.ts'
import { TILE_MATRIX_SETS, type TileMatrixSet, WEB_MERCATOR } from '../../src/ogc/tileMatrix.ts'
import { random } from '../bench/events.ts'
import { DAY, foundation, isVisible, type Level, SERIES, seenBy } from '../engine/world.ts'
import type { EventRecord } from '../records.ts'
import { get, KEPT, keptOf, load, type Options, send, sendToEdge } from '../service.ts'
import { splitRows } from '../tags.ts'
import { tileAt } from './places.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const COLLECTION = '/ogc/collections/events'
const TILES = `${COLLECTION}/tiles`
const MVT = 'application/vnd.mapbox-vector-tile'
const SPOTS = [
  [5.1, 52.1, 0.3, 3600],
  [-74, 40.7, 0.2, 150],
  [179.99, -16.5, 0.02, 60],
  [30, 85.04, 0.03, 40],
  [12.5, 40.9799, 0.01, 90],
  [-120, -88, 0.5, 20],
] as const
const FIRST = Date.UTC(2001, 0)

/**
 * Events in a town and smaller towns, on both sides of 180 degrees, and inside and outside the limit of web mercator.
 * Some have no place.
 */
const events = (() => {
  const next = random(9)
  const places = SPOTS.flatMap(([x, y, deviation, count]) =>
    Array.from({ length: count }, (): EventRecord['coordinates'] => {
      const longitude = x + (next() + next() - 1) * deviation
      return [longitude > 180 ? longitude - 360 : longitude, y + (next() + next() - 1) * deviation, 0]
    }),
  )
  return [...places, ...Array.from({ length: 30 }, () => null)].map((coordinates, i): EventRecord => {
    const start = FIRST + (i % 700) * DAY
    return {
      kind: 'event',
      id: i + 1,
      series: 1 + (Math.floor(next() * 13) % 6),
      category: ['flood', 'drought', 'storm'][i % 3] as string,
      value: String(i % 10),
      start,
      end: start + (i % 5) * DAY,
      coordinates,
      object: i % 7 === 0 ? { model: 'pump', id: i % 50 } : null,
    }
  })
})()

beforeAll(() => load([...foundation, ...events]))

const bytesOf = async (path: string, options: Options = {}) => {
  const response = await send(path, options)
  expect([path, response.status, response.headers.get('Content-Type')]).toEqual([path, 200, MVT])
  return new Uint8Array(await response.arrayBuffer())
}

/** Returns the features of a tile by layer. It uses the decoder of another project. */
const featuresOf = (bytes: Uint8Array) =>
  Object.fromEntries(
    Object.entries(new VectorTile(new PbfReader(bytes)).layers).map(([name, layer]) => [
      name,
      Array.from({ length: layer.length }, (_, i) => layer.feature(i)).map((feature) => ({
        id: feature.id,
        properties: feature.properties as Record<string, number | string | boolean>,
        rings: feature.loadGeometry().map((ring) => ring.map(({ x, y }) => [x, y] as const)),
      })),
    ]),
  )

const countOf = (bytes: Uint8Array): number => {
  const { events, cells = [] } = featuresOf(bytes)
  const count = cells.reduce((sum, { properties }) => sum + Number(properties.count), 0)
  if (events !== undefined) expect(events.length).toBe(count)
  return count
}

/** Returns the tiles of a level that have events, and two empty tiles. */
const tilesWith = (set: TileMatrixSet, level: number): string[] => {
  const places = events.flatMap(({ coordinates }) => (coordinates === null ? [] : [coordinates]))
  const none = [[20, -30] as const, [29, -25] as const]
  return [
    ...new Set(
      [...places, ...none].map(([x, y]) => {
        const { row, column } = tileAt(set, level, x, y)
        return `${level}/${row}/${column}`
      }),
    ),
  ]
}

const circle = `POLYGON((${Array.from({ length: 33 }, (_, i) => `${(5 + 0.2 * Math.cos(((i % 32) * Math.PI) / 16)).toFixed(4)} ${(52.1 + 0.15 * Math.sin(((i % 32) * Math.PI) / 16)).toFixed(4)}`)}))`
const [{ prefix }] = SERIES

const QUERIES = [
  '',
  'bbox=4.9,51.9,5.3,52.2',
  'bbox=170,-20,-170,90',
  `geom_within=${encodeURIComponent(circle)}`,
  `event_series=${prefix}000000-0000-4000-8000-000000000000`,
  `filter=${encodeURIComponent(`S_INTERSECTS(geom, ${circle}) AND category <> 'flood'`)}`,
  `bbox=4,51,6,53&category__in=flood,storm&timestamp_end__lt=2002-03-01`,
]

/** Returns the number of events without a place. No tile shows them. */
const seenNowhere = async (query: string, level: Level): Promise<number> => {
  const { features } = await get(`${COLLECTION}/items?limit=${MAX_PAGE_SIZE}&${query}`, seenBy(level))
  return features.filter(({ geometry }: { geometry: object | null }) => geometry === null).length
}

describe.each(TILE_MATRIX_SETS.map((set) => [set.id, set] as const))('%s', (id, set) => {
  const tiles = Array.from({ length: 7 }, (_, level) => tilesWith(set, level))

  for (const [options, levels] of splitRows(2, ['Public', 'Hidden'] as const))
    describe.each(levels)('with ANONYMOUS_LEVEL %s', options, (level) => {
      const expectSums = async (query: string) => {
        const options = seenBy(level)
        const { numberMatched } = await get(`${COLLECTION}/items?limit=1&${query}`, options)
        const nowhere = await seenNowhere(query, level)
        const sums = []
        for (const addresses of tiles) {
          const counts = await Promise.all(
            addresses.map(async (address) => countOf(await bytesOf(`${TILES}/${id}/${address}?${query}`, options))),
          )
          sums.push(counts.reduce((sum, count) => sum + count, 0))
        }
        expect(sums).toEqual(tiles.map(() => numberMatched - nowhere))
        expect(numberMatched).toBeGreaterThan(nowhere)
      }
      for (const [options, queries] of splitRows(5, QUERIES))
        test.each(queries)('%s: the tiles of every zoom add up to numberMatched', options, expectSums)
    })
})

describe('a tile', () => {
  it('has points and cells if it has few events', async () => {
    const { events: points = [], cells = [] } = featuresOf(await bytesOf(`${TILES}/WebMercatorQuad/7/48/37`))
    expect(cells.length).toBeGreaterThan(3)
    for (const { properties } of cells) expect(properties).toEqual({ count: expect.any(Number), has_events: true })
    const expected = events.filter(
      (event) => isVisible(event, 'Public') && Math.abs((event.coordinates?.[0] ?? 0) + 74) < 1,
    )
    const [first] = expected
    expect(points.map(({ id }) => id)).toEqual(
      expect.arrayContaining(points.map(({ id }) => expect.toSatisfy(() => expected.some((each) => each.id === id)))),
    )
    const found = points.find(({ id }) => id === first?.id)
    expect(found?.properties).toEqual({
      category: first?.category,
      event_series: `${SERIES[(first?.series ?? 1) - 1]?.prefix}000000-0000-4000-8000-000000000000`,
      color: '#336699',
      start: first?.start,
      end: first?.end,
    })
    const [x = 0, y = 0] = first?.coordinates ?? []
    const [[[px = 0, py = 0] = []] = []] = found?.rings ?? []
    expect(px / 4096).toBeCloseTo(((x + 180) / 360) * 128 - 37, 3)
    expect(py / 4096).toBeCloseTo(WEB_MERCATOR.northOf(y) * 128 - 48, 3)
  })

  it('has only cells, without overlaps, if it has many events', async () => {
    const features = featuresOf(await bytesOf(`${TILES}/WebMercatorQuad/0/0/0`, seenBy('Hidden')))
    expect(features.events).toBeUndefined()
    expect(features.cells?.length).toBeGreaterThan(3)
    for (const { rings, properties } of features.cells ?? []) {
      expect(Object.keys(properties)).toEqual(['count'])
      expect(rings).toHaveLength(1)
      for (const [x, y] of rings.flat()) expect([x >= 0 && x <= 4096, y >= 0 && y <= 4096]).toEqual([true, true])
    }
    expect(new Set(features.cells?.map(({ id }) => id)).size).toBe(features.cells?.length)
  })

  it('is empty without events', async () => {
    expect((await bytesOf(`${TILES}/WebMercatorQuad/6/40/40`)).length).toBe(0)
  })

  it('equals a filtered tile in the collection of a series', async () => {
    const uuid = `${prefix}000000-0000-4000-8000-000000000000`
    const own = await bytesOf(`/ogc/collections/events-${uuid}/tiles/WebMercatorQuad/6/20/32`)
    expect(own).toEqual(await bytesOf(`${TILES}/WebMercatorQuad/6/20/32?event_series=${uuid}`))
    const hidden = `/ogc/collections/events-50000000-0000-4000-8000-000000000000/tiles/WebMercatorQuad/0/0/0`
    expect((await send(hidden)).status).toBe(404)
    expect((await send(hidden, seenBy('Hidden'))).status).toBe(200)
  })

  it('has its own tag for each level and filter, and is a 304 that reads one row for a known tag', async () => {
    const path = `${TILES}/WebMercatorQuad/0/0/0`
    const vars = { SHOW_COST: 'true' }
    const first = await send(path, { vars })
    const tag = first.headers.get('ETag') ?? ''
    expect(first.headers.get('Cache-Control')).toBe('private, max-age=10, must-revalidate')
    const again = await send(path, { vars, headers: { 'If-None-Match': tag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const read = ({ headers }: Response) =>
      Number(/rows_read;desc="(\d+)"/.exec(headers.get('Server-Timing') ?? '')?.[1])
    expect([read(again), read(first) > 100]).toEqual([1, true])
    const other = await send(path, { ...seenBy('Hidden'), headers: { 'If-None-Match': tag } })
    expect([other.status, other.headers.get('ETag') === tag]).toEqual([200, false])
    expect((await send(`${path}?category=flood`)).headers.get('ETag')).not.toBe(tag)
    const own = `/ogc/collections/events-50000000-0000-4000-8000-000000000000/tiles/WebMercatorQuad/0/0/0`
    const hidden = (await send(own, seenBy('Hidden'))).headers.get('ETag') ?? ''
    expect((await send(own, { headers: { 'If-None-Match': hidden } })).status).toBe(404)
  })

  it('is stored unchanged in the cache of the data centre', async () => {
    const path = `${TILES}/WebMercatorQuad/0/0/0?category__icontains=o`
    const bytes = async (response: Response) => [keptOf(response), [...new Uint8Array(await response.arrayBuffer())]]
    const [first, body] = await bytes(await sendToEdge(path))
    expect([first, await bytes(await sendToEdge(path))]).toEqual(['miss', ['hit', body]])
    expect((body as number[]).length).toBeGreaterThan(100)
    expect((await sendToEdge(path, { vars: { ...KEPT } })).headers.get('Content-Type')).toBe(MVT)
  })

  test.each<[path: string, status: number, Accept?: string]>([
    ['/0/0/1', 404],
    ['/0/-1/0', 404],
    ['/18/0/0', 404],
    ['/17/131071/131071', 200],
    ['/17/131072/0', 404],
    ['/x/0/0', 404],
    ['/0/0', 404],
    ['/0/0/0/0', 404],
    ['/0/0/0?f=mvt', 200],
    ['/0/0/0?f=json', 400],
    ['/0/0/0?categroy=flood', 400],
    ['/0/0/0?limit=1', 400],
    ['/0/0/0?bbox=1,2,3', 400],
    ['/0/0/0?filter=nothing%20%3D%201', 400],
    ['/0/0/0', 200, '*/*'],
    ['/0/0/0', 200, MVT],
    ['/0/0/0', 200, 'text/html,*/*;q=0.8'],
    ['/0/0/0', 406, 'text/html'],
  ])('%s: %d for Accept: %s', async (path, status, Accept = '*/*') => {
    expect((await send(`${TILES}/WebMercatorQuad${path}`, { headers: { Accept } })).status).toBe(status)
  })

  it('answers HEAD and OPTIONS', async () => {
    const head = await send(`${TILES}/WebMercatorQuad/0/0/0`, { method: 'HEAD' })
    expect([head.status, head.headers.get('Content-Type'), await head.text()]).toEqual([200, MVT, ''])
    expect((await send(`${TILES}/WebMercatorQuad/0/0/0`, { method: 'OPTIONS' })).status).toBe(200)
  })
})

describe('documents about tiles', () => {
  const ORIGIN = 'http://localhost:8787'
  const hrefOf = (links: { rel: string; href: string }[], rel: string) => links.find((link) => link.rel === rel)?.href

  it('are linked from the landing page down to the tiles', async () => {
    const { links } = await get('/ogc')
    const { tileMatrixSets } = await get(hrefOf(links, 'http://www.opengis.net/def/rel/ogc/1.0/tiling-schemes') ?? '')
    expect(tileMatrixSets.map(({ id }: { id: string }) => id)).toEqual(['WebMercatorQuad', 'WorldCRS84Quad'])
    const collection = await get(COLLECTION)
    const list = await get(hrefOf(collection.links, 'http://www.opengis.net/def/rel/ogc/1.0/tilesets-vector') ?? '')
    for (const [i, entry] of list.tilesets.entries()) {
      const set = await get(
        hrefOf(tileMatrixSets[i].links, 'http://www.opengis.net/def/rel/ogc/1.0/tiling-scheme') ?? '',
      )
      const tileset = await get(hrefOf(entry.links, 'self') ?? '')
      expect(tileset).toMatchObject({
        dataType: 'vector',
        crs: set.crs,
        tileMatrixSetURI: set.uri,
        title: 'All events',
        layers: [{ id: 'events' }, { id: 'cells' }],
      })
      const item = tileset.links.find(({ rel }: { rel: string }) => rel === 'item')
      expect(item).toMatchObject({ type: MVT, templated: true })
      for (const { tileMatrix, maxTileRow, maxTileCol } of tileset.tileMatrixSetLimits) {
        const { matrixWidth, matrixHeight } = set.tileMatrices[tileMatrix]
        expect([maxTileCol + 1, maxTileRow + 1]).toEqual([matrixWidth, matrixHeight])
        const fill = (row: number, column: number) =>
          item.href.replace('{tileMatrix}', tileMatrix).replace('{tileRow}', row).replace('{tileCol}', column)
        await bytesOf(fill(maxTileRow, maxTileCol))
        expect((await send(fill(maxTileRow + 1, 0))).status).toBe(404)
      }
    }
    expect((await get('/ogc/collections/eventseries')).links.map(({ rel }: { rel: string }) => rel)).not.toContain(
      'http://www.opengis.net/def/rel/ogc/1.0/tilesets-vector',
    )
  })

  it('TileJSON and the style repeat the filter', async () => {
    const tileset = await get(`${TILES}/WebMercatorQuad?category=flood&bbox=4,51,6,53`)
    const [tilejson, style] = tileset.links.filter(({ rel }: { rel: string }) => rel === 'describedby')
    const query = '?bbox=4%2C51%2C6%2C53&category=flood'
    expect(tilejson.href).toBe(`${ORIGIN}${TILES}/WebMercatorQuad/tilejson.json${query}`)
    expect(await get(tilejson.href)).toMatchObject({
      tilejson: '3.0.0',
      tiles: [`${ORIGIN}${TILES}/WebMercatorQuad/{z}/{y}/{x}${query}`],
      minzoom: 0,
      maxzoom: 17,
      vector_layers: [
        { id: 'events', fields: { category: 'Category', start: 'Start, in milliseconds since 1970' } },
        { id: 'cells', fields: { count: 'Number of events', has_events: 'True if the tile has the events as well' } },
      ],
    })
    expect((await get(style.href)).sources.events).toEqual({ type: 'vector', url: tilejson.href })
  })

  it('the style has a layer for each class of cells', async () => {
    const { layers } = await get(`${TILES}/WebMercatorQuad/style.json`)
    // Dots have the colours of their series, above pale cells and below darker ones.
    const [pale, dots, darker] = layers.map(({ id }: { id: string }) => id)
    expect([pale, dots, darker]).toEqual(['1 to 9 events', 'single events', '10 to 99 events'])
    expect(layers[1]).toMatchObject({ 'source-layer': 'events', paint: { 'circle-color': ['get', 'color'] } })
    const cells = layers.filter((layer: { 'source-layer': string }) => layer['source-layer'] === 'cells')
    expect([cells.at(0).id, cells.at(-1).id]).toEqual(['1 to 9 events', '10000 or more events'])
    for (const { type, paint } of cells)
      expect([type, paint['fill-color']]).toEqual(['fill', expect.stringMatching(/^#[0-9a-f]{6}$/)])
    // Each class begins where the class before it ends.
    const count = (sign: string, n: number) => [sign, ['get', 'count'], n]
    expect(cells.map(({ filter: [, ...tests] }: { filter: unknown[] }) => tests)).toEqual([
      [count('<', 10)],
      [count('>=', 10), count('<', 100)],
      [count('>=', 100), count('<', 1000)],
      [count('>=', 1000), count('<', 10_000)],
      [count('>=', 10_000)],
    ])
  })

  test.each([
    ['/ogc/tileMatrixSets/WebMercatorQuad', 18, { cellSize: 0.5971642834779395, scaleDenominator: 2132.729583849784 }],
    ['/ogc/tileMatrixSets/WorldCRS84Quad', 2, { cellSize: 0.17578125, scaleDenominator: 69885283.00358972 }],
  ])('%s, level %d: has the registered scale', async (path, level, expected) => {
    const { tileMatrices } = await get(path)
    expect(tileMatrices[level].cellSize).toBeCloseTo(expected.cellSize, 9)
    expect(tileMatrices[level].scaleDenominator).toBeCloseTo(expected.scaleDenominator, 4)
    expect(tileMatrices[level]).toMatchObject({ id: String(level), cornerOfOrigin: 'topLeft', tileWidth: 256 })
  })
})
