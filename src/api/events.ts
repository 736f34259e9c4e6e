import { sql } from 'drizzle-orm'
import { eventSeries, events as table } from '../../schema/tables.ts'
import { BY_DISTANCE } from '../filters/near.ts'
import { hasId } from '../filters/references.ts'
import { integerOf } from '../filters/sql.ts'
import { series, visible } from '../model/dictionaries.ts'
import { EVENT } from '../model/event.ts'
import type { ToldFilter } from '../model/field.ts'
import type { Links } from '../model/kinds.ts'
import { filtersOf, type ItemMember, membersOf, orderingsOf, schemasOf, writerOf } from '../model/members.ts'
import { columnsOf, joinedColumnsOf, joinsOf } from '../model/rows.ts'
import { INTEGER, listOf, NUMBER, orNull, record, ref } from '../model/schema.ts'
import type { EventRow, SeriesRow } from '../model/types.ts'
import { MAX_PAGE_SIZE, type Resource } from '../resource.ts'
import { LATEST, NEAR, PLACE_AND_TIME, WITHIN, WORDS } from './eventFilters.ts'
import { writableV3, writableV4 } from './eventWriting.ts'
import { filteredBy, urlIn } from './list.ts'
import { eventSeriesV4, includedSeries } from './series.ts'

const PATH_V3 = '/api/v3/events/'
const PATH_V4 = '/api/v4/events/'
const pathV4 = (uuid: string) => `${eventSeriesV4.path}${uuid}/events/`

/** Returns the geometry of an event. It is null for an event without a place. */
export const pointOf = (row: EventRow) => {
  const coordinates = EVENT.coordinates.get(row)
  return coordinates && { type: 'Point' as const, coordinates: [...coordinates] }
}

/** The join for the columns that events show of their series. */
export const SERIES_JOIN = sql`LEFT JOIN ${eventSeries} ON ${eventSeries.id} = ${series.key}`

/** Adds members that only one list has, after the members with the names in `added`. */
const insertAfter = (members: readonly ItemMember[], added: Readonly<Record<string, readonly ItemMember[]>>) =>
  members.flatMap((member) => [member, ...(added[member.name] ?? [])])

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

const ID: ItemMember = { name: 'id', schema: INTEGER, write: (row: EventRow) => row.id }
const THE_GEOM: ItemMember = { name: 'the_geom', schema: orNull(ref('Point')), write: pointOf }

/** The series of an event, where the address does not name it. */
const OWNER = { series: EVENT.series }

const ORDERINGS = {
  v3: { ...orderingsOf(EVENT, 'v3'), distance: BY_DISTANCE },
  v4: { ...orderingsOf(EVENT, 'v4'), distance: BY_DISTANCE },
}

/** The filters of the lists of all events. `named` are those with names of a version. */
const filtersBeside = (named: Readonly<Record<string, ToldFilter>>, within: string) => {
  return { ...WORDS, ...named, [within]: WITHIN, ...NEAR, ...PLACE_AND_TIME, ...LATEST }
}
const FILTERS = {
  v3: filtersBeside(filtersOf(EVENT, 'v3'), 'geom_within'),
  v4: filtersBeside(filtersOf(EVENT, 'v4', 'v3'), 'geometry__within'),
  nested: { ...WORDS, ...filtersOf(EVENT, 'v4'), geometry__within: WITHIN, ...NEAR, ...LATEST },
}

/** Each form of an event has names for its schemas. `more` adds members after the named one. */
const FORMS = {
  v3: {
    version: 'v3',
    item: 'Feature',
    flat: 'Event',
    more: { event_series: [THE_GEOM] },
    listed: filteredBy(EVENT, ['v3'], FILTERS.v3, ORDERINGS.v3),
  },
  v4: {
    version: 'v4',
    item: 'EventWithSeriesV4',
    flat: 'FlatEventV4',
    more: { end: membersOf(OWNER, 'flat') },
    listed: filteredBy(EVENT, ['v4', 'v3'], FILTERS.v4, ORDERINGS.v4),
  },
  nested: {
    version: 'v4',
    item: 'EventV4',
    flat: 'FlatEventV4',
    more: {},
    listed: filteredBy(EVENT, ['v4'], FILTERS.nested, ORDERINGS.v4),
  },
} as const

