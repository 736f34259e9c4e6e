import { type SQL, sql } from 'drizzle-orm'
import { events as event, eventSeries } from '../../schema/tables.ts'
import type { SeriesRow } from '../api/series.ts'
import { type FlatRow, flatColumns, flatJoins } from '../api/v3/columns.ts'
import { events, model, series } from '../api/v3/events.ts'
import { pointOf } from '../api/v3/feature.ts'
import { flatEvent } from '../api/v3/flat.ts'
import type { Condition, FilterParameter } from '../filters/filter.ts'
import { filterSet } from '../filters/filter.ts'
import { bare } from '../filters/scalar.ts'
import { overlapping } from '../filters/temporal.ts'
import { box, longitudesOf } from '../geometry/box.ts'
import type { Collection } from './collection.ts'
import { EVENT_PROPERTIES } from './properties.ts'
import { eventsWritable, eventsWritableOf } from './writing/events.ts'

const STRING = { type: 'string' }

/**
 * The filters of the list without `bbox` and `datetime`, which have their own rules here. More filters cover the other
 * properties of a feature (Part 3, queryables as query parameters).
 */
const filters = (() => {
  const { bbox, datetime, ...listed } = Object.fromEntries(events.filters)
  const { dictionary } = EVENT_PROPERTIES.event_series
  const named = filterSet({
    value: {
      ...bare('text', STRING, (value) => ({ sql: sql`${event.value} = ${value}` })),
      about: 'The value of the event',
      example: '3.4',
    },
    object_type: {
      ...bare('text', STRING, (value) => ({ dictionary: model, match: sql`${model.text} = ${value}`, few: true })),
      about: "The model of the event's object",
      example: 'storm',
    },
    event_series_name: {
      ...bare('text', STRING, (value) => ({ dictionary, match: sql`${series.text} = ${value}`, few: true })),
      about: 'The name of the series of the event',
      example: 'Atlantic storms 2010-2020',
    },
  })
  return new Map<string, FilterParameter>([...Object.entries(listed), ...named])
})()

/** All events that the caller may see. */
export const eventCollection: Collection = {
  id: 'events',
  title: 'All events',
  description: 'All events that you may see. An event happened at a place, from a start to an end.',
  resource: {
    ...events,
    columns: { ...events.columns, ...flatColumns },
    joins: sql`${events.joins} ${flatJoins}`,
  },
  filters,
  fixed: [],
  properties: EVENT_PROPERTIES,
  schema: {
    id: { title: 'Id', type: 'integer', 'x-ogc-role': 'id' },
    category: { title: 'Category', ...STRING },
    value: { title: 'Value', ...STRING },
    timestamp_start: { title: 'Start', ...STRING, format: 'date-time', 'x-ogc-role': 'primary-interval-start' },
    timestamp_end: { title: 'End', ...STRING, format: 'date-time', 'x-ogc-role': 'primary-interval-end' },
    event_series: { title: 'Series', ...STRING, format: 'uuid' },
    event_series_name: { title: 'Name of the series', ...STRING },
    object_type: { title: 'Model of the object', ...STRING },
    object_id: { title: 'Id of the object', type: 'integer' },
    external_id: { title: 'Id at its source', ...STRING },
    last_modified: { title: 'Last changed', ...STRING, format: 'date-time' },
  },
  geometry: 'Point',
  series: null,
  ofSeries: false,
  featureOf: (row: FlatRow) => ({
    id: row.id,
    geometry: pointOf(row),
    properties: flatEvent(row),
    path: `${events.path}${row.id}/`,
  }),
  writableIn: eventsWritable,
  find: events.find,
  inBox: (bounds) => ({ strict: { area: box(bounds) }, loose: { sql: orNowhere(bounds) } }),
  inShape: (area) => ({ strict: { area }, loose: { area } }),
  placeless: (level) => {
    const seen = events.visible(level) ?? sql`1`
    return sql`SELECT EXISTS (SELECT 1 FROM ${event} INDEXED BY event_of_cell WHERE ${event.cell} IS NULL AND ${seen}) AS found`
  },
  during: (least, greatest) => overlapping(event.start, event.end, [least, greatest]),
}

/** Returns the collection of the events of one series. A client such as QGIS shows it as a separate layer. */
export const eventsOfSeries = ({
  id,
  uuid,
  name,
  description,
}: Pick<SeriesRow, 'id' | 'uuid' | 'name' | 'description'>): Collection => {
  const entry: Condition = {
    dictionary: EVENT_PROPERTIES.event_series.dictionary,
    match: sql`${eventSeries.uuid} = ${uuid}`,
    few: true,
  }
  return {
    ...eventCollection,
    id: `events-${uuid}`,
    title: name,
    description: description || `The events of ${name}.`,
    fixed: [entry],
    series: sql`${eventSeries.id} = ${id}`,
    writableIn: (srid) => eventsWritableOf({ id, uuid }, srid),
    find: (key) => {
      const condition = events.find(key)
      return condition && sql`(${condition} AND ${event.eventSeriesId} = ${id})`
    },
  }
}

const orNowhere = (bounds: readonly [number, number, number, number]): SQL => {
  const [, south, , north] = bounds
  const across = longitudesOf(bounds).map(([west, east]) => sql`${event.x} BETWEEN ${west} AND ${east}`)
  return sql`(${event.x} IS NULL OR (${event.y} BETWEEN ${south} AND ${north} AND (${sql.join(across, sql` OR `)})))`
}
