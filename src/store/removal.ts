import { type SQL, sql } from 'drizzle-orm'
import { countStatements } from '../../schema/counts.ts'
import { nameOf } from '../../schema/sql.ts'
import { eventSeries, events } from '../../schema/tables.ts'
import type { Database, Statement } from '../engine/run/database.ts'
import { conflict, unavailable } from '../errors.ts'
import { EXTREMES, MAKE_UP } from './derived.ts'
import { guard, guardSeen, limitSteps, RAISE_SERIES, raiseRevision, STEP, statement } from './statement.ts'
import type { Removal } from './writable.ts'

/**
 * Deletes a series with all its events. Without `withEvents`, a series that has events is a 409.
 * Many events are deleted in steps. Each step is a transaction, and all counts are exact after it. A client can
 * therefore repeat a request that stopped. Throws a 503 if time runs out.
 * Returns false if the first step was refused: by `guards`, or because the writer cannot see the series.
 */
export const removeSeries = async (
  db: Database,
  id: number,
  withEvents: boolean,
  { guards, level }: Pick<Removal, 'guards' | 'level'>,
): Promise<boolean> => {
  const limit = limitSteps()
  let first: readonly Statement[] | null = guards
  let extremes: readonly number[] | null = null
  for (;;) {
    const ids = idsOf(await db.read(someEvents(id)))
    if (ids.length > 0 && !withEvents)
      throw conflict('The series has events. To delete the series with its events, add ?events=delete to the address.')
    if (limit.isReached())
      throw unavailable(
        'The series has more events than one request can delete. Send the same request again to delete the rest.',
      )
    const last = ids.length <= STEP
    if (!last) extremes ??= idsOf(await db.read(...EXTREMES.map((query) => query(id))))
    const step = last ? lastStep(id, ids) : nextStep(id, ids, extremes ?? [])
    const done = (await db.write([guardSeen([id], level), ...(first ?? []), ...step])) !== null
    if (done && last) return true
    if (!done && first !== null) return false
    first = null
    limit.note(done)
    if (!done) extremes = null
  }
}

const someEvents = (series: number): SQL =>
  sql`SELECT ${events.id} AS id FROM ${events} INDEXED BY event_by_series
    WHERE ${events.eventSeriesId} = ${series} ORDER BY ${events.id} LIMIT ${STEP + 1}`

const idsOf = (answers: readonly (readonly { readonly id?: number }[])[]): number[] =>
  answers.flat().flatMap(({ id }) => id ?? [])

/** Deletes the remaining events with the series. The database refuses this if the series has a new event meanwhile. */
const lastStep = (series: number, ids: readonly number[]): Statement[] => [
  ...removal(series, JSON.stringify(ids)),
  statement(sql`DELETE FROM ${eventSeries} WHERE ${eventSeries.id} = CAST(?1 AS INTEGER)`, String(series)),
]

/**
 * Deletes events, except those with the extremes that the series shows. The series stays exact without a new search for
 * extremes.
 */
const nextStep = (series: number, ids: readonly number[], extremes: readonly number[]): Statement[] => [
  guard(MAKE_UP, JSON.stringify(extremes), String(series)),
  ...removal(series, JSON.stringify(ids.filter((id) => !extremes.includes(id)))),
]

/** Deletes events. `ids` is a JSON array. Fails the batch if one of them is in another series meanwhile. */
const removal = (series: number, ids: string): Statement[] => [
  guard(
    sql`NOT EXISTS (SELECT 1 FROM json_each(?1) AS row CROSS JOIN ${events}
      ON ${events.id} = row.value AND ${events.eventSeriesId} <> CAST(?2 AS INTEGER))`,
    ids,
    String(series),
  ),
  raiseRevision([series]),
  ...countStatements(-1).map((text) => statement(text, ids)),
  statement(
    sql`UPDATE ${eventSeries} SET ${nameOf(eventSeries.eventCount)} = ${eventSeries.eventCount} - (
      SELECT count(*) FROM json_each(?1) AS row CROSS JOIN ${events} ON ${events.id} = row.value), ${RAISE_SERIES}
    WHERE ${eventSeries.id} = CAST(?2 AS INTEGER)`,
    ids,
    String(series),
  ),
  statement(sql`DELETE FROM ${events} WHERE ${events.id} IN (SELECT value FROM json_each(?1))`, ids),
]
