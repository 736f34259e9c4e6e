import { sql } from 'drizzle-orm'
import { moveStatements } from '../../schema/counts.ts'
import { nameOf } from '../../schema/sql.ts'
import { eventSeries, events, observationTypes } from '../../schema/tables.ts'
import { conflict, unavailable } from '../base/errors.ts'
import type { Database, Statement } from '../engine/d1/database.ts'
import { MAX_FIELDS } from '../model/metadata.ts'
import type { Metadata } from '../model/types.ts'
import { changeRow, storeAll } from './batch.ts'
import { noteSeries } from './changes.ts'
import { removeEvents } from './events.ts'
import { NEW } from './metadata.ts'
import type { ObservationTypeRecord, SeriesRecord } from './records.ts'
import { guard, guardSeen, limitSteps, raiseRevision, STEP, statement, takeStamp, touchSeries } from './statement.ts'
import type { Removal, Writer } from './writable.ts'

/**
 * Returns the statements that store new observation types. The batch fails if another write took one of their codes. No
 * index does this, because two types in a file may have the same code.
 */
export const addTypes = (types: readonly ObservationTypeRecord[], { now }: Writer): Statement[] => [
  guard(
    sql`NOT EXISTS (SELECT 1 FROM ${observationTypes} WHERE ${observationTypes.code} IN (SELECT value FROM json_each(?1)))`,
    JSON.stringify(types.map(({ code }) => code)),
  ),
  ...storeAll(types, now),
]

/**
 * Returns the statements that change a series. A new access modifier moves the counts of all its events. The batch
 * fails if the writer cannot see the series.
 */
export const changeSeries = (
  { id }: Pick<SeriesRecord, 'id'>,
  changes: Partial<SeriesRecord>,
  { level, now }: Writer,
): Statement[] => {
  const { access_modifier: newLevel } = changes
  const moves = newLevel === undefined ? [] : moveStatements()
  return [
    guardSeen([id], level),
    takeStamp(now),
    noteSeries([id]),
    raiseRevision([id], newLevel),
    ...moves.map((text) => statement(text, JSON.stringify([[id, newLevel]]))),
    ...changeRow('event_series', id, changes),
    touchSeries([id], now),
  ]
}

/**
 * Returns the statements that change members of the description of a series. They replace these members alone, so posts
 * that add columns at the same time change nothing else. The batch fails if the writer cannot see the series.
 */
export const changeMetadata = (
  id: number,
  changes: Partial<Metadata>,
  { level, now }: Writer,
): readonly Statement[] => {
  const isShort = changes.fields !== undefined && changes.fields.length < MAX_FIELDS
  const { metadata } = eventSeries
  return [
    guardSeen([id], level),
    takeStamp(now),
    noteSeries([id]),
    raiseRevision([id]),
    statement(
      sql`UPDATE ${eventSeries} SET ${nameOf(metadata)} = json_patch(coalesce(${metadata}, ${NEW}), ?1)
        WHERE ${eventSeries.id} = CAST(?2 AS INTEGER)`,
      JSON.stringify({ ...changes, ...(isShort && { more: false }) }),
      String(id),
    ),
    touchSeries([id], now),
  ]
}

/**
 * Deletes a series with all its events. Without `events` in the address, a series that has events is a 409.
 * Many events are deleted in steps. Each step is a transaction, and all counts are exact after it. A client can
 * therefore repeat a request that stopped. Throws a 503 if time runs out.
 * Returns false if the first step was refused: by `guards`, or because the writer cannot see the series.
 */
export const removeSeries = async (
  db: Database,
  series: number,
  { guards, asked, ...writer }: Removal,
): Promise<boolean> => {
  const limit = limitSteps()
  for (let isFirst = true; ; isFirst = false) {
    const [rows] = await db.read(someEvents(series))
    if (rows.length > 0 && !asked.has('events'))
      throw conflict('The series has events. To delete the series with its events, add ?events=delete to the address.')
    if (limit.isReached())
      throw unavailable(
        'The series has more events than one request can delete. Send the same request again to delete the rest.',
      )
    const isLast = rows.length <= STEP
    const found = rows.slice(0, STEP).map(({ id }) => id)
    const isDone = await db.write([
      guardSeen([series], writer.level),
      ...(isFirst ? guards : []),
      ...(found.length > 0 ? removeEvents(series, found, writer) : [takeStamp(writer.now), raiseRevision([series])]),
      // The database refuses this if the series has an event, such as a new one.
      ...(isLast ? [noteSeries([series]), statement(DELETE, String(series))] : []),
    ])
    if (isDone !== null && isLast) return true
    if (isDone === null && isFirst) return false
    limit.note(isDone !== null)
  }
}

const someEvents = (series: number) =>
  sql<{ readonly id: number }>`SELECT ${events.id} AS id FROM ${events} INDEXED BY event_by_series
    WHERE ${events.eventSeriesId} = ${series} ORDER BY ${events.id} LIMIT ${STEP + 1}`

/** Deletes a series without events. Its parameter is the id. */
export const DELETE = sql`DELETE FROM ${eventSeries} WHERE ${eventSeries.id} = CAST(?1 AS INTEGER)`
