import type { EventRecord, ObservationTypeRecord, SeriesRecord } from '../records.ts'
import { type Options, send } from '../service.ts'

export { eventIds } from '../service.ts'

export const observationType: ObservationTypeRecord = {
  kind: 'observation_type',
  id: 1,
  code: 'made',
  name: 'Made for a test',
  unit: null,
}

/** Returns a public series. Its uuid ends with its id. */
export const seriesOf = (id: number, fields: Partial<SeriesRecord> = {}): SeriesRecord => ({
  kind: 'event_series',
  id,
  uuid: `c0ffee00-0000-4000-8000-${String(id).padStart(12, '0')}`,
  name: `Series ${id}`,
  description: '',
  observation_type: observationType.id,
  statistic: 'raw',
  color: '#000000',
  access_modifier: 0,
  created: 0,
  last_modified: null,
  ...fields,
})

export const eventOf = (id: number, fields: Partial<EventRecord> = {}): EventRecord => ({
  kind: 'event',
  id,
  series: 1,
  category: '',
  value: '',
  start: 0,
  end: 0,
  coordinates: null,
  object: null,
  ...fields,
})

/** Returns the body of a 400 for a query of a list, by default the list of events. */
export const refusal = async (query: string, options: Options = {}, path = '/api/v3/events/'): Promise<unknown> => {
  const response = await send(`${path}?${query}`, options)
  const body = await response.text()
  if (response.status !== 400) throw new Error(`${response.status} ${body}`)
  return JSON.parse(body)
}

/** Returns `name=value`, percent-encoded. */
export const pair = (name: string, value: string): string => `${name}=${encodeURIComponent(value)}`
