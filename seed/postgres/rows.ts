import type { Client } from 'pg'
import type { COLUMNS } from '../../src/engine/postgres/views.ts'
import { leadingNumber } from '../../src/filters/numbers.ts'
import { isoInstant, MICROSECONDS } from '../../src/filters/temporal.ts'
import type { EventRecord, ObservationTypeRecord, SeriesRecord } from '../../src/model/types.ts'
import type { LoadRecord } from '../../src/store/records.ts'

/** A column has the type of its values, and the value of a record. PostgreSQL makes a place from its text (EWKT). */
type Column<R> = readonly [type: string, value: (record: R) => string | number | null]
type Columns<R> = Readonly<Record<string, Column<R>>>

const TYPES: Columns<ObservationTypeRecord> = {
  id: ['bigint', ({ id }) => id],
  code: ['text', ({ code }) => code],
  name: ['text', ({ name }) => name],
  unit: ['text', ({ unit }) => unit],
}

const SERIES: Columns<SeriesRecord> = {
  id: ['bigint', ({ id }) => id],
  uuid: ['uuid', ({ uuid }) => uuid],
  name: ['text', ({ name }) => name],
  description: ['text', ({ description }) => description],
  observation_type_id: ['bigint', ({ observation_type }) => observation_type],
  statistic: ['text', ({ statistic }) => statistic],
  color: ['text', ({ color }) => color],
  access_modifier: ['integer', ({ access_modifier }) => access_modifier],
  created: ['timestamptz', ({ created }) => isoInstant(created, MICROSECONDS)],
  last_modified: ['timestamptz', ({ last_modified }) => isoInstant(last_modified, MICROSECONDS)],
  metadata: ['json', ({ metadata }) => jsonOf(metadata)],
}

const EVENTS: Readonly<Record<keyof (typeof COLUMNS)['event'], Column<EventRecord>>> = {
  id: ['bigint', ({ id }) => id],
  event_series_id: ['bigint', ({ series }) => series],
  category: ['text', ({ category }) => category],
  value: ['text', ({ value }) => value],
  value_number: ['float8', ({ value }) => leadingNumber(value)],
  timestamp_start: ['timestamptz', ({ start }) => timeOf(start)],
  timestamp_end: ['timestamptz', ({ end }) => timeOf(end)],
  geometry: ['text', ({ coordinates }) => coordinates && `SRID=4326;POINT Z (${coordinates.join(' ')})`],
  object_type: ['text', ({ object }) => object?.model ?? null],
  object_id: ['bigint', ({ object }) => object?.id ?? null],
  external_id: ['text', ({ external_id }) => external_id],
  last_modified: ['timestamptz', ({ last_modified }) => isoInstant(last_modified, MICROSECONDS)],
  attributes: ['json', ({ attributes }) => jsonOf(attributes)],
}

const jsonOf = (value: object | null | undefined): string | null => (value == null ? null : JSON.stringify(value))

/** Writes a time for PostgreSQL, where the year before 1 is 1 BC. */
const timeOf = (milliseconds: number): string => {
  const text = new Date(milliseconds).toISOString()
  return text.startsWith('0000') ? `${text.replace('0000', '0001')} BC` : text
}

/** Returns the statement that adds rows, and a function for its parameters. Each parameter is a whole column. */
const inserting = <R>(table: string, columns: Columns<R>) => {
  const names = Object.keys(columns)
  const arrays = Object.values(columns).map(([type], i) => `$${i + 1}::${type}[]`)
  const sql = `INSERT INTO ${table} (${names.join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})`
  return { sql, valuesOf: (records: readonly R[]) => Object.values(columns).map(([, value]) => records.map(value)) }
}

const [ADD_TYPES, ADD_SERIES, ADD_EVENTS] = [
  inserting('observation_type', TYPES),
  inserting('event_series', SERIES),
  inserting('event', EVENTS),
]

/** Adds records to the tables. Types and series come before the events that need them. */
export const addRecords = async (client: Client, records: readonly LoadRecord[]): Promise<void> => {
  const ofKind = <K extends LoadRecord['kind']>(kind: K) =>
    records.filter((record): record is Extract<LoadRecord, { kind: K }> => record.kind === kind)
  const [types, series, events] = [ofKind('observation_type'), ofKind('event_series'), ofKind('event')]
  if (types.length > 0) await client.query(ADD_TYPES.sql, ADD_TYPES.valuesOf(types))
  if (series.length > 0) await client.query(ADD_SERIES.sql, ADD_SERIES.valuesOf(series))
  if (events.length > 0) await client.query(ADD_EVENTS.sql, ADD_EVENTS.valuesOf(events))
}
