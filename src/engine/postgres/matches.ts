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
import { all } from './sql.ts'
import { fieldsIn, where } from './where.ts'

/** The rows of a list that match, as a caller sees them. */
export interface Matches {
  readonly list: ListName
  /** Returns their source, with the views that some more fields need. */
  readonly withFields: (names: readonly FieldName[]) => Source
  readonly condition: SQL
  /**
   * The source of a scan of all of them. Without conditions, a join tests 5 million rows in 0.3 s instead of 0.9: no index
   * can tempt PostgreSQL to read it for each series. Null: the usual source.
   */
  readonly scanned: Source | null
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
  const isInArea = list === 'events' && leavesOf(asked).some(({ kind }) => kind === 'area')
  if (isInArea && latest === null) return seriesFirst(snapshot, asked, decided)
  const condition = where({ list, views, decided }, asked)
  const source = sourceOf(views, level, list, fieldsIn(asked))
  if (latest !== null) {
    const isLast = isLatest(snapshot, source, condition)
    return matchesIn((more) => sourceOf(views, level, list, more), list, isLast)
  }
  const matches = matchesIn((more) => sourceOf(views, level, list, [...fieldsIn(asked), ...more]), list, condition)
  const isCounted = (leaf: Condition) => readsOnly(leaf, decided, (name) => COUNTED.test(name))
  const isWhole = list === 'events' && leavesOf(asked).length === 0
  const scanned =
    isWhole && level < ACCESS_LEVELS.Hidden ? sourceOf(views, level, list, ['series_access_modifier']) : null
  if (isWhole && !views.hasCounts) return matchesIn(matches.withFields, list, condition, scanned)
  const areCounted = views.hasCounts && list === 'events' && leavesOf(asked).every(isCounted)
  if (!areCounted) return matches
  const counted = inTable(matches, COUNTS)
  const count = selectMatches<{ readonly count: number }>(counted, sql`coalesce(sum(e.weight), 0)::bigint AS count`)
  const told = { ...matches, count, counted }
  return { ...told, scanned, placed: isWhole && views.hasCells ? inTable(matches, CELLS) : null }
}

/**
 * Finds the series before their events. PostgreSQL takes a test of a polygon for dearer than it is. So it would enter the
 * index of places once for each series: 280,000 of a million events took 10.9 s instead of 1.3 s.
 */
const seriesFirst = ({ views, level }: Snapshot, asked: Condition, decided: Decided): Matches => {
  const write = (condition: Condition) => where({ list: 'events', views, decided }, condition)
  const isJoined = (name: FieldName) => fieldsOf(views)('events', name).view !== null
  const isOfSeries = (part: Condition) => leavesOf(part).every((leaf) => readsOnly(leaf, decided, isJoined))
  const parts = asked.kind === 'all' ? asked.of : [asked]
  const ofSeries = parts.filter(isOfSeries)
  const others = allOf(parts.filter((part) => !isOfSeries(part)))
  const withFields: Matches['withFields'] = (more) => sourceOf(views, level, 'events', [...fieldsIn(others), ...more])
  const found = selectFrom(sourceOf(views, level, 'series', ['unit']), sql`s.id`, all(ofSeries.map(write)))
  const series = ofSeries.length === 0 ? null : sql`e.event_series_id = ANY(ARRAY(${found}))`
  return matchesIn(withFields, 'events', all([series, write(others)]))
}

const matchesIn = (
  withFields: Matches['withFields'],
  list: ListName,
  condition: SQL,
  scanned: Source | null = null,
): Matches => {
  const count = selectFrom(scanned ?? withFields([]), sql`count(*) AS count`, condition)
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
export const selectMatches = <R>(matches: Matches, columns: SQL): SQL<R> =>
  selectFrom(matches.scanned ?? matches.withFields([]), columns, matches.condition) as SQL<R>
