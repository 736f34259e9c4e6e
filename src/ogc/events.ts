import { type SQL, sql } from 'drizzle-orm'
import { events as event, eventSeries } from '../../schema/tables.ts'
import { events, pointOf, SERIES_JOIN, WITHIN } from '../api/events.ts'
import type { Properties } from '../filters/filter.ts'
import { type Condition, filterSet } from '../filters/filter.ts'
import { overlapping } from '../filters/temporal.ts'
import { box, longitudesOf } from '../geometry/box.ts'
import { series } from '../model/dictionaries.ts'
import { EVENT, type JoinedEventRow } from '../model/event.ts'
import { featureSchemasOf, filtersOf, plainWriterOf, propertiesOf } from '../model/members.ts'
import { joinedColumnsOf } from '../model/rows.ts'
import type { SeriesRow } from '../model/series.ts'
import type { Collection } from './collection.ts'
import { eventsWritable, eventsWritableOf } from './writing/events.ts'

/**
 * The filters of the list without `bbox` and `datetime`, which have their own rules here. More filters cover the other
 * properties of a feature (Part 3, queryables as query parameters).
 */
const filters = { ...filtersOf(EVENT, 'ogc'), geom_within: WITHIN }

const properties = {
  id: { kind: 'integer', column: event.id },
  ...propertiesOf(EVENT),
  geom: { kind: 'place', x: event.x, y: event.y },
} satisfies Properties

const featureProperties = plainWriterOf(EVENT, 'ogc')

/** All events that the caller may see. */
export const eventCollection: Collection = {
  id: 'events',
  title: 'All events',
  description: 'All events that you may see. An event happened at a place, from a start to an end.',
  resource: {
    ...events,
    columns: { ...events.columns, ...joinedColumnsOf(EVENT, 'ogc') },
    joins: sql`${events.joins} ${SERIES_JOIN}`,
  },
  filters: filterSet(filters),
  fixed: [],
  properties,
  schema: { id: { title: EVENT.id.title, type: 'integer', 'x-ogc-role': 'id' }, ...featureSchemasOf(EVENT, 'ogc') },
  geometry: 'Point',
  series: null,
  ofSeries: false,
  featureOf: (row: JoinedEventRow) => ({
    id: row.id,
    geometry: pointOf(row),
    properties: featureProperties(row),
    path: `${events.path}${row.id}/`,
  }),
  writableIn: eventsWritable,
  find: events.find,
  inBox: (bounds) => ({ strict: { kind: 'area', area: box(bounds) }, loose: { kind: 'sql', sql: orNowhere(bounds) } }),
  inShape: (area) => ({ strict: { kind: 'area', area }, loose: { kind: 'area', area } }),
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
    kind: 'entries',
    dictionary: series,
    match: sql`${eventSeries.uuid} = ${uuid}`,
    namesFewRows: true,
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
      return condition && sql`(${condition} AND ${series.key} = ${id})`
    },
  }
}

const orNowhere = (bounds: readonly [number, number, number, number]): SQL => {
  const [, south, , north] = bounds
  const across = longitudesOf(bounds).map(([west, east]) => sql`${event.x} BETWEEN ${west} AND ${east}`)
  return sql`(${event.x} IS NULL OR (${event.y} BETWEEN ${south} AND ${north} AND (${sql.join(across, sql` OR `)})))`
}
