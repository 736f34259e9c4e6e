import { INTEGER, listOf, NUMBER, orNull, record, ref } from '../base/schema.ts'
import type { FilterField, FilterType } from '../filters/filter.ts'
import { latest } from '../filters/references.ts'
import { inBox, inFeature, near, radius } from '../filters/spatial.ts'
import { overlap } from '../filters/temporal.ts'
import { words } from '../filters/words.ts'
import { EVENT } from '../model/event.ts'
import type { Told, ToldFilter } from '../model/field.ts'
import { filtersOf, type ItemMember, membersOf, orderingsOf, readsOf, schemasOf } from '../model/members.ts'
import type { EventRow } from '../model/types.ts'
import { removeEvents } from '../store/events.ts'
import type { Writable } from '../store/writable.ts'
import { eventWritable } from './eventWriting.ts'
import { filteredBy, idIn, MAX_PAGE_SIZE, type Owner, objectView, type Resource, urlIn } from './resource.ts'
import { eventSeriesV4, includedSeries } from './series.ts'

/** Declares a filter that belongs to no field of the model, because it reads several columns. */
const ofEvent = (
  filter: FilterType,
  title: Told['title'],
  group: Told['group'],
  example: FilterField['example'],
): ToldFilter => ({ ...filter, told: { title, group }, about: 'The event', example })

/** Selects events by the words of all their texts. */
const WORDS = words('value, category, series name, object model, external id or attributes')

const AREA = 'POLYGON ((-80 20, -60 20, -60 35, -80 35, -80 20))'

/** The filters with one name in both versions. Under /ogc they have their own rules. */
const PLACE_AND_TIME = {
  bbox: ofEvent(inBox, ['In a box', 'In een rechthoek'], 'where', [-80, 20, -60, 35]),
  datetime: ofEvent(overlap, ['In a period', 'In een periode'], 'when', '2018-02-05T00:00:00Z/2018-02-06T00:00:00Z'),
}

/**
 * Returns the filters of a list of events. `named` are the filters of its fields, and `within` names the filter by a
 * geometry. `all`: the list also has PLACE_AND_TIME.
 */
export const eventFilters = (
  named: Readonly<Record<string, ToldFilter>>,
  within: string,
  all = false,
): Readonly<Record<string, ToldFilter>> => ({
  q: ofEvent(WORDS, ['Words', 'Woorden'], 'what', 'maria "tropical storm" hurr*'),
  ...named,
  [within]: ofEvent(inFeature, ['Within an area', 'Binnen een gebied'], 'where', AREA),
  near: ofEvent(near, ['Near a place', 'Bij een plek'], 'where', [5.1, 52.1]),
  radius: ofEvent(radius, ['Metres around that place', 'Meters rond die plek'], 'where', 10_000),
  ...(all && PLACE_AND_TIME),
  latest: ofEvent(latest, ['Only the latest', 'Alleen de laatste'], 'when', 'event_series'),
})

const PATH_V3 = '/api/v3/events/'
const pathV4 = (uuid: string) => `${eventSeriesV4.path}${uuid}/events/`

/** Returns the geometry of an event. It is null for an event without a place. */
export const pointOf = (row: EventRow) => {
  const coordinates = EVENT.coordinates.get(row)
  return coordinates && { type: 'Point' as const, coordinates: [...coordinates] }
}

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

const ID: ItemMember = { name: 'id', schema: INTEGER, inFeature: true, write: (row: EventRow) => row.id }
const THE_GEOM: ItemMember = { name: 'the_geom', schema: orNull(ref('Point')), write: pointOf }

/** The series of an event, where the address does not name it. */
const OWNER = { series: EVENT.series }

/** Returns the filters of a list, its orders and its controls. `all`: it has the events of all series. */
const filteredIn = (versions: readonly ['v3' | 'v4', ...'v3'[]], within: string, all: boolean) => {
  const orderings = { ...orderingsOf(EVENT, versions[0]), distance: { by: 'distance', nulls: 'last' } } as const
  return filteredBy(EVENT, versions, eventFilters(filtersOf(EVENT, ...versions), within, all), orderings)
}

/**
 * Returns the parts of a list of events that depend on its path. `item` and `flat` are the names of its schemas. `more`
 * has the members that only this list has, by the name of the member before them.
 */
const eventList = (
  version: 'v3' | 'v4',
  path: string,
  item: string,
  flat: string,
  more: Readonly<Record<string, readonly ItemMember[]>> = {},
) => {
  const url = urlIn<EventRow>(path, ({ id }) => id)
  const members = insertAfter(membersOf(EVENT, version), { value: [url], ...more })
  const flatMembers = [ID, ...insertAfter(membersOf(EVENT, 'flat', version), { last_modified: [url] })]
  const geometry = orNull(ref('Point'))
  const feature = { id: INTEGER, type: { const: 'Feature' }, geometry, properties: record(schemasOf(members)) }
  const about = version === 'v3' ? { description: 'An event, as a feature of GeoJSON.' } : {}
  return {
    path,
    schemas: SHARED,
    view: { name: item, schema: record(feature, about), isFeature: true, reads: readsOf(EVENT, version), members },
    flat: objectView(flat, readsOf(EVENT, 'flat'), flatMembers),
  }
}

/** The list of events as GeoJSON features (SPEC 2.2, 4.1). */
export const events: Resource = {
  ...eventList('v3', PATH_V3, 'Feature', 'Event', { event_series: [THE_GEOM] }),
  ...filteredIn(['v3'], 'geom_within', true),
  name: 'Event List',
  itemName: 'Event Instance',
  description: 'Geo-referenced, time-stamped events as GeoJSON features.',
  list: 'events',
  maxPageSize: MAX_PAGE_SIZE,
  key: { name: 'id', description: 'The id of the event.', schema: INTEGER, example: 1 },
  find: idIn,
  included: { series: includedSeries },
  writable: eventWritable('v3', ({ id }) => `${PATH_V3}${id}/`, null),
  place: {
    of: (row: EventRow) => ({ id: row.id, geometry: pointOf(row) }),
    schemas: { id: INTEGER, geometry: orNull(ref('Point')) },
  },
}

const { included: _, writable: __, ...readOnly } = events
const listV4 = eventList('v4', '/api/v4/events/', 'EventWithSeriesV4', 'FlatEventV4', { end: membersOf(OWNER, 'flat') })

/** The events of all series, in version 4. It has the filters of version 3. */
export const allEventsV4: Resource = {
  ...readOnly,
  ...listV4,
  ...filteredIn(['v4', 'v3'], 'geometry__within', true),
  description: 'The events of all series, as GeoJSON features with instants in ISO 8601.',
  view: { ...listV4.view, reads: [...listV4.view.reads, ...readsOf(OWNER, 'flat')] },
}

/** Returns how clients write the events of a series. */
const writableIn = (owner: Owner): Writable => ({
  ...eventWritable('v4', ({ id, uuid }) => `${pathV4(String(uuid))}${id}/`, owner),
  named: 'EventOfSeries',
  removeMany: (ids, writer) => removeEvents(owner.id, ids, writer),
})

/** The events of one series, in version 4. Its path stands for the paths of all series. */
export const eventsV4: Resource = {
  ...events,
  ...eventList('v4', pathV4(':uuid'), 'EventV4', 'FlatEventV4'),
  ...filteredIn(['v4'], 'geometry__within', false),
  description: 'The events of one series, as GeoJSON features with instants in ISO 8601.',
  key: { ...events.key, example: 1708 },
  writable: writableIn({ id: 0, uuid: '00000000-0000-0000-0000-000000000000' }),
  under: { parent: eventSeriesV4, writableIn },
}
