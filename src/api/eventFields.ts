import { lte, sql } from 'drizzle-orm'
import { events as event, eventSeries } from '../../schema/tables.ts'
import { ValueError } from '../errors.ts'
import type { Schema } from '../filters/lookups.ts'
import { INTEGER, NUMBER, orNull, record, STRING, UUID } from '../formats/schema.ts'
import { type EventDraft, mergeEvent, objectPartsOf } from '../store/drafts.ts'
import type { Field } from '../store/fields.ts'
import {
  as,
  emptyAs,
  exactly,
  externalId,
  MAX_NAME,
  MAX_VALUE,
  measured,
  objectId,
  objectModel,
  objectReference,
  point,
  seriesReference,
  timestamp,
} from '../store/readers.ts'
import { type EventRecord, FIELDS, isObject } from '../store/records.ts'
import type { Identity } from '../store/writable.ts'

export type EventField = Field<EventDraft>

/** The names of an event's start and end. */
interface TimeNames {
  readonly start: string
  readonly end: string
}

export const NAMES_V3: TimeNames = { start: 'timestamp_start', end: 'timestamp_end' }
export const NAMES_V4: TimeNames = { start: 'start', end: 'end' }

/** The schema of a point in a body. The z is optional, and GeoJSON allows more members (RFC 7946, 6.1). */
export const POINT = {
  type: 'object',
  properties: {
    type: { const: 'Point' },
    coordinates: { type: 'array', items: NUMBER, minItems: 2, maxItems: 3 },
  },
  required: ['type', 'coordinates'],
}

const SHORT = { ...STRING, maxLength: MAX_NAME }
const MODEL = { ...SHORT, pattern: '^[a-z0-9_]+$' }
const MODEL_BOUND = { most: MAX_NAME, text: 'object.model' }

/** The series of an event, by its id or uuid. */
export const seriesField: EventField = {
  to: 'series',
  read: seriesReference,
  schema: { anyOf: [INTEGER, UUID], description: 'The id or the uuid of the series.' },
  required: true,
  lookup: {
    query: (values, level) => sql`SELECT given.value AS given, ${eventSeries.id} AS id
      FROM json_each(${values}) AS given CROSS JOIN ${eventSeries}
      ON ${eventSeries.id} = given.value OR ${eventSeries.uuid} = given.value
      WHERE ${lte(eventSeries.accessModifier, level)}`,
    message: (id) => `There is no event series ${id}. The series are listed at /api/v4/eventseries/.`,
  },
}

/**
 * The series of an event, at an address for the events of one series. A body may leave it out, but cannot name another.
 */
export const ownSeriesField = ({ id, uuid }: { readonly id: number; readonly uuid: string }): EventField => ({
  to: 'series',
  read: (value) => {
    if (value === null || [id, uuid].includes(seriesReference(value))) return id
    throw new ValueError(`This list has the events of one series. Enter ${uuid}, or leave it out.`)
  },
  schema: { anyOf: [INTEGER, UUID, { type: 'null' }] },
  once: true,
})

/** The differences between the addresses that accept events. */
interface Variant {
  /** The names of the times. The address also accepts the names of the other version. */
  readonly names: TimeNames
  readonly time: Schema
  readonly series: EventField
  /** Reads the geometry. By default its unit is the degree. */
  readonly point?: typeof point
  /** True if items show their external id. Then a PUT without an external id clears it. */
  readonly showsExternalId: boolean
}

/** Returns the fields of an event. Every address accepts items in the JSON and the GeoJSON of any version. */
export const eventFields = (variant: Variant): Readonly<Record<string, EventField>> => ({
  type: { to: 'kind', read: exactly('Feature', 'event'), schema: { const: 'Feature' }, required: true, once: true },
  geometry: { to: 'coordinates', read: variant.point ?? point, schema: orNull(POINT), required: true },
  'properties.category': {
    to: 'category',
    read: emptyAs('', as(FIELDS.event.category)),
    schema: orNull(SHORT),
    most: MAX_NAME,
  },
  'properties.value': {
    to: 'value',
    read: emptyAs('', measured),
    schema: { anyOf: [orNull({ ...STRING, maxLength: MAX_VALUE }), NUMBER] },
    most: MAX_VALUE,
  },
  ...timeFields(variant),
  'properties.event_series': variant.series,
  'properties.external_id': {
    ...{ to: 'external_id', read: emptyAs(null, externalId), schema: orNull(SHORT) },
    stays: !variant.showsExternalId,
  },
  'properties.object': {
    to: 'object',
    read: emptyAs(null, objectReference),
    schema: orNull(record({ type: MODEL, id: INTEGER })),
    ...MODEL_BOUND,
  },
  // PUT clears these two through `properties.object`.
  'properties.object_type': {
    ...{ to: 'model', read: emptyAs(null, objectModel), schema: orNull(MODEL), stays: true },
    ...MODEL_BOUND,
  },
  'properties.object_id': { to: 'object_id', read: emptyAs(null, objectId), schema: orNull(INTEGER), stays: true },
})

const timeFields = ({ names, time }: Variant): Record<string, EventField> => {
  const others = names === NAMES_V3 ? NAMES_V4 : NAMES_V3
  return {
    [`properties.${names.start}`]: {
      ...{ to: 'start', read: timestamp, schema: time, required: true },
      alias: `properties.${others.start}`,
    },
    [`properties.${names.end}`]: {
      ...{ to: 'end', read: emptyAs(null, timestamp), schema: orNull(time), follows: true },
      alias: `properties.${others.end}`,
    },
  }
}

/** Members of events, in any format, that clients cannot write. */
export const EVENT_READ_ONLY = [
  ...['id', 'bbox', 'links'],
  ...['url', 'the_geom', 'event_series_name', 'last_modified'].map((name) => `properties.${name}`),
]

/**
 * Checks a draft, alone or together with the event that it changes. Returns the path and the message of a fault, or
 * null.
 */
export const faultIn =
  ({ start: startName, end: endName }: TimeNames) =>
  (draft: EventDraft, stored: EventRecord | null): [string, string] | null => {
    const { start = -Infinity, end } = stored === null ? draft : mergeEvent(stored, draft)
    if (end != null && end < start) return [`properties.${endName}`, `Enter ${startName} or a later time.`]
    const { model, id } = objectPartsOf(draft, stored ?? { object: null })
    if ((model === null) === (id === null)) return null
    return [`properties.object_${model === null ? 'type' : 'id'}`, 'Enter object_type and object_id, or neither.']
  }

/** Finds the stored event by the id in an item. */
export const eventIdentity = (pathOf: Identity['pathOf']): Identity => ({
  member: 'id',
  nameOf: (item) => {
    const { id } = isObject(item) ? item : {}
    const number = typeof id === 'string' && /^\d{1,16}$/.test(id) ? Number(id) : id
    return Number.isSafeInteger(number) ? (number as number) : null
  },
  query: (ids, level) => sql`SELECT given.value AS given, ${event.id} AS id, ${eventSeries.uuid} AS uuid
    FROM json_each(${ids}) AS given CROSS JOIN ${event} ON ${event.id} = given.value
    CROSS JOIN ${eventSeries} ON ${eventSeries.id} = ${event.eventSeriesId}
    WHERE ${lte(eventSeries.accessModifier, level)}`,
  pathOf,
})
