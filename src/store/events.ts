import { sql } from 'drizzle-orm'
import { countStatements } from '../../schema/counts.ts'
import { nameOf } from '../../schema/sql.ts'
import { events as event } from '../../schema/tables.ts'
import type { Statement } from '../engine/run/database.ts'
import type { EventRecord } from '../model/types.ts'
import { changedColumns, changeRow, chunksOf, storeAll } from './batch.ts'
import { GROW, RENEW, SHRINK } from './derived.ts'
import { guard, guardSeen, raiseRevision, statement, takeStamp, touchSeries } from './statement.ts'
import type { Keyed, Writer } from './writable.ts'

/**
 * Returns the statements that store new events. `others` replace the stored events with the same ids and external ids.
 * The batch fails if the writer cannot see one of the series, or if a replaced event no longer exists.
 */
export const addEvents = (
  events: readonly EventRecord[],
  { level, now }: Writer,
  others: readonly EventRecord[] = [],
): Statement[] => {
  const all = [...events, ...others]
  const series = [...new Set(all.map(({ series }) => series))]
  return [guardSeen(series, level), ...replacing(others), ...storeAll(all, now), touchSeries(series, now)]
}

/**
 * Returns the statements that change an event. The batch fails if the event moved to another series, if the writer
 * cannot see it, or if its end would be before its start.
 */
export const changeEvent = (read: EventRecord, changes: Partial<EventRecord>, { level, now }: Writer): Statement[] => {
  const { id, series } = read
  const ids = JSON.stringify([id])
  const touched = [...new Set([series, changes.series ?? series])]
  const counted = changedColumns('event', changes)
  // Only these members affect the derived columns of a series.
  const moved = ['series', 'start', 'end', 'coordinates'].some((name) => name in changes)
  return [
    isOf(id, series),
    guardSeen(touched, level),
    ...('attributes' in changes ? [guardAttributes(read)] : []),
    ...(moved ? [statement(SHRINK, ids)] : []),
    ...countStatements(-1, counted).map((text) => statement(text, ids)),
    takeStamp(now),
    ...changeRow('event', id, changes),
    guard(
      sql`(SELECT ${event.start} <= ${event.end} FROM ${event} WHERE ${event.id} = CAST(?1 AS INTEGER))`,
      String(id),
    ),
    ...(moved ? [statement(RENEW, JSON.stringify(touched)), statement(GROW, ids)] : []),
    ...countStatements(1, counted).map((text) => statement(text, ids)),
    touchSeries(touched, now),
    raiseRevision(touched),
  ]
}

/** Fails a batch unless an event still has the attributes that a merge patch read before. */
const guardAttributes = ({ id, attributes }: EventRecord): Statement =>
  guard(
    sql`EXISTS (SELECT 1 FROM ${event} WHERE ${event.id} = CAST(?1 AS INTEGER) AND ${event.attributes} IS ?2 ->> 0)`,
    String(id),
    JSON.stringify([attributes && JSON.stringify(attributes)]),
  )

/**
 * Returns the statements that delete an event. The batch fails if the event is no longer in the series, or if the
 * writer cannot see it.
 */
export const removeEvent = (id: number, series: number, writer: Writer): Statement[] => [
  isOf(id, series),
  ...removeEvents([{ id, series }], writer),
]

/** Returns the statements that delete events. The batch fails if the writer cannot see one of their series. */
export const removeEvents = (
  events: readonly { readonly id: number; readonly series: number }[],
  { level, now }: Writer,
): Statement[] => {
  const ids = JSON.stringify(events.map(({ id }) => id))
  const series = [...new Set(events.map(({ series }) => series))]
  return [guardSeen(series, level), ...takeOut(ids, series), touchSeries(series, now), raiseRevision(series)]
}

/**
 * Returns the statements that delete the events which `others` replace. The batch fails if one of them no longer
 * exists.
 */
export const replacing = (others: readonly EventRecord[]): Statement[] => {
  const series = [...new Set(others.map(({ series }) => series))]
  const ids = JSON.stringify(others.map(({ id }) => id))
  return others.length === 0 ? [] : [...guardNamed(others), ...takeOut(ids, series)]
}

/** Removes events from the table, the counts, and the derived columns of their series. `ids` is a JSON array. */
const takeOut = (ids: string, series: readonly number[]): Statement[] => [
  statement(SHRINK, ids),
  ...countStatements(-1).map((text) => statement(text, ids)),
  statement(sql`DELETE FROM ${event} WHERE ${event.id} IN (SELECT value FROM json_each(?1))`, ids),
  statement(RENEW, JSON.stringify(series)),
]

/** Fails a batch unless an event is in a series. The changes of the event depend on its series. */
const isOf = (id: number, series: number): Statement =>
  guard(
    sql`EXISTS (SELECT 1 FROM ${event}
      WHERE ${event.id} = CAST(?1 AS INTEGER) AND ${event.eventSeriesId} = CAST(?2 AS INTEGER))`,
    String(id),
    String(series),
  )

/** The members that identify an event. A draft has no id. */
type EventIdentity = Partial<Pick<EventRecord, 'id' | 'series' | 'external_id'>>

const MATCHES = sql`named.${nameOf(event.eventSeriesId)} = given.value ->> 1 AND named.${nameOf(event.externalId)} = given.value ->> 2`

/** Returns ids, series and external ids as JSON arrays. Each array fits into one parameter. */
const listsOf = (records: readonly EventIdentity[]): string[] =>
  chunksOf(
    records.flatMap(({ id = null, series, external_id }) =>
      series !== undefined && external_id ? [JSON.stringify([id, series, external_id])] : [],
    ),
  )

/** Identifies events by their external ids, which are unique within a series. */
export const named: Keyed = {
  path: 'properties.external_id',
  needed: ['properties.event_series', 'properties.external_id'],
  nameOf: ({ series, external_id }: EventIdentity) =>
    series !== undefined && external_id ? `${series} ${external_id}` : null,
  conditions: (records: readonly EventIdentity[]) =>
    listsOf(records).map(
      (list) => sql`${event.id} IN (SELECT named.id FROM json_each(${list}) AS given
        CROSS JOIN ${event} AS named INDEXED BY event_by_external_id ON ${MATCHES})`,
    ),
}

/** Identifies events at the address of one series. */
export const namedInSeries: Keyed = { ...named, needed: [named.path] }

/** Fails a batch unless the events still have their series and external ids. */
const guardNamed = (records: readonly EventIdentity[]): Statement[] =>
  listsOf(records).map((list) =>
    guard(
      sql`NOT EXISTS (SELECT 1 FROM json_each(?1) AS given WHERE NOT EXISTS (
        SELECT 1 FROM ${event} AS named WHERE named.id = given.value ->> 0 AND ${MATCHES}))`,
      list,
    ),
  )
