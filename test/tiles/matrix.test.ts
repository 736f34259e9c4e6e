import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cellOf } from '../../src/geometry/cell.ts'
import { covering } from '../../src/geometry/covering.ts'
import {
  areaOf,
  boundsOf,
  isIn,
  isTile,
  MERCATOR_END,
  place,
  sizeOf,
  TILE_MATRIX_SETS,
  type Tile,
  type TileMatrixSet,
  tileAt,
  WEB_MERCATOR,
  WORLD_CRS84,
} from '../../src/tiles/matrix.ts'

const longitude = fc.oneof(
  fc.constantFrom(-180, -90, 0, 45, 180, 180 - 2 ** -45),
  fc.double({ min: -180, max: 180, noNaN: true }),
)
const latitude = fc.oneof(
  fc.constantFrom(
    -90,
    -45,
    0,
    90,
    MERCATOR_END,
    -MERCATOR_END,
    WEB_MERCATOR.latitude(1 / 4),
    WEB_MERCATOR.latitude(3 / 8),
  ),
  fc.double({ min: -90, max: 90, noNaN: true }),
)

const allAt = (set: TileMatrixSet, level: number): Tile[] => {
  const [columns, rows] = sizeOf(set, level)
  return Array.from({ length: columns * rows }, (_, i) => ({
    level,
    column: i % columns,
    row: Math.floor(i / columns),
  }))
}

describe.each(TILE_MATRIX_SETS.map((set) => [set.id, set] as const))('%s', (_, set) => {
  test('each point is in exactly one tile of a level, that which is found', () => {
    fc.assert(
      fc.property(longitude, latitude, fc.integer({ min: 0, max: 4 }), (x, y, level) => {
        const holding = allAt(set, level).filter((tile) => isIn(set, tile, x, y))
        const outside = set === WEB_MERCATOR && Math.abs(y) > MERCATOR_END
        expect(holding.length).toBe(outside ? 0 : 1)
        expect(tileAt(set, level, x, y)).toEqual(holding[0] ?? null)
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  test('a tile is in one of the level above', () => {
    fc.assert(
      fc.property(longitude, latitude, fc.integer({ min: 1, max: 22 }), (x, y, level) => {
        const tile = tileAt(set, level, x, y)
        const above = tileAt(set, level - 1, x, y)
        expect(above).toEqual(tile && { level: level - 1, column: tile.column >> 1, row: tile.row >> 1 })
      }),
      { seed: 2, numRuns: 500 },
    )
  })

  test('its area holds its points, and is covered so', () => {
    fc.assert(
      fc.property(longitude, latitude, fc.integer({ min: 0, max: 6 }), (x, y, level) => {
        const tile = tileAt(set, level, 3, 52) as Tile
        const area = areaOf(set, tile)
        expect(area.contains(x, y)).toBe(isIn(set, tile, x, y))
        const { interior, boundary } = covering(area, { maxCells: 100 })
        const has = ([first, last]: readonly [number, number]) => first <= cellOf(x, y) && cellOf(x, y) <= last
        if (interior.some(has)) expect(area.contains(x, y)).toBe(true)
        else if (!boundary.some(has)) expect(area.contains(x, y)).toBe(false)
      }),
      { seed: 3, numRuns: 200 },
    )
  })
})

test.each<[set: TileMatrixSet, tile: Tile, bounds: readonly number[]]>([
  [WEB_MERCATOR, { level: 0, column: 0, row: 0 }, [-180, -85.0511287798066, 180, 85.0511287798066]],
  [WEB_MERCATOR, { level: 1, column: 1, row: 1 }, [0, -85.0511287798066, 180, 0]],
  [WEB_MERCATOR, { level: 2, column: 0, row: 1 }, [-180, 0, -90, 66.51326044311186]],
  [WORLD_CRS84, { level: 0, column: 1, row: 0 }, [0, -90, 180, 90]],
  [WORLD_CRS84, { level: 3, column: 15, row: 7 }, [157.5, -90, 180, -67.5]],
])('%o %j', (set, tile, bounds) => {
  boundsOf(set, tile).forEach((bound, i) => {
    expect(bound).toBeCloseTo(bounds[i] ?? Number.NaN, 10)
  })
  expect(isTile(set, tile)).toBe(true)
  expect(isTile(set, { ...tile, row: 2 ** tile.level })).toBe(false)
})

test.each<[set: TileMatrixSet, tile: Tile, x: number, y: number, at: readonly number[]]>([
  [WEB_MERCATOR, { level: 0, column: 0, row: 0 }, 0, 0, [2048, 2048]],
  [WEB_MERCATOR, { level: 0, column: 0, row: 0 }, 180, -MERCATOR_END, [4096, 4096]],
  [WEB_MERCATOR, { level: 1, column: 0, row: 0 }, 0, 0, [4096, 4096]],
  [WEB_MERCATOR, { level: 1, column: 1, row: 1 }, 90, -66.51326044311186, [2048, 2048]],
  [WORLD_CRS84, { level: 0, column: 0, row: 0 }, -180, 90, [0, 0]],
  [WORLD_CRS84, { level: 0, column: 1, row: 0 }, 90, -90, [2048, 4096]],
])('%o %j: %d %d', (set, tile, x, y, at) => {
  expect(place(set, tile, x, y, 4096)).toEqual(at)
})
