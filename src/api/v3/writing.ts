import { lte, sql } from 'drizzle-orm'
import { eventSeries } from '../../../schema/tables.ts'
import { addEvents, changeEvent, removeEvent } from '../../write/events.ts'
import { as, exactly, objectReference, point, seriesReference, timestamp } from '../../write/readers.ts'
import { type EventRecord, FIELDS } from '../../write/records.ts'
import type { Writable } from '../../write/writable.ts'

/** How events are written: as the features that are read. */
export const writable: Writable<EventRecord> = {
  table: 'event',
  types: ['application/json', 'application/geo+json'],
  ofFeatures: true,
  fields: {
    type: { to: 'kind', read: exactly('Feature'), required: true, once: true },
    geometry: { to: 'coordinates', read: point, required: true },
    'properties.category': { to: 'category', read: as(FIELDS.event.category) },
    'properties.value': { to: 'value', read: as(FIELDS.event.value) },
    'properties.timestamp_start': { to: 'start', read: timestamp, required: true },
    'properties.timestamp_end': { to: 'end', read: timestamp },
    'properties.event_series': {
      to: 'series',
      read: seriesReference,
      required: true,
      lookup: {
        query: (values, level) => sql`SELECT given.value AS given, ${eventSeries.id} AS id
          FROM json_each(${values}) AS given CROSS JOIN ${eventSeries}
          ON ${eventSeries.id} = given.value OR ${eventSeries.uuid} = given.value
          WHERE ${lte(eventSeries.accessModifier, level)}`,
        message: (id) => `There is no event series ${id}.`,
      },
    },
    'properties.object': { to: 'object', read: objectReference },
  },
  readOnly: ['id', 'bbox', 'properties.url', 'properties.the_geom'],
  faultOf: ({ start = -Infinity, end = Infinity }) =>
    end < start ? ['properties.timestamp_end', 'Enter timestamp_start or a later time.'] : null,
  complete: (draft, id) =>
    ({ category: '', value: '', object: null, end: draft.start, ...draft, kind: 'event', id }) as EventRecord,
  rowOf: ({ coordinates, object, ...rest }) => {
    const [x, y, z] = coordinates ?? [null, null, null]
    return { ...rest, x, y, z, model: object?.model ?? null, objectId: object?.id ?? null }
  },
  several: (records) => ({ ids: records.map(({ id }) => id) }),
  keyOf: ({ id }) => String(id),
  draftOf: ({ start, end }) => ({ kind: 'Feature', start, end }),
  add: addEvents,
  change: ({ id, series }, changes, now) => changeEvent(id, series, changes, now),
  remove: async (db, { id, series }, { guards, now }) =>
    (await db.write([...guards, ...removeEvent(id, series, now)])) !== null,
}
