import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { d1Engine } from '../../../src/engine/d1/engine.ts'
import type { Bbox } from '../../../src/geometry/bbox.ts'
import { type Block, CELL_LEVELS, cellAt, cellIn, cellOf, rangesOf } from '../../../src/geometry/cell.ts'
import { blockOf, deepestOf, TILE_MATRIX_SETS, WEB_MERCATOR } from '../../../src/ogc/tileMatrix.ts'
import { ALWAYS, type Area, allOf, type Condition, inRange } from '../../../src/question/condition.ts'
import { TICKS } from '../../../src/question/range.ts'
import { random } from '../../bench/events.ts'
import { type Ring, spiky } from '../../bench/shapes.ts'
import { pick, skewedEvents } from '../../bench/skewed.ts'
import { holds, tileAt } from '../../ogc/places.ts'
import { thingsOf } from '../../question/arrays.ts'
import { truthOf } from '../../question/truth.ts'
import type { EventRecord } from '../../records.ts'
import { load } from '../../service.ts'
import { EXHAUSTIVE, splitRows } from '../../tags.ts'
import { foundation, isVisible, LEVELS, type Level, pour } from '../world.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const CATEGORIES = ['flood', 'drought', 'storm']
/**
 * Events crowd in towns. Some share one spot, some have no place, and some lie at the ends of the world or on a side of
 * tiles.
 */
const events = [...skewedEvents(6000, 5)].map((event, i): EventRecord => {
  const [x, side] = [event.coordinates?.[0] ?? 0, WEB_MERCATOR.latitude(3 / 8)]
  const spot =
    i % 10 === 0
      ? [5.1, 52.1, 0]
      : i % 211 === 0
        ? [i % 2 ? 180 : -180, i % 3 ? 85.2 : -90, 0]
        : i % 37 === 0
          ? [x, side + (i % 3) * 1e-9, 0]
          : null
  return {
    ...event,
    series: 1 + (event.series % 6),
    category: pickOf(CATEGORIES, i),
    object: null,
    coordinates: i % 40 === 0 ? null : ((spot as EventRecord['coordinates']) ?? event.coordinates),
  }
})

function pickOf<T>(among: readonly T[], i: number): T {
  return among[i % among.length] as T
}

beforeAll(() => load([...foundation, ...events]))

interface Asked {
  readonly name: string
  readonly where: Condition
  readonly matches: (event: EventRecord) => boolean
}

const thingOf = thingsOf(foundation)
const asking = (name: string, where: Condition): Asked => ({
  name,
  where,
  matches: (event) => truthOf(where, thingOf(event)) === true,
})
const category = (wanted: string): Condition => ({
  kind: 'text',
  field: 'category',
  fold: null,
  test: 'is',
  texts: [wanted],
})
const inArea = (area: Area): Condition => ({ kind: 'area', of: 'point', area })
const since = (time: number) => inRange('start', [BigInt(time) * 1000n * TICKS, null])
/** SQL tests it. */
const PLAIN: Condition = {
  kind: 'compare',
  operator: '=',
  left: { op: '%', of: ['id', { number: 3 }] },
  right: { number: 1 },
}

const spike = (seed: number, x: number, y: number, size: number): Area => {
  const ring: Ring = spiky(random(seed), [x, y], size, 60)
  const within = { type: 'Polygon' as const, coordinates: [ring.map(([a, b]): [number, number] => [a, b])] }
  return { within, closed: false }
}
const boxOf = (...box: Bbox): Area => ({ box, closed: true })

const EVERYTHING = asking('everything', ALWAYS)
const ASKED: readonly Asked[] = [
  EVERYTHING,
  asking('a box', inArea(boxOf(0, 50, 6, 53))),
  asking('a box across 180', inArea(boxOf(120, -60, -30, 70))),
  asking('a polygon', inArea(spike(3, 4, 52, 30))),
  asking('two areas', inArea({ all: [spike(4, 3, 51, 20), boxOf(-10, 40, 4, 60)] })),
  asking('a category', category('flood')),
  asking('a time', since(Date.UTC(1990, 0))),
  asking('in SQL', PLAIN),
  asking('a category in a box', allOf([category('drought'), inArea(boxOf(-20, 30, 40, 60))])),
  asking('a time in a polygon', allOf([since(Date.UTC(1980, 0)), inArea(spike(5, 0, 45, 60))])),
]

/** Computes the expected answer by testing every event. */
const slow = (block: Block, { matches }: Asked, level: Level, most: number) => {
  const size = 2 ** (CELL_LEVELS - block.level)
  const found = events.flatMap((event) => {
    if (event.coordinates === null || !isVisible(event, level) || !matches(event)) return []
    const [x, y] = event.coordinates
    const { column, row } = cellAt(CELL_LEVELS, cellOf(x, y))
    return holds(block, x, y) ? [{ id: event.id, column, row }] : []
  })
  if (found.length <= most) return { ids: found.map(({ id }) => id).sort((a, b) => a - b) }
  const cells = new Map<number, number>()
  for (const { column, row } of found) {
    const cell = cellIn(Math.floor(column / size), Math.floor(row / size))
    cells.set(cell, (cells.get(cell) ?? 0) + 1)
  }
  return { cells: [...cells].sort((a, b) => a[0] - b[0]) }
}

