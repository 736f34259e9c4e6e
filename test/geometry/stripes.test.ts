import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stripesOf } from '../../src/geometry/stripes.ts'

const listedAt = ({ starts, listed, stripeOf }: ReturnType<typeof stripesOf>, y: number): number[] => [
  ...listed.subarray(starts[stripeOf(y)], starts[stripeOf(y) + 1]),
]

test('without edges there is one empty stripe', () => {
  const stripes = stripesOf(new Float64Array())
  expect(listedAt(stripes, 0)).toEqual([])
})

test('each stripe of a ladder lists the edges in it in ascending order', () => {
  const rungs = Array.from({ length: 8 }, (_, y) => [0, y, 1, y])
  const stripes = stripesOf(new Float64Array(rungs.flat()))
  expect(stripes.starts).toHaveLength(5)
  expect(listedAt(stripes, 0)).toEqual([0, 1])
  expect(listedAt(stripes, 7)).toEqual([6, 7])
})

test('points above or below all edges are in the outermost stripes', () => {
  const stripes = stripesOf(new Float64Array([0, 0, 1, 1, 0, 1, 1, 2, 0, 2, 1, 3, 0, 3, 1, 4]))
  expect(stripes.stripeOf(-1e308)).toBe(0)
  expect(stripes.stripeOf(1e308)).toBe(1)
})

test('100,000 edges from pole to pole are not listed in every stripe', () => {
  const edges = Float64Array.from({ length: 400_000 }, (_, i) => (i % 2 === 0 ? i / 2000 : i % 4 === 1 ? -90 : 90))
  expect(stripesOf(edges).listed.length).toBeLessThanOrEqual(12 * 100_000)
})

describe('every edge is listed in each stripe that it crosses', () => {
  const y = fc.oneof(
    fc.integer({ min: -5, max: 5 }),
    fc.double({ min: -90, max: 90, noNaN: true }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  )
  test('for random edges', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(y, y), { maxLength: 60 }), fc.array(y), (edges, levels) => {
        const stripes = stripesOf(new Float64Array(edges.flatMap(([a, b]) => [0, a, 1, b])))
        for (const level of [...levels, ...edges.flat()]) {
          const listed = listedAt(stripes, level)
          const meeting = edges.flatMap(([a, b], e) => (Math.min(a, b) <= level && level <= Math.max(a, b) ? [e] : []))
          expect(listed).toEqual(expect.arrayContaining(meeting))
          expect(listed).toEqual(listed.toSorted((a, b) => a - b))
        }
      }),
      { seed: 26, numRuns: 300 },
    )
  })
})
