import { expect, it } from 'vitest'
import { zeroIfNear } from '../../src/geometry/geometry.ts'

it.each([
  [5e-324, 0],
  [-5e-324, 0],
  [9.99e-101, 0],
  [-0, 0],
  [1e-100, 1e-100],
  [-1e-100, -1e-100],
  [180, 180],
  [Number.NaN, Number.NaN],
  [-Infinity, -Infinity],
])('%d is read as %d', (coordinate, read) => {
  expect(zeroIfNear(coordinate)).toBe(read)
})
