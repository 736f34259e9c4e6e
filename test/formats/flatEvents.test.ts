import { expect, it } from 'vitest'
import { periodOf, valuesOf } from '../../src/formats/flatEvents.ts'

const PROPERTIES = {
  ...{ category: 'flood', value: '5', event_series: 'a', event_series_name: 'a' },
  ...{ timestamp_start: '2020-01-01T00:00:00Z', timestamp_end: '2020-01-01T01:00:00Z' },
}
const FEATURE = { id: 1, geometry: { type: 'Point', coordinates: [5, 52] } }

it('a feature of a series has its own columns beside its members', () => {
  const { attributes, ...values } = valuesOf({ ...FEATURE, properties: { ...PROPERTIES, Town: 'Zeist' } })
  expect(attributes).toEqual({ Town: 'Zeist' })
  expect(values).toMatchObject({ id: 1, coordinates: [5, 52], duration: 3_600_000, object: null })
})

it.each([
  [{ start: '2020-01-01T00:00:00Z', end: null }, 0],
  [{ timestamp_start: '2020-01-01T00:00:00Z', timestamp_end: '2020-01-01T00:01:00Z' }, 60_000],
])('the period of %j lasts %d milliseconds', (properties, lasts) => {
  const [start, end] = periodOf(properties)
  expect([start, end - start]).toEqual([Date.UTC(2020, 0, 1), lasts])
})
