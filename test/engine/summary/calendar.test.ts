import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lengthOf, startOf, UNITS, type Unit } from '../../../src/engine/summary/calendar.ts'
import { slowStartOf } from '../slow.ts'

it.each<[Unit, string, string]>([
  ['hour', '2018-02-05T10:59:59.999Z', '2018-02-05T10:00:00.000Z'],
  ['hour', '1969-12-31T23:59:59.999Z', '1969-12-31T23:00:00.000Z'],
  ['day', '1969-12-31T00:00:00.000Z', '1969-12-31T00:00:00.000Z'],
  ['week', '2018-02-05T00:00:00.000Z', '2018-02-05T00:00:00.000Z'],
  ['week', '2018-02-04T23:59:59.999Z', '2018-01-29T00:00:00.000Z'],
  ['week', '1970-01-01T00:00:00.000Z', '1969-12-29T00:00:00.000Z'],
  ['month', '2000-02-29T12:00:00.000Z', '2000-02-01T00:00:00.000Z'],
  ['month', '0050-03-31T12:00:00.000Z', '0050-03-01T00:00:00.000Z'],
  ['year', '2000-12-31T23:59:59.999Z', '2000-01-01T00:00:00.000Z'],
  ['year', '1900-12-31T23:59:59.999Z', '1900-01-01T00:00:00.000Z'],
  ['year', '0000-06-01T00:00:00.000Z', '0000-01-01T00:00:00.000Z'],
  ['year', '-271821-04-20T00:00:00.000Z', '-271821-04-20T00:00:00.000Z'],
])('the %s of %s begins at %s', (unit, instant, start) => {
  expect(new Date(startOf(unit, Date.parse(instant))).toISOString()).toBe(start)
})

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

it('hours, days and weeks have a fixed length', () => {
  expect(UNITS.map(lengthOf)).toEqual([3_600_000, 86_400_000, 604_800_000, null, null])
})
