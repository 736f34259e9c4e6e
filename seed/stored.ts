import type { D1Database } from '@cloudflare/workers-types'
import type { EventRecord, LoadRecord, ObservationTypeRecord, SeriesRecord } from '../src/write/records.ts'

const EVENT = `
  SELECT event.id, event_series_id AS series, category.text AS category, event.value, start, "end", x, y, z,
    object_model.text AS model, object_id FROM`
const JOINS = `
  JOIN category ON category.id = category_id LEFT JOIN object_model ON object_model.id = object_model_id`

type EventRow = Omit<EventRecord, 'kind' | 'coordinates' | 'object'> &
  Record<'x' | 'y' | 'z', number | null> & {
    readonly model: string | null
    readonly object_id: number
  }

/** The observation types and series of a database, in the order of their ids, and its revision: of one moment. */
export async function readShort(
  db: D1Database,
): Promise<{ types: ObservationTypeRecord[]; series: SeriesRecord[]; revision: number }> {
  const [types, series, revision] = await db.batch([
    db.prepare('SELECT id, code, name, unit FROM observation_type ORDER BY id'),
    db.prepare(`SELECT id, uuid, name, description, observation_type_id AS observation_type, statistic, color,
      access_modifier, created, last_modified FROM event_series ORDER BY id`),
    db.prepare(REVISION),
  ])
  return {
    types: (types?.results ?? []).map(
      (row) => ({ kind: 'observation_type', ...(row as object) }) as ObservationTypeRecord,
    ),
    series: (series?.results ?? []).map((row) => ({ kind: 'event_series', ...(row as object) }) as SeriesRecord),
    revision: revisionOf(revision?.results),
  }
}

/** The events with these ids that there are. */
export async function readEvents(db: D1Database, ids: readonly number[]): Promise<EventRecord[]> {
  const { results } = await db
    .prepare(`${EVENT} json_each(?) AS ids CROSS JOIN event ON event.id = ids.value ${JOINS}`)
    .bind(JSON.stringify(ids))
    .all<EventRow>()
  return results.map(recordOf)
}

/** The next events after an id, in the order of their ids, and the revision that they are of. */
export async function readEventsAfter(
  db: D1Database,
  id: number,
  limit: number,
): Promise<{ events: EventRecord[]; revision: number }> {
  const [events, revision] = await db.batch([
    db
      .prepare(
        `${EVENT} event NOT INDEXED ${JOINS} WHERE event.id > CAST(? AS INTEGER) ORDER BY event.id LIMIT ${limit}`,
      )
      .bind(String(id)),
    db.prepare(REVISION),
  ])
  return { events: ((events?.results ?? []) as EventRow[]).map(recordOf), revision: revisionOf(revision?.results) }
}

const REVISION = 'SELECT revision FROM revision'

const revisionOf = (rows: readonly unknown[] | undefined): number =>
  (rows?.[0] as { revision: number } | undefined)?.revision ?? 0

const recordOf = ({ id, series, category, value, start, end, x, y, z, model, object_id }: EventRow): EventRecord => ({
  ...{ kind: 'event', id, series, category, value, start, end },
  coordinates: x === null || y === null ? null : [x, y, z ?? 0],
  object: model === null ? null : { model, id: object_id },
})

/** The first field in which two records differ, undefined when they are the same. */
export function differing<R extends LoadRecord>(a: R, b: R): string | undefined {
  return Object.keys(a).find((field) => JSON.stringify(a[field as keyof R]) !== JSON.stringify(b[field as keyof R]))
}
