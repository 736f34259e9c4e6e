import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inBlock, rangesOf } from '../../src/geometry/block.ts'
import { CELL_LEVELS, type Cell, cellAt, cellOf } from '../../src/geometry/cell.ts'
import { cellLevelOf, cellsOf, seatOf } from '../../src/tiles/cells.ts'
import {
  isIn,
  MERCATOR_END,
  sizeOf,
  TILE_MATRIX_SETS,
  type Tile,
  tileAt,
  WEB_MERCATOR,
  WORLD_CRS84,
} from '../../src/tiles/matrix.ts'

const cellsAt = (level: number): Cell[] =>
  Array.from({ length: 4 ** level }, (_, i) => ({ level, column: i % 2 ** level, row: Math.floor(i / 2 ** level) }))

const tilesAt = (set: (typeof TILE_MATRIX_SETS)[number], level: number): Tile[] => {
  const [columns, rows] = sizeOf(set, level)
  return Array.from({ length: columns * rows }, (_, i) => ({
    level,
    column: i % columns,
    row: Math.floor(i / columns),
  }))
}

const NEIGHBOURS = [-1, 0, 1].flatMap((i) => [-1, 0, 1].map((j) => [i, j] as const))

describe.each(TILE_MATRIX_SETS.map((set) => [set.id, set] as const))('%s', (_, set) => {
  test.each([0, 1, 2, 3])('at level %d each cell is of the tile that holds its centre, and of no other', (level) => {
    for (const finer of [1, 2, 4]) {
      const size = 2 ** (CELL_LEVELS - level - finer)
      const blocks = tilesAt(set, level).map((tile) => ({ tile, block: cellsOf(set, tile, level + finer) }))
      for (const cell of cellsAt(level + finer)) {
        const meets = ({ west, south, east, north }: Record<'west' | 'south' | 'east' | 'north', number>) =>
          west <= cell.column * size &&
          cell.column * size <= east &&
          south < (cell.row + 1) * size &&
          cell.row * size <= north
        const owners = blocks.filter(({ block }) => block !== null && meets(block)).map(({ tile }) => tile)
        const seat = seatOf(set, cell)
        expect(owners).toEqual(tilesAt(set, level).filter((tile) => seat !== null && isIn(set, tile, ...seat)))
      }
    }
  })

  test('what is somewhere is in the block of one tile of every level, unless it is beyond the end', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -180, max: 180, noNaN: true }),
        fc.double({ min: -90, max: 90, noNaN: true }),
        fc.integer({ min: 0, max: 16 }),
        (x, y, level) => {
          const { column, row } = cellAt(CELL_LEVELS, cellOf(x, y))
          const near = tileAt(set, level, x, Math.min(Math.max(y, set.latitude(1)), set.latitude(0)))
          const [columns, rows] = sizeOf(set, level)
          // Rounding may lead to a neighbour.
          const tiles = NEIGHBOURS.flatMap(([i, j]) => {
            const tile = near && { level, column: near.column + i, row: near.row + j }
            return tile !== null && tile.row >= 0 && tile.row < rows && tile.column >= 0 && tile.column < columns
              ? [tile]
              : []
          })
          const holding = tiles.filter((tile) => {
            const block = cellsOf(set, tile, cellLevelOf(set, level))
            return block !== null && inBlock(block, column, row)
          })
          expect(holding.length).toBe(set === WEB_MERCATOR && Math.abs(y) > MERCATOR_END ? 0 : 1)
        },
      ),
      { seed: 5, numRuns: 400 },
    )
  })
})

test('the cells of a tile of longitudes and latitudes are it', () => {
  const block = cellsOf(WORLD_CRS84, { level: 2, column: 1, row: 0 }, 5)
  const size = 2 ** (CELL_LEVELS - 5)
  expect(block).toEqual({ level: 5, west: 4 * size, east: 8 * size - 1, south: 24 * size, north: 32 * size - 1 })
  expect(rangesOf(block as never).length).toBe(2)
})

test('cells larger than the tile are of none', () => {
  expect(cellsOf(WEB_MERCATOR, { level: 5, column: 3, row: 3 }, 4)).toBeNull()
})

test.each([
  [WEB_MERCATOR, 0, 5],
  [WEB_MERCATOR, 15, 20],
  [WEB_MERCATOR, 17, 20],
  [WORLD_CRS84, 0, 6],
])('%o: the cells of tiles of level %d are of level %d', (set, level, cells) => {
  expect(cellLevelOf(set, level)).toBe(cells)
})
