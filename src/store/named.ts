import { sql } from 'drizzle-orm'
import { nameOf } from '../../schema/sql.ts'
import { events } from '../../schema/tables.ts'
import type { Statement } from '../engine/run/database.ts'
import type { EventRecord } from '../model/event.ts'
import { chunksOf } from './batch.ts'
import { guard } from './statement.ts'
import type { Keyed } from './writable.ts'

/** The members that identify an event. A draft has no id. */
export type EventIdentity = Partial<Pick<EventRecord, 'id' | 'series' | 'external_id'>>

const MATCHES = sql`named.${nameOf(events.eventSeriesId)} = given.value ->> 1 AND named.${nameOf(events.externalId)} = given.value ->> 2`

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
      (list) => sql`${events.id} IN (SELECT named.id FROM json_each(${list}) AS given
        CROSS JOIN ${events} AS named INDEXED BY event_by_external_id ON ${MATCHES})`,
    ),
}

/** Fails a batch unless the events still have their series and external ids. */
export const guardNamed = (records: readonly EventIdentity[]): Statement[] =>
  listsOf(records).map((list) =>
    guard(
      sql`NOT EXISTS (SELECT 1 FROM json_each(?1) AS given WHERE NOT EXISTS (
        SELECT 1 FROM ${events} AS named WHERE named.id = given.value ->> 0 AND ${MATCHES}))`,
      list,
    ),
  )
