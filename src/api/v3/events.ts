import { eq, lte, sql } from 'drizzle-orm'
import { categories, events as event, eventSeries, objectModels } from '../../../schema/tables.ts'
import { ACCESS_LEVELS } from '../../access.ts'
import { ValueError } from '../../errors.ts'
import { filterSet } from '../../filters/filter.ts'
import { bare, integerOf, number, text, uuidPrefixes } from '../../filters/scalar.ts'
import { within } from '../../filters/spatial.ts'
import { duration, instant, MILLISECONDS } from '../../filters/temporal.ts'
import type { Resource } from '../../list/resource.ts'

const path = '/api/v3/events/'

const category = {
  key: event.categoryId,
  table: categories,
  id: categories.id,
  text: categories.text,
  folded: categories.folded,
}
const model = {
  key: event.objectModelId,
  table: objectModels,
  id: objectModels.id,
  text: objectModels.text,
  folded: objectModels.folded,
}
const seriesName = {
  key: event.eventSeriesId,
  table: eventSeries,
  id: eventSeries.id,
  text: eventSeries.name,
  folded: eventSeries.nameFolded,
}

/** `<model>$<object_id>`, split at the first `$` (SPEC 4.1). */
const object = bare('object', (value) => {
  const [, name, id] = /^([^$]+)\$(.*)$/s.exec(value) ?? []
  if (name === undefined || id === undefined) throw new ValueError('Enter <model>$<object_id>, such as airport$986.')
  return sql`(${event.objectId} = ${Number(integerOf(id))} AND ${event.objectModelId} IN (
    SELECT ${objectModels.id} FROM ${objectModels} WHERE ${objectModels.text} = ${name}))`
})

/** The event list (SPEC 2.2, 4.1): GeoJSON features. */
export const events: Resource = {
  path,
  name: 'Event List',
  itemName: 'Event Instance',
  description: 'Geo-referenced, time-stamped events as GeoJSON features.',
  table: event,
  id: event.id,
  columns: {
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
  },
  joins: sql`LEFT JOIN ${categories} ON ${eq(categories.id, event.categoryId)}
    LEFT JOIN ${objectModels} ON ${eq(objectModels.id, event.objectModelId)}`,
  place: { x: event.x, y: event.y, cell: event.cell, index: 'event_by_cell' },
  visible: (level) =>
    level >= ACCESS_LEVELS.Hidden
      ? null
      : sql`${event.eventSeriesId} IN (SELECT ${eventSeries.id} FROM ${eventSeries} WHERE ${lte(eventSeries.accessModifier, level)})`,
  filters: filterSet({
    category: text(category),
    timestamp_start: instant(event.start, MILLISECONDS),
    timestamp_end: instant(event.end, MILLISECONDS),
    duration: duration(event.duration),
    object_type__model: text(model),
    object_id: number(event.objectId),
    object,
    event_series: uuidPrefixes({
      key: event.eventSeriesId,
      table: eventSeries,
      id: eventSeries.id,
      uuid: eventSeries.uuid,
    }),
    event_series__name: text(seriesName, 'iexact'),
    geom_within: within,
  }),
  orderings: { id: event.id, timestamp_start: event.start, timestamp_end: event.end },
  maxPageSize: 10_000,
  find: (key) => (/^\d{1,15}$/.test(key) ? eq(event.id, Number(key)) : null),
  serialize: (row, links) => {
    const geometry = row.x === null ? null : { type: 'Point', coordinates: [row.x, row.y, row.z] }
    return {
      id: row.id,
      type: 'Feature',
      geometry,
      properties: {
        category: row.category,
        value: row.value,
        url: links.to(`${path}${row.id}/`),
        timestamp_start: row.start,
        timestamp_end: row.end,
        event_series: row.series,
        the_geom: geometry,
        object: row.model === null ? null : { type: row.model, id: row.objectId },
      },
    }
  },
}
