import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cellOf } from '../../src/geometry/cell.ts'
import { allOf, combine, prepare } from '../../src/geometry/within.ts'
import { covering } from './cover.ts'
import { geometries, onGrid } from './shapes.ts'
import { slowWithin } from './slow.ts'

const one = onGrid(geometries)

describe('combined areas contain the same points as the separate areas together', () => {
  test.each<[title: string, holds: (a: boolean, b: boolean) => boolean]>([
    ['both', (a, b) => a && b],
    ['either', (a, b) => a || b],
    ['neither', (a, b) => !a && !b],
    ['the first alone', (a, b) => a && !b],
  ])('%s', (_, holds) => {
    fc.assert(
      fc.property(one, one, fc.integer({ min: 1, max: 300 }), (first, second, maxCells) => {
        const [a, b] = [prepare(first.shape), prepare(second.shape)]
        const whole = combine([a, b], (within) => holds(within(a), within(b)))
        const { interior, boundary } = covering(whole, { maxCells })
        for (const [x, y] of [...first.points, ...second.points]) {
          const expected = holds(slowWithin(first.shape, [x, y]), slowWithin(second.shape, [x, y]))
          expect([x, y, whole.contains(x, y)]).toEqual([x, y, expected])
          const cell = cellOf(x, y)
          const has = ([from, to]: readonly [number, number]) => from <= cell && cell <= to
          if (interior.some(has)) expect([x, y, expected]).toEqual([x, y, true])
          else if (!boundary.some(has)) expect([x, y, expected]).toEqual([x, y, false])
        }
      }),
      { seed: 27, numRuns: 30 },
    )
  })

  test('a single area stays unchanged', () => {
    const area = prepare({ type: 'Point', coordinates: [5, 52] })
    expect(allOf([area])).toBe(area)
  })
})
