import { beforeAll, expect, it } from 'vitest'
import { get, load } from '../service.ts'
import { outcome } from '../store/writer.ts'
import { observationType, seriesOf } from './records.ts'

// test/oracle/parts.test.ts has the events that the filters find.

const SERIES = seriesOf(1)

beforeAll(() => load([observationType, SERIES]))

it.each([
  ['start__month=13', 'Enter a whole number from 1 to 12.'],
  ['start__weekday__in=0,1', 'Enter a whole number from 1 to 7.'],
  ['start__hour__gte=24', 'Enter a whole number from 0 to 23.'],
  ['start__hour=noon', 'Enter a whole number from 0 to 23.'],
  ['start__year=2018.5', 'Enter a whole number, such as 986.'],
])('%s: %s', async (query, message) => {
  const refused = { status: 400, body: { [query.replace(/=.*/, '')]: [message] } }
  expect(await outcome('GET', `/api/v4/events/?${query}`)).toMatchObject(refused)
})

it('the API description has the least and the greatest month', async () => {
  const { components } = await get('/openapi.json')
  const month = { type: 'integer', minimum: 1, maximum: 12, examples: [6] }
  expect(components.parameters['Feature.timestamp_start__month'].schema).toEqual(month)
})

it('DELETE takes an hour on the clock of a zone', async () => {
  const events = `/api/v4/eventseries/${SERIES.uuid}/events/`
  for (const start of ['2025-07-01T12:30:00Z', '2025-01-01T12:30:00Z'])
    await outcome('POST', events, { type: 'Feature', geometry: null, properties: { start } })
  const deleted = await outcome('DELETE', `${events}?start__hour=14&timezone=Europe/Amsterdam`)
  expect(deleted).toMatchObject({ body: { deleted: 1 } })
  const { results } = await get(events)
  expect(results.map(({ properties }: { properties: { start: string } }) => properties.start)).toEqual([
    '2025-01-01T12:30:00Z',
  ])
})
