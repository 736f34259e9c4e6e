import { type SQL, sql } from 'drizzle-orm'
import { events as event, eventSeries } from '../../schema/tables.ts'
import { eventFilters } from '../api/eventFilters.ts'
import { events, eventsOf, pointOf, SERIES_JOIN } from '../api/events.ts'
import { eventWritable } from '../api/eventWriting.ts'
import type { Properties } from '../filters/filter.ts'
import { listFilters } from '../filters/filterSet.ts'
import { overlapping } from '../filters/temporal.ts'
import type { Bbox } from '../geometry/bbox.ts'
import { longitudesOf } from '../geometry/box.ts'
import { patchedAttributes } from '../model/attributes.ts'
import { EVENT } from '../model/event.ts'
import { featureSchemasOf, filtersOf, membersOf, propertiesOf, writerOf } from '../model/members.ts'
import { joinedColumnsOf } from '../model/rows.ts'
import { UUID } from '../model/schema.ts'
import type { EventRow, SeriesRow } from '../model/types.ts'
import type { Writable } from '../store/writable.ts'
import { type Collection, FEATURE_TYPES } from './collection.ts'
import { boxIn, pointIn } from './crs.ts'

const properties = {
  id: { kind: 'integer', column: event.id },
  ...propertiesOf(EVENT),
  geom: { kind: 'place', x: event.x, y: event.y },
} satisfies Properties

const featureProperties = writerOf(membersOf(EVENT, 'ogc'))

/** Returns how clients write events as features, with positions in the reference system `srid`. */
const writableIn = (srid: number, owner: Pick<SeriesRow, 'id' | 'uuid'> | null): Writable => ({
  ...eventWritable('ogc', ({ id }) => `/ogc/collections/events/items/${id}`, owner, {
    ...(owner === null && { series: { schema: { ...UUID, description: 'The uuid of the series.' } } }),
    coordinates: { read: pointIn(srid) },
    attributes: { patch: patchedAttributes },
  }),
  named: 'EventFeature',
  types: FEATURE_TYPES,
})

/** All events that the caller may see. */
export const eventCollection: Collection = {
  id: 'events',
  title: 'All events',
  description: 'All events that you may see. An event happened at a place, from a start to an end.',
  resource: {
    ...events,
    // `bbox` and `datetime` have their own rules here. More filters cover the other properties of a feature (Part 3).
    filters: listFilters(eventFilters(filtersOf(EVENT, 'ogc', 'v3', 'v4'), 'geom_within')),
    columns: { ...events.columns, ...joinedColumnsOf(EVENT, 'ogc') },
    joins: sql`${events.joins} ${SERIES_JOIN}`,
  },
  properties,
  schema: {
    id: { title: EVENT.id.told.title[0], type: 'integer', 'x-ogc-role': 'id' },
    ...featureSchemasOf(EVENT, 'ogc'),
  },
  geometry: 'Point',
  series: null,
  ofSeries: false,
  featureOf: (row: EventRow) => ({
    id: row.id,
    geometry: pointOf(row),
    properties: featureProperties(row),
    path: `${events.path}${row.id}/`,
  }),
  writableIn: (srid) => writableIn(srid, null),
  inBounds: (bounds, srid) => {
    const strict = { kind: 'area', area: boxIn(bounds, srid) } as const
    return { strict, loose: srid === 0 ? { kind: 'sql', sql: orNowhere(bounds) } : strict }
  },
  placeless: (level) => {
    const seen = events.visible(level) ?? sql`1`
    return sql`EXISTS (SELECT 1 FROM ${event} INDEXED BY event_of_cell WHERE ${event.cell} IS NULL AND ${seen})`
  },
  during: (interval) => overlapping(event.start, event.end, interval),
}

/** Returns the collection of the events of one series. A client such as QGIS shows it as a separate layer. */
export const eventsOfSeries = (row: SeriesRow): Collection => {
  const { id, uuid, name, description } = row
  const { fixed = [], find } = eventsOf(row)
  return {
    ...eventCollection,
    id: `events-${uuid}`,
    title: name,
    description: description || `The events of ${name}.`,
    resource: { ...eventCollection.resource, fixed, find },
    series: sql`${eventSeries.id} = ${id}`,
    writableIn: (srid) => writableIn(srid, row),
  }
}

const orNowhere = (bounds: Bbox): SQL => {
  const [, south, , north] = bounds
  const across = longitudesOf(bounds).map(([west, east]) => sql`${event.x} BETWEEN ${west} AND ${east}`)
  return sql`(${event.x} IS NULL OR (${event.y} BETWEEN ${south} AND ${north} AND (${sql.join(across, sql` OR `)})))`
}
