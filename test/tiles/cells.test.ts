import { describe, expect, test } from 'vitest'
import type { Cell } from '../../src/geometry/cell.ts'
import { cellsOf, centreOf, isOf } from '../../src/tiles/cells.ts'
import { isIn, sizeOf, TILE_MATRIX_SETS, type Tile, WEB_MERCATOR, WORLD_CRS84 } from '../../src/tiles/matrix.ts'

const cellsAt = (level: number): Cell[] =>
  Array.from({ length: 4 ** level }, (_, i) => ({ level, column: i % 2 ** level, row: Math.floor(i / 2 ** level) }))

describe.each(TILE_MATRIX_SETS.map((set) => [set.id, set] as const))('%s', (_, set) => {
  test.each([0, 1, 2, 3])('at level %d each cell is of the tile that holds its centre, and of no other', (level) => {
    const [columns, rows] = sizeOf(set, level)
    const tiles = Array.from(
      { length: columns * rows },
      (_, i): Tile => ({ level, column: i % columns, row: Math.floor(i / columns) }),
    )
    for (const finer of [1, 2, 4]) {
      const blocks = tiles.map((tile) => ({ tile, block: cellsOf(set, tile, level + finer) }))
      for (const cell of cellsAt(level + finer)) {
        const owners = blocks.filter(({ block }) => block !== null && isOf(block, cell)).map(({ tile }) => tile)
        expect(owners).toEqual(tiles.filter((tile) => isIn(set, tile, ...centreOf(cell))))
      }
    }
  })
})

test('the cells of a tile of longitudes and latitudes are it', () => {
  expect(cellsOf(WORLD_CRS84, { level: 2, column: 1, row: 0 }, 5)).toEqual({
    level: 5,
    west: 4,
    east: 7,
    south: 24,
    north: 31,
  })
})

test('cells larger than the tile are of none', () => {
  expect(cellsOf(WEB_MERCATOR, { level: 5, column: 3, row: 3 }, 4)).toBeNull()
})
