import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CELL_LEVELS, cellAt, cellOf, rangesOf } from '../../src/geometry/cell.ts'
import {
  blockOf,
  boundsOf,
  cellLevelOf,
  longitudeAt,
  reachOf,
  shownIn,
  sizeOf,
  TILE_MATRIX_SETS,
  WEB_MERCATOR,
  WORLD_CRS84,
} from '../../src/ogc/tileMatrix.ts'
import { holds, tilesAt, tilesThatHold } from './places.ts'

/** Draws places on the sides of tiles, next to these sides, at the ends of the world, and elsewhere. */
const placesFor = (set: (typeof TILE_MATRIX_SETS)[number]) => {
  const part = fc.integer({ min: 0, max: 17 }).chain((level) => fc.nat(2 ** level).map((at) => at / 2 ** level))
  const beside = (side: fc.Arbitrary<number>, end: number) =>
    fc
      .tuple(side, fc.constantFrom(0, 1, -1, 1e5, -1e5))
      .map(([value, steps]) => Math.min(Math.max(value + steps * Number.EPSILON * Math.abs(value), -end), end))
  return {
    longitude: fc.oneof(
      fc.constantFrom(-180, 180, 180 - 2 ** -45),
      beside(part.map(longitudeAt), 180),
      fc.double({ min: -180, max: 180, noNaN: true }),
    ),
    latitude: fc.oneof(
      fc.constantFrom(-90, 90, 85.06, -85.06),
      beside(part.map(set.latitude), 90),
      fc.double({ min: -90, max: 90, noNaN: true }),
    ),
  }
}

/** The rounding error of a sum of degrees. */
const ROUNDING = 1e-13

describe.each(TILE_MATRIX_SETS.map((set) => [set.id, set] as const))('%s', (_, set) => {
  const { longitude, latitude } = placesFor(set)

  test('each position is in one tile of every level, and within the bounds of that tile', () => {
    fc.assert(
      fc.property(longitude, latitude, fc.integer({ min: 0, max: 16 }), (x, y, level) => {
        const holding = tilesThatHold(set, level, x, y)
        expect(holding).toHaveLength(1)
        for (const tile of holding) {
          const [west, south, east, north] = reachOf(set, tile)
          expect([west - ROUNDING <= x, x <= east, south - ROUNDING <= y, y <= north]).toEqual([true, true, true, true])
        }
      }),
      { seed: 5, numRuns: 2000 },
    )
  })

  test('exactly one tile of a level contains a position', () => {
    fc.assert(
      fc.property(longitude, latitude, fc.integer({ min: 0, max: 3 }), (x, y, level) => {
        expect(tilesAt(set, level).filter((tile) => holds(blockOf(set, tile), x, y))).toEqual(
          tilesThatHold(set, level, x, y),
        )
      }),
      { seed: 6, numRuns: 200 },
    )
  })

  test('a position is shown by a cell of its column that overlaps its tile', () => {
    fc.assert(
      fc.property(longitude, latitude, fc.integer({ min: 0, max: 16 }), (x, y, level) => {
        const cells = cellLevelOf(set, level)
        const size = 4 ** (CELL_LEVELS - cells)
        const [tile] = tilesThatHold(set, level, x, y)
        const { column, row } = shownIn(set, cellAt(cells, Math.floor(cellOf(x, y) / size)))
        const [, south, , north] = boundsOf(set, tile as never)
        expect(column).toBe(cellAt(cells, Math.floor(cellOf(x, 0) / size)).column)
        expect((row * 180) / 2 ** cells - 90).toBeLessThan(north)
        expect(((row + 1) * 180) / 2 ** cells - 90).toBeGreaterThan(south)
      }),
      { seed: 7, numRuns: 500 },
    )
  })
})

test('a tile of WorldCRS84Quad consists of whole cells', () => {
  const block = blockOf(WORLD_CRS84, { level: 2, column: 1, row: 0 })
  const eighth = 2 ** (CELL_LEVELS - 3)
  expect(block).toEqual({
    level: 8,
    west: eighth,
    east: 2 * eighth - 1,
    south: 6 * eighth,
    north: 8 * eighth - 1,
    from: null,
    below: null,
  })
  expect(rangesOf(block).length).toBe(2)
})

test('a tile of web mercator ends at its own latitudes, except at the equator and the poles', () => {
  const [, rows] = sizeOf(WEB_MERCATOR, 2)
  const sides = Array.from({ length: rows }, (_, row) => {
    const { from, below } = blockOf(WEB_MERCATOR, { level: 2, column: 0, row })
    return [from, below]
  })
  const side = WEB_MERCATOR.latitude(1 / 4)
  expect(sides).toEqual([
    [side, null],
    [null, side],
    [-side, null],
    [null, -side],
  ])
})

test.each([
  [WEB_MERCATOR, 0, 5],
  [WEB_MERCATOR, 15, 20],
  [WEB_MERCATOR, 17, 20],
  [WORLD_CRS84, 0, 6],
])('%o: a tile of level %d has cells of level %d', (set, level, cells) => {
  expect(cellLevelOf(set, level)).toBe(cells)
})
