import type { EventRecord, LoadRecord, SeriesRecord } from '../records.ts'

// A small world for the table of questions. Each field that may be null is null somewhere, and has one value twice. Starts
// lie around midnight and around changes of the clock, in several zones.

export const series = (
  id: number,
  name: string,
  access_modifier: number,
  more: Partial<SeriesRecord> = {},
): SeriesRecord => ({
  kind: 'event_series',
  id,
  uuid: `a0000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
  name,
  description: '',
  observation_type: 1,
  statistic: 'raw',
  color: '#336699',
  access_modifier,
  created: Date.UTC(2024, 11, 31, 23, 30) * 1000,
  last_modified: null,
  ...more,
})

/** An event of an instant. */
export const event = (id: number, start: string, more: Partial<EventRecord> = {}): EventRecord => ({
  kind: 'event',
  id,
  series: 1,
  category: 'flood',
  value: '',
  start: Date.parse(start),
  end: Date.parse(start),
  coordinates: [5, 52, 0],
  object: null,
  ...more,
})

/** One public series without events. */
export const FOUNDATION: readonly LoadRecord[] = [
  { kind: 'observation_type', id: 1, code: 'test', name: 'Test', unit: null },
  series(1, 'Overflows', 0),
]

export const WORLD: readonly LoadRecord[] = [
  ...FOUNDATION,
  series(2, 'Gauges', 0, { created: 0, last_modified: 1_735_689_600_000_000 }),
  series(3, 'Secret', 300),
  // December 31 in UTC, and January 1 in Amsterdam.
  event(1, '2024-12-31T22:59:59.999Z'),
  event(2, '2024-12-31T23:00:00Z', { end: Date.parse('2025-01-01T00:30:00Z') }),
  event(3, '2025-01-01T12:00:00Z', { category: 'storm', value: '12 m', coordinates: [-170, -80, 0] }),
  event(4, '2025-01-31T22:59:59Z', { object: { model: 'pump', id: 20 }, external_id: 'x-4' }),
  event(5, '2025-01-31T23:00:00Z', { coordinates: null }),
  // In Amsterdam, this day of spring has 23 hours.
  event(6, '2025-03-29T23:00:00Z', { attributes: { depth: 3, cause: 'rain' } }),
  event(7, '2025-03-30T00:59:59Z', { attributes: { depth: 3.5, cause: null } }),
  event(8, '2025-03-30T21:59:59Z', { attributes: { depth: '3' } }),
  event(9, '2025-03-30T22:00:00Z', { series: 2, attributes: { depth: 3 } }),
  // In Amsterdam, this day of autumn has 25 hours, and 02:30 comes twice.
  event(10, '2025-10-25T22:00:00Z', { series: 2 }),
  event(11, '2025-10-26T00:30:00Z', { series: 2 }),
  event(12, '2025-10-26T01:30:00Z', { series: 2 }),
  event(13, '2025-10-26T22:59:59Z', { series: 2 }),
  event(14, '2025-10-26T23:00:00Z', { series: 2 }),
  // In Cairo, the clock skips the midnight of April 25. In Sao Paulo it skipped that of November 4, 2018.
  event(15, '2025-04-24T21:59:59Z'),
  event(16, '2025-04-24T22:00:00Z'),
  event(17, '2018-11-04T02:59:59Z'),
  event(18, '2018-11-04T03:00:00Z'),
  event(19, '2025-01-01T12:00:00Z', { series: 3 }),
  event(20, '1969-12-31T23:59:59Z', { category: '', object: { model: 'pump', id: 21 }, external_id: 'x-20' }),
]
