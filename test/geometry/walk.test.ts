import { describe, expect, test } from 'vitest'
import { type Bbox, bboxOf } from '../../src/geometry/bbox.ts'
import type { Geometry, Position } from '../../src/geometry/geometry.ts'
import { type Location, treeOf } from '../../src/geometry/tree.ts'
import { edgesOf } from '../../src/geometry/within.ts'

/** Returns a function that locates a point in a geometry within 180 degrees. */
const locationIn = (geometry: Geometry) => {
  const all = edgesOf(geometry)
  return treeOf(all, bboxOf(all.edges) as Bbox).locate
}

const box = (west: number, south: number, east: number, north: number): Position[] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
]

describe('a point is in several polygons together', () => {
  const location = locationIn({
    type: 'MultiPolygon',
    coordinates: [[box(0, 0, 4, 4), box(1, 1, 2, 2)], [box(4, 0, 6, 4)], [box(3, 3, 5, 6)]],
  })
  test.each<[x: number, y: number, expected: Location]>([
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
  ])('%d %d: %s', (x, y, expected) => {
    expect(location(x, y)).toBe(expected)
  })
})

describe('a point is on a line, with its ends', () => {
  const location = locationIn({
    type: 'GeometryCollection',
    geometries: [
      {
        type: 'LineString',
        coordinates: [
          [0, 0],
          [4, 2],
        ],
      },
      { type: 'Point', coordinates: [7, 7] },
    ],
  })
  test.each<[x: number, y: number, on: boolean]>([
    [2, 1, true],
    [0, 0, true],
    [4, 2, true],
    [6, 3, false],
    [2, 1 + 2 ** -52, false],
    [7, 7, true],
    [7, 6, false],
  ])('%d %d: %j', (x, y, on) => {
    expect(location(x, y)).toBe(on ? 'line' : 'exterior')
  })
})

// Triangles from 0 0 to two of its eight neighbours. The neighbours have numbers from the east counterclockwise.
const rim = [
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [-1, -1],
  [0, -1],
  [1, -1],
]
const wedge = (from: number, to: number): Position[][] => {
  const [a, b] = [rim[from % 8] as Position, rim[to % 8] as Position]
  return [[[0, 0], a, b, [0, 0]]]
}

describe('a gap around 0 0', () => {
  const eight = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => wedge(i, i + 1))
  test.each<[title: string, polygons: Position[][][], surrounded: boolean]>([
    ['eight wedges', eight, true],
    ['eight wedges in another order', eight.toReversed(), true],
    ['seven wedges, with the gap north of east', eight.slice(1), false],
    ['seven wedges, with the gap south of east', eight.slice(0, 7), false],
    ['seven wedges, with the gap in the west', eight.toSpliced(3, 1), false],
    ['three wide wedges', [wedge(0, 3), wedge(3, 6), wedge(6, 8)], true],
    ['wedges that overlap', [wedge(0, 3), wedge(2, 5), wedge(4, 7), wedge(6, 9)], true],
    [
      'two halves',
      [
        [
          [
            [-1, 0],
            [1, 0],
            [0, 1],
            [-1, 0],
          ],
        ],
        [
          [
            [-1, 0],
            [1, 0],
            [0, -1],
            [-1, 0],
          ],
        ],
      ],
      true,
    ],
    [
      'the same half twice',
      [
        [
          [
            [-1, 0],
            [1, 0],
            [0, 1],
            [-1, 0],
          ],
        ],
        [
          [
            [-1, 0],
            [1, 0],
            [0, 1],
            [-1, 0],
          ],
        ],
      ],
      false,
    ],
    [
      'a ring with repeated positions',
      [
        ...eight.slice(1),
        [
          [
            [0, 0],
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 0],
            [0, 0],
          ],
        ],
      ],
      true,
    ],
    [
      'a slit in one polygon, filled',
      [
        [
          [
            [-1, -1],
            [1, -1],
            [1, 1],
            [-1, 1],
            [-1, -1],
          ],
          [
            [0, 0],
            [1, 0],
            [0, 0],
            [0, 0],
          ],
        ],
        wedge(0, 1),
      ],
      true,
    ],
  ])('%s', (_, coordinates, expected) => {
    expect(locationIn({ type: 'MultiPolygon', coordinates })(0, 0)).toBe(expected ? 'interior' : 'boundary')
  })
})
