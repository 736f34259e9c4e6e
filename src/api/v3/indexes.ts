import { lte, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { TREES } from '../../../schema/counts.ts'
import {
  eventCounts as counts,
  DURATION_CLASSES,
  durationClass,
  events as event,
  eventSeries,
  objectModels,
} from '../../../schema/tables.ts'
import { ACCESS_LEVELS } from '../../access.ts'
import type { LargeResource } from '../../resource.ts'

/** The columns of counts, by access level. */
const LEVELS = [
  ['public', ACCESS_LEVELS.Public],
  ['common', ACCESS_LEVELS.Common],
  ['private', ACCESS_LEVELS.Private],
  ['hidden', ACCESS_LEVELS.Hidden],
] as const

type Counted = Record<(typeof LEVELS)[number][0], SQLWrapper>

/** The sum of the counts at levels that `fits` takes. */
const sumOf = (t: Counted, fits: (level: number) => boolean): SQL => {
  const columns = LEVELS.filter(([, level]) => fits(level)).map(([name]) => sql`${t[name]}`)
  return sql`(${sql.join(columns, sql` + `)})`
}

/** How many events of an entry of a dictionary, or of a node of a tree, a caller of this level sees. */
export const visibleCount = (t: Counted) => (level: number) => sumOf(t, (of) => of <= level)

/** The duration, of the columns that all indexes for filters hold. */
export const length = sql`(${event.end} - ${event.start})`

/**
 * Events of visible series. One event: its series is checked. Many: `IN` all visible series, skipped when the counts say
 * that nothing is hidden.
 */
export const visible = (level: number, single = false) => {
  if (level >= ACCESS_LEVELS.Hidden) return null
  const seen = lte(eventSeries.accessModifier, level)
  if (single)
    return sql`EXISTS (SELECT 1 FROM ${eventSeries} WHERE ${eventSeries.id} = ${event.eventSeriesId} AND ${seen})`
  const unseen = sql`SELECT ${sumOf(counts, (of) => of > level)} FROM ${counts}
    WHERE ${counts.tree} = 'id' AND ${counts.shift} = ${sql.raw(String(TREES.id.complete.at(-1)))} AND ${counts.node} = 0`
  return sql`((${unseen}) = 0 OR ${event.eventSeriesId} IN (SELECT ${eventSeries.id} FROM ${eventSeries} WHERE ${seen}))`
}

/** How pages of events are found: by which indexes, and by which counts. */
export const access: LargeResource['access'] = {
  indexes: [
    { name: 'event_by_series', on: event.eventSeriesId, second: event.id, covering: false },
    { name: 'event_by_category', on: event.categoryId, second: event.id, covering: false },
    { name: 'event_by_object_model', on: event.objectModelId, second: event.id, covering: false },
    { name: 'event_by_start', on: event.start, second: event.id, covering: false },
    { name: 'event_by_end', on: event.end, second: event.id, covering: false },
    { name: 'event_by_duration', on: event.duration, second: event.id, covering: false },
    { name: 'event_by_last_modified', on: event.lastModified, second: event.id, covering: false },
    { name: 'event_of_series', on: event.eventSeriesId, second: event.start, covering: true },
    { name: 'event_of_category', on: event.categoryId, second: event.start, covering: true },
    {
      name: 'event_of_object',
      on: event.objectModelId,
      second: event.objectId,
      covering: true,
      values: sql`SELECT ${objectModels.id} AS value FROM ${objectModels}`,
    },
    { name: 'event_of_class', on: durationClass, second: event.start, covering: true },
    { name: 'event_of_cell', on: event.cell, second: event.x, covering: true },
  ],
  time: {
    start: event.start,
    end: event.end,
    duration: length,
    durationColumn: event.duration,
    durationClass,
    classes: DURATION_CLASSES,
  },
  place: { x: event.x, y: event.y, cell: event.cell },
  filtered: [
    event.eventSeriesId,
    event.categoryId,
    event.start,
    event.end,
    event.x,
    event.y,
    event.objectModelId,
    event.objectId,
  ],
  counts: {
    table: counts,
    tree: counts.tree,
    shift: counts.shift,
    node: counts.node,
    first: counts.first,
    values: { id: event.id, cell: event.cell, start: event.start, end: event.end, class: durationClass },
    visible: visibleCount(counts),
  },
  owner: event.eventSeriesId,
  lookedUp: [event.lastModified],
}
