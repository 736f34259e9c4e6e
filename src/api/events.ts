import { sql } from 'drizzle-orm'
import { eventSeries, events as table } from '../../schema/tables.ts'
import { listFilters } from '../filters/complement.ts'
import { latest } from '../filters/latest.ts'
import { near, radius } from '../filters/near.ts'
import { BY_DISTANCE } from '../filters/position.ts'
import { hasId } from '../filters/scalar.ts'
import { inBox, within } from '../filters/spatial.ts'
import { integerOf } from '../filters/sql.ts'
import { overlap } from '../filters/temporal.ts'
import { words } from '../filters/words.ts'
import { controlsOf } from '../model/controls.ts'
import { category, model, series, visible } from '../model/dictionaries.ts'
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
import { INTEGER, listOf, NUMBER, orNull, record, ref } from '../model/schema.ts'
import type { SeriesRow } from '../model/series.ts'
import { MAX_PAGE_SIZE, type Resource } from '../resource.ts'
import { writableV3, writableV4 } from './eventWriting.ts'
import { urlIn } from './list.ts'
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

/** Each form of an event has names for its schemas. `more` adds members after the named one. */
const FORMS = {
  v3: { version: 'v3', item: 'Feature', flat: 'Event', more: { event_series: [THE_GEOM] } },
  v4: { version: 'v4', item: 'EventWithSeriesV4', flat: 'FlatEventV4', more: { end: membersOf(OWNER, 'flat') } },
  nested: { version: 'v4', item: 'EventV4', flat: 'FlatEventV4', more: {} },
} as const

/** Returns the parts of a list of events that depend on the form of its items and its path. */
const eventList = (form: keyof typeof FORMS, path: string) => {
  const { version, item, flat, more } = FORMS[form]
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
    orderings: { ...orderingsOf(EVENT, version), distance: BY_DISTANCE },
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

/** Selects events in an area. Such a filter reads several columns, so it belongs to no field of the model. */
export const WITHIN = {
  ...within,
  title: ['Within an area', 'Binnen een gebied'],
  group: 'where',
  about: 'The event',
  example: 'POLYGON ((-80 20, -60 20, -60 35, -80 35, -80 20))',
} as const

/** Selects events near a position. */
export const NEAR = {
  near: {
    ...near,
    title: ['Near a place', 'Bij een plek'],
    group: 'where',
    about: 'The event',
    example: [5.1, 52.1],
  },
  radius: {
    ...radius,
    title: ['Metres around that place', 'Meters rond die plek'],
    group: 'where',
    about: 'The event',
    example: 10_000,
  },
} as const

/** Selects events by the words of all their texts. */
export const WORDS = {
  q: {
    ...words({
      dictionaries: [category, series, model],
      texts: [table.value, table.externalId],
      json: table.attributes,
    }),
    title: ['Words', 'Woorden'],
    group: 'what',
    about: 'The event',
    example: 'maria "tropical storm" hurr*',
  },
} as const

/** Selects the latest event of each series. */
export const LATEST = {
  latest: {
    ...latest({ event_series: series }),
    title: ['Only the latest', 'Alleen de laatste'],
    group: 'when',
    about: 'The event',
    example: 'event_series',
  },
} as const

/** Selects events by several columns, under one name in both versions. */
const PLACE_AND_TIME = {
  bbox: {
    ...inBox,
    title: ['In a box', 'In een rechthoek'],
    group: 'where',
    about: 'The event',
    example: [-80, 20, -60, 35],
  },
  datetime: {
    ...overlap(table.start, table.end),
    title: ['In a period', 'In een periode'],
    group: 'when',
    about: 'The event',
    example: '2018-02-05T00:00:00Z/2018-02-06T00:00:00Z',
  },
} as const

/** The filters that belong to no field of the model. */
const MORE = { ...WORDS, geom_within: WITHIN, geometry__within: WITHIN, ...NEAR, ...PLACE_AND_TIME, ...LATEST }

const listV3 = eventList('v3', PATH_V3)
const filtersV3 = listFilters({
  ...WORDS,
  ...filtersOf(EVENT, 'v3'),
  geom_within: WITHIN,
  ...NEAR,
  ...PLACE_AND_TIME,
  ...LATEST,
})

/** The list of events as GeoJSON features (SPEC 2.2, 4.1). */
export const events: Resource<EventRow, JoinedEventRow> = {
  ...listV3,
  name: 'Event List',
  itemName: 'Event Instance',
  description: 'Geo-referenced, time-stamped events as GeoJSON features.',
  table,
  id: table.id,
  state: sql`'e' || ${table.lastModified}`,
  columns: columnsOf(EVENT),
  joins: joinsOf(EVENT),
  visible,
  filters: filtersV3,
  controls: controlsOf(EVENT, ['v3'], { filters: filtersV3, orderings: listV3.orderings }, MORE),
  maxPageSize: MAX_PAGE_SIZE,
  key: { name: 'id', description: 'The id of the event.', schema: INTEGER, example: 1 },
  find: (key) => hasId(table.id, key),
  included: { series: { of: includedSeries, referredBy: ({ series }: EventRow) => series } },
  writable: writableV3,
  place: {
    of: (row) => ({ id: row.id, geometry: pointOf(row) }),
    schemas: { id: INTEGER, geometry: orNull(ref('Point')) },
  },
}

const { included: _, writable: __, ...readOnly } = events
const listV4 = eventList('v4', PATH_V4)
const allFiltersV4 = listFilters({
  ...WORDS,
  ...filtersOf(EVENT, 'v4', 'v3'),
  geometry__within: WITHIN,
  ...NEAR,
  ...PLACE_AND_TIME,
  ...LATEST,
})

/** The events of all series, in version 4. It has the filters of version 3. */
export const allEventsV4: Resource<JoinedEventRow> = {
  ...readOnly,
  ...listV4,
  description: 'The events of all series, as GeoJSON features with instants in ISO 8601.',
  columns: { ...events.columns, ...joinedColumnsOf(OWNER, 'flat') },
  joins: sql`${joinsOf(EVENT)} ${SERIES_JOIN}`,
  flat: { ...listV4.flat, joins: sql`` },
  filters: allFiltersV4,
  controls: controlsOf(EVENT, ['v4', 'v3'], { filters: allFiltersV4, orderings: listV4.orderings }, MORE),
}

const filtersV4 = listFilters({ ...WORDS, ...filtersOf(EVENT, 'v4'), geometry__within: WITHIN, ...NEAR, ...LATEST })
const nested = eventList('nested', pathV4(':uuid'))

/** The events of one series, in version 4. Its path stands for the paths of all series. */
export const eventsV4: Resource<EventRow, JoinedEventRow> = {
  ...events,
  ...nested,
  description: 'The events of one series, as GeoJSON features with instants in ISO 8601.',
  filters: filtersV4,
  controls: controlsOf(EVENT, ['v4'], { filters: filtersV4, orderings: nested.orderings }, MORE),
  key: { ...events.key, example: 1708 },
  writable: writableV4({ id: 0, uuid: '00000000-0000-0000-0000-000000000000' }),
  under: { parent: eventSeriesV4, of: (parent: SeriesRow) => eventsOf(parent) },
}

/** Returns the list of the events of one series. */
export const eventsOf = ({ id, uuid }: SeriesRow): Resource<EventRow, JoinedEventRow> => {
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
