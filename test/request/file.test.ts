import { beforeAll, expect, it } from 'vitest'
import { load, send } from '../service.ts'

const ALASKA = '1f3fd2e4-e4f6-564f-b861-9051626e9eb4'
const PRIVATE = 'aa894e09-f0d7-5a9e-8e64-ab22bf8ec1c8'

beforeAll(() => load())

it.each([
  [`/api/v3/events/?event_series=${ALASKA}&`, 'events_Earthquakes-Alaska.csv'],
  [`/api/v3/events/?category=hurricane&event_series=${ALASKA}&`, 'events_Earthquakes-Alaska_category-hurricane.csv'],
  [`/api/v4/eventseries/${ALASKA}/events/?`, 'events_Earthquakes-Alaska.csv'],
  ['/api/v3/events/?event_series=1f3fd2e4&', 'events_event_series-1f3fd2e4.csv'],
  [`/api/v3/events/?event_series=${PRIVATE}&`, `events_event_series-${PRIVATE}.csv`],
])('a file of %s has the name of a series that the caller sees: %s', async (path, name) => {
  const response = await send(`${path}format=csv&page_size=1`)
  expect(response.headers.get('Content-Disposition')).toBe(`attachment; filename="${name}"`)
})
