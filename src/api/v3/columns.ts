import { eq, sql } from 'drizzle-orm'
import { categories, events as event, eventSeries, objectModels } from '../../../schema/tables.ts'
import type { RowOf } from '../../query/table.ts'

/** The columns of an event. */
export const columns = {
  id: event.id,
  category: categories.text,
  value: event.value,
  start: event.start,
  end: event.end,
  series: event.eventSeriesId,
  x: event.x,
  y: event.y,
  z: event.z,
  model: objectModels.text,
  objectId: event.objectId,
  lastModified: event.lastModified,
  externalId: event.externalId,
}
export const joins = sql`LEFT JOIN ${categories} ON ${eq(categories.id, event.categoryId)}
    LEFT JOIN ${objectModels} ON ${eq(objectModels.id, event.objectModelId)}`

/** A row of an event. The model is null for an event without an object. */
export type EventRow = Omit<RowOf<typeof columns>, 'model'> & { readonly model: string | null }

/** More columns for the flat form of an event. */
export const flatColumns = {
  uuid: eventSeries.uuid,
  seriesName: eventSeries.name,
}
export const flatJoins = sql`LEFT JOIN ${eventSeries} ON ${eq(eventSeries.id, event.eventSeriesId)}`

export type FlatRow = EventRow & RowOf<typeof flatColumns>
