import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { EXTENT } from '../../src/formats/mvt.ts'
import { CELL_LEVELS, cellAt, cellIn, cellOf } from '../../src/geometry/cell.ts'
import {
  cellLevelOf,
  longitudeAt,
  MOST,
  partsInTile,
  shownCell,
  sizeOf,
  TILE_MATRIX_SETS,
  type Tile,
  type TileMatrixSet,
  WEB_MERCATOR,
} from '../../src/ogc/tileMatrix.ts'
import { parseRecord } from '../../src/store/records.ts'
import { random } from '../bench/events.ts'
import { readText } from '../files.ts'
import type { EventRecord } from '../records.ts'
import { load, seedEvents, seedRecords, send } from '../service.ts'
import { splitRows } from '../tags.ts'
import { tileAt } from './places.ts'

// Tiles draw real events, events on the sides of tiles, and events at the ends of the world.

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })

type Place = readonly [x: number, y: number]
const ZOOMS = Array.from({ length: 11 }, (_, zoom) => zoom)
/** The test reads all tiles with events up to the first number, and so many tiles of each deeper zoom. */
const [ALL, SOME] = [3, 20]

/**
 * Many events south of the side of a web mercator tile, and a few north of it. One cell of many levels holds all of
 * them.
 */
const SIDE = WEB_MERCATOR.latitude(3 / 8)
const crowd = Array.from(
  { length: MOST + 260 },
  (_, i): Place => [100.01 + i * 1e-7, SIDE + (i < 60 ? 1 : -1) * 1e-5 * (1 + i)],
)

const next = random(3)
const among = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)] as T
const within = (value: number, end: number): number => Math.min(Math.max(value, -end), end)

const onSides = TILE_MATRIX_SETS.flatMap((set) =>
  ZOOMS.flatMap((level) =>
    Array.from({ length: 20 }, (): Place => {
      const [columns, rows] = sizeOf(set, level)
      const part = (size: number) => Math.floor(next() * (size + 1)) / size
      const off = among([0, 0, 1e-13, -1e-13, 1e-6, -1e-6])
      const [x, y] = [longitudeAt(part(columns)), set.latitude(part(rows))]
      return among<Place>([
        [within(x + off, 180), y],
        [x, within(y + off, 90)],
        [next() * 360 - 180, within(y + off, 90)],
      ])
    }),
  ),
)
const atTheEnds = [-180, -179.99999, 0, 7, 179.99999, 180].flatMap((x) =>
  [90, 89.99, 85.06, 85.0511287798066, 85.05, 20].flatMap((y): Place[] => [
    [x, y],
    [x, -y],
  ]),
)

const FIRST = 1_000_000
const extra = ((await readText('../shared/data/extra.ndjson.gz')) ?? '').split('\n').filter((line) => line !== '')
const made = [...crowd, ...onSides, ...atTheEnds].map(
  (place, i): EventRecord => ({
    ...(seedEvents[0] as EventRecord),
    id: FIRST + i,
    external_id: null,
    coordinates: [...place, 0],
  }),
)
const records = [...seedRecords, ...extra.map(parseRecord), ...made]
const places = records.flatMap((record) =>
  record.kind === 'event' && record.coordinates !== null
    ? [{ id: record.id, x: record.coordinates[0], y: record.coordinates[1] }]
    : [],
)

beforeAll(() => load(records))

type Held = (typeof places)[number]

/** Sorts the places into the tiles of a level. */
const tilesWith = (set: TileMatrixSet, level: number): [tile: Tile, held: Held[]][] => {
  const tiles = new Map<string, [tile: Tile, held: Held[]]>()
  for (const place of places) {
    const tile = tileAt(set, level, place.x, place.y)
    const key = `${tile.row}/${tile.column}`
    const known = tiles.get(key)
    if (known === undefined) tiles.set(key, [tile, [place]])
    else known[1].push(place)
  }
  return [...tiles.values()]
}

const layersOf = async (set: TileMatrixSet, { level, row, column }: Tile) => {
  const path = `/ogc/collections/events/tiles/${set.id}/${level}/${row}/${column}`
  const response = await send(path, { vars: { ANONYMOUS_LEVEL: 'Hidden' } })
  const { layers } = new VectorTile(new PbfReader(new Uint8Array(await response.arrayBuffer())))
  const featuresOf = (name: string) =>
    Array.from({ length: layers[name]?.length ?? 0 }, (_, i) => layers[name]?.feature(i)).map((feature) => ({
      id: Number(feature?.id),
      count: Number(feature?.properties.count ?? 1),
      hasEvents: feature?.properties.has_events === true,
      ring: (feature?.loadGeometry()[0] ?? []).map(({ x, y }) => [x, y] as const),
    }))
  return { points: featuresOf('events'), cells: featuresOf('cells') }
}

