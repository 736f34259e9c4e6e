import { type Column, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { countStatements } from '../../schema/counts.ts'
import { listed, nameOf, textOf } from '../../schema/sql.ts'
import { categories, eventSeries, events, objectModels, observationTypes } from '../../schema/tables.ts'
import { caseFold } from '../filters/caseFold.ts'
import { fold } from '../filters/fold.ts'
import type { Statement } from '../query/db/d1.ts'
import type { EventRecord, LoadRecord } from './records.ts'
import { EVENT_VALUES, SERIES_VALUES, TYPE_VALUES } from './rows.ts'
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
  readonly categories: Set<string>
  readonly objectModels: Set<string>
  readonly extents: Map<number, Extent>
  /** The greatest `last_modified` of the events, in microseconds since 1970. Later writes get greater ones. */
  lastModified: number
}

/** The contribution of events to the derived columns of their series. `bounds` is null if no event has a place. */
type Extent = { count: number; start: number; end: number; bounds: Bounds | null }
type Bounds = [west: number, east: number, south: number, north: number]

/** The maximum number of characters of a parameter. They are at most three bytes each, and D1 allows 2 MB. */
const PARAMETER_LENGTH = 600_000

/** Returns the names of columns, in the order of the values in a row. */
const namesOf = <N extends string>(values: Readonly<Record<N, unknown>>): N[] => Object.keys(values) as N[]

/** Returns the statement that inserts rows into a table. Its parameter is a JSON array of rows. */
const insertInto = (table: SQLWrapper, columns: readonly Column[]): string =>
  textOf(sql`INSERT INTO ${table} (${listed(columns.map(nameOf))})
    SELECT ${listed(columns.map((_, i) => sql`value ->> ${i}`))} FROM json_each(?1)`)

const TYPE_COLUMNS = namesOf(TYPE_VALUES).map((name) => observationTypes[name])
const INSERT_OBSERVATION_TYPES = insertInto(observationTypes, TYPE_COLUMNS)
const SERIES_COLUMNS = namesOf(SERIES_VALUES).map((name) => eventSeries[name])
const INSERT_SERIES = insertInto(eventSeries, SERIES_COLUMNS)

/** Returns the statement that adds new texts to a dictionary. */
const insertTexts = (table: typeof categories | typeof objectModels): string =>
  textOf(sql`INSERT INTO ${table} (${nameOf(table.text)}, ${nameOf(table.folded)}, ${nameOf(table.caseFolded)})
    SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1) WHERE true ON CONFLICT (${nameOf(table.text)}) DO NOTHING`)

export const INSERT_CATEGORIES = insertTexts(categories)
export const INSERT_OBJECT_MODELS = insertTexts(objectModels)

/** Returns the row of a dictionary for a text, as JSON. */
export const textColumns = (text: string): string => JSON.stringify([text, fold(text), caseFold(text)])

const EVENT_NAMES = namesOf(EVENT_VALUES)
const valueIn = (name: (typeof EVENT_NAMES)[number]): SQL => sql`row.value ->> ${EVENT_NAMES.indexOf(name)}`

/** The columns that get the id of a text, or a stamp. All other columns get the value in the row. */
const FILLED: Partial<Record<(typeof EVENT_NAMES)[number], SQLWrapper>> = {
  categoryId: categories.id,
  objectModelId: objectModels.id,
  // Only a row from an export has this value.
  lastModified: sql`coalesce(${valueIn('lastModified')}, ${STAMP})`,
}

const INSERT_EVENTS = textOf(sql`
  INSERT INTO ${events} (${listed(EVENT_NAMES.map((name) => nameOf(events[name])))})
  SELECT ${listed(EVENT_NAMES.map((name) => FILLED[name] ?? valueIn(name)))}
  FROM json_each(?1) AS row
  CROSS JOIN ${categories} ON ${categories.text} = ${valueIn('categoryId')}
  LEFT JOIN ${objectModels} ON ${objectModels.text} = ${valueIn('objectModelId')}`)

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
  categories: new Set(),
  objectModels: new Set(),
  extents: new Map(),
  lastModified: 0,
})

/** Adds a record to a batch. */
export function put(batch: Batch, record: LoadRecord): void {
  const { kind } = record
  if (kind === 'observation_type') batch.observationTypes.push(row(batch, TYPE_VALUES, record))
  else if (kind === 'event_series') batch.series.push(row(batch, SERIES_VALUES, record))
  else {
    batch.events.push(row(batch, EVENT_VALUES, record))
    batch.lastModified = Math.max(batch.lastModified, record.last_modified ?? 0)
    batch.eventIds.push(String(record.id))
    batch.categories.add(record.category)
    if (record.object) batch.objectModels.add(record.object.model)
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
    [INSERT_CATEGORIES, Array.from(batch.categories, textColumns)],
    [INSERT_OBJECT_MODELS, Array.from(batch.objectModels, textColumns)],
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

function row<R>(batch: Batch, values: Readonly<Record<string, (record: R) => unknown>>, record: R): string {
  const json = JSON.stringify(Object.values(values).map((valueIn) => valueIn(record)))
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
