import { type SQL, sql } from 'drizzle-orm'
import { listed, NOW, nameOf, sqlText } from '../../schema/sql.ts'
import { eventSeries, events, observationTypes, revisions, sequences } from '../../schema/tables.ts'
import { ACCESS_LEVELS } from '../base/access.ts'
import { unavailable } from '../base/errors.ts'
import type { Database, Statement } from '../engine/d1/database.ts'
import { integerOf } from '../engine/d1/sql.ts'
import { tableOf } from '../engine/d1/tables.ts'
import { type LevelState, REVISIONS } from '../engine/state.ts'
import type { ListName } from '../question/fields.ts'
import type { LoadRecord } from './records.ts'

/**
 * Returns a statement with its parameters. A number is passed as text or JSON, because D1 takes every number in a
 * parameter as a float.
 */
export const statement = (text: SQL | string, ...parameters: readonly string[]): Statement => ({
  sql: typeof text === 'string' ? text : sqlText(text),
  parameters,
})

/** Fails its batch unless a condition holds at that moment. Then nothing is written. */
export const guard = (condition: SQL, ...parameters: readonly string[]): Statement =>
  statement(sql`SELECT json(CASE WHEN ${condition} THEN '1' ELSE '' END)`, ...parameters)

const isAt = sql.join(
  REVISIONS.map(
    ({ level, revision, changed }) => sql`state.value ->> 'level' = ${level}
      AND ${revision} = state.value ->> 'revision' AND ${changed} = state.value ->> 'changed'`,
  ),
  sql` OR `,
)

/** Fails a batch unless the data is in one of these states. */
export const guardState = (states: readonly LevelState[]): Statement =>
  guard(sql`EXISTS (SELECT 1 FROM json_each(?1) AS state JOIN ${revisions} WHERE ${isAt})`, JSON.stringify(states))

/** Fails a batch unless the item with an id has this tag. An item of a list without states has none. */
export const guardItem = (list: ListName, id: number, tag: string): Statement => {
  const { table, id: key, state = sql`NULL` } = tableOf(list, [])
  return guard(sql`EXISTS (SELECT 1 FROM ${table} WHERE ${key} = ${integerOf(id)} AND ${state} = ${tag})`)
}

/** Changes the state of a series, in an UPDATE that each write of the series or its events needs anyway. */
export const RAISE_SERIES = sql`${nameOf(eventSeries.revision)} = ${eventSeries.revision} + 1,
  ${nameOf(eventSeries.changed)} = ${NOW}`

/** Fails a batch unless these series exist and a caller of this level can see them. */
export const guardSeen = (series: readonly number[], level: number): Statement =>
  guard(
    sql`NOT EXISTS (SELECT 1 FROM json_each(?1) AS given WHERE NOT EXISTS (
      SELECT 1 FROM ${eventSeries}
      WHERE ${eventSeries.id} = given.value AND ${eventSeries.accessModifier} <= CAST(?2 AS INTEGER)))`,
    JSON.stringify([...new Set(series)]),
    String(level),
  )

const RAISE = sqlText(sql`
  INSERT INTO ${revisions} (id, ${listed(REVISIONS.flatMap(({ revision, changed }) => [nameOf(revision), nameOf(changed)]))})
  SELECT 1, ${listed(REVISIONS.flatMap(({ level }) => [sql`least <= ${level}`, sql`(least <= ${level}) * now`]))}
  FROM (SELECT ${NOW} AS now, min(CAST(?2 AS INTEGER), coalesce((
    SELECT min(${eventSeries.accessModifier}) FROM ${eventSeries}
    WHERE ${eventSeries.id} IN (SELECT value FROM json_each(?1))), ${ACCESS_LEVELS.Public})) AS least) WHERE true
  ON CONFLICT (${nameOf(revisions.id)}) DO UPDATE SET ${listed(
    REVISIONS.flatMap(({ revision, changed }) => [
      sql`${nameOf(revision)} = ${revision} + excluded.${nameOf(revision)}`,
      sql`${nameOf(changed)} = iif(excluded.${nameOf(revision)}, excluded.${nameOf(changed)}, ${changed})`,
    ]),
  )}`)