/** Reads a tile, and the rows that D1 read for it. */
const tileOf = async (block: Block, { where }: Asked, level: Level, most: number) => {
  const reader = d1Engine(env.DB).open({ level: LEVELS[level] })
  const content = await reader.tile({ where, latest: null }, { block, most, fields: ['id'] })
  return { content, rowsRead: reader.cost.rowsRead }
}

const fetched = async (block: Block, asked: Asked, level: Level, most: number) => {
  const { content } = await tileOf(block, asked, level, most)
  return 'rows' in content
    ? { ids: content.rows.map(({ id }) => id) }
    : { cells: [...content.cells].sort((a, b) => a[0] - b[0]) }
}

const NAMED = ASKED.map((asked) => [asked.name, asked] as const)

for (const [options, rows] of splitRows(9, NAMED))
  describe.each(rows)('%s', options, (_, asked) => {
    it.each(TILE_MATRIX_SETS.map((set) => [set.id, set] as const))(
      'equals a test of every event, in tiles of %s',
      async (_, set) => {
        const next = random(7)
        for (let run = 0; run < 40; run++) {
          const { coordinates } = pick(next, events)
          const zoom = Math.floor(next() * (deepestOf(set) + 1) * next())
          const [x, y] = coordinates ?? [next() * 360 - 180, next() * 180 - 90]
          const tile = tileAt(set, zoom, x, y)
          const block = blockOf(set, tile)
          const level = pick(next, Object.keys(LEVELS) as Level[])
          const most = pick(next, [0, 3, 100, 3000])
          expect(await fetched(block, asked, level, most), `${JSON.stringify(tile)} ${level} ${most}`).toEqual(
            slow(block, asked, level, most),
          )
        }
      },
    )

    it('equals a test of every event, in random blocks', EXHAUSTIVE, async () => {
      const next = random(11)
      for (let run = 0; run < 30; run++) {
        const level = 2 + Math.floor(next() * 12)
        const size = 2 ** (CELL_LEVELS - level)
        const { coordinates } = pick(next, events)
        const [x, y] = coordinates ?? [0, 0]
        const { column, row } = cellAt(level, Math.floor(cellOf(x, y) / 4 ** (CELL_LEVELS - level)))
        const [across, down] = [Math.floor(next() * 9), Math.floor(next() * 9)]
        const block = {
          level,
          west: Math.max(0, column - across) * size,
          east: Math.min(2 ** level, column + across + 1) * size - 1,
          // The side cuts cells, as the sides of Web Mercator tiles do.
          south: Math.max(0, row - down) * size + Math.floor(next() * size),
          north: Math.min(2 ** level, row + down + 1) * size - 1 - Math.floor((next() * size) / 2),
          from: null,
          below: null,
        }
        if (block.south > block.north) continue
        const most = pick(next, [0, 20, 200])
        expect(await fetched(block, asked, 'Private', most), JSON.stringify({ block, most })).toEqual(
          slow(block, asked, 'Private', most),
        )
      }
    })
  })

describe('a tile of many events counts them', () => {
  const FIRST = 100_000
  const many = [...skewedEvents(60_000, 8)].map((event) => ({ ...event, id: FIRST + event.id }))
  beforeAll(() => pour(many))

  // The cell of the towns lies west of 0 and north of 50.625 degrees.
  const tiles = [
    { level: 0, column: 0, row: 0 },
    { level: 4, column: 8, row: 5 },
    { level: 6, column: 32, row: 21 },
  ]

  it.each<[string, Asked, most: number]>([
    ['everything', EVERYTHING, 40_000],
    // Without other filters only everything has stored counts of cells.
    ['a box', asking('a box', inArea(boxOf(-10, 40, 10, 58))), 150_000],
    ['a polygon', asking('a polygon', inArea(spike(3, 3, 52, 3))), 150_000],
  ])('%s', async (_, asked, most) => {
    for (const tile of tiles) {
      const block = blockOf(WEB_MERCATOR, tile)
      const { content, rowsRead } = await tileOf(block, asked, 'Public', 1000)
      const counts = 'cells' in content ? [...content.cells.values()] : content.rows.map(() => 1)
      expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(10_000)
      expect(rowsRead, JSON.stringify(tile)).toBeLessThan(most)
    }
  })
})

it('rangesOf gives one range for a block of one cell', () => {
  expect(rangesOf({ level: 26, west: 1, east: 1, south: 1, north: 1, from: null, below: null })).toEqual([[3, 3]])
})
