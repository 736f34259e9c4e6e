import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startOf } from '../../../../src/engine/shared/summary/histogram.ts'
import { UNITS } from '../../../../src/engine/summaries.ts'
import { slowStartOf } from '../../slow.ts'

it('startOf agrees with a step-by-step search for random instants', () => {
  const REACH = 8_640_000_000_000_000
  const instants = fc.oneof(
    fc.integer({ min: -REACH, max: REACH }),
    fc.integer({ min: -5_000_000_000_000, max: 5_000_000_000_000 }),
  )
  fc.assert(
    fc.property(instants, fc.constantFrom(...UNITS), (instant, unit) => {
      expect(startOf(unit, instant)).toBe(slowStartOf(unit, instant))
    }),
    { seed: 20_261_121, numRuns: 2000 },
  )
})
