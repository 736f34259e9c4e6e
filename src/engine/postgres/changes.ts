import { type SQL, sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../../base/access.ts'
import { badRequest } from '../../base/errors.ts'
import type { Changes, Followed } from '../engine.ts'
import { MAX_PASSED } from '../limits.ts'
import { boundOf, isAt, markOf, placeIn } from '../mark.ts'
import { CHANGE, lastTold, type Passed, readTold, takeAnother } from '../shared/changes.ts'
import { NO_STATE } from '../state.ts'
import { fieldsOf } from './fields.ts'
import { rowsById } from './rows.ts'
import type { Snapshot } from './snapshot.ts'
import { integer, literal, texts } from './sql.ts'

/** A row of event_change. Transactions before the first open one have ended, and add no more rows. */
type Place = readonly [transaction: number, number: number]

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

/** Reads what changed for the level of the caller after a mark. Triggers of grade C keep the changes. */
export const readChanges = async (snapshot: Snapshot, followed: Followed): Promise<Changes> => {
  const { views, level, read } = snapshot
  const { after, limit, fields } = followed
  if (!views.hasChanges)
    throw badRequest(
      'The database of this service does not keep its changes. Its owner can add grade C: npm run indexes -- ADDRESS --grade c, and then reader.sql.',
    )
  const [[rules]] = await read(RULES)
  if (rules === undefined) throw takeAnother()
  const { key, complete, open, next, isSettled } = rules
  const state = snapshot.state() ?? NO_STATE
  const markAt = (place: Place, isEnd: boolean) =>
    markOf(key, place, isEnd && isSettled ? boundOf(state, level) : (after?.bound ?? boundOf(NO_STATE, level)))
  if (after === null) return { mark: await markAt([open, 0], true), more: false, changes: [] }
  if (isAt(after, state, level)) return { mark: after.text, more: false, changes: [] }
  const place = (await placeIn(key, after, level)) as Place | null
  if (place === null || place[0] <= complete || place[0] > next) throw takeAnother()
  const [found] = await read(passedFrom(snapshot, place, open, followed))
  if (found.some(({ kind }) => kind === ANY)) throw takeAnother()
  const { changes, number } = await readTold(found.filter(({ told }) => told).slice(0, limit), {
    read: (list, ids) => rowsById(snapshot, list, fields[list], ids, {}, level),
    whole: async (_, rows) => rows,
  })
  const last = lastTold(found, number)
  const mark = await (last === null ? markAt([open, 0], true) : markAt([last.transaction, last.number], false))
  return { mark, more: last !== null, changes }
}

/** The kind of a write that may change any row. */
const ANY = -1

interface Written extends Passed {
  readonly transaction: number
  readonly number: number
}

/** Passes at most MAX_PASSED changes of ended transactions after a place. It selects those of the answer, and the last one. */
const passedFrom = (
  { views, level }: Snapshot,
  [transaction, number]: Place,
  open: number,
  { limit, series }: Followed,
): SQL<Written> => {
  const asks = (uuid: SQL) => (series === null ? sql`true` : sql`coalesce(${uuid} = ANY(${texts(series)}), false)`)
  const isHidden = level >= ACCESS_LEVELS.Hidden
  const access = sql`(s.id IS NOT NULL AND ${fieldsOf(views)('series', 'access_modifier').value} <= ${literal(level)})`
  // An event without a series is hidden.
  const seen = sql`CASE f.kind WHEN 2 THEN e.id IS NOT NULL AND (${isHidden ? sql`true` : access}) ELSE ${access} END`
  return sql`WITH found AS MATERIALIZED (
      SELECT *, coalesce(level, ${literal(ACCESS_LEVELS.Hidden)}) <= ${literal(level)} AS was_seen FROM event_change
      WHERE (transaction, number) > (${integer(transaction)}, ${integer(number)}) AND transaction < ${integer(open)}
      ORDER BY transaction, number LIMIT ${literal(MAX_PASSED)}
    ), seen AS (
      SELECT f.*, ${seen} AS seen, coalesce(f.uuid, s.uuid::text) AS now, b.uuid::text AS before FROM found AS f
      LEFT JOIN event AS e ON f.kind = ${literal(CHANGE.event)} AND e.id = f.id
      LEFT JOIN event_series AS s ON s.id = CASE f.kind WHEN ${literal(CHANGE.event)} THEN e.event_series_id ELSE f.id END
      LEFT JOIN event_series AS b ON b.id = f.event_series_id
    ), passed AS (
      SELECT *, CASE WHEN kind = ${literal(CHANGE.event)} AND NOT (seen AND ${asks(sql`now`)}) THEN ${literal(CHANGE.gone)} ELSE kind END AS told_as,
        row_number() OVER (ORDER BY transaction, number) AS place, count(*) OVER () AS passed FROM seen
    )
    SELECT * FROM (SELECT transaction, number, told_as AS kind, id, external_id AS "externalId", seen, was_seen AS "wasSeen", place, passed,
      CASE told_as WHEN ${literal(CHANGE.gone)} THEN before ELSE now END AS series,
      CASE told_as WHEN ${literal(CHANGE.gone)} THEN was_seen AND before IS NOT NULL AND ${asks(sql`before`)}
        WHEN ${literal(CHANGE.series)} THEN (seen OR was_seen) AND ${asks(sql`now`)} ELSE true END AS told FROM passed) AS listed
    WHERE told OR place = passed ORDER BY place LIMIT ${literal(limit + 1)}`
}
