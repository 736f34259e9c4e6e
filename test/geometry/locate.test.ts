import { describe, expect, test } from 'vitest'
import { edgesOf } from '../../src/geometry/edges.ts'
import type { Position } from '../../src/geometry/geometry.ts'
import { type Location, locate, onAny } from '../../src/geometry/locate.ts'
import { stripesOf } from '../../src/geometry/stripes.ts'

const box = (west: number, south: number, east: number, north: number): Position[] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
]

describe('locate', () => {
  const { areal, owner } = edgesOf({
    type: 'MultiPolygon',
    coordinates: [[box(0, 0, 4, 4), box(1, 1, 2, 2)], [box(4, 0, 6, 4)], [box(3, 3, 5, 6)]],
  })
  const stripes = stripesOf(areal)
  test.each<[x: number, y: number, location: Location]>([
    [3, 2, 'interior'],
    [1.5, 1.5, 'exterior'],
    [1, 1.5, 'boundary'],
    [0, 0, 'boundary'],
    [4, 1, 'interior'], // on the edge of two triangles
    [4, 0, 'boundary'],
    [4, 3.5, 'interior'], // inside the third
    [3, 3, 'interior'],
    [4, 4, 'interior'],
    [3, 4, 'boundary'], // the quarter in the north-west is exterior
    [5, 4, 'boundary'],
    [7, 1, 'exterior'],
    [1, 90, 'exterior'],
  ])('%d %d: %s', (x, y, location) => {
    expect(locate(stripes, owner, x, y)).toBe(location)
  })
})

describe('onAny includes the ends of an edge', () => {
  const stripes = stripesOf(new Float64Array([0, 0, 4, 2, 7, 7, 7, 7]))
  test.each<[x: number, y: number, on: boolean]>([
    [2, 1, true],
    [0, 0, true],
    [4, 2, true],
    [6, 3, false],
    [2, 1 + 2 ** -52, false],
    [7, 7, true],
    [7, 6, false],
  ])('%d %d: %j', (x, y, on) => {
    expect(onAny(stripes, x, y)).toBe(on)
  })
})
