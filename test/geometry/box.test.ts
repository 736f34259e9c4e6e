import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Bbox } from '../../src/geometry/bbox.ts'
import { box } from '../../src/geometry/box.ts'
import { cellOf } from '../../src/geometry/cell.ts'
import { covering } from './cover.ts'

describe('a box whose sides belong to it', () => {
  test.each<[bounds: Bbox, x: number, y: number, within: boolean]>([
    [[1, 2, 3, 4], 2, 3, true],
    [[1, 2, 3, 4], 1, 2, true],
    [[1, 2, 3, 4], 3, 4, true],
    [[1, 2, 3, 4], 3 + 2 ** -51, 4, false],
    [[1, 2, 1, 2], 1, 2, true],
    [[177, 65, -177, 70], 180, 66, true],
    [[177, 65, -177, 70], -180, 66, true],
    [[177, 65, -177, 70], -177, 70, true],
    [[177, 65, -177, 70], 176.9, 66, false],
    [[177, 65, -177, 70], 0, 66, false],
    [[177, 65, 183, 70], -177, 70, true],
    [[-183, 65, -177, 70], 178, 70, true],
    [[-183, 65, -177, 70], 176, 70, false],
    [[183, 65, 184, 70], -176.5, 70, true],
    [[183, 65, 184, 70], -177.5, 70, false],
    [[170, 0, 180, 1], -180, 1, false],
    [[0, 0, 540, 1], -90, 1, true],
    [[-200, 0, 200, 1], 0, 1, true],
    [[200, 0, 540, 1], 0, 1, true],
    [[200, 0, 540, 1], -170, 1, false],
    [[-180, -90, 180, 90], 180, 90, true],
  ])('%j contains %d %d: %s', (bounds, x, y, within) => {
    expect(box(bounds).contains(x, y)).toBe(within)
  })
})

describe('the covering of a box', () => {
  test.each<[bounds: Bbox]>([[[-180, -90, 180, 90]], [[-200, -100, 200, 100]]])(
    '%j is the whole world in one interior range',
    (bounds) => {
      expect(covering(box(bounds))).toMatchObject({ interior: [[0, 2 ** 52 - 1]], boundary: [] })
    },
  )

  test('agrees with a comparison of coordinates for random boxes and points', () => {
    const longitude = fc.oneof(
      fc.constantFrom(-540, -200, -180, -90, 0, 90, 180, 200, 270),
      fc.integer({ min: -540, max: 540 }),
    )
    const latitude = fc.oneof(fc.constantFrom(-90, -45, 0, 45, 90), fc.integer({ min: -90, max: 90 }))
    const bounds = fc
      .tuple(longitude, latitude, longitude, latitude)
      .map(([west, a, east, b]): Bbox => [west, Math.min(a, b), east, Math.max(a, b)])
    const points = fc.array(fc.tuple(fc.integer({ min: -180, max: 180 }), fc.integer({ min: -90, max: 90 })), {
      minLength: 20,
    })
    fc.assert(
      fc.property(bounds, points, (bounds, points) => {
        const area = box(bounds)
        const { interior, boundary } = covering(area, { maxCells: 50 })
        const [west, south, , north] = bounds
        const width = bounds[2] >= west ? bounds[2] - west : (((bounds[2] - west) % 360) + 360) % 360
        for (const [x, y] of points) {
          // The remainder of whole degrees is exact.
          const east = (((x - west) % 360) + 360) % 360
          // A side at 180 is not a side at -180, unless the box continues beyond it.
          const atSide = Math.abs(x) === 180 && (east === 0 || east === width)
          const within = south <= y && y <= north && (east <= width || width >= 360)
          if (!atSide) expect([x, y, area.contains(x, y)]).toEqual([x, y, within])
          const cell = cellOf(x, y)
          const inRange = ([first, last]: readonly number[]) => (first ?? 0) <= cell && cell <= (last ?? 0)
          if (interior.some(inRange)) expect([x, y, area.contains(x, y)]).toEqual([x, y, true])
          else if (!boundary.some(inRange)) expect([x, y, area.contains(x, y)]).toEqual([x, y, false])
        }
      }),
      { seed: 13, numRuns: 300 },
    )
  })
})
