import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon'
import fc from 'fast-check'
import pointInPolygon from 'point-in-polygon-hao'
import { describe, expect, it } from 'vitest'
import type { Geometry, Position } from '../../src/geometry/geometry.ts'
import { prepare } from '../../src/geometry/within.ts'
import { slowWithin } from './slow.ts'

// All coordinates are halves of small integers, because the references subtract coordinates before their exact tests.

const SIZE = 12
const whole = fc.integer({ min: -SIZE, max: SIZE })
const half = fc.integer({ min: -2 * SIZE - 1, max: 2 * SIZE + 1 }).map((n) => n / 2)

const ring = (most: number): fc.Arbitrary<Position[]> =>
  fc.array(fc.tuple(whole, whole), { minLength: 3, maxLength: most }).map((open) => [...open, open[0] as Position])

/** Returns a ring of any form, and up to three more that cut holes. */
const polygon = fc
  .tuple(ring(60), fc.array(ring(8), { maxLength: 3 }))
  .map(([outer, holes]): Position[][] => [outer, ...holes])

/** Returns points anywhere, all vertices, and the middles of all edges. */
const pointsOf = (polygons: readonly Position[][][], others: readonly Position[]): readonly [number, number][] => {
  const rings = polygons.flat() as [number, number][][]
  const middles = rings.flatMap((each) =>
    each.slice(1).map(([x, y], i): [number, number] => {
      const [fromX, fromY] = each[i] as [number, number]
      return [(x + fromX) / 2, (y + fromY) / 2]
    }),
  )
  return [...(others as [number, number][]), ...rings.flat(), ...middles]
}

type Ring = [number, number][]

describe('other libraries locate a point in the same way', () => {
  it('in a polygon with holes', () => {
    fc.assert(
      fc.property(polygon, fc.array(fc.tuple(half, half), { minLength: 40 }), (coordinates, others) => {
        const shape: Geometry = { type: 'Polygon', coordinates }
        const [open, closed] = [prepare(shape), prepare(shape, true)]
        for (const [x, y] of pointsOf([coordinates], others)) {
          const located = pointInPolygon([x, y], coordinates as Ring[])
          const expected = [located === true, located !== false]
          expect([x, y, open.contains(x, y), closed.contains(x, y)]).toEqual([x, y, ...expected])
          const turf = [true, false].map((ignoreBoundary) =>
            booleanPointInPolygon([x, y], { type: 'Polygon', coordinates }, { ignoreBoundary }),
          )
          expect([x, y, ...turf]).toEqual([x, y, ...expected])
        }
      }),
      { seed: 29, numRuns: 150 },
    )
  })

  it('in several polygons, by the union of their parts', () => {
    const polygons = fc.array(polygon, { minLength: 2, maxLength: 4 })
    fc.assert(
      fc.property(polygons, fc.array(fc.tuple(half, half), { minLength: 40 }), (coordinates, others) => {
        const shape: Geometry = { type: 'MultiPolygon', coordinates }
        const [open, closed] = [prepare(shape), prepare(shape, true)]
        for (const [x, y] of pointsOf(coordinates, others)) {
          const located = coordinates.map((rings) => pointInPolygon([x, y], rings as Ring[]))
          expect([x, y, closed.contains(x, y)]).toEqual([x, y, located.some((each) => each !== false)])
          // On the boundaries of two polygons the union decides. The libraries do not know it, but the slowest way does.
          const isShared = located.filter((each) => each === 0).length > 1
          const expected = located.includes(true) || (isShared && slowWithin(shape, [x, y]))
          expect([x, y, open.contains(x, y)]).toEqual([x, y, expected])
        }
      }),
      { seed: 30, numRuns: 100 },
    )
  })
})
