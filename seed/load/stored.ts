import { type SQLWrapper, sql } from 'drizzle-orm'
import { eventSeries, events, observationTypes, revisions } from '../../schema/tables.ts'
import { at } from '../../src/collections.ts'
import type { Row, Table } from '../../src/engine/conditions/table.ts'
import { integerOf, namedColumns } from '../../src/engine/d1/sql.ts'
import type { ReadRows } from '../../src/engine/run/database.ts'
import { rowsById, wholeRows } from '../../src/engine/run/rows.ts'
import { sharedColumns } from '../../src/engine/sql/columns.ts'
import { EVENT } from '../../src/model/event.ts'
import type { Fields } from '../../src/model/field.ts'
import { shownOn } from '../../src/model/members.ts'
import { OBSERVATION_TYPE } from '../../src/model/observationType.ts'
import { columnsOf, joinsOf, recordOf } from '../../src/model/rows.ts'
import { SERIES } from '../../src/model/series.ts'
import type { EventRecord, ObservationTypeRecord, SeriesRecord } from '../../src/model/types.ts'
import type { LoadRecord } from '../../src/store/records.ts'
import type { FileEvent } from '../read/event.ts'
import { type Db, readRows } from './rows.ts'

/** Returns the table of a kind of records, with the columns of files, and the function that reads its rows. */
const recordsOf = <R extends LoadRecord>(kind: R['kind'], table: SQLWrapper, id: SQLWrapper, fields: Fields) => {
  const [shown, read] = [shownOn(fields, 'file'), recordOf<R>(kind, fields)]
  return {
    table: { table, id, columns: columnsOf(shown), joins: joinsOf(shown), visible: () => null } satisfies Table,
    read: (row: Row) => read(row),
  }
}
const EVENTS = recordsOf<EventRecord>('event', sql`${events} NOT INDEXED`, events.id, EVENT)
const TYPES = recordsOf<ObservationTypeRecord>(
  'observation_type',
  observationTypes,
  observationTypes.id,
  OBSERVATION_TYPE,
)
const ALL_SERIES = recordsOf<SeriesRecord>('event_series', eventSeries, eventSeries.id, SERIES)

/** It is 0 before the first write. */
const REVISION = sql<{ readonly revision: number }>`
  SELECT coalesce((SELECT ${revisions.revision} FROM ${revisions}), 0) AS revision`

/** Reads a database. `revision` is null if the data changed between two reads. */
const readerOf = (db: Db) => {
  const seen = new Set<number>()
  const read: ReadRows = async (...queries) => {
    const [state, ...answers] = await readRows(db, REVISION, ...queries)
    for (const { revision } of state) seen.add(revision)
    return answers
  }
  return { read, revision: (): number | null => (seen.size > 1 ? null : ([...seen][0] ?? null)) }
}

const ROWS_AT_ONCE = 5_000

/** Reads all rows of a table in the order of their ids. No read brings more than 8 MB of texts. */
async function* rowsOf(read: ReadRows, table: Table): AsyncGenerator<readonly Row[], void> {
  const { id, joins = sql`` } = table
  for (let last = 0; ; ) {
    const [rows] = await read(sql<Row & { readonly id: number }>`
      SELECT ${namedColumns(sharedColumns(table, ROWS_AT_ONCE))} FROM ${table.table} ${joins}
      WHERE ${id} > ${integerOf(last)} ORDER BY ${id} LIMIT ${integerOf(ROWS_AT_ONCE)}`)
    yield* wholeRows(read, table, rows, 0)
    if (rows.length < ROWS_AT_ONCE) return
    last = at(rows, -1).id
  }
}

/** Reads the observation types and series by id. `revision` is null if the data changed meanwhile. */
export async function readShort(db: Db) {
  const { read, revision } = readerOf(db)
  // Types come last. None is ever deleted, so the type of each series is among them.
  const series = (await joined(rowsOf(read, ALL_SERIES.table))).map(ALL_SERIES.read)
  const types = (await joined(rowsOf(read, TYPES.table))).map(TYPES.read)
  return { types, series, revision: revision() }
}

async function joined(batches: AsyncIterable<readonly Row[]>): Promise<Row[]> {
  const all: Row[] = []
  for await (const rows of batches) all.push(...rows)
  return all
}

export const readEvents = async (db: Db, ids: readonly number[]): Promise<EventRecord[]> => {
  const { read } = readerOf(db)
  const rows = await rowsById(read, EVENTS.table, ids, 0)
  return (await joined(wholeRows(read, EVENTS.table, rows, 0))).map(EVENTS.read)
}

export const readNamed = async (
  db: Db,
  named: readonly Pick<FileEvent, 'series' | 'external_id'>[],
): Promise<EventRecord[]> => {
  const { read } = readerOf(db)
  const { table } = EVENTS
  const names = JSON.stringify(named.map(({ series, external_id }) => [series, external_id]))
  const [rows] = await read(sql`SELECT ${namedColumns(sharedColumns(table, named.length))}
    FROM json_each(${names}) AS given CROSS JOIN ${events} INDEXED BY event_by_external_id
      ON ${events.eventSeriesId} = given.value ->> 0 AND ${events.externalId} = given.value ->> 1 ${table.joins}`)
  return (await joined(wholeRows(read, table, rows, 0))).map(EVENTS.read)
}

/** Reads all events in the order of their ids, and the revision of the data. It is null if the data changed meanwhile. */
export async function* readAllEvents(
  db: Db,
): AsyncGenerator<{ readonly events: EventRecord[]; readonly revision: number | null }> {
  const { read, revision } = readerOf(db)
  for await (const rows of rowsOf(read, EVENTS.table)) yield { events: rows.map(EVENTS.read), revision: revision() }
}
