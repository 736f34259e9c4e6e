import { type SQL, sql } from 'drizzle-orm'
import type { FieldName, ListName } from '../../question/fields.ts'
import type { Selection } from '../../question/question.ts'
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
}

/** Finds out what the Worker decides of a selection, and writes the rest. */
export const matchesOf = async (
  snapshot: Snapshot,
  list: ListName,
  { where: asked, latest }: Selection,
): Promise<Matches> => {
  const { views, level } = snapshot
  const decided = await decide(snapshot, list, asked)
  const condition = where({ list, views, decided }, asked)
  const names = fieldsIn(asked)
  if (latest === null)
    return { list, condition, withFields: (more) => sourceOf(views, level, list, [...names, ...more]) }
  return {
    list,
    condition: isLatest(snapshot, condition, names),
    withFields: (more) => sourceOf(views, level, list, more),
  }
}

/** Selects the match of each series that starts last. The index of a series and its starts finds it in a step. */
const isLatest = ({ views, level }: Snapshot, condition: SQL, names: readonly FieldName[]): SQL => {
  const { joins, visible } = sourceOf(
    views,
    level,
    'series',
    names.filter((name) => name.startsWith('series_observation_type_')).length > 0 ? ['observation_type_code'] : [],
  )
  const { value } = fieldsOf(views)('events', 'start')
  return sql`e.id IN (SELECT last.id FROM event_series AS s${joins} CROSS JOIN LATERAL (
    SELECT e.id FROM event AS e WHERE e.event_series_id = s.id AND ${condition} ORDER BY ${value} DESC, e.id DESC LIMIT 1) AS last
    WHERE ${all([visible])})`
}

/** Counts the matches exactly. */
export const countOf = ({ withFields, condition }: Matches): SQL<{ readonly count: number }> =>
  selectFrom(withFields([]), sql`count(*) AS count`, condition) as SQL<{ readonly count: number }>

/** Selects columns of the matches. */
export const selectMatches = <R>(matches: Matches, columns: SQL): SQL<R> =>
  selectFrom(matches.withFields([]), columns, matches.condition) as SQL<R>
