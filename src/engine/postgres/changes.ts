import { type SQL, sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../../base/access.ts'
import { badRequest } from '../../base/errors.ts'
import type { Changes, Followed } from '../engine.ts'
import { boundOf, markOf, placeIn } from '../mark.ts'
import { CHANGE, type Passed, readPassed, takeAnother } from '../shared/changes.ts'
import { NO_STATE } from '../state.ts'
import { fieldsOf } from './fields.ts'
import { rowsById } from './rows.ts'
import type { Snapshot } from './snapshot.ts'
import { integer, literal, texts } from './sql.ts'

/** A row of event_change. Transactions before the first open one have ended, and add no more rows. */
type Place = readonly [transaction: number, kind: number, id: number]

/** The kind of a write that may change any row. It comes before all others of its transaction. */
const ANY = -1

interface Rules {
  readonly key: string
  /** Rows up to this transaction may be deleted. */
  readonly complete: number
  /** The first open transaction, and the first one that has not begun. */
  readonly open: number
  readonly next: number
  /** No row belongs to an open transaction, or to a later one. */
  readonly isSettled: boolean
}

/** Reads the rules of marks. A restored copy of the database has another key, because its tables have other numbers. */
const RULES = sql<Rules>`SELECT encode(sha256(convert_to(concat_ws(' ', key, 'event_change'::regclass::oid,
    (SELECT oid FROM pg_database WHERE datname = current_database())), 'UTF8')), 'hex') AS key,
  complete, open, pg_snapshot_xmax(now)::text::bigint AS next,
  NOT EXISTS (SELECT FROM event_change WHERE transaction >= open) AS "isSettled"
  FROM event_mark, pg_current_snapshot() AS now, LATERAL (SELECT pg_snapshot_xmin(now)::text::bigint AS open) AS first`

/**
 * Reads what changed for the level of the caller after a mark. Triggers of grade C keep the changes. `isSettled`: no change
 * waits for an open transaction, so the answer belongs to the state of the data.
 */
export const readChanges = async (
  snapshot: Snapshot,
  followed: Followed,
): Promise<Changes & { readonly isSettled: boolean }> => {
  const { views, level, read } = snapshot
  const { after, limit, fields } = followed
  if (!views.hasChanges)
    throw badRequest(
      'The database of this service does not keep its changes. Its owner can add grade C: npm run indexes -- ADDRESS --grade c, and then reader.sql.',
    )
  const [[rules]] = await read(RULES)
  if (rules === undefined) throw takeAnother()
  const { key, complete, open, next, isSettled } = rules
  const now = boundOf(snapshot.state() ?? NO_STATE, level)
  const bound = isSettled ? now : (after?.bound ?? boundOf(NO_STATE, level))
  const endOf = () => markOf(key, [open, ANY - 1, 0], bound)
  if (after === null) return { mark: await endOf(), more: false, changes: [], isSettled }
  if (after.bound === now) return { mark: after.text, more: false, changes: [], isSettled }
  const place = (await placeIn(key, after, level)) as Place | null
  if (place === null || place[0] <= complete || place[0] > next) throw takeAnother()
  const pass = async (most: number) => {
    const [found] = await read(passedFrom(snapshot, place, open, followed, most))
    if (found.some(({ kind }) => kind === ANY)) throw takeAnother()
    return found
  }
  const { changes, last } = await readPassed(pass, limit, {
    read: (list, ids) => rowsById(snapshot, list, fields[list], ids, {}, level),
    whole: async (_, rows) => rows,
  })
  const mark = await (last === null ? endOf() : markOf(key, [last.transaction, last.stored, last.id], after.bound))
  return { mark, more: last !== null, changes, isSettled }
}

interface Written extends Passed {
  readonly transaction: number
  /** The kind in the table. An event may be gone. */
  readonly stored: number
}

/** Passes at most so many changes of ended transactions after a place. */
const passedFrom = (
  { views, level }: Snapshot,
  [transaction, kind, id]: Place,
  open: number,
  { series }: Followed,
  most: number,
): SQL<Written> => {
  const asks = (uuid: SQL) => (series === null ? sql`true` : sql`coalesce(${uuid} = ANY(${texts(series)}), false)`)
  const isHidden = level >= ACCESS_LEVELS.Hidden
  const access = sql`(s.id IS NOT NULL AND ${fieldsOf(views)('series', 'access_modifier').value} <= ${literal(level)})`
  const [event, gone] = [literal(CHANGE.event), literal(CHANGE.gone)]
  // An event without a series is hidden.
  const seen = sql`CASE f.kind WHEN ${event} THEN e.id IS NOT NULL AND (${isHidden ? sql`true` : access}) ELSE ${access} END`
  const asksBefore = sql`CASE WHEN before IS NULL THEN ${isHidden && series === null ? sql`true` : sql`false`} ELSE ${asks(sql`before`)} END`
  return sql`WITH found AS MATERIALIZED (
      SELECT *, coalesce(level, ${literal(ACCESS_LEVELS.Hidden)}) BETWEEN 0 AND ${literal(level)} AS was_seen FROM event_change
      WHERE (transaction, kind, id) > (${integer(transaction)}, ${integer(kind)}, ${integer(id)}) AND transaction < ${integer(open)}
      ORDER BY transaction, kind, id LIMIT ${literal(most)}
    ), seen AS (
      SELECT f.*, ${seen} AS seen, coalesce(f.uuid, s.uuid::text) AS current, b.uuid::text AS before FROM found AS f
      LEFT JOIN event AS e ON f.kind = ${event} AND e.id = f.id
      LEFT JOIN event_series AS s ON s.id = CASE f.kind WHEN ${event} THEN e.event_series_id ELSE f.id END
      LEFT JOIN event_series AS b ON b.id = f.event_series_id
    ), passed AS (
      SELECT *, kind = ${event} AND NOT (seen AND ${asks(sql`current`)}) AS is_gone FROM seen
    )
    SELECT transaction, kind AS stored, CASE WHEN is_gone THEN ${gone} ELSE kind END AS kind, id, external_id AS "externalId",
      seen, was_seen OR level < 0 AS "wasSeen", CASE WHEN is_gone THEN before ELSE current END AS series,
      CASE WHEN is_gone THEN was_seen AND ${asksBefore}
        WHEN kind = ${literal(CHANGE.series)} THEN (seen OR was_seen) AND ${asks(sql`current`)} ELSE true END AS told
    FROM passed ORDER BY transaction, stored, id`
}
