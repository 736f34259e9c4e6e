import { type SQL, sql } from 'drizzle-orm'
import { countStatements } from '../../schema/counts.ts'
import { listed, nameOf } from '../../schema/sql.ts'
import { categories, events as event, objectModels } from '../../schema/tables.ts'
import { cellOf } from '../geometry/cell.ts'
import type { Statement } from '../query/db/d1.ts'
import { emptyBatch, INSERT_CATEGORIES, INSERT_OBJECT_MODELS, put, statements, textColumns } from './batch.ts'
import { GROW, RENEW, SHRINK } from './derived.ts'
import { isLong } from './length.ts'
import { guardNamed } from './named.ts'
import type { EventRecord } from './records.ts'
import { guard, guardSeen, RAISE_REVISION, STAMP, statement, takeStamp, touchSeries } from './statement.ts'
import type { Writer } from './writable.ts'

/** The changed members of an event. Members that are absent keep their values. */
export type EventChanges = Partial<Omit<EventRecord, 'kind' | 'id' | 'last_modified'>>

/**
 * Returns the statements that store new events. `others` replace the stored events with the same ids and external ids.
 * The batch fails if the writer cannot see one of the series, or if a replaced event no longer exists.
 */
export const addEvents = (
  events: readonly EventRecord[],
  { level, now }: Writer,
  others: readonly EventRecord[] = [],
): Statement[] => {
  const batch = emptyBatch()
  for (const each of [...events, ...others]) put(batch, each)
  const series = [...new Set([...events, ...others].map(({ series }) => series))]
  return [guardSeen(series, level), ...replacing(others), ...statements(batch, now), touchSeries(series, now)]
}

/**
 * Returns the statements that change an event. The batch fails if the event moved to another series, if the writer
 * cannot see it, or if its end would be before its start.
 */
export const changeEvent = (read: EventRecord, changes: EventChanges, { level, now }: Writer): Statement[] => {
  const { id, series } = read
  const ids = JSON.stringify([id])
  const touched = [...new Set([series, changes.series ?? series])]
  // Only these members affect the derived columns of a series.
  const moved = ['series', 'start', 'end', 'coordinates'].some((name) => name in changes)
  return [
    isOf(id, series),
    guardSeen(touched, level),
    ...(isLong({ ...read, ...changes }) ? [hasTextsOf(read)] : []),
    ...(moved ? [statement(SHRINK, ids)] : []),
    ...countStatements(-1).map((text) => statement(text, ids)),
    ...textsOf(changes),
    takeStamp(now),
    updateOf(id, changes),
    guard(
      sql`(SELECT ${event.start} <= ${event.end} FROM ${event} WHERE ${event.id} = CAST(?1 AS INTEGER))`,
      String(id),
    ),
    ...(moved ? [statement(RENEW, JSON.stringify(touched)), statement(GROW, ids)] : []),
    ...countStatements(1).map((text) => statement(text, ids)),
    touchSeries(touched, now),
    RAISE_REVISION,
  ]
}

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
  return [guardSeen(series, level), ...takeOut(ids, series), touchSeries(series, now), RAISE_REVISION]
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

/**
 * Fails a batch unless the event still has the texts that were read. Another change at the same time could make it too
 * long.
 */
const hasTextsOf = ({ id, category, value, object }: EventRecord): Statement =>
  guard(
    sql`EXISTS (SELECT 1 FROM ${event} JOIN ${categories} ON ${categories.id} = ${event.categoryId}
      LEFT JOIN ${objectModels} ON ${objectModels.id} = ${event.objectModelId}
      WHERE ${event.id} = CAST(?1 AS INTEGER) AND ${categories.text} = ?2 ->> 0 AND ${event.value} = ?2 ->> 1
        AND ${objectModels.text} IS ?2 ->> 2)`,
    String(id),
    JSON.stringify([category, value, object?.model ?? null]),
  )

/** Adds the category and the model of a change to their dictionaries, if they are new. */
const textsOf = ({ category, object }: EventChanges): Statement[] => [
  ...(category === undefined ? [] : [statement(INSERT_CATEGORIES, `[${textColumns(category)}]`)]),
  ...(object ? [statement(INSERT_OBJECT_MODELS, `[${textColumns(object.model)}]`)] : []),
]

const set = (column: Parameters<typeof nameOf>[0], value: SQL): SQL => sql`${nameOf(column)} = ${value}`

/** The assignments for each member of a change. The parameter is the change with its cell, as JSON. */
const ASSIGNMENTS: Readonly<Record<keyof EventChanges, SQL>> = {
  series: set(event.eventSeriesId, sql`?1 ->> 'series'`),
  category: set(
    event.categoryId,
    sql`(SELECT ${categories.id} FROM ${categories} WHERE ${categories.text} = ?1 ->> 'category')`,
  ),
  value: set(event.value, sql`?1 ->> 'value'`),
  start: set(event.start, sql`?1 ->> 'start'`),
  end: set(event.end, sql`?1 ->> 'end'`),
  coordinates: listed([
    set(event.x, sql`?1 ->> '$.coordinates[0]'`),
    set(event.y, sql`?1 ->> '$.coordinates[1]'`),
    set(event.z, sql`?1 ->> '$.coordinates[2]'`),
    set(event.cell, sql`?1 ->> 'cell'`),
  ]),
  external_id: set(event.externalId, sql`?1 ->> 'external_id'`),
  object: listed([
    set(
      event.objectModelId,
      sql`(SELECT ${objectModels.id} FROM ${objectModels} WHERE ${objectModels.text} = ?1 ->> '$.object.model')`,
    ),
    set(event.objectId, sql`?1 ->> '$.object.id'`),
  ]),
}

const updateOf = (id: number, changes: EventChanges): Statement => {
  const [x, y] = changes.coordinates ?? []
  const cell = x === undefined || y === undefined ? null : cellOf(x, y)
  const changed = (Object.keys(ASSIGNMENTS) as (keyof EventChanges)[]).filter((name) => name in changes)
  const assignments = [...changed.map((name) => ASSIGNMENTS[name]), set(event.lastModified, STAMP)]
  return statement(
    sql`UPDATE ${event} SET ${listed(assignments)} WHERE ${event.id} = CAST(?2 AS INTEGER)`,
    JSON.stringify({ ...changes, cell }),
    String(id),
  )
}
