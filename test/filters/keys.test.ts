import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyOf, numberOfKey } from '../../src/filters/keys.ts'

describe('the key of a double', () => {
  const doubles = fc.double({ noNaN: true, noDefaultInfinity: true })

  it('has its order', () => {
    fc.assert(
      fc.property(doubles, doubles, (a, b) => {
        expect(keyOf(a) < keyOf(b)).toBe(a < b)
        expect(keyOf(a) === keyOf(b)).toBe(a === b)
      }),
      {
        numRuns: 5000,
        examples: [
          [0, -0],
          [5e-324, 0],
          [-5e-324, -0],
          [-1, -1.0000000000000002],
        ],
      },
    )
  })

  it('gives the double back', () => {
    fc.assert(
      fc.property(doubles, (number) => {
        expect(numberOfKey(keyOf(number))).toBe(number + 0)
      }),
      { numRuns: 5000, examples: [[0], [-0], [-1], [-5e-324], [-2], [2 ** -1000], [-(2 ** 32)], [1.5]] },
    )
  })
})
