import type { D1Database } from '@cloudflare/workers-types'
import { sql } from 'drizzle-orm'
import { textOf } from '../../schema/sql.ts'
import { categories, eventSeries, events, objectModels, observationTypes, revisions } from '../../schema/tables.ts'
import type { EventRecord, ObservationTypeRecord, SeriesRecord } from '../../src/store/records.ts'
import type { FileEvent } from '../read/event.ts'

const EVENT = sql`
  SELECT ${events.id}, ${events.eventSeriesId} AS series, ${categories.text} AS category, ${events.value}, ${events.start},
    ${events.end}, ${events.x}, ${events.y}, ${events.z}, ${objectModels.text} AS model, ${events.objectId} AS object_id, ${events.externalId} AS external_id,
    ${events.lastModified} AS last_modified
  FROM`
const JOINS = sql`
  JOIN ${categories} ON ${categories.id} = ${events.categoryId}
  LEFT JOIN ${objectModels} ON ${objectModels.id} = ${events.objectModelId}`

const { id, code, name, unit } = observationTypes
const TYPES = textOf(sql`SELECT ${id}, ${code}, ${name}, ${unit} FROM ${observationTypes} ORDER BY ${id}`)

const SERIES =
  textOf(sql`SELECT ${eventSeries.id}, ${eventSeries.uuid}, ${eventSeries.name}, ${eventSeries.description},
    ${eventSeries.observationTypeId} AS observation_type, ${eventSeries.statistic}, ${eventSeries.color},
    ${eventSeries.accessModifier} AS access_modifier, ${eventSeries.created}, ${eventSeries.lastModified} AS last_modified
  FROM ${eventSeries} ORDER BY ${eventSeries.id}`)

const REVISION = textOf(sql`SELECT ${revisions.revision} AS revision FROM ${revisions}`)

/** Every field of an event. A new field is a type error until this file reads it. */
type WholeEvent = Required<EventRecord>

type EventRow = Omit<WholeEvent, 'kind' | 'coordinates' | 'object'> &
  Record<'x' | 'y' | 'z', number | null> & { readonly model: string | null; readonly object_id: number }

const EVENTS_OF = textOf(sql`${EVENT} json_each(?1) AS ids CROSS JOIN ${events} ON ${events.id} = ids.value ${JOINS}`)
const EVENTS_NAMED = textOf(sql`${EVENT} json_each(?1) AS given CROSS JOIN ${events} INDEXED BY event_by_external_id
  ON ${events.eventSeriesId} = given.value ->> 0 AND ${events.externalId} = given.value ->> 1 ${JOINS}`)
const EVENTS_AFTER = textOf(sql`${EVENT} ${events} NOT INDEXED ${JOINS}
  WHERE ${events.id} > CAST(?1 AS INTEGER) ORDER BY ${events.id} LIMIT CAST(?2 AS INTEGER)`)

/** Reads the observation types and series in the order of their ids, and the revision. All come from one snapshot. */
export async function readShort(
  db: D1Database,
): Promise<{ types: ObservationTypeRecord[]; series: SeriesRecord[]; revision: number }> {
  const [types, series, revision] = await db.batch([db.prepare(TYPES), db.prepare(SERIES), db.prepare(REVISION)])
  return {
    types: (types?.results ?? []).map(
      (row) => ({ kind: 'observation_type', ...(row as object) }) as ObservationTypeRecord,
    ),
    series: (series?.results ?? []).map((row) => ({ kind: 'event_series', ...(row as object) }) as SeriesRecord),
    revision: revisionOf(revision?.results),
  }
}

/** Reads the stored events that have these ids. */
export async function readEvents(db: D1Database, ids: readonly number[]): Promise<EventRecord[]> {
  const { results } = await db.prepare(EVENTS_OF).bind(JSON.stringify(ids)).all<EventRow>()
  return results.map(recordOf)
}

/** Reads the stored events that have these series and external ids. */
export async function readNamed(
  db: D1Database,
  named: readonly Pick<FileEvent, 'series' | 'external_id'>[],
): Promise<EventRecord[]> {
  const names = JSON.stringify(named.map(({ series, external_id }) => [series, external_id]))
  const { results } = await db.prepare(EVENTS_NAMED).bind(names).all<EventRow>()
  return results.map(recordOf)
}

/** Reads the next events after an id in the order of their ids, and the revision of the same snapshot. */
export async function readEventsAfter(
  db: D1Database,
  id: number,
  limit: number,
): Promise<{ events: EventRecord[]; revision: number }> {
  const [events, revision] = await db.batch([
    db.prepare(EVENTS_AFTER).bind(String(id), String(limit)),
    db.prepare(REVISION),
  ])
  return { events: ((events?.results ?? []) as EventRow[]).map(recordOf), revision: revisionOf(revision?.results) }
}

const revisionOf = (rows: readonly unknown[] | undefined): number =>
  (rows?.[0] as { revision: number } | undefined)?.revision ?? 0

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
