import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isTile,
  MERCATOR_END,
  partsInTile,
  sizeOf,
  TILE_MATRIX_SETS,
  type Tile,
  type TileMatrixSet,
  tileBounds,
  WEB_MERCATOR,
  WORLD_CRS84,
} from '../../src/ogc/tileMatrix.ts'

describe.each(TILE_MATRIX_SETS.map((set) => [set.id, set] as const))('%s', (_, set) => {
  test('neighbouring tiles share their side at every level', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 17 }), fc.nat(), fc.nat(), (level, i, j) => {
        const [columns, rows] = sizeOf(set, level)
        const tile = { level, column: i % columns, row: j % rows }
        const [west, south, east, north] = tileBounds(set, tile)
        const at = (column: number, row: number, finer = 0) =>
          tileBounds(set, {
            level: level + finer,
            column: tile.column * 2 ** finer + column,
            row: tile.row * 2 ** finer + row,
          })
        expect([at(-1, 0)[2], at(0, 1)[3]]).toEqual([west, south])
        expect([at(0, 0, 1)[0], at(0, 1, 1)[1], at(1, 1, 1)[2], at(1, 0, 1)[3]]).toEqual([west, south, east, north])
      }),
      { seed: 1, numRuns: 500 },
    )
  })
})

test.each<[set: TileMatrixSet, tile: Tile, bounds: readonly number[]]>([
  [WEB_MERCATOR, { level: 0, column: 0, row: 0 }, [-180, -85.0511287798066, 180, 85.0511287798066]],
  [WEB_MERCATOR, { level: 1, column: 1, row: 1 }, [0, -85.0511287798066, 180, 0]],
  [WEB_MERCATOR, { level: 2, column: 0, row: 1 }, [-180, 0, -90, 66.51326044311186]],
  [WORLD_CRS84, { level: 0, column: 1, row: 0 }, [0, -90, 180, 90]],
  [WORLD_CRS84, { level: 3, column: 15, row: 7 }, [157.5, -90, 180, -67.5]],
])('%o: the bounds of %j', (set, tile, bounds) => {
  tileBounds(set, tile).forEach((bound, i) => {
    expect(bound).toBeCloseTo(bounds[i] ?? Number.NaN, 10)
  })
  expect(isTile(set, tile)).toBe(true)
  expect(isTile(set, { ...tile, row: 2 ** tile.level })).toBe(false)
})

test.each<[set: TileMatrixSet, tile: Tile, x: number, y: number, at: readonly number[]]>([
  [WEB_MERCATOR, { level: 0, column: 0, row: 0 }, 0, 0, [0.5, 0.5]],
  [WEB_MERCATOR, { level: 0, column: 0, row: 0 }, 180, -MERCATOR_END, [1, 1]],
  [WEB_MERCATOR, { level: 1, column: 0, row: 0 }, 0, 0, [1, 1]],
  [WEB_MERCATOR, { level: 1, column: 1, row: 1 }, 90, -66.51326044311186, [0.5, 0.5]],
  [WORLD_CRS84, { level: 0, column: 0, row: 0 }, -180, 90, [0, 0]],
  [WORLD_CRS84, { level: 14, column: 0, row: 0 }, -180, 90, [0, 0]],
  [WORLD_CRS84, { level: 0, column: 1, row: 0 }, 90, -90, [0.5, 1]],
])('%o: in the tile %j, the position %d %d', (set, tile, x, y, at) => {
  partsInTile(set, tile, x, y).forEach((part, i) => {
    expect(part).toBeCloseTo(at[i] ?? Number.NaN, 9)
  })
})

test.each([90, -90, 85.06])('web mercator has no position for %d degrees', (latitude) => {
  expect(Math.abs(WEB_MERCATOR.northOf(latitude) - 0.5)).toBeGreaterThan(0.5)
})
