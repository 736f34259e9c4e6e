import { describe, expect, it } from 'vitest'
import { at } from '../src/at.ts'

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
