import { SQL, sql } from 'drizzle-orm'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { DURATION_CLASSES, durationClass } from '../../schema/durations.ts'
import { eventCounts as counts, events as event, objectModels } from '../../schema/tables.ts'
import { hasValue } from '../../schema/trees.ts'
import { series, visibleCount } from '../model/dictionaries.ts'
import { length } from '../model/event.ts'
import type { LargeResource } from '../resource.ts'

/** The indexes of events with their columns. Only the index of the classes of durations has an expression. */
const INDEXES = getTableConfig(event).indexes.flatMap(({ config: { name, columns, unique } }) =>
  unique ? [] : [{ name, columns: columns.map((each) => (each instanceof SQL ? durationClass : each)) }],
)

const indexes = INDEXES.map(({ name, columns: [on = event.id, second = event.id, ...more] }) => ({
  ...{ name, on, second, covering: more.length > 1 },
  ...(name === 'event_of_object' && { values: sql`SELECT ${objectModels.id} AS value FROM ${objectModels}` }),
}))
const filtered = INDEXES.find(({ name }) => name === 'event_of_series')?.columns ?? []

/** A plan finds pages of events with these indexes and counts. */
export const access: LargeResource['access'] = {
  indexes,
  time: {
    start: event.start,
    end: event.end,
    duration: length,
    durationColumn: event.duration,
    durationClass,
    classes: DURATION_CLASSES,
  },
  place: { x: event.x, y: event.y, cell: event.cell },
  filtered,
  counts: { ...counts, table: counts, hasValue, visible: visibleCount(counts) },
  owner: series.key,
  lookedUp: indexes.flatMap(({ on, covering }) =>
    covering || on === event.duration || filtered.includes(on) ? [] : [on],
  ),
}