/** Returns the position of a place in its tile, rounded down to whole units. */
const unitsOf = (set: TileMatrixSet, tile: Tile, { x, y }: Held) =>
  partsInTile(set, tile, x, y).map((part) => Math.min(Math.max(Math.floor(part * EXTENT), 0), EXTENT - 1))

const idOfCell = (set: TileMatrixSet, { level }: Tile, { x, y }: Held): number => {
  const cells = cellLevelOf(set, level)
  const { column, row } = shownCell(set, cellAt(cells, Math.floor(cellOf(x, y) / 4 ** (CELL_LEVELS - cells))))
  return cellIn(column, row) * 2 ** 5 + cells
}

const sorted = <T extends { readonly id: number }>(features: readonly T[]): T[] =>
  [...features].sort((a, b) => a.id - b.id)

const look = async (set: TileMatrixSet, tile: Tile, held: readonly Held[]): Promise<number> => {
  const where = `${set.id} ${JSON.stringify(tile)}`
  const { points, cells } = await layersOf(set, tile)
  const isFew = held.length <= MOST
  const shown = isFew ? held : []
  const expected = shown.map((place) => ({ id: place.id, ring: [unitsOf(set, tile, place)] }))
  const found = points.map(({ id, ring }) => ({ id, ring }))
  expect(sorted(found), where).toEqual(sorted(expected))
  const counts = new Map<number, number>()
  for (const place of held) counts.set(idOfCell(set, tile, place), (counts.get(idOfCell(set, tile, place)) ?? 0) + 1)
  const counted = cells.map(({ id, count, hasEvents }) => ({ id, count, hasEvents }))
  const sums = Array.from(counts, ([id, count]) => ({ id, count, hasEvents: isFew }))
  expect(sorted(counted), where).toEqual(sorted(sums))
  // Each event is under the cell that counts it.
  const rings = new Map(cells.map(({ id, ring }) => [id, ring]))
  for (const place of held) {
    const [[left = 0, top = 0] = [], , [right = 0, bottom = 0] = []] = rings.get(idOfCell(set, tile, place)) ?? []
    const [x = -1, y = -1] = unitsOf(set, tile, place)
    const isUnder = left <= x && x <= right && top - 1 <= y && y <= bottom
    if (!(isUnder && 0 <= top && top < bottom && bottom <= EXTENT))
      expect({ where, place, x, y }).toBe('under its cell')
  }
  return cells.reduce((sum, { count }) => sum + count, 0)
}

describe.each(TILE_MATRIX_SETS.map((set) => [set.id, set] as const))('%s', (_, set) => {
  for (const [options, zooms] of splitRows(8, [1, 0, ...ZOOMS.slice(2)]))
    test.each(zooms)(
      'at zoom %d exactly one tile counts each event, and a tile with few shows them',
      options,
      async (zoom) => {
        const tiles = tilesWith(set, zoom)
        const chosen = zoom <= ALL ? tiles : Array.from({ length: SOME }, () => among(tiles))
        let sum = 0
        for (const [tile, held] of chosen) sum += await look(set, tile, held)
        expect(sum).toBe(chosen.reduce((all, [, held]) => all + held.length, 0))
        if (zoom <= ALL) expect(sum).toBe(places.length)
      },
    )
})

test('a tile of points beside a tile of cells: their cells together count each event once', async () => {
  const zoom = 10
  const [few, many] = [crowd[0] as Place, crowd.at(-1) as Place].map(([x, y]) => tileAt(WEB_MERCATOR, zoom, x, y))
  expect(many).toEqual({ ...few, row: (few as Tile).row + 1 })
  const [north, south] = [await layersOf(WEB_MERCATOR, few as Tile), await layersOf(WEB_MERCATOR, many as Tile)]
  expect([north.points.length, south.points.length]).toEqual([60, 0])
  const sums = [north, south].map(({ cells }) => cells.reduce((sum, { count }) => sum + count, 0))
  expect(sums).toEqual([60, crowd.length - 60])
})
