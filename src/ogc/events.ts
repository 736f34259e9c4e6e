import { type SQL, sql } from 'drizzle-orm'
import { events as event, eventSeries } from '../../schema/tables.ts'
import { LATEST, NEAR, WITHIN, WORDS } from '../api/eventFilters.ts'
import { events, eventsOf, pointOf, SERIES_JOIN } from '../api/events.ts'
import { EVENT_READ_ONLY, eventFields, eventIdentity, exampleWith, ownSeries, writableV3 } from '../api/eventWriting.ts'
import type { Properties } from '../filters/filter.ts'
import { listFilters } from '../filters/filterSet.ts'
import { overlapping } from '../filters/temporal.ts'
import type { Bbox } from '../geometry/bbox.ts'
import { longitudesOf } from '../geometry/box.ts'
import { patchedAttributes } from '../model/attributes.ts'
import type { BodyChanges } from '../model/body.ts'
import { EVENT } from '../model/event.ts'
import { featureSchemasOf, filtersOf, membersOf, propertiesOf, writerOf } from '../model/members.ts'
import { joinedColumnsOf } from '../model/rows.ts'
import { INSTANT, orNull, UUID } from '../model/schema.ts'
import type { EventRow, SeriesRow } from '../model/types.ts'
import { namedInSeries } from '../store/events.ts'
import type { Writable } from '../store/writable.ts'
import type { Collection } from './collection.ts'
import { boxIn, pointIn } from './crs.ts'
import { FEATURE_TYPES } from './request.ts'

/**
 * The filters of the list without `bbox` and `datetime`, which have their own rules here. More filters cover the other
 * properties of a feature (Part 3, queryables as query parameters).
 */
const filters = { ...WORDS, ...filtersOf(EVENT, 'ogc', 'v3', 'v4'), geom_within: WITHIN, ...NEAR, ...LATEST }

const properties = {
  id: { kind: 'integer', column: event.id },
  ...propertiesOf(EVENT),
  geom: { kind: 'place', x: event.x, y: event.y },
} satisfies Properties

const featureProperties = writerOf(membersOf(EVENT, 'ogc'))

/** Returns how clients write events as features, with positions in the reference system `srid`. */
const eventsWritable = (srid: number, series: BodyChanges): Writable => ({
  ...writableV3,
  named: 'EventFeature',
  types: FEATURE_TYPES,
  fields: eventFields('ogc', INSTANT, {
    series,
    coordinates: { read: pointIn(srid) },
    attributes: { patch: patchedAttributes },
  }),
  readOnly: EVENT_READ_ONLY,
  examples: {
    made: exampleWith('99fe5d03-893d-5b20-8244-b9189db33e37'),
    changed: { properties: { value: '2.6' } },
  },
  identity: eventIdentity(({ id }) => `/ogc/collections/events/items/${id}`),
})

const ANY_SERIES: BodyChanges = { schema: { ...UUID, description: 'The uuid of the series.' } }

/** All events that the caller may see. */
export const eventCollection: Collection = {
  id: 'events',
  title: 'All events',
  description: 'All events that you may see. An event happened at a place, from a start to an end.',
  resource: {
    ...events,
    filters: listFilters(filters),
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
  writableIn: (srid) => eventsWritable(srid, ANY_SERIES),
  inBounds: (bounds, srid) => {
    const strict = { kind: 'area', area: boxIn(bounds, srid) } as const
    return { strict, loose: srid === 0 ? { kind: 'sql', sql: orNowhere(bounds) } : strict }
  },
  placeless: (level) => {
    const seen = events.visible(level) ?? sql`1`
    return sql`EXISTS (SELECT 1 FROM ${event} INDEXED BY event_of_cell WHERE ${event.cell} IS NULL AND ${seen})`
  },
  during: (least, greatest) => overlapping(event.start, event.end, [least, greatest]),
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
    // A feature needs no `event_series`.
    writableIn: (srid) => ({
      ...eventsWritable(srid, { ...ownSeries({ id, uuid }), schema: orNull(UUID) }),
      fixed: { series: id },
      keyed: namedInSeries,
    }),
  }
}

const orNowhere = (bounds: Bbox): SQL => {
  const [, south, , north] = bounds
  const across = longitudesOf(bounds).map(([west, east]) => sql`${event.x} BETWEEN ${west} AND ${east}`)
  return sql`(${event.x} IS NULL OR (${event.y} BETWEEN ${south} AND ${north} AND (${sql.join(across, sql` OR `)})))`
}
