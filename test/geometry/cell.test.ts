import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Bbox } from '../../src/geometry/bbox.ts'
import { CELL_LEVELS, type Cell, cellBounds, cellChildren, cellOf, cellRange } from '../../src/geometry/cell.ts'

const LAST = 2 ** 52 - 1
const QUARTER = 2 ** 50

describe('the cell of a position', () => {
  test.each<[x: number, y: number, cell: number]>([
    [-180, -90, 0],
    [180, 90, LAST],
    [180, -90, 0x5555555555555],
    [-180, 90, 0xaaaaaaaaaaaaa],
    [0, 0, 3 * QUARTER],
    [-(2 ** -40), 0, 2 * QUARTER + 0x1555555555555],
    [-180 + 360 / 2 ** 26, -90, 1],
    [-180, -90 + 180 / 2 ** 26, 2],
    [-180 + 360 / 2 ** 13, -90, 2 ** 26],
    [1e308, 1e308, LAST],
    [-1e308, -1e308, 0],
  ])('%d %d', (x, y, cell) => {
    expect(cellOf(x, y)).toBe(cell)
  })

  test('has the interleaved bits of row and column as its number, with the row bit first', () => {
    const n = fc.integer({ min: 0, max: 2 ** CELL_LEVELS - 1 })
    fc.assert(
      fc.property(n, n, (column, row) => {
        const bits = (v: number) => [...v.toString(2).padStart(CELL_LEVELS, '0')]
        const rows = bits(row)
        const interleaved = bits(column).map((bit, i) => `${rows[i]}${bit}`)
        expect(cellRange({ level: CELL_LEVELS, column, row })[0]).toBe(Number.parseInt(interleaved.join(''), 2))
      }),
      { seed: 26 },
    )
  })

  test('a point is within the bounds of its cells, up to rounding', () => {
    const rounding = 1e-13
    fc.assert(
      fc.property(
        fc.double({ min: -180, max: 180, noNaN: true }),
        fc.double({ min: -90, max: 90, noNaN: true }),
        (x, y) => {
          const point = cellOf(x, y)
          let cell: Cell | undefined = { level: 0, column: 0, row: 0 }
          while (cell !== undefined && cell.level < CELL_LEVELS) {
            cell = cellChildren(cell).find((child) => cellRange(child)[0] <= point && point <= cellRange(child)[1])
            const [west, south, east, north] = cellBounds(cell as Cell)
            expect(west - rounding <= x && x <= east + rounding).toBe(true)
            expect(south - rounding <= y && y <= north + rounding).toBe(true)
          }
        },
      ),
      { seed: 26 },
    )
  })
})

describe('the range of a cell', () => {
  test.each<[cell: Cell, range: [number, number], bounds: Bbox]>([
    [{ level: 0, column: 0, row: 0 }, [0, LAST], [-180, -90, 180, 90]],
    [{ level: 1, column: 1, row: 0 }, [QUARTER, 2 * QUARTER - 1], [0, -90, 180, 0]],
    [{ level: 1, column: 1, row: 1 }, [3 * QUARTER, LAST], [0, 0, 180, 90]],
    [{ level: 26, column: 1, row: 0 }, [1, 1], [-180 + 360 / 2 ** 26, -90, -180 + 720 / 2 ** 26, -90 + 180 / 2 ** 26]],
  ])('%j', (cell, range, bounds) => {
    expect(cellRange(cell)).toEqual(range)
    expect(cellBounds(cell)).toEqual(bounds)
  })

  test('is split by the four children into consecutive ranges', () => {
    const children = cellChildren({ level: 3, column: 5, row: 2 })
    const [first, last] = cellRange({ level: 3, column: 5, row: 2 })
    const size = (last - first + 1) / 4
    expect(children.map(cellRange)).toEqual([0, 1, 2, 3].map((i) => [first + i * size, first + (i + 1) * size - 1]))
  })
})
