import { describe, expect, it } from 'vitest'
import { addTo, emptySum, quotient } from '../../../src/engine/summary/exactSum.ts'

const sumOf = (numbers: readonly number[]) => {
  const sum = emptySum()
  for (const number of numbers) addTo(sum, number, 1)
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
    const total = sumOf(numbers)
    expect([quotient(total, 1), quotient(total, numbers.length)]).toEqual([sum, mean])
  })

  it.each([
    [0.1, 1_000_003],
    [-1.1e308, 7],
    [5e-324, 1_000_000],
    [1e300, 4097],
    [3, 0],
  ])('adds %d exactly %d times in one call', (number, times) => {
    const [once, each] = [emptySum(), emptySum()]
    for (const sum of [once, each]) addTo(sum, -1 / 3, 1)
    addTo(once, number, times)
    for (let i = 0; i < times; i++) addTo(each, number, 1)
    expect([quotient(once, 1), quotient(once, 9)]).toEqual([quotient(each, 1), quotient(each, 9)])
  })
})
