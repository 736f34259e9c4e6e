import { type SQL, sql } from 'drizzle-orm'
import { categories, eventSeries, events, objectModels, observationTypes, revisions } from '../../schema/tables.ts'
import { at } from '../../src/collections.ts'
import type { EventRecord } from '../../src/model/event.ts'
import type { ObservationTypeRecord } from '../../src/model/observationType.ts'
import type { SeriesRecord } from '../../src/model/series.ts'
import type { Read } from '../../src/query/db/d1.ts'
import { integerOf, numbersTable } from '../../src/query/db/sql.ts'
import { completed, sharedColumns } from '../../src/query/long.ts'
import type { Row, Table } from '../../src/query/table.ts'
import type { FileEvent } from '../read/event.ts'
import { type Db, readRows } from './rows.ts'

/** Every field of an event. A new field is a type error until this file reads it. */
type WholeEvent = Required<EventRecord>

type EventRow = Omit<WholeEvent, 'kind' | 'coordinates' | 'object'> &
  Record<'x' | 'y' | 'z', number | null> & { readonly model: string | null; readonly object_id: number }

const columnsOfEvents = {
  ...{ id: events.id, series: events.eventSeriesId, category: categories.text, value: events.value },
  ...{ start: events.start, end: events.end, x: events.x, y: events.y, z: events.z, model: objectModels.text },
  ...{ object_id: events.objectId, external_id: events.externalId, last_modified: events.lastModified },
} satisfies Record<keyof EventRow, unknown>

const visible = () => null

const EVENTS: Table = {
  ...{ table: sql`${events} NOT INDEXED`, id: events.id, columns: columnsOfEvents, visible },
  joins: sql`JOIN ${categories} ON ${categories.id} = ${events.categoryId}
    LEFT JOIN ${objectModels} ON ${objectModels.id} = ${events.objectModelId}`,
}

const { id, code, name, unit } = observationTypes
const TYPES: Table = { table: observationTypes, id, columns: { id, code, name, unit }, visible }

const SERIES: Table = {
  ...{ table: eventSeries, id: eventSeries.id, visible },
  columns: {
    ...{ id: eventSeries.id, uuid: eventSeries.uuid, name: eventSeries.name, description: eventSeries.description },
    ...{ observation_type: eventSeries.observationTypeId, statistic: eventSeries.statistic, color: eventSeries.color },
    ...{ access_modifier: eventSeries.accessModifier, created: eventSeries.created },
    last_modified: eventSeries.lastModified,
  } satisfies Record<Exclude<keyof SeriesRecord, 'kind'>, unknown>,
}

/** It is 0 before the first write. */
const REVISION = sql`SELECT coalesce((SELECT ${revisions.revision} FROM ${revisions}), 0) AS revision`

/** Reads a database. `revision` is null if the data changed between two reads. */
const readerOf = (db: Db) => {
  const seen = new Set<number>()
  const read: Read = async (...queries) => {
    const [state, ...answers] = await readRows(db, REVISION, ...queries)
    for (const { revision } of state) seen.add(revision)
    return answers
  }
  return { read, revision: (): number | null => (seen.size > 1 ? null : ([...seen][0] ?? null)) }
}

const ROWS_AT_ONCE = 5_000

/** Reads all rows of a table in the order of their ids. No read brings more than 8 MB of texts. */
async function* rowsOf(read: Read, table: Table): AsyncGenerator<readonly Row[], void> {
  const { id, joins = sql`` } = table
  for (let last = 0; ; ) {
    const [rows] = await read(sql`SELECT ${sharedColumns(table, ROWS_AT_ONCE)} FROM ${table.table} ${joins}
      WHERE ${id} > ${integerOf(last)} ORDER BY ${id} LIMIT ${integerOf(ROWS_AT_ONCE)}`)
    yield* completed(read, table, rows, 0)
    if (rows.length < ROWS_AT_ONCE) return
    last = at(rows, -1).id
  }
}

/**
 * Reads the observation types and series of a database in the order of their ids. `revision` is null if the data changed
 * meanwhile.
 */
export async function readShort(
  db: Db,
): Promise<{ types: ObservationTypeRecord[]; series: SeriesRecord[]; revision: number | null }> {
  const { read, revision } = readerOf(db)
  const all = async <R>(kind: string, table: Table): Promise<R[]> => {
    const records: R[] = []
    for await (const rows of rowsOf(read, table))
      for (const { cutId: _, cutBytes: __, ...row } of rows) records.push({ kind, ...row } as R)
    return records
  }
  // Types come last. None is ever deleted, so the type of each series is among them.
  const series = await all<SeriesRecord>('event_series', SERIES)
  const types = await all<ObservationTypeRecord>('observation_type', TYPES)
  return { types, series, revision: revision() }
}

/** Reads the rows of a query that names its events by a list of so many. */
async function eventsIn(db: Db, count: number, from: SQL): Promise<EventRecord[]> {
  const { read } = readerOf(db)
  const [rows] = await read(sql`SELECT ${sharedColumns(EVENTS, count)} FROM ${from} ${EVENTS.joins}`)
  const found: EventRecord[] = []
  for await (const batch of completed(read, EVENTS, rows, 0)) found.push(...(batch as EventRow[]).map(recordOf))
  return found
}

/** Reads the stored events that have these ids. */
export const readEvents = (db: Db, ids: readonly number[]): Promise<EventRecord[]> =>
  eventsIn(db, ids.length, sql`(${numbersTable(ids)}) AS ids CROSS JOIN ${events} ON ${events.id} = ids.value`)

/** Reads the stored events that have these series and external ids. */
export const readNamed = (
  db: Db,
  named: readonly Pick<FileEvent, 'series' | 'external_id'>[],
): Promise<EventRecord[]> => {
  const names = JSON.stringify(named.map(({ series, external_id }) => [series, external_id]))
  return eventsIn(
    db,
    named.length,
    sql`json_each(${names}) AS given CROSS JOIN ${events} INDEXED BY event_by_external_id
      ON ${events.eventSeriesId} = given.value ->> 0 AND ${events.externalId} = given.value ->> 1`,
  )
}

/** Reads all events in the order of their ids, and the revision of the data. It is null if the data changed meanwhile. */
export async function* readAllEvents(
  db: Db,
): AsyncGenerator<{ readonly events: EventRecord[]; readonly revision: number | null }> {
  const { read, revision } = readerOf(db)
  for await (const rows of rowsOf(read, EVENTS))
    yield { events: (rows as EventRow[]).map(recordOf), revision: revision() }
}

const recordOf = ({ x, y, z, model, object_id, ...row }: EventRow): EventRecord => {
  const { id, series, category, value, start, end, external_id, last_modified } = row
  const whole: WholeEvent = {
    ...{ kind: 'event', id, series, category, value, start, end },
    coordinates: x === null || y === null ? null : [x, y, z ?? 0],
    object: model === null ? null : { model, id: object_id },
    ...{ external_id, last_modified },
  }
  return whole
}
