import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { at } from '../../src/base/collections.ts'
import { type Bbox, bboxOf } from '../../src/geometry/bbox.ts'
import { mayMeet } from '../../src/geometry/edges.ts'
import type { Geometry, Position } from '../../src/geometry/geometry.ts'
import { treeOf } from '../../src/geometry/tree.ts'
import { edgesOf, prepare } from '../../src/geometry/within.ts'
import { random } from '../bench/events.ts'
import { comb, type Ring, zigzag } from '../bench/shapes.ts'
import { EXHAUSTIVE } from '../tags.ts'
import { fans, multiPolygons, onGrid } from './shapes.ts'
import { slowWithin } from './slow.ts'

const SEED = 20_261_122
const polygon = (...rings: Ring[]): Geometry => ({
  type: 'Polygon',
  coordinates: rings.map((ring) => ring.map(([x, y]): Position => [x, y])),
})

describe('the tree of edges', () => {
  it.each([1, 3, 8])('agrees with the slowest test, with up to %i edges in a leaf', EXHAUSTIVE, (few) => {
    fc.assert(
      fc.property(
        onGrid((grid) => fc.oneof(multiPolygons(grid), fans(grid))),
        ({ shape, points }) => {
          const all = edgesOf(shape)
          const tree = treeOf(all, bboxOf(all.edges) as Bbox, few, 0)
          const turns = at(prepare(shape).bounds, 0).turns
          for (const [x, y] of points) {
            const isInside = turns.some((turn) => tree.locate(x + turn, y) === 'interior')
            expect([x, y, isInside]).toEqual([x, y, slowWithin(shape, [x, y])])
            const around: Bbox = [x - 0.5, y - 0.25, x + 0.5, y + 0.25]
            const isMet = all.owners.some((_, edge) => mayMeet(all.edges, edge, around))
            if (isMet) expect(tree.meets(around)).toBe(true)
          }
        },
      ),
      { seed: SEED, numRuns: 200 },
    )
  })

  const next = random(9)
  const chords: Ring = Array.from({ length: 2001 }, (_, i) => (i % 2000 === 0 ? [0, 0] : [next() * 90, next() * 45]))
  const again = (ring: Ring, times: number): Ring => Array.from({ length: times }, () => ring).flat()

  it.each<[string, Ring]>([
    ['a zigzag', zigzag(3000)],
    ['a comb', comb(700)],
    ['chords in all directions', chords],
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
    ],
    [
      'all through one point',
      Array.from({ length: 1201 }, (_, i) => (i % 3 === 0 ? [5, 5] : [(i * 7919) % 83, (i * 104_729) % 61])),
    ],
  ])('%s: agrees with the slowest test', (_, ring) => {
    const shape = polygon(ring)
    const area = prepare(shape)
    const corners = ring.filter((_, i) => i % 300 === 0)
    const places = Array.from({ length: 150 }, () => [next() * 90, next() * 45] as const)
    for (const [x, y] of [...corners, ...places, [5, 5] as const])
      expect([x, y, area.contains(x, y)]).toEqual([x, y, slowWithin(shape, [x, y])])
  })
})