/**
 * Raises the revision of each level whose callers see one of these series. The batch of every write must contain it, at
 * a moment when the written series are stored. `level` is a further level that sees the write: that of a series after
 * the batch. If none of the series is stored, it raises all levels.
 */
export const raiseRevision = (series: readonly number[], level: number = ACCESS_LEVELS.Hidden): Statement =>
  statement(RAISE, JSON.stringify(series), String(level))

/** Changes all states. */
export const RAISE_ALL = raiseRevision([])

/** The upper limit of the ids that this service gives to rows. Greater ids come from the loader only. */
export const MAX_GIVEN = 2 ** 52

/** The tables of items, whose rows get new ids here. */
export const KIND_TABLES = { event: events, event_series: eventSeries, observation_type: observationTypes }

/** Raises a sequence by a step, and at least to the value that `least` selects. */
const raise = (name: SQL | string, step: SQL, least: SQL, parameter: number): Statement =>
  statement(
    sql`INSERT INTO ${sequences} (${listed([sequences.name, sequences.last].map(nameOf))}) SELECT ${name}, ${least}
    ON CONFLICT (${nameOf(sequences.name)}) DO UPDATE SET
      ${nameOf(sequences.last)} = max(${sequences.last} + ${step}, excluded.${nameOf(sequences.last)})`,
    String(parameter),
  )
const GIVEN = sql`CAST(?1 AS INTEGER)`

/**
 * Takes this many new ids for rows of a table, in the same round trip as `reads`. Returns the first id and the answers. An
 * id is never taken twice, and never the id of an existing row. The ids are known before the rows are stored. Two writers
 * at the same time get different ids.
 */
export const takeIds = async (db: Database, name: LoadRecord['kind'], count: number, reads: readonly SQL[]) => {
  const table = KIND_TABLES[name]
  const least = sql`coalesce(max(${table.id}), 0) + ${GIVEN} FROM ${table} WHERE ${table.id} < ${MAX_GIVEN}`
  const greatest = sql<{ last: number }>`SELECT ${sequences.last} FROM ${sequences} WHERE ${sequences.name} = ${name}`
  const answers = await db.write([raise(name, GIVEN, least, count)], greatest, ...reads)
  if (answers === null) throw unavailable()
  const [[last], ...rest] = answers
  if (last === undefined) throw new Error(`no ids were reserved for ${name}`)
  return { first: Number(last.last) - count + 1, answers: rest }
}

const MODIFIED = sql`'event_modified'`

/**
 * Takes the stamp of a write of events, in microseconds since 1970. The stamp is greater than all earlier stamps, even
 * if the clock is not. A client that knows all events up to a stamp finds all later changes with greater stamps.
 */
export const takeStamp = (now: number): Statement => raise(MODIFIED, sql`1`, sql`${GIVEN} WHERE true`, now)

/** The stamp that was just taken, in SQL. */
export const STAMP = sql`(SELECT ${sequences.last} FROM ${sequences} WHERE ${sequences.name} = ${MODIFIED})`

/** Sets the time of the last change of series, in microseconds since 1970, and changes their states. */
export const touchSeries = (ids: readonly number[], now: number): Statement =>
  statement(
    sql`UPDATE ${eventSeries} SET ${nameOf(eventSeries.lastModified)} = CAST(?2 AS INTEGER), ${RAISE_SERIES}
      WHERE ${eventSeries.id} IN (SELECT value FROM json_each(?1))`,
    JSON.stringify(ids),
    String(now),
  )

const MAX_ATTEMPTS = 5

/**
 * Tries a write until it succeeds. `attempt` returns null if another write came first. Throws a 503 after five
 * attempts.
 */
export const untilWritten = async <T>(
  attempt: (which: { readonly isFirst: boolean; readonly isLast: boolean }) => Promise<T | null>,
): Promise<T> => {
  for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts++) {
    const answer = await attempt({ isFirst: attempts === 1, isLast: attempts === MAX_ATTEMPTS })
    if (answer !== null) return answer
  }
  throw unavailable()
}

/** The most rows that one transaction of a delete in steps deletes. */
export const STEP = 5000
const MAX_TIME = 20_000 // milliseconds

/** Limits a delete in steps: it ends after 20 seconds, or after five refused transactions in a row. */
export const limitSteps = () => {
  const started = Date.now()
  let refusals = 0
  return {
    isReached: (): boolean => Date.now() - started > MAX_TIME || refusals === MAX_ATTEMPTS,
    note: (isDone: boolean): void => {
      refusals = isDone ? 0 : refusals + 1
    },
  }
}

