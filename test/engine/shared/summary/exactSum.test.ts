import { describe, expect, it } from 'vitest'
import { addTo, emptySum, quotient, unitsIn } from '../../../../src/engine/shared/summary/exactSum.ts'

const sumOf = (numbers: readonly number[]) => {
  const sum = emptySum()
  for (const number of numbers) addTo(sum, number)
  return sum
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
    const total = unitsIn(sumOf(numbers))
    expect([quotient(total, 1), quotient(total, numbers.length)]).toEqual([sum, mean])
  })
})
