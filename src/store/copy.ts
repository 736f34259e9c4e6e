import { sql } from 'drizzle-orm'
import { moveStatements } from '../../schema/counts.ts'
import { listed, nameOf } from '../../schema/sql.ts'
import { events, followed, IS_COPY, sequences } from '../../schema/tables.ts'
import type { Statement } from '../engine/d1/database.ts'
import { changeRow, parameterTexts, storeAll } from './batch.ts'
import { noteSeries, noteTypes } from './changes.ts'
import { takeOut } from './events.ts'
import type { EventRecord, ObservationTypeRecord, SeriesRecord } from './records.ts'
import { DELETE } from './series.ts'
import { RAISE_ALL, raiseRevision, statement, takeStamp, touchSeries } from './statement.ts'

// The statements of a database that copies another service. It has the same ids, stamps and descriptions.

/** Another event of the copy may still have an external id that it lost meanwhile. Its own change follows. */
const FREE = sql`UPDATE ${events} SET ${nameOf(events.externalId)} = NULL WHERE ${events.id} IN (
  SELECT named.id FROM json_each(?1) AS given CROSS JOIN ${events} AS named INDEXED BY event_by_external_id
  ON named.${nameOf(events.externalId)} = given.value ->> 1 AND named.${nameOf(events.eventSeriesId)} = given.value ->> 0)`

/** Stores events, which replace events with the same ids. It also deletes events. `series` has the ids of all stored series. */
export const copyEvents = (
  given: readonly EventRecord[],
  gone: readonly number[],
  series: readonly number[],
  now: number,
): Statement[] => {
  const ids = [...given.map(({ id }) => id), ...gone]
  const keys = given.flatMap(({ series, external_id }) => (external_id ? [JSON.stringify([series, external_id])] : []))
  return ids.length === 0
    ? []
    : [
        ...takeOut(JSON.stringify(ids), series),
        ...parameterTexts(keys).map((list) => statement(FREE, list)),
        ...(given.length > 0 ? storeAll(given, now, false) : []),
        RAISE_ALL,
      ]
}

/** Stores a series, or changes the stored one with its id. */
export const copySeries = (series: SeriesRecord, isStored: boolean, now: number): Statement[] => {
  const { id, access_modifier, kind, ...changes } = series
  if (!isStored) return storeAll([series], now)
  return [
    takeStamp(now),
    noteSeries([id]),
    raiseRevision([id], access_modifier),
    ...moveStatements().map((text) => statement(text, JSON.stringify([[id, access_modifier]]))),
    touchSeries([id], now),
    ...changeRow(kind, id, { ...changes, access_modifier }),
  ]
}

/** Stores an observation type, or changes the stored one with its id. */
export const copyType = (type: ObservationTypeRecord, isStored: boolean, now: number): Statement[] => {
  const { id, kind, ...changes } = type
  return isStored
    ? [takeStamp(now), noteTypes([id]), ...changeRow(kind, id, changes), RAISE_ALL]
    : storeAll([type], now)
}

/** Deletes a series that has no event. */
export const dropSeries = (id: number, now: number): Statement[] => [
  takeStamp(now),
  noteSeries([id]),
  raiseRevision([id]),
  statement(DELETE, String(id)),
]

/**
 * Refuses all other writes to a copy, because each write takes a stamp. Another service has no such trigger: it would cost
 * each write some rows.
 */
export const REFUSE_OTHERS = statement(sql`CREATE TRIGGER refuse_others BEFORE UPDATE ON ${sequences}
  WHEN EXISTS (SELECT 1 FROM ${followed}) BEGIN SELECT RAISE(ABORT, ${IS_COPY}); END`)

/** Lets a batch write to a copy. Its last statement notes the mark of the copy. Null: the copy has none yet. */
export const inCopy = (source: string, mark: string | null, statements: readonly Statement[]): Statement[] => [
  statement(sql`DELETE FROM ${followed}`),
  ...statements,
  ...(mark === null ? [] : [statement(NOTE_MARK, source, mark)]),
]

const NOTE_MARK = sql`INSERT INTO ${followed} (${listed([followed.id, followed.source, followed.mark].map(nameOf))})
  VALUES (1, ?1, ?2)`
