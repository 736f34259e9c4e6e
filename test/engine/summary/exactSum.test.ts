import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addSum, addTo, emptySum, quotient } from '../../../src/engine/summary/exactSum.ts'

const sumOf = (numbers: readonly number[]) => {
  const sum = emptySum()
  for (const number of numbers) addTo(sum, number)
  return sum
}

const UNITS = 1074

/** Returns a double as a fraction with the denominator 2^1074, digit by digit. */
const unitsOf = (number: number): bigint => {
  let [units, shift] = [number, 0]
  while (!Number.isInteger(units)) [units, shift] = [units * 2, shift + 1]
  return BigInt(units) << BigInt(UNITS - shift)
}

/** Compares the distances of a fraction to doubles: none is nearer to it than the given one. */
const expectNearest = (found: number, units: bigint, by: bigint) => {
  const distance = (number: number) => {
    const difference = unitsOf(number) * by - units
    return difference < 0n ? -difference : difference
  }
  const step = Math.max(Math.abs(found) * 2 ** -53, 5e-324)
  for (const other of [found - step, found + step, found - 2 * step, found + 2 * step])
    if (Number.isFinite(other)) expect(distance(found) <= distance(other)).toBe(true)
}

describe('the sum of doubles', () => {
  it.each<[readonly number[], number | null, number | null]>([
    [[0.1, 0.2, 0.3], 0.6, 0.2],
    [[1e16, 1, -1e16], 1, 1 / 3],
    [[1e308, 1, -1e308], 1, 1 / 3],
    [[1e308, 1e308, 1e308, -1e308], null, 5e307],
    [[1.7976931348623157e308, 1.7976931348623157e308], null, 1.7976931348623157e308],
    [[5e-324, 5e-324, 5e-324], 1.5e-323, 5e-324],
    [[5e-324, 5e-324, 0], 1e-323, 5e-324],
    [[0, -0], 0, 0],
    [[2 ** 53, 1, 1], 2 ** 53 + 2, (2 ** 53 + 2) / 3],
    [[-0.4, -0.6], -1, -0.5],
  ])('of %j is %j, and their mean %j', (numbers, sum, mean) => {
    const total = sumOf(numbers)
    expect([quotient(total, 1), quotient(total, numbers.length)]).toEqual([sum, mean])
  })

  const doubles = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e-300, max: 1e-300 }),
    fc.integer().map((integer) => integer / 10),
  )

  it('is the nearest double to the exact sum, in any order and in any parts', () => {
    fc.assert(
      fc.property(fc.array(doubles, { minLength: 1, maxLength: 12 }), fc.nat(), (numbers, cut) => {
        const exact = numbers.reduce((sum, number) => sum + unitsOf(number), 0n)
        const total = sumOf(numbers)
        for (const by of [1, numbers.length]) expectNearest(quotient(total, by) ?? Number.NaN, exact, BigInt(by))
        const middle = cut % numbers.length
        const parts = sumOf(numbers.slice(middle).reverse())
        addSum(parts, sumOf(numbers.slice(0, middle)))
        expect(quotient(parts, 1)).toBe(quotient(total, 1))
      }),
      { numRuns: 500 },
    )
  })
})
