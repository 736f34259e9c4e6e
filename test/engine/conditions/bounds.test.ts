import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ANY, intersection, isEmpty, timeBounds } from '../../../src/engine/conditions/search.ts'
import type { ColumnRange } from '../../../src/filters/sql.ts'

const LEAST = -4
const GREATEST = 5

const bound = fc.option(fc.integer({ min: LEAST, max: GREATEST }).map(BigInt))
const extents: fc.Arbitrary<ColumnRange> = fc.tuple(bound, bound)

const holds = ([least, greatest]: ColumnRange, value: number): boolean =>
  (least === null || value >= least) && (greatest === null || value <= greatest)

/** The values reach beyond all bounds, so that an open end shows. */
const VALUES = Array.from({ length: 8 * (GREATEST - LEAST) }, (_, i) => 4 * LEAST + i)
const TIMES = VALUES.flatMap((start) => VALUES.filter((end) => end >= start).map((end) => [start, end] as const))

const isPossible = (bounds: ReturnType<typeof timeBounds>) => !Object.values(bounds).some(isEmpty)

describe('bounds on start, end and duration', () => {
  it.each<[string, ColumnRange, ColumnRange, ColumnRange, Partial<ReturnType<typeof timeBounds>>]>([
    ['no bounds', ANY, ANY, ANY, { start: ANY, end: ANY, duration: [0n, null] }],
    ['a period', [3n, null], [null, 9n], ANY, { start: [3n, 9n], end: [3n, 9n], duration: [0n, 6n] }],
    ['an overlap', [null, 9n], [3n, null], ANY, { start: [null, 9n], end: [3n, null], duration: [0n, null] }],
    ['a duration at most', [3n, null], ANY, [null, 2n], { start: [3n, null], end: [3n, null], duration: [0n, 2n] }],
    ['a duration at least', [3n, 4n], ANY, [2n, null], { start: [3n, 4n], end: [5n, null], duration: [2n, null] }],
    ['a short event that overlaps', [null, 9n], [3n, null], [null, 2n], { start: [1n, 9n], end: [3n, 11n] }],
  ])('%s', (_, start, end, duration, expected) => {
    expect(timeBounds(start, end, duration)).toMatchObject(expected)
  })

  it.each<[string, ColumnRange, ColumnRange, ColumnRange]>([
    ['an end before the start', [5n, null], [null, 4n], ANY],
    ['a duration longer than its period', [5n, null], [null, 8n], [4n, null]],
    ['a negative duration', ANY, ANY, [null, -1n]],
  ])('%s is impossible', (_, start, end, duration) => {
    expect(isPossible(timeBounds(start, end, duration))).toBe(false)
  })

  it('include every matching row and are as narrow as possible', () => {
    fc.assert(
      fc.property(extents, extents, extents, (start, end, duration) => {
        const found = TIMES.filter(([s, e]) => holds(start, s) && holds(end, e) && holds(duration, e - s))
        const bounds = timeBounds(start, end, duration)
        for (const [s, e] of found)
          expect([holds(bounds.start, s), holds(bounds.end, e), holds(bounds.duration, e - s)]).toEqual([
            true,
            true,
            true,
          ])
        expect(isPossible(bounds)).toBe(found.length > 0)
        // A row must reach each bound, otherwise the bound is too wide.
        if (found.length === 0) return
        const reached = [found.map(([s]) => s), found.map(([, e]) => e), found.map(([s, e]) => e - s)]
        for (const [i, [least, greatest]] of [bounds.start, bounds.end, bounds.duration].entries()) {
          if (least !== null) expect(Math.min(...(reached[i] ?? []))).toBe(Number(least))
          if (greatest !== null) expect(Math.max(...(reached[i] ?? []))).toBe(Number(greatest))
        }
      }),
      { seed: 20_261_121, numRuns: 500 },
    )
  })

  it('intersect exactly, and an empty intersection is found', () => {
    fc.assert(
      fc.property(extents, extents, (a, b) => {
        const both = intersection(a, b)
        for (const value of VALUES) expect(holds(both, value)).toBe(holds(a, value) && holds(b, value))
        expect(isEmpty(both)).toBe(!VALUES.some((value) => holds(both, value)))
      }),
      { seed: 20_261_121, numRuns: 300 },
    )
  })
})
