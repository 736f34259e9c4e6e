import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isEmpty, timeBounds } from '../../../src/engine/d1/ranges.ts'
import type { ColumnRange } from '../../../src/engine/d1/sql.ts'

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
})
