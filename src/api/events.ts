import { sql } from 'drizzle-orm'
import { eventSeries, events as table } from '../../schema/tables.ts'
import { filterSet } from '../filters/filter.ts'
import type { Schema } from '../filters/lookups.ts'
import { hasId } from '../filters/scalar.ts'
import { inBox, within } from '../filters/spatial.ts'
import { integerOf } from '../filters/sql.ts'
import { overlap } from '../filters/temporal.ts'
import { series, visible } from '../model/dictionaries.ts'
import { EVENT, type EventRow, type JoinedEventRow } from '../model/event.ts'
import type { Links } from '../model/field.ts'
import {
  filtersOf,
  type ItemMember,
  insertAfter,
  membersOf,
  orderingsOf,
  schemasOf,
  writerOf,
} from '../model/members.ts'
import { columnsOf, joinedColumnsOf, joinsOf } from '../model/rows.ts'
import { ADDRESS, INTEGER, listOf, NUMBER, orNull, record, ref } from '../model/schema.ts'
import type { SeriesRow } from '../model/series.ts'
import { type LargeResource, MAX_PAGE_SIZE } from '../resource.ts'
import { access } from './access.ts'
import { writableV3, writableV4 } from './eventWriting.ts'
import { eventSeriesV4, includedSeries } from './series.ts'

type Version = 'v3' | 'v4'

const PATH_V3 = '/api/v3/events/'
const pathV4 = (uuid: string) => `${eventSeriesV4.path}${uuid}/events/`

/** Returns the geometry of an event. It is null for an event without a place. */
export const pointOf = (row: EventRow) => {
  const coordinates = EVENT.coordinates.get(row)
  return coordinates && { type: 'Point' as const, coordinates: [...coordinates] }
}

const ID: ItemMember = { name: 'id', schema: INTEGER, write: (row: EventRow) => row.id }

/** Returns the member with the address of an event in the list at a path. */
const urlIn = (path: string): ItemMember => ({
  name: 'url',
  schema: ADDRESS,
  write: (row: EventRow, links) => links.to(`${path}${row.id}/`),
})
const THE_GEOM: ItemMember = { name: 'the_geom', schema: orNull(ref('Point')), write: pointOf }

/** Returns the members of the properties of an event. */
const propertiesIn = (version: Version, path: string): ItemMember[] => {
  const members = insertAfter(membersOf(EVENT, version), 'value', urlIn(path))
  return version === 'v3' ? insertAfter(members, 'event_series', THE_GEOM) : members
}

/** Returns the parts of a list of events that depend on its version and its path. */
const eventList = (version: Version, path: string) => {
  const properties = writerOf(propertiesIn(version, path))
  const csv = [...membersOf(EVENT, 'flat', version), urlIn(path)]
  const flat = csv.filter(({ inGeometry }) => !inGeometry)
  return {
    path,
    orderings: orderingsOf(EVENT, version),
    serialize: (row: EventRow, links: Links) => ({
      id: row.id,
      type: 'Feature',
      geometry: pointOf(row),
      properties: properties(row, links),
    }),
    flat: {
      columns: joinedColumnsOf(EVENT, 'flat'),
      joins: SERIES_JOIN,
      of: writerOf(flat),
      item: version === 'v3' ? 'Event' : 'FlatEventV4',
      schema: record(schemasOf(flat)),
    },
    csv: [ID, ...csv],
  }
}

/** The join for the columns that events show of their series. */
export const SERIES_JOIN = sql`LEFT JOIN ${eventSeries} ON ${eventSeries.id} = ${table.eventSeriesId}`

const featureIn = (version: Version, path: string, description?: string): Schema =>
  record(
    {
      id: INTEGER,
      type: { const: 'Feature' },
      geometry: orNull(ref('Point')),
      properties: record(schemasOf(propertiesIn(version, path))),
    },
    description === undefined ? {} : { description },
  )

/** The schemas that the features of both versions refer to. */
const SHARED = {
  Point: record({
    type: { const: 'Point' },
    coordinates: { ...listOf(NUMBER, 3), description: 'Longitude and latitude in degrees, and z.' },
  }),
  ObjectReference: record(
    { type: { type: 'string', pattern: '^[a-z0-9_]+$' }, id: INTEGER },
    { description: 'The object that the event happened to.' },
  ),
}

/** Selects events in an area. Such a filter reads several columns, so it belongs to no field of the model. */
export const WITHIN = {
  ...within,
  about: 'The event',
  example: 'POLYGON ((-80 20, -60 20, -60 35, -80 35, -80 20))',
}

/** The list of events as GeoJSON features (SPEC 2.2, 4.1). */
export const events: LargeResource<EventRow, JoinedEventRow> = {
  ...eventList('v3', PATH_V3),
  name: 'Event List',
  itemName: 'Event Instance',
  description: 'Geo-referenced, time-stamped events as GeoJSON features.',
  table,
  id: table.id,
  columns: columnsOf(EVENT),
  joins: joinsOf(EVENT),
  access,
  visible,
  filters: filterSet({
    ...filtersOf(EVENT, 'v3'),
    geom_within: WITHIN,
    bbox: { ...inBox, about: 'The event', example: [-80, 20, -60, 35] },
    datetime: {
      ...overlap(table.start, table.end),
      about: 'The event',
      example: '2018-02-05T00:00:00Z/2018-02-06T00:00:00Z',
    },
  }),
  maxPageSize: MAX_PAGE_SIZE,
  key: { name: 'id', description: 'The id of the event.', schema: INTEGER, example: 1 },
  find: (key) => hasId(table.id, key),
  item: 'Feature',
  schemas: { Feature: featureIn('v3', PATH_V3, 'An event, as a feature of GeoJSON.'), ...SHARED },
  included: { series: { of: includedSeries, referredBy: ({ series }) => series } },
  writable: writableV3,
  place: {
    of: (row) => ({ id: row.id, geometry: pointOf(row) }),
    schemas: { id: INTEGER, geometry: orNull(ref('Point')) },
  },
}

/** The events of one series, in version 4. Its path stands for the paths of all series. */
export const eventsV4: LargeResource<EventRow, JoinedEventRow> = {
  ...events,
  ...eventList('v4', pathV4(':uuid')),
  description: 'The events of one series, as GeoJSON features with instants in ISO 8601.',
  filters: filterSet({ ...filtersOf(EVENT, 'v4'), geometry__within: WITHIN }),
  key: { ...events.key, example: 1708 },
  item: 'EventV4',
  schemas: { EventV4: featureIn('v4', ''), ...SHARED },
  writable: writableV4({ id: 0, uuid: '00000000-0000-0000-0000-000000000000' }),
  under: { parent: eventSeriesV4, of: (parent: SeriesRow) => under(parent) },
}

/** Returns the list of the events of one series. */
const under = ({ id, uuid }: SeriesRow): LargeResource<EventRow, JoinedEventRow> => {
  const { included: _, ...list } = eventsV4
  return {
    ...list,
    ...eventList('v4', pathV4(uuid)),
    fixed: [
      { kind: 'entries', dictionary: series, match: sql`${eventSeries.id} = ${integerOf(id)}`, namesFewRows: true },
    ],
    find: (key) => {
      const condition = events.find(key)
      return condition && sql`(${condition} AND ${table.eventSeriesId} = ${integerOf(id)})`
    },
    writable: writableV4({ id, uuid }),
  }
}
