import { sql } from 'drizzle-orm'
import { countStatements } from '../../schema/counts.ts'
import { nameOf } from '../../schema/sql.ts'
import { events as event } from '../../schema/tables.ts'
import { STRING } from '../base/schema.ts'
import type { Statement } from '../engine/d1/database.ts'
import { EVENT } from '../model/event.ts'
import { MAX_NAME } from '../model/kinds.ts'
import { defaultsOf } from '../model/members.ts'
import type { ObjectReference } from '../model/types.ts'
import { changedColumns, changeRow, parameterTexts, storeAll } from './batch.ts'
import { noteDescribed, noteGone } from './changes.ts'
import { DESCRIBE } from './metadata.ts'
import type { EventRecord } from './records.ts'
import { GROW, guard, guardSeen, RENEW, raiseRevision, SHRINK, statement, takeStamp, touchSeries } from './statement.ts'
import type { Writable, Writer } from './writable.ts'

/**
 * The parts of an event that a body or a row of a file gives. An absent member was not given. Null clears a member. If
 * the end is null, the event ends when it starts.
 */
export type EventDraft = Partial<Omit<EventRecord, 'id' | 'end'>> & {
  readonly end?: number | null
  /** The two parts of `object`, if they are separate members. */
  readonly model?: ObjectReference['model'] | null
  readonly object_id?: ObjectReference['id'] | null
}

/** A draft with the members that a new event needs. */
type NewEventDraft = EventDraft & Pick<EventRecord, 'kind' | 'series' | 'start' | 'coordinates'>

/** Merges a draft into a stored event. Members that the draft omits keep their values. */
export const mergeEvent = (stored: EventRecord, draft: EventDraft): EventRecord => {
  const { model: _, object_id: __, ...changed } = draft
  return { ...stored, ...changed, end: endOf(draft, stored), object: objectOf(draft, stored) }
}

/**
 * Creates a new event from a draft. Texts that the draft omits are empty. If it omits the end, the event ends when it
 * starts.
 */
export const newEvent = (draft: NewEventDraft, id: number): EventRecord => {
  const { kind, series, start, coordinates } = draft
  const whole = { ...DEFAULTS, kind, id, series, start, end: start, coordinates } as EventRecord // no member is missing
  return mergeEvent(whole, draft)
}

const DEFAULTS = defaultsOf(EVENT)

/** Returns the end of a merged event. It moves with a new start if the stored event ended when it started. */
const endOf = ({ start, end }: EventDraft, stored: EventRecord): number => {
  const moved = start ?? stored.start
  if (end !== undefined) return end ?? moved
  return stored.end === stored.start ? moved : stored.end
}

/** Returns the model and the id of a draft's object, merged into a stored event. */
const partsOf = ({ object, model, object_id }: EventDraft, stored: EventRecord | null) => {
  const base = object === undefined ? stored?.object : object
  return {
    model: model === undefined ? (base?.model ?? null) : model,
    id: object_id === undefined ? (base?.id ?? null) : object_id,
  }
}

/** Returns the part that an object lacks, with a message. Null if it has both or neither. */
export const objectFaultIn = (
  draft: EventDraft,
  stored: EventRecord | null,
): [name: string, message: string] | null => {
  const { model, id } = partsOf(draft, stored)
  if ((model === null) === (id === null)) return null
  return [model === null ? 'object_type' : 'object_id', 'Enter object_type and object_id, or neither.']
}

const objectOf = (draft: EventDraft, stored: EventRecord): EventRecord['object'] => {
  const { model, id } = partsOf(draft, stored)
  return model === null || id === null ? null : { model, id }
}

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
  const counted = changedColumns('event', changes).map(({ column }) => column)
  // Only these members affect the derived columns of a series.
  const moved = ['series', 'start', 'end', 'coordinates'].some((name) => name in changes)
  return [
    guardIn([read]),
    guardSeen(touched, level),
    ...('attributes' in changes ? [guardAttributes(read)] : []),
    ...(moved ? [statement(SHRINK, ids)] : []),
    ...countStatements(-1, counted).map((text) => statement(text, ids)),
    takeStamp(now),
    ...('series' in changes ? noteGone([id], changes.series) : []),
    ...changeRow('event', id, changes),
    statement(DESCRIBE, ids),
    noteDescribed(touched),
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
 * Returns the statements that delete events of a series. The batch fails if one of them is no longer in it, or if the
 * writer cannot see the series.
 */
export const removeEvents = (series: number, ids: readonly number[], { level, now }: Writer): Statement[] => [
  guardIn(ids.map((id) => ({ id, series }))),
  guardSeen([series], level),
  takeStamp(now),
  ...noteGone(ids),
  ...takeOut(JSON.stringify(ids), [series]),
  touchSeries([series], now),
  raiseRevision([series]),
]

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
export const takeOut = (ids: string, series: readonly number[]): Statement[] => [
  statement(SHRINK, ids),
  ...countStatements(-1).map((text) => statement(text, ids)),
  statement(sql`DELETE FROM ${event} WHERE ${event.id} IN (SELECT value FROM json_each(?1))`, ids),
  statement(RENEW, JSON.stringify(series)),
]

/** Fails a batch unless events are in these series, because the counts of their series change. */
const guardIn = (events: readonly { readonly id: number; readonly series: number }[]): Statement =>
  guard(
    sql`NOT EXISTS (SELECT 1 FROM json_each(?1) AS given WHERE NOT EXISTS (SELECT 1 FROM ${event}
      WHERE ${event.id} = given.value ->> 0 AND ${event.eventSeriesId} = given.value ->> 1))`,
    JSON.stringify(events.map(({ id, series }) => [id, series])),
  )

/** The members that identify an event. A draft has no id. */
type EventIdentity = Partial<Pick<EventRecord, 'id' | 'series' | 'external_id'>>

const MATCHES = sql`named.${nameOf(event.eventSeriesId)} = given.value ->> 1 AND named.${nameOf(event.externalId)} = given.value ->> 2`

/** Returns ids, series and external ids as JSON arrays. Each array fits into one parameter. */
const listsOf = (records: readonly EventIdentity[]): string[] =>
  parameterTexts(
    records.flatMap(({ id = null, series, external_id }) =>
      series !== undefined && external_id ? [JSON.stringify([id, series, external_id])] : [],
    ),
  )

/** Identifies events by their external ids, which are unique within a series. */
export const byExternalId: NonNullable<Writable['keyed']> = {
  path: 'properties.external_id',
  schema: { ...STRING, minLength: 1, maxLength: MAX_NAME },
  needed: ['properties.event_series', 'properties.external_id'],
  nameOf: ({ series, external_id }: EventIdentity) =>
    series !== undefined && external_id ? `${series} ${external_id}` : null,
  conditions: (records: readonly EventIdentity[]) =>
    listsOf(records).map(
      (list) => sql`${event.id} IN (SELECT named.id FROM json_each(${list}) AS given
        CROSS JOIN ${event} AS named INDEXED BY event_by_external_id ON ${MATCHES})`,
    ),
}

/** Fails a batch unless the events still have their series and external ids. */
const guardNamed = (records: readonly EventIdentity[]): Statement[] =>
  listsOf(records).map((list) =>
    guard(
      sql`NOT EXISTS (SELECT 1 FROM json_each(?1) AS given WHERE NOT EXISTS (
        SELECT 1 FROM ${event} AS named WHERE named.id = given.value ->> 0 AND ${MATCHES}))`,
      list,
    ),
  )
