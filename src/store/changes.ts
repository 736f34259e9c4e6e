import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { listed, NEW_KEY, nameOf } from '../../schema/sql.ts'
import { changes, eventSeries, events, markRules, observationTypes } from '../../schema/tables.ts'
import { ACCESS_LEVELS } from '../base/access.ts'
import type { Statement } from '../engine/d1/database.ts'
import { CHANGE } from '../engine/shared/changes.ts'
import { STAMP, statement } from './statement.ts'

const { stamp, kind, id, level } = changes

/** Adds rows with the stamp of the batch. A batch may note a series twice. `from` is the statement from FROM on. */
const noting = (
  of: number,
  values: Readonly<Partial<Record<keyof typeof changes.$inferInsert, SQLWrapper>>>,
  from: SQL,
  twice = sql`NOTHING`,
): SQL => {
  const all = { stamp: STAMP, kind: sql`${of}`, ...values }
  const names = Object.keys(all).map((name) => nameOf(changes[name as keyof typeof all]))
  return sql`INSERT INTO ${changes} (${listed(names)}) SELECT ${listed(Object.values(all))} ${from} ON CONFLICT DO ${twice}`
}

const TYPES = noting(
  CHANGE.type,
  { id: observationTypes.id },
  sql`FROM json_each(?1) AS given CROSS JOIN ${observationTypes} ON ${observationTypes.id} = given.value WHERE true`,
)

const SERIES = { id: eventSeries.id, series: eventSeries.uuid, level: eventSeries.accessModifier }
const JOINED = sql`CROSS JOIN json_each(?1) AS given CROSS JOIN ${eventSeries} ON ${eventSeries.id} = given.value WHERE true`

/** Notes new observation types. Each function of this file runs after the batch took its stamp. */
export const noteTypes = (ids: readonly number[]): Statement => statement(TYPES, JSON.stringify(ids))

/** Notes a write of series. It comes before a change of their access, and before they are deleted. */
export const noteSeries = (ids: readonly number[]): Statement =>
  statement(noting(CHANGE.series, SERIES, sql`FROM (SELECT 1) ${JOINED}`), JSON.stringify(ids))

/** Notes a write of series if the statement before it changed a description. Otherwise it reads no row. */
export const noteDescribed = (ids: readonly number[]): Statement =>
  statement(noting(CHANGE.series, SERIES, sql`FROM (SELECT 1 WHERE changes() > 0) ${JOINED}`), JSON.stringify(ids))

/** Levels below see a series with this level for the first time, so they read all of its events. */
const UNSEEN = ACCESS_LEVELS.Hidden + 1

/** Notes that series have new events with earlier stamps. No mark finds them, so each copy reads these series again. */
export const noteEarlier = (ids: readonly number[]): Statement => {
  const values = { ...SERIES, level: sql`${UNSEEN}` }
  const twice = sql`UPDATE SET ${nameOf(level)} = excluded.${nameOf(level)}`
  return statement(noting(CHANGE.series, values, sql`FROM (SELECT 1) ${JOINED}`, twice), JSON.stringify(ids))
}

const GONE = noting(
  CHANGE.gone,
  {
    id: events.id,
    series: eventSeries.uuid,
    level: eventSeries.accessModifier,
    movedTo: sql`?2 ->> 0`,
    externalId: events.externalId,
  },
  sql`FROM json_each(?1) AS row CROSS JOIN ${events} ON ${events.id} = row.value
    CROSS JOIN ${eventSeries} ON ${eventSeries.id} = ${events.eventSeriesId} WHERE true`,
)

/** A change is kept for 90 days, in microseconds. */
const KEPT = 90 * 86_400_000_000

/** Selects the oldest changes that are not kept any more. The parameter is their greatest number. */
const OLD = sql`SELECT ${listed([stamp, kind, id])} FROM ${changes} WHERE ${stamp} < ${STAMP} - ${KEPT}
  ORDER BY ${listed([stamp, kind, id])} LIMIT CAST(?1 AS INTEGER)`

const COMPLETE = nameOf(markRules.complete)
const FORGET = [
  sql`UPDATE ${markRules} SET ${COMPLETE} = max(${markRules.complete}, (SELECT max(stamp) FROM (${OLD})))
    WHERE EXISTS (${OLD})`,
  sql`DELETE FROM ${changes} WHERE (${listed([stamp, kind, id])}) IN (${OLD})`,
]

/** A batch deletes so many old changes more than it adds. */
const MORE = 100

/**
 * Notes that stored events leave their series: they move to another one, or they are about to be deleted. It also deletes
 * as many changes that are older than 90 days, and some more.
 */
export const noteGone = (ids: readonly number[], to: number | null = null): Statement[] => [
  statement(GONE, JSON.stringify(ids), JSON.stringify([to])),
  ...FORGET.map((text) => statement(text, String(ids.length + MORE))),
]

/** Refuses all marks that were given before. */
export const NEW_MARKS = statement(sql`UPDATE ${markRules} SET ${nameOf(markRules.key)} = ${NEW_KEY}`)
