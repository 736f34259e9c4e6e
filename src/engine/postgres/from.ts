import { type SQL, sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../../base/access.ts'
import type { FieldName, ListName } from '../../question/fields.ts'
import { tableOf } from './context.ts'
import { fieldsOf, groupedEvents, type StoredField } from './fields.ts'
import { all } from './sql.ts'
import type { Views } from './views.ts'

/** The rows of a list that a level sees, with the views that some fields need. */
export interface Source {
  readonly table: SQL
  readonly joins: SQL
  /** Null: the level sees all rows. */
  readonly visible: SQL | null
}

/**
 * Returns where the rows of a list come from. A join leaves out only hidden rows. `ids` selects the ids of the only series
 * whose events may be grouped. Null: all series.
 */
export const sourceOf = (
  views: Views,
  level: number,
  list: ListName,
  names: Iterable<FieldName>,
  ids: SQL | null = null,
): Source => {
  const fields = Array.from(names, (name) => fieldsOf(views)(list, name))
  const needs = (view: StoredField['view']) => fields.some((field) => field.view === view)
  const isLimited = level < ACCESS_LEVELS.Hidden && list !== 'types'
  const needsType = needs('observation_type')
  const needsSeries = list === 'events' && (needsType || needs('event_series'))
  // An event without a visible series is hidden.
  const series = sql`${isLimited ? sql` JOIN` : sql` LEFT JOIN`} event_series AS s ON s.id = e.event_series_id`
  const needsGroups = list === 'series' && needs('event')
  const groups = sql` LEFT JOIN (${groupedEvents(views, ids)}) AS grouped ON grouped.id = s.id`
  const type = sql` LEFT JOIN observation_type AS t ON t.id = s.observation_type_id`
  const isVisible = sql`${fieldsOf(views)('series', 'access_modifier').value} <= ${String(level)}::int`
  // PostgreSQL keeps these ids in memory. A join, or IN without IS TRUE, could read an index once for each series.
  const isInVisible = sql`(e.event_series_id IN (SELECT s.id FROM event_series AS s WHERE ${isVisible})) IS TRUE`
  const visible = list === 'events' && !needsSeries ? isInVisible : isVisible
  return {
    table: tableOf(list),
    joins: sql`${needsSeries ? series : sql``}${needsGroups ? groups : sql``}${needsType ? type : sql``}`,
    visible: isLimited ? visible : null,
  }
}

/** Selects columns of the rows of a source that meet a condition. */
export const selectFrom = ({ table, joins, visible }: Source, columns: SQL, condition: SQL | null): SQL =>
  sql`SELECT ${columns} FROM ${table}${joins} WHERE ${all([visible, condition])}`
