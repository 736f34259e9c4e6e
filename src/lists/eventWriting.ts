import { ValueError } from '../base/errors.ts'
import { INSTANT, INTEGER, listOf, NULL, orNull, record, type Schema, STRING, TIMESTAMP, UUID } from '../base/schema.ts'
import { type BodyChanges, type BodyField, bodyFields, readOnlyIn } from '../model/body.ts'
import { EVENT } from '../model/event.ts'
import { OBJECT_MEMBERS, seriesReference } from '../model/eventReferences.ts'
import { isObject, parse } from '../model/kinds.ts'
import { recordOf, rowOf, unstamped } from '../model/members.ts'
import type { EventRow } from '../model/types.ts'
import {
  addEvents,
  byExternalId,
  changeEvent,
  type EventDraft,
  mergeEvent,
  newEvent,
  objectFaultIn,
  removeEvents,
} from '../store/events.ts'
import type { EventRecord, LoadRecord } from '../store/records.ts'
import type { Identity, Writable } from '../store/writable.ts'
import type { Owner } from './resource.ts'

/** The answer to a post of several events. `widened` has the columns whose type it makes wider. */
const IDS = record(
  { ids: listOf(INTEGER), created: INTEGER, changed: INTEGER, unchanged: INTEGER },
  {},
  { widened: listOf(record({ name: STRING, from: STRING, to: STRING })) },
)

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
const ownSeries = ({ id, uuid }: Owner, schema: Schema): BodyChanges => ({
  read: (value) => {
    if (value === null || [id, uuid].includes(parse(seriesReference, value))) return id
    throw new ValueError(`This list has the events of one series. Enter ${uuid}, or leave it out.`)
  },
  schema,
  once: true,
  required: false,
  lookup: undefined,
})

const OWN = { anyOf: [INTEGER, UUID, NULL] }
const V3 = { start: 'timestamp_start', end: 'timestamp_end', own: OWN }

/** The forms of an event in a body. Every address accepts items in the JSON and the GeoJSON of any version. */
const FORMS = {
  v3: { ...V3, time: { anyOf: [TIMESTAMP, INSTANT] }, series: 1 },
  v4: { time: { anyOf: [INSTANT, TIMESTAMP] }, start: 'start', end: 'end', own: OWN, series: undefined },
  ogc: { ...V3, time: INSTANT, own: orNull(UUID), series: '99fe5d03-893d-5b20-8244-b9189db33e37' },
}
type EventForm = keyof typeof FORMS

const fieldsIn = (
  form: EventForm,
  changes: Readonly<Record<string, BodyChanges>> = {},
): Readonly<Record<string, BodyField>> => {
  const { time } = FORMS[form]
  return {
    type: featureType('event'),
    ...bodyFields(EVENT, form, 'properties.', { start: { schema: time }, end: { schema: orNull(time) }, ...changes }),
    ...OBJECT_MEMBERS,
  }
}

/** Members of events, in any format, that clients cannot write. */
const READ_ONLY = [
  'id',
  'bbox',
  'links',
  'properties.url',
  'properties.the_geom',
  'properties.value_number',
  ...readOnlyIn(EVENT, 'properties.', fieldsIn('v3')),
]

/** Reads the id of the event that an item is. */
const nameOf = (item: unknown): number | null => {
  const { id } = isObject(item) ? item : {}
  const number = typeof id === 'string' && /^\d{1,16}$/.test(id) ? Number(id) : id
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null
}

const readRecord = recordOf<EventRecord>('event', EVENT)
const UNSTAMPED = unstamped(EVENT)
const toRecord = (row: EventRow): EventRecord => ({ ...readRecord(row), ...UNSTAMPED })

/** Returns how clients write events. `owner` is the only series of their list. `changes` replace members of fields. */
export const eventWritable = (
  form: EventForm,
  pathOf: Identity['pathOf'],
  owner: Owner | null,
  changes: Readonly<Record<string, BodyChanges>> = {},
): Writable => {
  const { start, end, own, series: example } = FORMS[form]
  return {
    table: 'event',
    types: ['application/json', 'application/geo+json'],
    fields: fieldsIn(form, { ...(owner && { series: ownSeries(owner, own) }), ...changes }),
    readOnly: READ_ONLY,
    copies: { geometry: 'properties.the_geom' },
    ...(owner && { fixed: { series: owner.id } }),
    examples: {
      made: {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [5.18, 52.1] },
        properties: { category: 'earthquake', value: '2.5', [start]: '2018-02-07T01:49:14Z', event_series: example },
      },
      changed: { properties: { value: '2.6' } },
    },
    /** Checks a draft, alone or together with the event that it changes. */
    faultOf: (draft: EventDraft, stored: EventRecord | null) => {
      const { start: from = -Infinity, end: to } = stored === null ? draft : mergeEvent(stored, draft)
      if (to != null && to < from) return [`properties.${end}`, `Enter ${start} or a later time.`]
      const fault = objectFaultIn(draft, stored)
      return fault && [`properties.${fault[0]}`, fault[1]]
    },
    complete: (draft) => newEvent(draft as Parameters<typeof newEvent>[0], 0), // no required member is missing
    merge: mergeEvent,
    rowOf: rowOf(EVENT),
    seriesOf: ({ series }: EventRecord) => series,
    identity: { member: 'id', nameOf, rows: 'eventsById', pathOf },
    // The address names the series.
    keyed: owner === null ? byExternalId : { ...byExternalId, needed: [byExternalId.path] },
    several: (records, numbers) => ({ ids: records.map(({ id }) => id), ...numbers }),
    idsSchema: IDS,
    keyOf: ({ id }: EventRow) => String(id),
    recordOf: toRecord,
    add: addEvents,
    items: {
      change: (row: EventRow, changes, writer) => changeEvent(toRecord(row), changes, writer),
      remove: async (db, { id, series }: EventRow, { guards, ...writer }) =>
        (await db.write([...guards, ...removeEvents(series, [id], writer)])) !== null,
    },
  }
}
