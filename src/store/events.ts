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

/** What is changed of an event; what is left out stays. */
export type EventChanges = Partial<Omit<EventRecord, 'kind' | 'id' | 'last_modified'>>

/**
 * Stores new events, and others in the place of those with the same id and external id. The batch fails where the writer
 * does not see a series of them, and where one of these others is no more.
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
 * Changes an event. The batch fails where it is of another series by then, where the writer does not see it, and where it
 * would end before it starts.
 */
export const changeEvent = (read: EventRecord, changes: EventChanges, { level, now }: Writer): Statement[] => {
  const { id, series } = read
  const ids = JSON.stringify([id])
  const touched = [...new Set([series, changes.series ?? series])]
  // What a series shows only depends on these.
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

/** Deletes an event of a series. The batch fails where it is gone, or the writer does not see it. */
export const removeEvent = (id: number, series: number, writer: Writer): Statement[] => [
  isOf(id, series),
  ...removeEvents([{ id, series }], writer),
]

/** Deletes events of series. The batch fails where the writer does not see one of these. */
export const removeEvents = (
  events: readonly { readonly id: number; readonly series: number }[],
  { level, now }: Writer,
): Statement[] => {
  const ids = JSON.stringify(events.map(({ id }) => id))
  const series = [...new Set(events.map(({ series }) => series))]
  return [guardSeen(series, level), ...takeOut(ids, series), touchSeries(series, now), RAISE_REVISION]
}

/** Takes out the events with the ids and external ids of others, which are stored in their place. The batch fails where one is no more. */
export const replacing = (others: readonly EventRecord[]): Statement[] => {
  const series = [...new Set(others.map(({ series }) => series))]
  const ids = JSON.stringify(others.map(({ id }) => id))
  return others.length === 0 ? [] : [...guardNamed(others), ...takeOut(ids, series)]
}

/** Takes events, a JSON array of ids, out of the table, the counts and what their series show. */
const takeOut = (ids: string, series: readonly number[]): Statement[] => [
  statement(SHRINK, ids),
  ...countStatements(-1).map((text) => statement(text, ids)),
  statement(sql`DELETE FROM ${event} WHERE ${event.id} IN (SELECT value FROM json_each(?1))`, ids),
  statement(RENEW, JSON.stringify(series)),
]

/** Fails a batch unless an event is of a series: what is done to the one depends on the other. */
const isOf = (id: number, series: number): Statement =>
  guard(
    sql`EXISTS (SELECT 1 FROM ${event}
      WHERE ${event.id} = CAST(?1 AS INTEGER) AND ${event.eventSeriesId} = CAST(?2 AS INTEGER))`,
    String(id),
    String(series),
  )

/** Fails a batch unless an event has the texts that were read: another change, beside this one, might make it too long. */
const hasTextsOf = ({ id, category, value, object }: EventRecord): Statement =>
  guard(
    sql`EXISTS (SELECT 1 FROM ${event} JOIN ${categories} ON ${categories.id} = ${event.categoryId}
      LEFT JOIN ${objectModels} ON ${objectModels.id} = ${event.objectModelId}
      WHERE ${event.id} = CAST(?1 AS INTEGER) AND ${categories.text} = ?2 ->> 0 AND ${event.value} = ?2 ->> 1
        AND ${objectModels.text} IS ?2 ->> 2)`,
    String(id),
    JSON.stringify([category, value, object?.model ?? null]),
  )

/** The texts of a change that events refer to, added where they are new. */
const textsOf = ({ category, object }: EventChanges): Statement[] => [
  ...(category === undefined ? [] : [statement(INSERT_CATEGORIES, `[${textColumns(category)}]`)]),
  ...(object ? [statement(INSERT_OBJECT_MODELS, `[${textColumns(object.model)}]`)] : []),
]

const set = (column: Parameters<typeof nameOf>[0], value: SQL): SQL => sql`${nameOf(column)} = ${value}`

/** What each member of a change sets, from its JSON with the cell. */
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
