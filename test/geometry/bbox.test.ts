import { describe, expect, test } from 'vitest'
import { type Bbox, bboxOf, inBbox, overlap } from '../../src/geometry/bbox.ts'

describe('bboxOf', () => {
  test.each<[xy: number[], bbox: Bbox | null]>([
    [[], null],
    [
      [1, 2],
      [1, 2, 1, 2],
    ],
    [
      [1, 2, -3, 4, 0, -5],
      [-3, -5, 1, 4],
    ],
    [
      [170, 0, 190, 1],
      [170, 0, 190, 1],
    ],
    [
      [-1e308, 0, 1e308, 0],
      [-1e308, 0, 1e308, 0],
    ],
  ])('%j', (xy, bbox) => {
    expect(bboxOf(new Float64Array(xy))).toEqual(bbox)
  })
})

describe('inBbox includes the boundary', () => {
  test.each<[x: number, y: number, inside: boolean]>([
    [1, 1, true],
    [0, 0, true],
    [2, 1, true],
    [2 + 2 ** -51, 1, false],
    [1, -1, false],
  ])('%d %d: %j', (x, y, inside) => {
    expect(inBbox([0, 0, 2, 2], x, y)).toBe(inside)
  })
})

describe('overlap with -1 -1 3 3 includes boxes that touch', () => {
  test.each<[bbox: Bbox, overlapping: boolean]>([
    [[1, 1, 5, 5], true],
    [[3, 0, 4, 2], true],
    [[3.5, 0, 4, 2], false],
    [[0, -4, 2, -1.5], false],
    [[-1e308, -1e308, 1e308, 1e308], true],
  ])('%j', (bbox, overlapping) => {
    expect(overlap([-1, -1, 3, 3], bbox)).toBe(overlapping)
  })
})
