import type { Client } from 'pg'
import { leadingNumber } from '../../src/filters/numbers.ts'
import { isoInstant, MICROSECONDS } from '../../src/filters/temporal.ts'
import type { EventRecord, ObservationTypeRecord, SeriesRecord } from '../../src/model/types.ts'
import type { LoadRecord } from '../../src/store/records.ts'

/** A column of a table: its type, and its value for a record. */
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

const EVENTS: Columns<EventRecord> = {
  id: ['bigint', ({ id }) => id],
  event_series_id: ['bigint', ({ series }) => series],
  category: ['text', ({ category }) => category],
  value: ['text', ({ value }) => value],
  value_number: ['float8', ({ value }) => leadingNumber(value)],
  timestamp_start: ['timestamptz', ({ start }) => timeOf(start)],
  timestamp_end: ['timestamptz', ({ end }) => timeOf(end)],
  x: ['float8', ({ coordinates }) => coordinates?.[0] ?? null],
  y: ['float8', ({ coordinates }) => coordinates?.[1] ?? null],
  z: ['float8', ({ coordinates }) => coordinates?.[2] ?? null],
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

/** The point of three columns. It is null if they are. */
const PLACE = 'ST_SetSRID(ST_MakePoint(x, y, z), 4326)'

/** The columns of a table that have another name than in the rows, or are made from several. */
const MADE: Readonly<Record<string, readonly [column: string, value: string] | null>> = {
  x: ['geometry', PLACE],
  y: null,
  z: null,
}

/** Returns the statement that adds rows, and a function for its parameters. Each parameter is a whole column. */
const inserting = <R>(table: string, columns: Columns<R>) => {
  const names = Object.keys(columns)
  const targets = names.flatMap((name) => {
    const made = MADE[name]
    return made === null ? [] : [made ?? [name, name]]
  })
  const arrays = Object.values(columns).map(([type], i) => `$${i + 1}::${type}[]`)
  const sql = `INSERT INTO ${table} (${targets.map(([column]) => column).join(', ')})
    SELECT ${targets.map(([, value]) => value).join(', ')} FROM unnest(${arrays.join(', ')}) AS r (${names.join(', ')})`
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

/** Sets the columns of the series that tell of their events. */
export const DERIVE = `UPDATE event_series AS s
  SET event_count = e.count, timestamp_start = e.first, timestamp_end = e.last,
    west = e.west, south = e.south, east = e.east, north = e.north
  FROM (
    SELECT event_series_id, count(*) AS count, min(timestamp_start) AS first, max(timestamp_end) AS last,
      min(ST_X(geometry)) AS west, min(ST_Y(geometry)) AS south,
      max(ST_X(geometry)) AS east, max(ST_Y(geometry)) AS north
    FROM event GROUP BY 1
  ) AS e
  WHERE s.id = e.event_series_id`
