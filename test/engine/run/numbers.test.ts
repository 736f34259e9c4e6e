import fc from 'fast-check'
import { expect, it } from 'vitest'
import { byPlace, numbersIn } from '../../../src/engine/run/tester.ts'
import { CELL_LEVELS, cellAt, cellOf } from '../../../src/geometry/cell.ts'

it.each<[string, number[]]>([
  ['', []],
  ['0', [0]],
  ['-1', [-1]],
  ['1,-1,4503599627370495,-8640000000000000,0', [1, -1, 4503599627370495, -8640000000000000, 0]],
])('numbersIn reads the numbers in %j', (list, numbers) => {
  expect([...numbersIn(list)]).toEqual(numbers)
})

it('byPlace passes the first finest cell in the cell of a place', () => {
  const passed = (place: number, level: number): number[] => {
    const cells: number[] = []
    byPlace(level, (_rows, cell) => cells.push(cell))(1, place, new Float64Array(), 0)
    return cells
  }
  const degrees = (most: number) => fc.oneof(fc.double({ min: -most, max: most }), fc.constantFrom(-most, 0, most))
  fc.assert(
    fc.property(degrees(180), degrees(90), fc.nat(CELL_LEVELS), (x, y, level) => {
      const cell = cellOf(x, y)
      const { column, row } = cellAt(CELL_LEVELS, cell)
      const [across, up] = [column, row].map((each) => Math.floor(each / 2 ** (CELL_LEVELS - level))) as [
        number,
        number,
      ]
      const size = 4 ** (CELL_LEVELS - level)
      expect(passed(across * 2 ** level + up, level)).toEqual([Math.floor(cell / size) * size])
    }),
    { seed: 20_261_123, numRuns: 300 },
  )
  expect([0, 8, CELL_LEVELS].map((level) => passed(-1, level))).toEqual([[-1], [-1], [-1]])
})
