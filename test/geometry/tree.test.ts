import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bboxOf } from '../../src/geometry/bbox.ts'
import { edgesOf } from '../../src/geometry/edges.ts'
import type { Geometry, Position } from '../../src/geometry/geometry.ts'
import { locate, onAny } from '../../src/geometry/locate.ts'
import { anyMeets } from '../../src/geometry/near.ts'
import { stripesOf } from '../../src/geometry/stripes.ts'
import { treeOf } from '../../src/geometry/tree.ts'
import { prepare } from '../../src/geometry/within.ts'
import { random } from '../bench/events.ts'
import { comb, type Ring, zigzag } from '../bench/shapes.ts'
import { EXHAUSTIVE } from '../tags.ts'
import { geometries, onGrid } from './shapes.ts'
import { slowWithin } from './slow.ts'

const SEED = 20_261_122
const polygon = (...rings: Ring[]): Geometry => ({
  type: 'Polygon',
  coordinates: rings.map((ring) => ring.map(([x, y]): Position => [x, y])),
})

describe('the tree of edges', () => {
  it.each([1, 3, 8])('agrees with the stripes for random points, with up to %i edges in a leaf', EXHAUSTIVE, (few) => {
    let told = 0
    fc.assert(
      fc.property(onGrid(geometries), ({ shape, points }) => {
        const { areal, owner, linear } = edgesOf(shape)
        const [polygons, lines] = [stripesOf(areal), stripesOf(linear)]
        const inPolygons = treeOf(areal, bboxOf(areal) ?? [0, 0, 0, 0], owner, few, 0)
        const onLines = treeOf(linear, bboxOf(linear) ?? [0, 0, 0, 0], null, few, 0)
        for (const [x, y] of points) {
          const where = inPolygons.locate(x, y)
          if (where !== null) told += 1
          if (where !== null) expect([x, y, where]).toEqual([x, y, locate(polygons, owner, x, y)])
          expect([x, y, onLines.onAny(x, y)]).toEqual([x, y, onAny(lines, x, y)])
          if (anyMeets(areal, null, x, y, 0.5, 0.25)) expect(inPolygons.isNear(x, y, 0.5, 0.25)).toBe(true)
        }
      }),
      { seed: SEED, numRuns: 400 },
    )
    expect(told).toBeGreaterThan(1000)
  })

  const next = random(9)
  const chords: Ring = Array.from({ length: 2001 }, (_, i) => (i % 2000 === 0 ? [0, 0] : [next() * 90, next() * 45]))
  const again = (ring: Ring, times: number): Ring => Array.from({ length: times }, () => ring).flat()

  it.each<[string, Ring, boolean]>([
    ['a zigzag', zigzag(3000), true],
    ['a comb', comb(700), false],
    ['chords in all directions', chords, true],
    [
      'one edge back and forth',
      [
        [0, 0],
        ...again(
          [
            [80, 40],
            [1, 1],
          ],
          800,
        ),
        [0, 30],
        [0, 0],
      ],
      true,
    ],
    [
      'all through one point',
      Array.from({ length: 1201 }, (_, i) => (i % 3 === 0 ? [5, 5] : [(i * 7919) % 83, (i * 104_729) % 61])),
      true,
    ],
  ])('%s: agrees with the slowest test', (_, ring, isDeep) => {
    const shape = polygon(ring)
    const area = prepare(shape)
    expect(area.isDeepAt(5)).toBe(isDeep)
    const corners = ring.filter((_, i) => i % 300 === 0)
    const places = Array.from({ length: 150 }, () => [next() * 90, next() * 45] as const)
    for (const [x, y] of [...corners, ...places, [5, 5] as const])
      expect([x, y, area.contains(x, y)]).toEqual([x, y, slowWithin(shape, [x, y])])
  })
})
