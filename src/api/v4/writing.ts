import { INSTANT, NUMBER, orNull, ref, STRING, TIMESTAMP } from '../../formats/schema.ts'
import { removeEvents } from '../../store/events.ts'
import { as, exactly, externalId, measured, objectReference, point, timestamp } from '../../store/readers.ts'
import { type EventRecord, FIELDS } from '../../store/records.ts'
import type { Writable } from '../../store/writable.ts'
import { type EventRow, POINT, writable as writableV3 } from '../v3/writing.ts'

const time = { read: timestamp, schema: { anyOf: [INSTANT, TIMESTAMP] } }

/** How events of a series are written: as the features that are read. */
export const writable: Writable<EventRecord, EventRow> = {
  ...writableV3,
  named: 'EventOfSeries',
  unchanging: true,
  fields: {
    type: { to: 'kind', read: exactly('Feature', 'event'), schema: { const: 'Feature' }, required: true, once: true },
    geometry: { to: 'coordinates', read: point, schema: orNull(POINT), required: true },
    'properties.category': { to: 'category', read: as(FIELDS.event.category), schema: STRING },
    'properties.value': { to: 'value', read: measured, schema: { anyOf: [STRING, NUMBER] } },
    'properties.start': { to: 'start', ...time, required: true },
    'properties.end': { to: 'end', ...time },
    'properties.object': { to: 'object', read: objectReference, schema: orNull(ref('ObjectReference')) },
    'properties.external_id': { to: 'external_id', read: externalId, schema: orNull(STRING) },
  },
  readOnly: ['id', 'bbox', 'properties.url', 'properties.last_modified'],
  examples: {
    ...writableV3.examples,
    made: {
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [5.18, 52.1] },
      properties: { category: 'earthquake', value: '2.5', start: '2018-02-07T01:49:14Z' },
    },
  },
  faultOf: ({ start = -Infinity, end = Infinity }) =>
    end < start ? ['properties.end', 'Enter start or a later time.'] : null,
  removeMany: (rows, writer) => removeEvents(rows, writer),
}

/** The same of a series, by its id. */
export const writableUnder = (series: number): Writable<EventRecord, EventRow> => ({
  ...writable,
  complete: (draft, id, writer) => writableV3.complete({ ...draft, series }, id, writer),
})
