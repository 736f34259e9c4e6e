import { countStatements } from '../../schema/counts.ts'
import { fold } from '../filters/fold.ts'
import { cellOf } from '../geometry/cell.ts'
import type { Statement } from '../query/db/d1.ts'
import type { EventRecord, LoadRecord, ObservationTypeRecord, SeriesRecord } from './records.ts'

/** Rows to store together, each as a JSON array. */
export type Batch = {
  records: number
  /** Characters of JSON. */
  length: number
  readonly observationTypes: string[]
  readonly series: string[]
  readonly events: string[]
  readonly eventIds: string[]
  readonly categories: Set<string>
  readonly objectModels: Set<string>
  readonly extents: Map<number, Extent>
}

/** What events add to the derived columns of their series; the bounds null when none has a geometry. */
type Extent = { count: number; start: number; end: number; bounds: Bounds | null }
type Bounds = [west: number, east: number, south: number, north: number]

/** A parameter has so many characters: at most three times the bytes, and D1 allows 2 MB. */
const PARAMETER_LENGTH = 600_000

const INSERT_OBSERVATION_TYPES = `
  INSERT INTO observation_type (id, code, name, unit)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`

const INSERT_SERIES = `
  INSERT INTO event_series (id, uuid, name, name_folded, description, observation_type_id, statistic, color,
    access_modifier, created, last_modified)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
    value ->> 8, value ->> 9, value ->> 10
  FROM json_each(?)`

const insertTexts = (table: 'category' | 'object_model') => `
  INSERT INTO ${table} (text, folded)
  SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE true ON CONFLICT (text) DO NOTHING`

const INSERT_EVENTS = `
  INSERT INTO event (id, event_series_id, category_id, value, start, "end", x, y, z, cell, object_model_id, object_id)
  SELECT row.value ->> 0, row.value ->> 1, category.id, row.value ->> 3, row.value ->> 4, row.value ->> 5,
    row.value ->> 6, row.value ->> 7, row.value ->> 8, row.value ->> 9, object_model.id, row.value ->> 11
  FROM json_each(?) AS row
  CROSS JOIN category ON category.text = row.value ->> 2
  LEFT JOIN object_model ON object_model.text = row.value ->> 10`

/** The scalar min and max are null as soon as one side is: then the other side stands. */
const extend = (best: 'min' | 'max', column: string, at: number) =>
  `"${column}" = coalesce(${best}("${column}", row.value ->> ${at}), "${column}", row.value ->> ${at})`

const EXTEND_SERIES = `
  UPDATE event_series SET event_count = event_count + (row.value ->> 1),
    ${extend('min', 'start', 2)}, ${extend('max', 'end', 3)}, ${extend('min', 'west', 4)}, ${extend('max', 'east', 5)},
    ${extend('min', 'south', 6)}, ${extend('max', 'north', 7)}
  FROM json_each(?) AS row WHERE event_series.id = row.value ->> 0`

/** Raises the revision: belongs into the batch of every write. */
export const RAISE_REVISION: Statement = {
  sql: `
  INSERT INTO revision (id, revision, changed) VALUES (1, 1, CAST(1000 * unixepoch('subsec') AS INTEGER))
  ON CONFLICT (id) DO UPDATE SET revision = revision + 1, changed = excluded.changed`,
  parameters: [],
}

/** A batch without rows. */
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
})

/** Adds a record to a batch. */
export function put(batch: Batch, record: LoadRecord): void {
  const { kind } = record
  if (kind === 'observation_type') batch.observationTypes.push(row(batch, observationTypeColumns(record)))
  else if (kind === 'event_series') batch.series.push(row(batch, seriesColumns(record)))
  else {
    batch.events.push(row(batch, eventColumns(record)))
    batch.eventIds.push(String(record.id))
    batch.categories.add(record.category)
    if (record.object) batch.objectModels.add(record.object.model)
    batch.extents.set(record.series, extended(batch.extents.get(record.series), record))
  }
  batch.records += 1
}

/** The statements that store a batch, to be run in one transaction. `counted`: what is stored is counted, too. */
export function statements(batch: Batch, counted = true): Statement[] {
  const texts = (set: Set<string>) => [...set].map((text) => JSON.stringify([text, fold(text)]))
  const extents = Array.from(batch.extents, ([id, { count, start, end, bounds }]) =>
    JSON.stringify([id, count, start, end, ...(bounds ?? [])]),
  )
  const all: [sql: string, rows: string[]][] = [
    [INSERT_OBSERVATION_TYPES, batch.observationTypes],
    [INSERT_SERIES, batch.series],
    [insertTexts('category'), texts(batch.categories)],
    [insertTexts('object_model'), texts(batch.objectModels)],
    [INSERT_EVENTS, batch.events],
    [EXTEND_SERIES, extents],
    ...(counted ? countStatements(1) : []).map((sql): [string, string[]] => [sql, batch.eventIds]),
  ]
  return [
    ...all.flatMap(([sql, rows]) => parameters(rows).map((parameter) => ({ sql, parameters: [parameter] }))),
    RAISE_REVISION,
  ]
}

function row(batch: Batch, columns: unknown[]): string {
  const json = JSON.stringify(columns)
  batch.length += json.length
  return json
}

const observationTypeColumns = ({ id, code, name, unit }: ObservationTypeRecord) => [id, code, name, unit]

const seriesColumns = (series: SeriesRecord) => [
  series.id,
  series.uuid,
  series.name,
  fold(series.name),
  series.description,
  series.observation_type,
  series.statistic,
  series.color,
  series.access_modifier,
  series.created,
  series.last_modified,
]

function eventColumns({ id, series, category, value, start, end, coordinates, object }: EventRecord): unknown[] {
  const [x, y, z] = coordinates ?? [null, null, null]
  const cell = coordinates && cellOf(coordinates[0], coordinates[1])
  return [id, series, category, value, start, end, x, y, z, cell, object?.model ?? null, object?.id ?? null]
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

/** JSON arrays of rows, each short enough for a parameter. */
function parameters(rows: string[]): string[] {
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
