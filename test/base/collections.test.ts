import { describe, expect, it } from 'vitest'
import { at, bisect, forgetOldest } from '../../src/base/collections.ts'

describe('the element at a position', () => {
  it.each<[number, string]>([
    [0, 'a'],
    [2, 'c'],
    [-1, 'c'],
  ])('%d is %s', (position, expected) => {
    expect(at(['a', 'b', 'c'], position)).toBe(expected)
    expect(at('abc', position)).toBe(expected)
  })

  it.each([3, -4])('%d is an error', (position) => {
    expect(() => at(['a', 'b', 'c'], position)).toThrow(`No element ${position} of 3`)
    expect(() => at(new Float64Array(3), position)).toThrow(RangeError)
  })
})

describe('the least integer that is not below', () => {
  it.each<[number, number, number, number]>([
    [0, 10, 7, 7],
    [0, 10, -5, 0],
    [0, 10, 99, 10],
    [3, 3, 99, 3],
    [-8_640_000_000_000_000, 8_640_000_000_000_000, -1, -1],
  ])('from %d to %d, with those less than %d below, is %d', (low, high, value, expected) => {
    expect(bisect(low, high, (middle) => middle < value)).toBe(expected)
  })
})

it('the oldest entry is forgotten if there are too many', () => {
  const [map, set] = [new Map([['a', 1]]).set('b', 2), new Set(['a', 'b'])]
  for (const most of [2, 1]) {
    forgetOldest(map, most)
    forgetOldest(set, most)
    expect([[...map.keys()], [...set]]).toEqual(
      most === 2
        ? [
            ['a', 'b'],
            ['a', 'b'],
          ]
        : [['b'], ['b']],
    )
  }
})
