import { type SQL, sql } from 'drizzle-orm'
import { countStatements } from '../../schema/counts.ts'
import { listed, nameOf } from '../../schema/sql.ts'
import { events as event } from '../../schema/tables.ts'
import type { Statement } from '../engine/run/database.ts'
import { EVENT, type EventRecord } from '../model/event.ts'
import type { Fields } from '../model/field.ts'
import { isLong } from '../model/readers.ts'
import { joinsOf, type StoredColumn, storedColumnsOf, valuesOf } from '../model/rows.ts'
import { emptyBatch, insertTexts, put, statements, textColumns } from './batch.ts'
import { GROW, RENEW, SHRINK } from './derived.ts'
import { guardNamed } from './named.ts'
import { guard, guardSeen, RAISE_REVISION, STAMP, statement, takeStamp, touchSeries } from './statement.ts'
import type { Writer } from './writable.ts'

/** The changed members of an event. Members that are absent keep their values. */
export type EventChanges = Partial<Omit<EventRecord, 'kind' | 'id'>>

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
const hasTextsOf = (read: EventRecord): Statement => {
  const values = eventValues(read)
  const texts = COLUMNS.map((stored, i) => ({ ...stored, value: values[i] })).filter(
    ({ column, dictionary }) => dictionary !== null || column.dataType === 'string',
  )
  const same = texts.map(({ column, dictionary }, i) => sql`${dictionary?.text ?? column} IS ?2 ->> ${i}`)
  return guard(
    sql`EXISTS (SELECT 1 FROM ${event} ${joinsOf(EVENT)}
      WHERE ${event.id} = CAST(?1 AS INTEGER) AND ${sql.join(same, sql` AND `)})`,
    String(read.id),
    JSON.stringify(texts.map(({ value }) => value)),
  )
}

const COLUMNS = storedColumnsOf(EVENT)
const eventValues = valuesOf(EVENT)

/** Returns the fields of an event that a change sets. */
const changedIn = (changes: EventChanges): Fields =>
  Object.fromEntries(Object.entries(EVENT).filter(([name]) => name in changes && name !== 'last_modified'))

/** Adds the texts of a change to their dictionaries, if they are new. */
const textsOf = (changes: EventChanges): Statement[] => {
  const fields = changedIn(changes)
  const values = valuesOf(fields)(changes)
  return storedColumnsOf(fields).flatMap(({ dictionary }, i) => {
    const text = values[i]
    if (dictionary === null || typeof text !== 'string') return []
    return [statement(insertTexts(dictionary), `[${textColumns(text)}]`)]
  })
}

/** Returns the assignment of a column. `value` is SQL for the value, a text if the column refers to a dictionary. */
const assigned = ({ column, dictionary }: StoredColumn, value: SQL): SQL =>
  dictionary === null
    ? sql`${nameOf(column)} = ${value}`
    : sql`${nameOf(column)} = (SELECT ${dictionary.id} FROM ${dictionary.table} WHERE ${dictionary.text} = ${value})`

const updateOf = (id: number, changes: EventChanges): Statement => {
  const fields = changedIn(changes)
  const assignments = storedColumnsOf(fields).map((stored, i) => assigned(stored, sql`?1 ->> ${i}`))
  return statement(
    sql`UPDATE ${event} SET ${listed([...assignments, sql`${nameOf(event.lastModified)} = ${STAMP}`])}
      WHERE ${event.id} = CAST(?2 AS INTEGER)`,
    JSON.stringify(valuesOf(fields)(changes)),
    String(id),
  )
}
