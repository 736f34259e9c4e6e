import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { integerOf, preparedText } from '../../../src/engine/d1/sql.ts'
import { doubleOfKey, keyOfDouble } from '../../../src/question/range.ts'

describe('integers in the SQL', () => {
  it.each([0, -1, 2 ** 53 - 1, 1 - 2 ** 53])('%d is written', (value) => {
    expect(preparedText(integerOf(value))).toEqual({ sql: `${value}`, parameters: [] })
  })

  it.each<[string, unknown]>([
    ['a text', '1; DROP TABLE event'],
    ['a text of digits', '1'],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['a fraction', 1.5],
    ['2^53', 2 ** 53],
    ['null', null],
    ['undefined', undefined],
  ])('%s is refused', (_, value) => {
    expect(() => integerOf(value as number)).toThrow(RangeError)
  })
})

describe('the key of a double', () => {
  const doubles = fc.double({ noNaN: true, noDefaultInfinity: true })

  it('has its order', () => {
    fc.assert(
      fc.property(doubles, doubles, (a, b) => {
        expect(keyOfDouble(a) < keyOfDouble(b)).toBe(a < b)
        expect(keyOfDouble(a) === keyOfDouble(b)).toBe(a === b)
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
        expect(doubleOfKey(keyOfDouble(number))).toBe(number + 0)
      }),
      { numRuns: 5000, examples: [[0], [-0], [-1], [-5e-324], [-2], [2 ** -1000], [-(2 ** 32)], [1.5]] },
    )
  })
})
