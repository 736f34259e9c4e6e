import { lte, sql } from 'drizzle-orm'
import { eventSeries } from '../../../schema/tables.ts'
import { INSTANT, INTEGER, listOf, NUMBER, orNull, record, ref, STRING, TIMESTAMP, UUID } from '../../formats/schema.ts'
import { addEvents, changeEvent, removeEvent } from '../../store/events.ts'
import { named } from '../../store/named.ts'
import {
  as,
  exactly,
  externalId,
  measured,
  objectReference,
  point,
  seriesReference,
  timestamp,
} from '../../store/readers.ts'
import { type EventRecord, FIELDS } from '../../store/records.ts'
import type { Writable } from '../../store/writable.ts'

/** An event as it is read: see `columns` of src/api/v3/events.ts. */
export type EventRow = Omit<EventRecord, 'kind' | 'coordinates' | 'object' | 'external_id'> &
  Readonly<Record<'x' | 'y' | 'z' | 'objectId', number | null> & Record<'model' | 'externalId', string | null>> & {
    readonly lastModified: number
  }

const INSTANT_OR_TIMESTAMP = { anyOf: [TIMESTAMP, INSTANT] }

/** Of a position z may be left out, and GeoJSON lets a point have members of its own. */
export const POINT = {
  type: 'object',
  properties: {
    type: { const: 'Point' },
    coordinates: { type: 'array', items: NUMBER, minItems: 2, maxItems: 3 },
  },
  required: ['type', 'coordinates'],
}

const recordOf = ({ x, y, z, model, objectId, externalId, lastModified: _, ...rest }: EventRow): EventRecord => ({
  ...{ kind: 'event', ...rest },
  coordinates: x === null || y === null ? null : [x, y, z ?? 0],
  object: model === null || objectId === null ? null : { model, id: objectId },
  ...(externalId !== null && { external_id: externalId }),
})

/** An event as it may be posted. */
export const EXAMPLE = {
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [5.18, 52.1] },
  properties: {
    category: 'earthquake',
    value: '2.5',
    timestamp_start: '2018-02-07T01:49:14Z',
    event_series: 1,
  },
}

/** How events are written: as the features that are read. */
export const writable: Writable<EventRecord, EventRow> = {
  table: 'event',
  types: ['application/json', 'application/geo+json'],
  ofFeatures: true,
  fields: {
    type: { to: 'kind', read: exactly('Feature', 'event'), schema: { const: 'Feature' }, required: true, once: true },
    geometry: { to: 'coordinates', read: point, schema: orNull(POINT), required: true },
    'properties.category': { to: 'category', read: as(FIELDS.event.category), schema: STRING },
    'properties.value': { to: 'value', read: measured, schema: { anyOf: [STRING, NUMBER] } },
    'properties.timestamp_start': { to: 'start', read: timestamp, schema: INSTANT_OR_TIMESTAMP, required: true },
    'properties.timestamp_end': { to: 'end', read: timestamp, schema: INSTANT_OR_TIMESTAMP },
    'properties.event_series': {
      to: 'series',
      read: seriesReference,
      schema: { anyOf: [INTEGER, UUID], description: 'The id of the series, or its uuid.' },
      required: true,
      lookup: {
        query: (values, level) => sql`SELECT given.value AS given, ${eventSeries.id} AS id
          FROM json_each(${values}) AS given CROSS JOIN ${eventSeries}
          ON ${eventSeries.id} = given.value OR ${eventSeries.uuid} = given.value
          WHERE ${lte(eventSeries.accessModifier, level)}`,
        message: (id) => `There is no event series ${id}.`,
      },
    },
    'properties.external_id': { to: 'external_id', read: externalId, schema: orNull(STRING) },
    'properties.object': { to: 'object', read: objectReference, schema: orNull(ref('ObjectReference')) },
  },
  readOnly: ['id', 'bbox', 'properties.url', 'properties.the_geom', 'properties.last_modified'],
  examples: {
    made: EXAMPLE,
    changed: { properties: { value: '2.6' } },
  },
  faultOf: ({ start = -Infinity, end = Infinity }) =>
    end < start ? ['properties.timestamp_end', 'Enter timestamp_start or a later time.'] : null,
  complete: (draft, id) => ({ category: '', value: '', object: null, end: draft.start, ...draft, id }) as EventRecord,
  rowOf: ({ coordinates, object, external_id, ...rest }, { now }) => {
    const [x, y, z] = coordinates ?? [null, null, null]
    return {
      ...rest,
      x,
      y,
      z,
      model: object?.model ?? null,
      objectId: object?.id ?? null,
      externalId: external_id ?? null,
      lastModified: now,
    }
  },
  keyed: named,
  several: (records, numbers) => ({ ids: records.map(({ id }) => id), ...numbers }),
  told: record({ ids: listOf(INTEGER), created: INTEGER, changed: INTEGER, unchanged: INTEGER }),
  keyOf: ({ id }) => String(id),
  recordOf,
  add: addEvents,
  change: (row, changes, writer) => changeEvent(recordOf(row), changes, writer),
  remove: async (db, { id, series }, { guards, ...writer }) =>
    (await db.write([...guards, ...removeEvent(id, series, writer)])) !== null,
}
