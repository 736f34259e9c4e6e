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

/** Returns the sum of the counts at the access levels that `fits` accepts. */
const sumOf = (t: Counted, fits: (level: number) => boolean): SQL => {
  const columns = LEVELS.filter(([, level]) => fits(level)).map(([name]) => sql`${t[name]}`)
  return sql`(${sql.join(columns, sql` + `)})`
}

/** Returns how many events a caller of a level sees in a dictionary entry or a tree node. */
export const visibleCount = (t: Counted) => (level: number) => sumOf(t, (each) => each <= level)

/** The duration of an event. All indexes for filters contain these two columns. */
export const length = sql`(${event.end} - ${event.start})`

/**
 * Selects the events of visible series. For a single event it checks one series. For many it uses `IN` with all visible
 * series, and skips that if the counts show no hidden event.
 */
export const visible = (level: number, single = false) => {
  if (level >= ACCESS_LEVELS.Hidden) return null
  const seen = lte(eventSeries.accessModifier, level)
  if (single)
    return sql`EXISTS (SELECT 1 FROM ${eventSeries} WHERE ${eventSeries.id} = ${event.eventSeriesId} AND ${seen})`
  const unseen = sql`SELECT ${sumOf(counts, (each) => each > level)} FROM ${counts}
    WHERE ${counts.tree} = 'id' AND ${counts.shift} = ${sql.raw(String(TREES.id.complete.at(-1)))} AND ${counts.node} = 0`
  return sql`((${unseen}) = 0 OR ${event.eventSeriesId} IN (SELECT ${eventSeries.id} FROM ${eventSeries} WHERE ${seen}))`
}

/** A plan finds pages of events with these indexes and counts. */
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