/** Returns the parts of a list of events that depend on the form of its items and its path. */
const eventList = (form: keyof typeof FORMS, path: string) => {
  const { version, item, flat, more, listed } = FORMS[form]
  const url = urlIn<EventRow>(path, ({ id }) => id)
  const members = insertAfter(membersOf(EVENT, version), { value: [url], ...more })
  const properties = writerOf(members)
  const csv = insertAfter(membersOf(EVENT, 'flat', version), { last_modified: [url] })
  const flatMembers = csv.filter(({ inGeometry }) => !inGeometry)
  const geometry = orNull(ref('Point'))
  const feature = { id: INTEGER, type: { const: 'Feature' }, geometry, properties: record(schemasOf(members)) }
  const about = version === 'v3' ? { description: 'An event, as a feature of GeoJSON.' } : {}
  return {
    path,
    item,
    ...listed,
    schemas: { [item]: record(feature, about), ...SHARED },
    serialize: (row: EventRow, links: Links) => ({
      id: row.id,
      type: 'Feature',
      geometry: pointOf(row),
      properties: properties(row, links),
    }),
    flat: {
      columns: joinedColumnsOf(EVENT, 'flat'),
      joins: SERIES_JOIN,
      of: writerOf(flatMembers),
      item: flat,
      schema: record(schemasOf(flatMembers)),
    },
    csv: [ID, ...csv],
  }
}

/** The list of events as GeoJSON features (SPEC 2.2, 4.1). */
export const events: Resource = {
  ...eventList('v3', PATH_V3),
  name: 'Event List',
  itemName: 'Event Instance',
  description: 'Geo-referenced, time-stamped events as GeoJSON features.',
  table,
  id: table.id,
  state: sql`'e' || ${table.lastModified}`,
  columns: columnsOf(EVENT),
  joins: joinsOf(EVENT),
  visible,
  maxPageSize: MAX_PAGE_SIZE,
  key: { name: 'id', description: 'The id of the event.', schema: INTEGER, example: 1 },
  find: (key) => hasId(table.id, key),
  included: { series: { of: includedSeries, referredBy: ({ series }: EventRow) => series } },
  writable: writableV3,
  place: {
    of: (row: EventRow) => ({ id: row.id, geometry: pointOf(row) }),
    schemas: { id: INTEGER, geometry: orNull(ref('Point')) },
  },
}

const { included: _, writable: __, ...readOnly } = events
const listV4 = eventList('v4', PATH_V4)

/** The events of all series, in version 4. It has the filters of version 3. */
export const allEventsV4: Resource = {
  ...readOnly,
  ...listV4,
  description: 'The events of all series, as GeoJSON features with instants in ISO 8601.',
  columns: { ...events.columns, ...joinedColumnsOf(OWNER, 'flat') },
  joins: sql`${joinsOf(EVENT)} ${SERIES_JOIN}`,
  flat: { ...listV4.flat, joins: sql`` },
}

/** The events of one series, in version 4. Its path stands for the paths of all series. */
export const eventsV4: Resource = {
  ...events,
  ...eventList('nested', pathV4(':uuid')),
  description: 'The events of one series, as GeoJSON features with instants in ISO 8601.',
  key: { ...events.key, example: 1708 },
  writable: writableV4({ id: 0, uuid: '00000000-0000-0000-0000-000000000000' }),
  under: { parent: eventSeriesV4, of: (parent: SeriesRow) => eventsOf(parent) },
}

/** Returns the list of the events of one series. */
export const eventsOf = ({ id, uuid }: SeriesRow): Resource => {
  const { included: _, ...list } = eventsV4
  return {
    ...list,
    ...eventList('nested', pathV4(uuid)),
    fixed: [{ kind: 'entries', dictionary: series, match: sql`${eventSeries.id} = ${integerOf(id)}`, few: true }],
    find: (key) => {
      const condition = events.find(key)
      return condition && sql`(${condition} AND ${series.key} = ${integerOf(id)})`
    },
    writable: writableV4({ id, uuid }),
  }
}
