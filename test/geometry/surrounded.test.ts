import { describe, expect, test } from 'vitest'
import { edgesOf } from '../../src/geometry/edges.ts'
import type { Position } from '../../src/geometry/geometry.ts'
import { stripesOf } from '../../src/geometry/stripes.ts'
import { surrounded } from '../../src/geometry/surrounded.ts'

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

describe('surrounded finds a gap around 0 0', () => {
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
    const { areal, owner } = edgesOf({ type: 'MultiPolygon', coordinates })
    expect(surrounded(stripesOf(areal), owner, 0, 0)).toBe(expected)
  })
})
