import { describe, expect, test } from 'vitest'
import type { Geometry, Position } from '../../src/geometry/geometry.ts'
import { edgesOf, prepare } from '../../src/geometry/within.ts'

const triangle = [
  [0, 0],
  [2, 0],
  [0, 2],
  [0, 0],
]
const sides = [0, 0, 2, 0, 2, 0, 0, 2, 0, 2, 0, 0]
const rows: [geometry: Geometry, areal: number[], owner: number[], linear: number[]][] = [
  [{ type: 'Point', coordinates: [1, 2, 3] }, [], [], [1, 2, 1, 2]],
  [
    {
      type: 'MultiPoint',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    },
    [],
    [],
    [1, 2, 1, 2, 3, 4, 3, 4],
  ],
  [
    {
      type: 'LineString',
      coordinates: [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
    },
    [],
    [],
    [1, 2, 3, 4, 3, 4, 5, 6],
  ],
  [
    {
      type: 'MultiLineString',
      coordinates: [
        [
          [1, 2],
          [3, 4],
        ],
      ],
    },
    [],
    [],
    [1, 2, 3, 4],
  ],
  [{ type: 'Polygon', coordinates: [triangle, triangle] }, [...sides, ...sides], [0, 0, 0, 0, 0, 0], []],
  [{ type: 'MultiPolygon', coordinates: [[triangle], [triangle]] }, [...sides, ...sides], [0, 0, 0, 1, 1, 1], []],
  [
    {
      type: 'GeometryCollection',
      geometries: [
        { type: 'Point', coordinates: [1, 2] },
        { type: 'Polygon', coordinates: [triangle] },
        { type: 'GeometryCollection', geometries: [{ type: 'Polygon', coordinates: [triangle] }] },
      ],
    },
    [...sides, ...sides],
    [0, 0, 0, 1, 1, 1],
    [1, 2, 1, 2],
  ],
  [{ type: 'Polygon', coordinates: [] }, [], [], []],
  [{ type: 'Point', coordinates: [] }, [], [], []],
]

describe('the edges of', () => {
  test.each(rows)('%j', (geometry, areal, owner, linear) => {
    const { edges, owners } = edgesOf(geometry)
    expect([...edges]).toEqual([...areal, ...linear])
    expect([...owners]).toEqual([...owner, ...Array.from({ length: linear.length / 4 }, () => -1)])
  })
})

describe('the ends of lines are the positions where an odd number of lines end', () => {
  const lines: Position[][] = [
    [
      [0, 0],
      [1, 0],
    ],
    [
      [1, 0],
      [2, 0],
    ],
    [
      [5, 5],
      [6, 5],
      [5, 6],
      [5, 5],
    ],
  ]
  const open = prepare({ type: 'MultiLineString', coordinates: lines })
  test.each<[x: number, y: number, end: boolean]>([
    [0, 0, true],
    [-0, -0, true],
    [1, 0, false],
    [2, 0, true],
    [5, 5, false],
    [6, 5, false],
  ])('%d %d: %j', (x, y, end) => {
    expect(open.contains(x, y)).toBe(!end)
  })
})
