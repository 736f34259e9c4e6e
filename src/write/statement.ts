import { type SQL, sql } from 'drizzle-orm'
import { sequences } from '../../schema/tables.ts'
import type { Statement } from '../page/database.ts'
import type { State } from '../state.ts'

/** A statement with its parameters. Numbers are passed as JSON, so that D1 takes them as they are. */
export const statement = (text: string, ...parameters: readonly string[]): Statement => ({ sql: text, parameters })

/** Fails the batch that it stands in, so that nothing is written, unless a condition holds at that moment. */
export const guard = (condition: string, ...parameters: readonly string[]): Statement =>
  statement(`SELECT json(CASE WHEN ${condition} THEN '1' ELSE '' END)`, ...parameters)

/** Fails a batch unless the data is in one of these states. */
export const guardState = (states: readonly State[]): Statement =>
  guard(
    `EXISTS (SELECT 1 FROM revision JOIN json_each(?) AS state
      ON revision.revision = state.value ->> 'revision' AND revision.changed = state.value ->> 'changed')`,
    JSON.stringify(states),
  )

/** Ids from here on are the loader's affair: those that are given continue from what is below. */
const MAX_GIVEN = 2 ** 52

/**
 * Takes so many new ids for rows of a table, see `lastId`. No id is taken twice, and none that a row has: ids can be known
 * before the rows are stored, and two who write at once have different ones.
 */
export const takeIds = (table: string, count: number): Statement =>
  statement(
    `INSERT INTO sequence (name, last)
    SELECT '${table}', coalesce(max(id), 0) + CAST(?1 AS INTEGER) FROM ${table} WHERE id < ${MAX_GIVEN}
    ON CONFLICT (name) DO UPDATE SET last = max(sequence.last + CAST(?1 AS INTEGER), excluded.last)`,
    String(count),
  )

/** The greatest of the ids that were just taken, as `last`. */
export const lastId = (table: string): SQL =>
  sql`SELECT ${sequences.last} AS last FROM ${sequences} WHERE ${sequences.name} = ${table}`

/** Says that series were modified, at an instant in microseconds since 1970. */
export const touchSeries = (ids: readonly number[], now: number): Statement =>
  statement(
    `UPDATE event_series SET last_modified = CAST(?2 AS INTEGER) WHERE id IN (SELECT value FROM json_each(?1))`,
    JSON.stringify(ids),
    String(now),
  )