/** The extremes that a series shows: its column, and the column of the events whose least or greatest value it has. */
const DERIVED = [
  { column: eventSeries.start, least: true, source: events.start },
  { column: eventSeries.end, least: false, source: events.end },
  { column: eventSeries.west, least: true, source: events.x },
  { column: eventSeries.east, least: false, source: events.x },
  { column: eventSeries.south, least: true, source: events.y },
  { column: eventSeries.north, least: false, source: events.y },
].map((each) => ({ ...each, name: nameOf(each.column), aggregate: each.least ? sql`min` : sql`max` }))

const INDEXED = sql`INDEXED BY event_of_series`
const COUNT = nameOf(eventSeries.eventCount)
const extremes = listed(DERIVED.map(({ name, aggregate, source }) => sql`${aggregate}(${source}) AS ${name}`))

/** The count and the extremes of events in each series. The events are given by ids, a JSON array. */
const GROUPED = sql`(SELECT ${events.eventSeriesId} AS id, count(*) AS count, ${extremes}
  FROM json_each(?1) AS row CROSS JOIN ${events} ON ${events.id} = row.value GROUP BY 1) AS these`

/** Marks a column whose value must be computed. It is only stored within a batch. */
const STALE = sql`'stale'`

/**
 * Subtracts events from the derived columns of their series. The parameter is a JSON array of ids, and the events are
 * still stored. If only these events have an extreme, it becomes stale. RENEW computes it after they are deleted or
 * changed. Most events have no extreme of their own, so a write reads the whole series only rarely.
 */
export const SHRINK = sql`UPDATE ${eventSeries} SET ${COUNT} = ${eventSeries.eventCount} - these.count, ${listed(
  DERIVED.map(
    ({ column, name, source }) => sql`
    ${name} = CASE WHEN ${column} = these.${name} AND NOT EXISTS (
      SELECT 1 FROM ${events} ${INDEXED} WHERE ${events.eventSeriesId} = ${eventSeries.id}
        AND ${source} = ${column} AND ${events.id} NOT IN (SELECT value FROM json_each(?1)))
      THEN ${STALE} ELSE ${column} END`,
  ),
)}
  FROM ${GROUPED} WHERE ${eventSeries.id} = these.id`

/** Computes the stale columns of series. The parameter is a JSON array of their ids. */
export const RENEW = sql`UPDATE ${eventSeries} SET ${listed(
  DERIVED.map(
    ({ column, name, aggregate, source }) => sql`
    ${name} = CASE WHEN ${column} = ${STALE} THEN (
      SELECT ${aggregate}(${source}) FROM ${events} ${INDEXED} WHERE ${events.eventSeriesId} = ${eventSeries.id})
      ELSE ${column} END`,
  ),
)}
  WHERE ${eventSeries.id} IN (SELECT value FROM json_each(?1))`

/**
 * Adds stored events to the derived columns of their series. The parameter is a JSON array of their ids. The scalar min
 * and max are null if one side is null. Then the other side is the result. A load writes no other row of its series.
 */
export const GROW = sql`UPDATE ${eventSeries} SET ${RAISE_SERIES},
  ${COUNT} = ${eventSeries.eventCount} + these.count, ${listed(
    DERIVED.map(
      ({ column, name, aggregate }) => sql`
    ${name} = coalesce(${aggregate}(${column}, these.${name}), ${column}, these.${name})`,
    ),
  )}
  FROM ${GROUPED} WHERE ${eventSeries.id} = these.id`

/** Computes the derived columns of all series. */
export const DERIVE_ALL = sql`UPDATE ${eventSeries} SET ${COUNT} = coalesce(these.count, 0), ${listed(
  DERIVED.map(({ name }) => sql`${name} = these.${name}`),
)}
  FROM (SELECT entry.id AS series, computed.* FROM ${eventSeries} AS entry LEFT JOIN (
    SELECT ${events.eventSeriesId} AS key, count(*) AS count, ${extremes} FROM ${events} GROUP BY 1) AS computed
    ON computed.key = entry.id) AS these
  WHERE ${eventSeries.id} = these.series`
