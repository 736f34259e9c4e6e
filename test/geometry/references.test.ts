import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Position } from '../../src/geometry/geometry.ts'
import { prepare } from '../../src/geometry/within.ts'

// All coordinates are halves of small integers, because turf subtracts coordinates before its exact test.

const SIZE = 12
const whole = fc.integer({ min: -SIZE, max: SIZE })
const half = fc.integer({ min: -2 * SIZE - 1, max: 2 * SIZE + 1 }).map((n) => n / 2)

const ring = (most: number): fc.Arbitrary<Position[]> =>
  fc.array(fc.tuple(whole, whole), { minLength: 3, maxLength: most }).map((open) => [...open, open[0] as Position])

/** Returns a ring of any form, and up to three more that cut holes. */
const polygon = fc
  .tuple(ring(60), fc.array(ring(8), { maxLength: 3 }))
  .map(([outer, holes]): Position[][] => [outer, ...holes])

/** Returns all vertices, and the middles of all edges. */
const cornersOf = (rings: readonly Position[][]): Position[] =>
  rings.flatMap((each) => {
    const edges = each.slice(1).map(([x = 0, y = 0], i) => [each[i] as Position, x, y] as const)
    return [...each, ...edges.map(([[fromX = 0, fromY = 0], x, y]) => [(x + fromX) / 2, (y + fromY) / 2])]
  })

it('turf locates a point in a polygon with holes in the same way', () => {
  fc.assert(
    fc.property(polygon, fc.array(fc.tuple(half, half), { minLength: 40 }), (coordinates, others) => {
      const shape = { type: 'Polygon' as const, coordinates }
      const [open, closed] = [prepare(shape), prepare(shape, true)]
      for (const [x = 0, y = 0] of [...others, ...cornersOf(coordinates)]) {
        const turf = [true, false].map((ignoreBoundary) => booleanPointInPolygon([x, y], shape, { ignoreBoundary }))
        expect([x, y, open.contains(x, y), closed.contains(x, y)]).toEqual([x, y, ...turf])
      }
    }),
    { seed: 29, numRuns: 150 },
  )
})
