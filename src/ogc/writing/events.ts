import { type EventRow, EXAMPLE, POINT, writable as writableV3 } from '../../api/v3/writing.ts'
import { ValueError } from '../../errors.ts'
import { INSTANT, INTEGER, NUMBER, orNull, STRING, UUID } from '../../formats/schema.ts'
import type { Field } from '../../store/fields.ts'
import { named } from '../../store/named.ts'
import {
  as,
  exactly,
  externalId,
  measured,
  nullAs,
  objectId,
  objectModel,
  seriesReference,
  timestamp,
} from '../../store/readers.ts'
import { type EventRecord, FIELDS } from '../../store/records.ts'
import type { Writable } from '../../store/writable.ts'
import { pointIn } from '../crs.ts'

/** An event as its features have it: what it happened to in two members, and without an end where that is its start. */
type FlatRecord = Omit<EventRecord, 'object' | 'end'> & {
  readonly end: number | null
  readonly model: string | null
  readonly object_id: number | null
}

type FlatRow = EventRow & { readonly uuid: string; readonly seriesName: string }

const wholeOf = ({ model, object_id, end, ...rest }: FlatRecord): EventRecord => ({
  ...rest,
  end: end ?? rest.start,
  object: model === null || object_id === null ? null : { model, id: object_id },
})

const flatOf = ({ object, ...rest }: EventRecord): FlatRecord => ({
  ...rest,
  model: object?.model ?? null,
  object_id: object?.id ?? null,
})

const recordOf = ({ uuid: _, seriesName: __, ...row }: FlatRow): FlatRecord => flatOf(writableV3.recordOf(row))

/** The media types of a feature, and of what changes one (RFC 7396). */
export const FEATURE_TYPES = ['application/geo+json', 'application/json']

const series = writableV3.fields['properties.event_series'] as Extract<Field<FlatRecord>, { readonly to: 'series' }>

/** How events are written as the features that `items` has, their places in the reference system of `srid`. */
export const eventsWritable = (srid: number): Writable<FlatRecord, FlatRow> => ({
  ...writableV3,
  named: 'EventFeature',
  types: FEATURE_TYPES,
  fields: {
    type: { to: 'kind', read: exactly('Feature', 'event'), schema: { const: 'Feature' }, required: true, once: true },
    geometry: { to: 'coordinates', read: pointIn(srid), schema: orNull(POINT), required: true },
    'properties.category': { to: 'category', read: nullAs('', as(FIELDS.event.category)), schema: orNull(STRING) },
    'properties.value': { to: 'value', read: nullAs('', measured), schema: { anyOf: [orNull(STRING), NUMBER] } },
    'properties.timestamp_start': { to: 'start', read: timestamp, schema: INSTANT, required: true },
    'properties.timestamp_end': { to: 'end', read: nullAs(null, timestamp), schema: orNull(INSTANT) },
    'properties.event_series': {
      ...series,
      schema: { ...UUID, description: 'The uuid of the series.' },
    },
    'properties.object_type': { to: 'model', read: objectModel, schema: orNull(STRING) },
    'properties.object_id': { to: 'object_id', read: objectId, schema: orNull(INTEGER) },
    'properties.external_id': { to: 'external_id', read: externalId, schema: orNull(STRING) },
  },
  readOnly: ['id', 'bbox', 'links', 'properties.event_series_name', 'properties.last_modified'],
  examples: {
    made: { ...EXAMPLE, properties: { ...EXAMPLE.properties, event_series: '99fe5d03-893d-5b20-8244-b9189db33e37' } },
    changed: { properties: { value: '2.6' } },
  },
  faultOf: (draft, level) => {
    const { start, end, model = null, object_id = null } = draft
    if ((model === null) !== (object_id === null))
      return [`properties.object_${model === null ? 'type' : 'id'}`, 'Enter object_type and object_id, or neither.']
    return writableV3.faultOf({ ...(start !== undefined && { start }), ...(end != null && { end }) }, level)
  },
  complete: ({ model = null, object_id = null, end = null, ...draft }, id, writer) => {
    const given = { ...draft, ...(end !== null && { end }) }
    const object = model === null || object_id === null ? null : { model, id: object_id }
    return flatOf(writableV3.complete({ ...given, object }, id, writer))
  },
  rowOf: (record, writer) => ({ ...writableV3.rowOf(wholeOf(record), writer), uuid: '', seriesName: '' }),
  recordOf,
  several: (records, numbers) => writableV3.several(records.map(wholeOf), numbers),
  keyed: named,
  add: (records, writer, others = []) => writableV3.add(records.map(wholeOf), writer, others.map(wholeOf)),
  change: (row, { model, object_id, end, ...others }, writer) => {
    const changes = {
      ...(model !== undefined && { model }),
      ...(object_id !== undefined && { object_id }),
      ...(end !== undefined && { end }),
    }
    const whole = wholeOf({ ...recordOf(row), ...others, ...changes })
    const [ends, objects] = ['end' in changes, 'model' in changes || 'object_id' in changes]
    const written = { ...others, ...(ends && { end: whole.end }), ...(objects && { object: whole.object }) }
    return writableV3.change(row, written, writer)
  },
})

/** The same of the events of one series, which need not say so. */
export const eventsWritableOf = ({ id, uuid }: { readonly id: number; readonly uuid: string }, srid: number) => {
  const writable = eventsWritable(srid)
  const own = (value: unknown): number => {
    if (value === null || [id, uuid].includes(seriesReference(value))) return id
    throw new ValueError(`Enter ${uuid}, or leave it out: here are the events of one series.`)
  }
  return {
    ...writable,
    fields: {
      ...writable.fields,
      'properties.event_series': { to: 'series', read: own, schema: orNull(UUID), once: true },
    },
    complete: (draft, key, writer) => writable.complete({ ...draft, series: id }, key, writer),
  } satisfies Writable<FlatRecord, FlatRow>
}
