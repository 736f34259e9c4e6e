import { type SQL, sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../../base/access.ts'
import { allOf, type Condition, leavesOf } from '../../question/condition.ts'
import type { FieldName, ListName } from '../../question/fields.ts'
import type { Selection } from '../../question/question.ts'
import type { Decided } from './context.ts'
import { decide } from './decide.ts'
import { fieldsOf } from './fields.ts'
import { type Source, selectFrom, sourceOf } from './from.ts'
import type { Snapshot } from './snapshot.ts'
import { all, FENCE, integer, integers, literal } from './sql.ts'
import { fieldsIn, where } from './where.ts'

/** Rows that meet a condition. */
interface Scanned {
  readonly source: Source
  readonly condition: SQL | null
}

/** The rows of a list that match, as a caller sees them. */
export interface Matches {
  readonly list: ListName
  /** Returns their source, with the views that some more fields need. */
  readonly withFields: (names: readonly FieldName[]) => Source
  readonly condition: SQL
  /** A scan of all of them. */
  readonly scanned: Scanned
  /** Counts them exactly. */
  readonly count: SQL<{ readonly count: number }>
  /** The matches by the table of counts. Null: it does not tell them. */
  readonly counted: Matches | null
  /** All events by the table of cells. Null: it is absent, or there are conditions. */
  readonly placed: Matches | null
}

/** Finds out what the Worker decides of a selection, and writes the rest. */
export const matchesOf = async (snapshot: Snapshot, list: ListName, selection: Selection): Promise<Matches> => {
  const { views, level } = snapshot
  const { where: asked, latest } = selection
  const decided = await decide(snapshot, list, asked)
  const { ofSeries, others } = partsOf(snapshot, list, asked, decided)
  const found = ofSeries.length === 0 ? null : await isOfFound(snapshot, all(ofSeries))
  const condition = all([found, where({ list, views, decided }, others)])
  const fields = fieldsIn(others)
  if (latest !== null) {
    const isLast = isLatest(snapshot, sourceOf(views, level, list, fields), condition)
    return matchesIn((more) => sourceOf(views, level, list, more), list, isLast)
  }
  const withFields: Matches['withFields'] = (more) => sourceOf(views, level, list, [...fields, ...more])
  const isPlain = list === 'events' && fields.every((name) => fieldsOf(views)(list, name).view === null)
  const scanned = isPlain && level < ACCESS_LEVELS.Hidden ? scannedIn(snapshot, condition, asked) : undefined
  const matches = matchesIn(withFields, list, condition, scanned)
  const isCounted = (leaf: Condition) => readsOnly(leaf, decided, (name) => COUNTED.test(name))
  if (!views.hasCounts || list !== 'events' || !leavesOf(asked).every(isCounted)) return matches
  const counted = inTable(matches, COUNTS)
  const count = selectMatches<{ readonly count: number }>(counted, sql`coalesce(sum(e.weight), 0)::bigint AS count`)
  const isWhole = leavesOf(asked).length === 0
  return { ...matches, count, counted, placed: isWhole && views.hasCells ? inTable(matches, CELLS) : null }
}

/**
 * Writes the scan of all matches, whose conditions read no series. A join tests who sees them in a third of the time, and only
 * after the conditions. Behind the fence, no index can tempt PostgreSQL to read it for each series.
 */
const scannedIn = ({ views, level }: Snapshot, condition: SQL, asked: Condition): Scanned => {
  const source = sourceOf(views, level, 'events', ['series_access_modifier'])
  if (leavesOf(asked).length === 0) return { source, condition }
  const matched = sql`(SELECT e.* FROM ${source.table} WHERE ${condition} ${FENCE}) AS e`
  return { source: { ...source, table: matched }, condition: null }
}

/** The most series that are named to PostgreSQL. */
const MAX_FOUND = 1000

/** Divides a condition on events into conditions on their series, and the others. */
const partsOf = ({ views }: Snapshot, list: ListName, asked: Condition, decided: Decided) => {
  const isJoined = (name: FieldName) => fieldsOf(views)(list, name).view !== null
  // An event without a series may meet `unless`.
  const isOfSeries = (part: Condition): boolean =>
    'of' in part && part.kind !== 'area'
      ? part.kind !== 'unless' && [part.of].flat().every(isOfSeries)
      : readsOnly(part, decided, isJoined)
  const parts = asked.kind === 'all' ? asked.of : [asked]
  const areOfSeries = parts.map((part) => list === 'events' && leavesOf(part).length > 0 && isOfSeries(part))
  const ofSeries = parts.filter((_, i) => areOfSeries[i]).map((part) => where({ list, views, decided }, part))
  return { ofSeries, others: allOf(parts.filter((_, i) => !areOfSeries[i])) }
}

/**
 * Finds the series before their events. PostgreSQL then knows how many events they have, and finds the latest ones of one
 * series by its index: 1 ms instead of 1 s in a million events. It takes a test of a polygon for dearer than it is, so it
 * would enter the index of places once for each series: 280,000 events took 10.9 s instead of 1.3 s.
 */
const isOfFound = async ({ views, level, read }: Snapshot, condition: SQL): Promise<SQL> => {
  const series = selectFrom(sourceOf(views, level, 'series', ['unit']), sql`s.id AS id`, condition)
  const [found] = await read(sql<{ readonly id: number }>`${series} LIMIT ${literal(MAX_FOUND + 1)}`)
  const [first] = found
  if (first !== undefined && found.length === 1) return sql`e.event_series_id = ${integer(first.id)}`
  const ids = found.length > MAX_FOUND ? sql`ARRAY(${series})` : integers(found.map(({ id }) => id))
  return sql`e.event_series_id = ANY(${ids})`
}

const matchesIn = (
  withFields: Matches['withFields'],
  list: ListName,
  condition: SQL,
  scanned: Scanned = { source: withFields([]), condition },
): Matches => {
  const count = selectFrom(scanned.source, sql`count(*) AS count`, scanned.condition)
  const none = { counted: null, placed: null }
  return { list, withFields, condition, scanned, count: count as SQL<{ readonly count: number }>, ...none }
}

/** The table of counts has these fields (schema/postgres/grade-c.sql). */
const COUNTED = /^(category|series(_.*)?)$/

/** Tests if a condition reads one field, and no other than some fields have. */
const readsOnly = (leaf: Condition, { texts }: Decided, has: (name: FieldName) => boolean): boolean => {
  if (leaf.kind !== 'range' && leaf.kind !== 'text' && !texts.has(leaf)) return false
  const { field } = leaf as Extract<Condition, { kind: 'range' | 'text' | 'match' }>
  return typeof field === 'string' && has(field)
}

/**
 * The table of counts in place of events. A row stands for `weight` events, which start in the month after its start. It has
 * the columns of the condition under the same names: 1 ms instead of 240 at 5 million.
 */
const COUNTS = sql`(SELECT event_series_id, category, month AS timestamp_start, count AS weight FROM event_count) AS e`

/** The table of cells. A row stands for `weight` events in one cell of a level. */
const CELLS = sql`(SELECT event_series_id, cell, count AS weight FROM event_cell) AS e`

const inTable = ({ withFields, condition }: Matches, table: SQL): Matches =>
  matchesIn((more) => ({ ...withFields(more), table }), 'events', condition)

/**
 * Selects the match of each series that starts last. An index of series and starts finds it in a step. Without the index,
 * the matches are sorted once: 48 series of a million events took 12 s in steps. Their ids are an array, which is
 * found once: PostgreSQL may compute a join again for each row.
 */
const isLatest = ({ views, level }: Snapshot, source: Source, asked: SQL): SQL => {
  const { value, known } = fieldsOf(views)('events', 'start')
  // An event without a start or a series is the last one of none.
  const condition = all([asked, known, sql`e.event_series_id IS NOT NULL`])
  if (!views.indexes.has('series')) {
    const sorted = selectFrom(source, sql`DISTINCT ON (e.event_series_id) e.id`, condition)
    return sql`e.id = ANY(ARRAY(${sorted} ORDER BY e.event_series_id, ${value} DESC, e.id DESC))`
  }
  const { joins, visible } = sourceOf(views, level, 'series', ['unit'])
  return sql`e.id = ANY(ARRAY(SELECT last.id FROM event_series AS s${joins} CROSS JOIN LATERAL (
    SELECT e.id FROM event AS e WHERE e.event_series_id = s.id AND ${condition} ORDER BY ${value} DESC, e.id DESC LIMIT 1) AS last
    WHERE ${all([visible])}))`
}

/** Selects columns of the matches. */
export const selectMatches = <R>({ scanned }: Matches, columns: SQL): SQL<R> =>
  selectFrom(scanned.source, columns, scanned.condition) as SQL<R>
