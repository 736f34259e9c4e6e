import { type SQL, sql } from 'drizzle-orm'
import { listed, nameOf, textOf } from '../../schema/sql.ts'
import { eventSeries, events, observationTypes, revisions, sequences } from '../../schema/tables.ts'
import type { Statement } from '../query/db/d1.ts'
import type { State } from '../state.ts'

/** A statement with its parameters. Numbers are passed as JSON, so that D1 takes them as they are. */
export const statement = (text: SQL | string, ...parameters: readonly string[]): Statement => ({
  sql: typeof text === 'string' ? text : textOf(text),
  parameters,
})

/** Fails the batch that it stands in, so that nothing is written, unless a condition holds at that moment. */
export const guard = (condition: SQL, ...parameters: readonly string[]): Statement =>
  statement(sql`SELECT json(CASE WHEN ${condition} THEN '1' ELSE '' END)`, ...parameters)

/** Fails a batch unless the data is in one of these states. */
export const guardState = (states: readonly State[]): Statement =>
  guard(
    sql`EXISTS (SELECT 1 FROM ${revisions} JOIN json_each(?1) AS state
      ON ${revisions.revision} = state.value ->> 'revision' AND ${revisions.changed} = state.value ->> 'changed')`,
    JSON.stringify(states),
  )

/** Fails a batch unless these series are there and a caller of this level sees them. */
export const guardSeen = (series: readonly number[], level: number): Statement =>
  guard(
    sql`NOT EXISTS (SELECT 1 FROM json_each(?1) AS given WHERE NOT EXISTS (
      SELECT 1 FROM ${eventSeries}
      WHERE ${eventSeries.id} = given.value AND ${eventSeries.accessModifier} <= CAST(?2 AS INTEGER)))`,
    JSON.stringify([...new Set(series)]),
    String(level),
  )

/** Raises the revision: belongs into the batch of every write. */
export const RAISE_REVISION: Statement = statement(sql`
  INSERT INTO ${revisions} (${listed([revisions.id, revisions.revision, revisions.changed].map(nameOf))})
  VALUES (1, 1, CAST(1000 * unixepoch('subsec') AS INTEGER))
  ON CONFLICT (${nameOf(revisions.id)}) DO UPDATE SET
    ${nameOf(revisions.revision)} = ${revisions.revision} + 1,
    ${nameOf(revisions.changed)} = excluded.${nameOf(revisions.changed)}`)

/** Ids from here on are the loader's affair: those that are given continue from what is below. */
export const MAX_GIVEN = 2 ** 52

/** The tables whose rows are given ids. */
const NUMBERED = { event: events, event_series: eventSeries, observation_type: observationTypes }
export type Numbered = keyof typeof NUMBERED

/**
 * Takes so many new ids for rows of a table, see `lastId`. No id is taken twice, and none that a row has: ids can be known
 * before the rows are stored, and two who write at once have different ones.
 */
export const takeIds = (name: Numbered, count: number): Statement => {
  const table = NUMBERED[name]
  const last = nameOf(sequences.last)
  return statement(
    sql`INSERT INTO ${sequences} (${nameOf(sequences.name)}, ${last})
    SELECT ${name}, coalesce(max(${table.id}), 0) + CAST(?1 AS INTEGER) FROM ${table} WHERE ${table.id} < ${MAX_GIVEN}
    ON CONFLICT (${nameOf(sequences.name)}) DO UPDATE SET
      ${last} = max(${sequences.last} + CAST(?1 AS INTEGER), excluded.${last})`,
    String(count),
  )
}

/** The greatest of the ids that were just taken, as `last`. */
export const lastId = (table: Numbered): SQL =>
  sql`SELECT ${sequences.last} AS last FROM ${sequences} WHERE ${sequences.name} = ${table}`

const MODIFIED = sql`'event_modified'`

/**
 * Takes the stamp of a write of events: an instant in microseconds since 1970, or more where that would not be more than
 * every stamp before. So who has seen all up to a stamp finds with greater ones all that came since.
 */
export const takeStamp = (now: number): Statement => {
  const last = nameOf(sequences.last)
  return statement(
    sql`INSERT INTO ${sequences} (${nameOf(sequences.name)}, ${last}) VALUES (${MODIFIED}, CAST(?1 AS INTEGER))
    ON CONFLICT (${nameOf(sequences.name)}) DO UPDATE SET ${last} = max(${sequences.last} + 1, excluded.${last})`,
    String(now),
  )
}

/** The stamp that was just taken. */
export const STAMP = sql`(SELECT ${sequences.last} FROM ${sequences} WHERE ${sequences.name} = ${MODIFIED})`

/** Says that series were modified, at an instant in microseconds since 1970. */
export const touchSeries = (ids: readonly number[], now: number): Statement =>
  statement(
    sql`UPDATE ${eventSeries} SET ${nameOf(eventSeries.lastModified)} = CAST(?2 AS INTEGER)
      WHERE ${eventSeries.id} IN (SELECT value FROM json_each(?1))`,
    JSON.stringify(ids),
    String(now),
  )
