import { sql } from 'drizzle-orm'
import { events, revisions } from '../../schema/tables.ts'
import { at } from '../../src/base/collections.ts'
import { selectShared, withJoins } from '../../src/engine/d1/columns.ts'
import type { ReadRows } from '../../src/engine/d1/database.ts'
import { rowsById, wholeRows } from '../../src/engine/d1/rows.ts'
import { integerOf } from '../../src/engine/d1/sql.ts'
import { type ListTable, tableOf } from '../../src/engine/d1/tables.ts'
import type { Row } from '../../src/engine/engine.ts'
import { EVENT } from '../../src/model/event.ts'
import type { Fields } from '../../src/model/field.ts'
import { readsOf, recordOf, shownOn } from '../../src/model/members.ts'
import { OBSERVATION_TYPE } from '../../src/model/observationType.ts'
import type { ListName } from '../../src/question/fields.ts'
import {
  type EventRecord,
  KIND_FIELDS,
  type LoadRecord,
  type ObservationTypeRecord,
  type SeriesRecord,
} from '../../src/store/records.ts'
import type { FileEvent } from '../read/event.ts'
import { type Db, readRows } from './rows.ts'

/** Returns the table of a kind of records, with the columns of files, and the function that reads its rows. */
const recordsOf = <R extends LoadRecord>(kind: R['kind'], list: ListName, fields: Fields) => {
  const read = recordOf<R>(kind, fields)
  const table: ListTable = { ...tableOf(list, readsOf(shownOn(fields, 'file'), 'file')), visible: () => null }
  return { table, read: (row: Row) => read(row) }
}
const EVENTS = recordsOf<EventRecord>('event', 'events', EVENT)
const TYPES = recordsOf<ObservationTypeRecord>('observation_type', 'types', OBSERVATION_TYPE)
const ALL_SERIES = recordsOf<SeriesRecord>('event_series', 'series', KIND_FIELDS.event_series)

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

/** Reads the rows of a table, or those of a series, in the order of their ids. No read brings more than 8 MB of texts. */
async function* rowsOf(read: ReadRows, table: ListTable, series?: number): AsyncGenerator<readonly Row[], void> {
  const { id, columns } = table
  const isChosen = series === undefined ? sql`` : sql`${events.eventSeriesId} = ${integerOf(series)} AND`
  for (let last = 0; ; ) {
    const after = sql`FROM ${withJoins(table)} WHERE ${isChosen} ${id} > ${integerOf(last)} ORDER BY ${id} LIMIT ${integerOf(ROWS_AT_ONCE)}`
    const [rows] = await read(selectShared(columns, ROWS_AT_ONCE, after))
    yield* wholeRows(read, table, 0, rows)
    if (rows.length < ROWS_AT_ONCE) return
    last = Number(at(rows, -1).id)
  }
}

/** Reads the observation types and series by id. `revision` is null if the data changed meanwhile. */
export async function readShort(db: Db) {
  const { read, revision } = readerOf(db)
  // Types come last. None is ever deleted, so the type of each series is among them.
  const series = (await gathered(rowsOf(read, ALL_SERIES.table))).map(ALL_SERIES.read)
  const types = (await gathered(rowsOf(read, TYPES.table))).map(TYPES.read)
  return { types, series, revision: revision() }
}

async function gathered(batches: AsyncIterable<readonly Row[]>): Promise<Row[]> {
  const all: Row[] = []
  for await (const rows of batches) all.push(...rows)
  return all
}

export const readEvents = async (db: Db, ids: readonly number[]): Promise<EventRecord[]> => {
  const { read } = readerOf(db)
  const rows = await rowsById(read, EVENTS.table, ids, 0)
  return (await gathered(wholeRows(read, EVENTS.table, 0, rows))).map(EVENTS.read)
}

export const readNamed = async (
  db: Db,
  named: readonly Pick<FileEvent, 'series' | 'external_id'>[],
): Promise<EventRecord[]> => {
  const { read } = readerOf(db)
  const { table } = EVENTS
  const names = JSON.stringify(named.map(({ series, external_id }) => [series, external_id]))
  const given = sql`FROM json_each(${names}) AS given CROSS JOIN ${events} INDEXED BY event_by_external_id
      ON ${events.eventSeriesId} = given.value ->> 0 AND ${events.externalId} = given.value ->> 1 ${table.joins}
    LIMIT ${integerOf(named.length)}`
  const [rows] = await read(selectShared(table.columns, named.length, given))
  return (await gathered(wholeRows(read, table, 0, rows))).map(EVENTS.read)
}

/**
 * Reads all events, or those of a series, in the order of their ids, and the revision of the data. It is null if the data
 * changed meanwhile.
 */
export async function* readAllEvents(
  db: Db,
  series?: number,
): AsyncGenerator<{ readonly events: EventRecord[]; readonly revision: number | null }> {
  const { read, revision } = readerOf(db)
  for await (const rows of rowsOf(read, EVENTS.table, series))
    yield { events: rows.map(EVENTS.read), revision: revision() }
}
