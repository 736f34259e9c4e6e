import fc from 'fast-check'
import { expect, test } from 'vitest'
import { amountIn, type Block, CELL_LEVELS, cellAt, cellIn, cellRange, rangesOf } from '../../src/geometry/cell.ts'
import { inBlock } from '../ogc/places.ts'

const LEVEL = 4
const SIDE = 2 ** LEVEL
const SIZE = 2 ** (CELL_LEVELS - LEVEL)

const block = fc.tuple(...[0, 1, 2, 3].map(() => fc.integer({ min: 0, max: SIDE - 1 }))).map(
  ([a = 0, b = 0, c = 0, d = 0]): Block => ({
    level: LEVEL,
    west: Math.min(a, b) * SIZE,
    east: (Math.max(a, b) + 1) * SIZE - 1,
    south: Math.min(c, d) * SIZE,
    north: (Math.max(c, d) + 1) * SIZE - 1,
    from: null,
    below: null,
  }),
)

test('the ranges hold the cells of a block, each once, and no others', () => {
  fc.assert(
    fc.property(block, (block) => {
      const ranges = rangesOf(block)
      for (let i = 0; i < SIDE * SIDE; i++) {
        const cell = cellAt(LEVEL, i)
        const [first, last] = cellRange(cell)
        const holding = ranges.filter(([from, to]) => from <= first && last <= to).length
        const isIn = inBlock(block, cell.column * SIZE, cell.row * SIZE)
        expect([holding, amountIn(block, [first, last])]).toEqual(isIn ? [1, 'all'] : [0, 'none'])
      }
    }),
    { seed: 1, numRuns: 50 },
  )
})

test('a cell that a block has a part of is in its ranges, and not within it', () => {
  const part = { level: 1, west: 0, east: 2 ** 25 - 1, south: 0, north: 2 ** 25 - 2, from: null, below: null }
  expect(rangesOf(part)).toEqual([[0, 4 ** 25 - 1]])
  expect(amountIn(part, [0, 4 ** 25 - 1])).toBe('some')
  const top = cellIn(5, 2 ** 25 - 1)
  expect([amountIn(part, [top, top]), amountIn(part, [0, 0])]).toEqual(['none', 'all'])
})

test('of a row that a latitude cuts a block has a part', () => {
  const whole = { level: 1, west: 0, east: 2 ** 25 - 1, south: 0, north: 2 ** 25 - 1, from: null, below: null }
  const cell: [number, number] = [0, 4 ** 25 - 1]
  expect([whole, { ...whole, from: -90 }, { ...whole, below: 0 }].map((block) => amountIn(block, cell))).toEqual([
    'all',
    'some',
    'some',
  ])
  expect(rangesOf({ ...whole, from: -90 })).toEqual([cell])
})
