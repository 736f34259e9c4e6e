import { sql } from 'drizzle-orm'
import {
  eventCounts as counts,
  DURATION_CLASSES,
  durationClass,
  events as event,
  objectModels,
} from '../../schema/tables.ts'
import { visibleCount } from '../model/dictionaries.ts'
import { length } from '../model/event.ts'
import type { LargeResource } from '../resource.ts'

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
