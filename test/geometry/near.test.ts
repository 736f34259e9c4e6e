import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyMeets, meetsAny } from '../../src/geometry/near.ts'
import { stripesOf } from '../../src/geometry/stripes.ts'

const SEED = 20_261_121
const EDGES = Float64Array.from([0, 0, 10, 10, 5, -5, 5, 5, 2, 2, 2, 2])

describe('a search for edges near a point', () => {
  it.each<[string, number, number, boolean]>([
    ['on a slope', 3, 3, true],
    ['on a vertical edge', 5, -1, true],
    ['on an edge without length', 2, 2, true],
    ['close to a slope', 3, 3.15, true],
    ['in the bbox of a slope, but not near', 1, 9, false],
    ['past its end', 10.2, 10.2, false],
    ['far away', 50, 50, false],
  ])('%s', (_, x, y, near) => {
    expect(anyMeets(EDGES, null, x, y, 0.1, 0.1)).toBe(near)
    expect(meetsAny(stripesOf(EDGES), x, y, 0.1, 0.1)).toBe(near)
  })

  it('finds edges whose numbers overflow', () => {
    expect(anyMeets(Float64Array.from([-1e308, -1e308, 1e308, 1e308]), null, 0, 0, 0.1, 0.1)).toBe(true)
  })

  it('gives the same answer with and without stripes', () => {
    const number = fc.integer({ min: -40, max: 40 }).map((n) => n / 4)
    const edge = fc.tuple(number, number, number, number)
    fc.assert(
      fc.property(fc.array(edge, { minLength: 1, maxLength: 30 }), number, number, (edges, x, y) => {
        const all = Float64Array.from(edges.flat())
        expect(meetsAny(stripesOf(all), x, y, 0.3, 0.2)).toBe(anyMeets(all, null, x, y, 0.3, 0.2))
      }),
      { seed: SEED, numRuns: 500 },
    )
  })
})
