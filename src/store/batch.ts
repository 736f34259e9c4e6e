import { type Column, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { countStatements } from '../../schema/counts.ts'
import { listed, nameOf, textOf } from '../../schema/sql.ts'
import { eventSeries, events, observationTypes } from '../../schema/tables.ts'
import type { Statement } from '../engine/run/database.ts'
import { caseFold, fold } from '../filters/fold.ts'
import type { TextDictionary } from '../model/dictionaries.ts'
import { EVENT, type EventRecord } from '../model/event.ts'
import type { Fields } from '../model/field.ts'
import { OBSERVATION_TYPE } from '../model/observationType.ts'
import { dictionariesOf, type StoredColumn, storedColumnsOf, valuesOf } from '../model/rows.ts'
import { SERIES } from '../model/series.ts'
import type { LoadRecord } from './records.ts'
import { RAISE_REVISION, STAMP, takeStamp } from './statement.ts'

/** Rows that are stored together, each as a JSON array. */
export type Batch = {
  records: number
  /** The number of characters of JSON. */
  length: number
  readonly observationTypes: string[]
  readonly series: string[]
  readonly events: string[]
  readonly eventIds: string[]
  /** The texts of the events, for each dictionary of TEXTS. */
  readonly texts: readonly Set<string>[]
  readonly extents: Map<number, Extent>
  /** The greatest `last_modified` of the events, in microseconds since 1970. Later writes get greater ones. */
  lastModified: number
}

/** The contribution of events to the derived columns of their series. `bounds` is null if no event has a place. */
type Extent = { count: number; start: number; end: number; bounds: Bounds | null }
type Bounds = [west: number, east: number, south: number, north: number]

/** The maximum number of characters of a parameter. They are at most three bytes each, and D1 allows 2 MB. */
const PARAMETER_LENGTH = 600_000

/** Returns the SQL that an insert stores in a column. `value` is the value in a row. */
const storedAs = ({ column, dictionary }: StoredColumn, value: SQL): SQLWrapper => {
  if (dictionary !== null) return dictionary.id
  // Only a row from an export has this value.
  return column === events.lastModified ? sql`coalesce(${value}, ${STAMP})` : value
}

/** Returns the statement that inserts rows. Its parameter is a JSON array of rows, each in the order of `columns`. */
const insertInto = (table: SQLWrapper, fields: Fields): string => {
  const columns = storedColumnsOf(fields).map((stored, i) => ({ ...stored, value: sql`row.value ->> ${i}` }))
  const joins = columns.flatMap(({ column, dictionary, value }) => {
    if (dictionary === null) return []
    const join = column.notNull ? sql`CROSS JOIN` : sql`LEFT JOIN`
    return [sql`${join} ${dictionary.table} ON ${dictionary.text} = ${value}`]
  })
  return textOf(sql`INSERT INTO ${table} (${listed(columns.map(({ column }) => nameOf(column)))})
    SELECT ${listed(columns.map(({ value, ...stored }) => storedAs(stored, value)))}
    FROM json_each(?1) AS row ${sql.join(joins, sql` `)}`)
}

const INSERT_OBSERVATION_TYPES = insertInto(observationTypes, OBSERVATION_TYPE)
const INSERT_SERIES = insertInto(eventSeries, SERIES)
const INSERT_EVENTS = insertInto(events, EVENT)
const [typeValues, seriesValues, eventValues] = [valuesOf(OBSERVATION_TYPE), valuesOf(SERIES), valuesOf(EVENT)]

/** Returns the statement that adds new texts to a dictionary. Its parameter is a JSON array of texts and their folds. */
export const insertTexts = ({ table, text, folded, caseFolded }: TextDictionary): string =>
  textOf(sql`INSERT INTO ${table} (${listed([text, folded, caseFolded].map(nameOf))})
    SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1) WHERE true ON CONFLICT (${nameOf(text)}) DO NOTHING`)

/** The dictionaries of events, each with its insert, and the text of an event in it. */
const TEXTS = dictionariesOf(EVENT).map((dictionary) => {
  const at = storedColumnsOf(EVENT).findIndex((stored) => stored.dictionary === dictionary)
  return { insert: insertTexts(dictionary), textIn: (values: readonly unknown[]) => values[at] }
})

/** Returns the row of a dictionary for a text, as JSON. */
export const textColumns = (text: string): string => JSON.stringify([text, fold(text), caseFold(text)])

/** The scalar min and max are null if one side is null. Then the other side is the result. */
const extend = (best: 'min' | 'max', column: Column, at: number) =>
  sql`${nameOf(column)} = coalesce(${sql.raw(best)}(${column}, row.value ->> ${at}), ${column}, row.value ->> ${at})`

const EXTEND_SERIES = textOf(sql`
  UPDATE ${eventSeries} SET ${listed([
    sql`${nameOf(eventSeries.eventCount)} = ${eventSeries.eventCount} + (row.value ->> 1)`,
    extend('min', eventSeries.start, 2),
    extend('max', eventSeries.end, 3),
    extend('min', eventSeries.west, 4),
    extend('max', eventSeries.east, 5),
    extend('min', eventSeries.south, 6),
    extend('max', eventSeries.north, 7),
  ])}
  FROM json_each(?1) AS row WHERE ${eventSeries.id} = row.value ->> 0`)

/** Returns a batch without rows. */
export const emptyBatch = (): Batch => ({
  records: 0,
  length: 0,
  observationTypes: [],
  series: [],
  events: [],
  eventIds: [],
  texts: TEXTS.map(() => new Set()),
  extents: new Map(),
  lastModified: 0,
})

/** Adds a record to a batch. */
export function put(batch: Batch, record: LoadRecord): void {
  const { kind } = record
  if (kind === 'observation_type') batch.observationTypes.push(row(batch, typeValues(record)))
  else if (kind === 'event_series') batch.series.push(row(batch, seriesValues(record)))
  else {
    const values = eventValues(record)
    batch.events.push(row(batch, values))
    batch.lastModified = Math.max(batch.lastModified, record.last_modified ?? 0)
    batch.eventIds.push(String(record.id))
    for (const [i, { textIn }] of TEXTS.entries()) {
      const text = textIn(values)
      if (typeof text === 'string') batch.texts[i]?.add(text)
    }
    batch.extents.set(record.series, extended(batch.extents.get(record.series), record))
  }
  batch.records += 1
}

/**
 * Returns the statements that store a batch. The caller runs them in one transaction. `now` is in microseconds since
 * 1970. `counted`: the statements also update the counts.
 */
export function statements(batch: Batch, now: number, counted = true): Statement[] {
  const extents = Array.from(batch.extents, ([id, { count, start, end, bounds }]) =>
    JSON.stringify([id, count, start, end, ...(bounds ?? [])]),
  )
  const all: [sql: string, rows: string[]][] = [
    [INSERT_OBSERVATION_TYPES, batch.observationTypes],
    [INSERT_SERIES, batch.series],
    ...TEXTS.map(({ insert }, i): [string, string[]] => [insert, Array.from(batch.texts[i] ?? [], textColumns)]),
    [INSERT_EVENTS, batch.events],
    [EXTEND_SERIES, extents],
    ...(counted ? countStatements(1) : []).map((sql): [string, string[]] => [sql, batch.eventIds]),
  ]
  return [
    ...(batch.events.length > 0 ? [takeStamp(Math.max(now, batch.lastModified))] : []),
    ...all.flatMap(([sql, rows]) => chunksOf(rows).map((parameter) => ({ sql, parameters: [parameter] }))),
    RAISE_REVISION,
  ]
}

function row(batch: Batch, values: readonly unknown[]): string {
  const json = JSON.stringify(values)
  batch.length += json.length
  return json
}

function extended(extent: Extent | undefined, { start, end, coordinates }: EventRecord): Extent {
  const [x, y] = coordinates ?? []
  const point: Bounds | null = x === undefined || y === undefined ? null : [x, x, y, y]
  if (extent === undefined) return { count: 1, start, end, bounds: point }
  extent.count += 1
  extent.start = Math.min(extent.start, start)
  extent.end = Math.max(extent.end, end)
  extent.bounds = extent.bounds && point ? union(extent.bounds, point) : (extent.bounds ?? point)
  return extent
}

const union = (a: Bounds, b: Bounds): Bounds => [
  Math.min(a[0], b[0]),
  Math.max(a[1], b[1]),
  Math.min(a[2], b[2]),
  Math.max(a[3], b[3]),
]

/** Joins rows to JSON arrays, each short enough for a parameter. */
export function chunksOf(rows: string[]): string[] {
  const chunks: string[][] = []
  let length = Number.POSITIVE_INFINITY
  for (const json of rows) {
    if (length + json.length > PARAMETER_LENGTH) {
      chunks.push([])
      length = 0
    }
    chunks.at(-1)?.push(json)
    length += json.length + 1
  }
  return chunks.map((chunk) => `[${chunk.join(',')}]`)
}
