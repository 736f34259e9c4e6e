import { lte, sql } from 'drizzle-orm'
import { events as event, eventSeries } from '../../schema/tables.ts'
import { ValueError } from '../errors.ts'
import type { Schema } from '../filters/lookups.ts'
import { type BodyChanges, type BodyField, bodyOf, readOnlyIn } from '../model/body.ts'
import { series as owner } from '../model/dictionaries.ts'
import { EVENT } from '../model/event.ts'
import { OBJECT_MEMBERS, seriesReference } from '../model/eventReferences.ts'
import { isObject, parse } from '../model/kinds.ts'
import { recordOf, rowOf, unstamped } from '../model/rows.ts'
import { INSTANT, INTEGER, listOf, orNull, record, TIMESTAMP, UUID } from '../model/schema.ts'
import type { EventRecord, EventRow } from '../model/types.ts'
import {
  addEvents,
  changeEvent,
  type EventDraft,
  mergeEvent,
  type NewEventDraft,
  named,
  namedInSeries,
  newEvent,
  objectFaultIn,
  removeEvents,
} from '../store/events.ts'
import type { LoadRecord } from '../store/records.ts'
import type { Identity, Writable } from '../store/writable.ts'

interface OwnerKey {
  readonly id: number
  readonly uuid: string
}

/** Returns the member with the type of a feature, which stands for the kind of its record. */
export const featureType = (kind: LoadRecord['kind']) =>
  ({
    to: 'kind',
    read: (value: unknown) => {
      if (value === 'Feature') return kind
      throw new ValueError('Enter "Feature".')
    },
    schema: { const: 'Feature' },
    required: true,
    once: true,
  }) as const

/**
 * The series of an event, at an address for the events of one series. A body may leave it out, but cannot name another.
 */
export const ownSeries = ({ id, uuid }: OwnerKey): BodyChanges => ({
  read: (value) => {
    if (value === null || [id, uuid].includes(parse(seriesReference, value))) return id
    throw new ValueError(`This list has the events of one series. Enter ${uuid}, or leave it out.`)
  },
  schema: { anyOf: [INTEGER, UUID, { type: 'null' }] },
  once: true,
  required: false,
  lookup: undefined,
})

/**
 * Returns the fields of an event. Every address accepts items in the JSON and the GeoJSON of any version. `time` is the
 * schema of an instant, and `changes` are those of other fields.
 */
export const eventFields = (
  surface: 'v3' | 'v4' | 'ogc',
  time: Schema,
  changes: { readonly [N in 'series' | 'coordinates' | 'attributes']?: BodyChanges } = {},
): Readonly<Record<string, BodyField>> => ({
  type: featureType('event'),
  ...bodyOf(EVENT, surface, 'properties.', { start: { schema: time }, end: { schema: orNull(time) }, ...changes }),
  ...OBJECT_MEMBERS,
})

/** Members of events, in any format, that clients cannot write. */
export const EVENT_READ_ONLY = [
  'id',
  'bbox',
  'links',
  'properties.url',
  'properties.the_geom',
  ...readOnlyIn(EVENT, 'properties.', eventFields('v3', INSTANT)),
]

/** The names of the start and the end. */
const TIMES = { v3: { start: 'timestamp_start', end: 'timestamp_end' }, v4: { start: 'start', end: 'end' } }

/**
 * Checks a draft, alone or together with the event that it changes. Returns the path and the message of a fault, or
 * null.
 */
const faultIn =
  (version: 'v3' | 'v4') =>
  (draft: EventDraft, stored: EventRecord | null): [string, string] | null => {
    const { start = -Infinity, end } = stored === null ? draft : mergeEvent(stored, draft)
    if (end != null && end < start)
      return [`properties.${TIMES[version].end}`, `Enter ${TIMES[version].start} or a later time.`]
    const fault = objectFaultIn(draft, stored)
    return fault && [`properties.${fault[0]}`, fault[1]]
  }

/** Finds the stored event by the id in an item. */
export const eventIdentity = (pathOf: Identity['pathOf']): Identity => ({
  member: 'id',
  nameOf: (item) => {
    const { id } = isObject(item) ? item : {}
    const number = typeof id === 'string' && /^\d{1,16}$/.test(id) ? Number(id) : id
    return typeof number === 'number' && Number.isSafeInteger(number) ? number : null
  },
  query: (ids, level) => sql`SELECT given.value AS given, ${event.id} AS id, ${eventSeries.uuid} AS uuid
    FROM json_each(${ids}) AS given CROSS JOIN ${event} ON ${event.id} = given.value
    CROSS JOIN ${eventSeries} ON ${eventSeries.id} = ${owner.key}
    WHERE ${lte(eventSeries.accessModifier, level)}`,
  pathOf,
})

const exampleIn = (version: 'v3' | 'v4', properties: object) => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [5.18, 52.1] },
  properties: {
    category: 'earthquake',
    value: '2.5',
    [TIMES[version].start]: '2018-02-07T01:49:14Z',
    ...properties,
  },
})

export const exampleWith = (series: number | string) => exampleIn('v3', { event_series: series })

const readRecord = recordOf<EventRecord>('event', EVENT)
const UNSTAMPED = unstamped(EVENT)
const toRecord = (row: EventRow): EventRecord => ({ ...readRecord(row), ...UNSTAMPED })

export const writableV3: Writable = {
  table: 'event',
  types: ['application/json', 'application/geo+json'],
  fields: eventFields('v3', { anyOf: [TIMESTAMP, INSTANT] }),
  readOnly: EVENT_READ_ONLY,
  examples: {
    made: exampleWith(1),
    changed: { properties: { value: '2.6' } },
  },
  faultOf: faultIn('v3'),
  complete: (draft) => newEvent(draft as NewEventDraft, 0), // no required member is missing
  merge: mergeEvent,
  rowOf: rowOf(EVENT),
  identity: eventIdentity(({ id }) => `/api/v3/events/${id}/`),
  keyed: named,
  several: (records, numbers) => ({ ids: records.map(({ id }) => id), ...numbers }),
  idsSchema: record({ ids: listOf(INTEGER), created: INTEGER, changed: INTEGER, unchanged: INTEGER }),
  keyOf: ({ id }: EventRow) => String(id),
  recordOf: toRecord,
  add: addEvents,
  items: {
    change: (row: EventRow, changes, writer) => changeEvent(toRecord(row), changes, writer),
    remove: async (db, { id, series }: EventRow, { guards, ...writer }) =>
      (await db.write([...guards, ...removeEvents([{ id, series }], writer)])) !== null,
  },
}

/** Returns how clients write the events of a series. */
export const writableV4 = (series: OwnerKey): Writable => ({
  ...writableV3,
  named: 'EventOfSeries',
  fields: eventFields('v4', { anyOf: [INSTANT, TIMESTAMP] }, { series: ownSeries(series) }),
  fixed: { series: series.id },
  examples: { ...writableV3.examples, made: exampleIn('v4', {}) },
  faultOf: faultIn('v4'),
  identity: eventIdentity(({ id, uuid }) => `/api/v4/eventseries/${uuid}/events/${id}/`),
  keyed: namedInSeries,
  removeMany: removeEvents,
})
