import { INSTANT, INTEGER, listOf, record, TIMESTAMP } from '../../formats/schema.ts'
import { type EventDraft, mergeEvent, type NewEventDraft, newEvent } from '../../store/drafts.ts'
import { addEvents, changeEvent, removeEvent } from '../../store/events.ts'
import { named } from '../../store/named.ts'
import type { EventRecord } from '../../store/records.ts'
import type { Writable } from '../../store/writable.ts'
import { EVENT_READ_ONLY, eventFields, eventIdentity, faultIn, NAMES_V3, seriesField } from '../eventFields.ts'

/** A row of an event, see src/api/v3/columns.ts. */
export type StoredEvent = Omit<EventRecord, 'kind' | 'coordinates' | 'object' | 'external_id'> &
  Readonly<Record<'x' | 'y' | 'z' | 'objectId', number | null> & Record<'model' | 'externalId', string | null>> & {
    readonly lastModified: number
  }

const recordOf = ({ id, series, category, value, start, end, x, y, z, ...row }: StoredEvent): EventRecord => ({
  ...{ kind: 'event', id, series, category, value, start, end },
  coordinates: x === null || y === null ? null : [x, y, z ?? 0],
  object: row.model === null || row.objectId === null ? null : { model: row.model, id: row.objectId },
  ...(row.externalId !== null && { external_id: row.externalId }),
})

/** An example of an event in a POST. */
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

/** How clients write events. */
export const writable: Writable<EventRecord, StoredEvent, EventDraft> = {
  table: 'event',
  types: ['application/json', 'application/geo+json'],
  fields: eventFields({
    names: NAMES_V3,
    time: { anyOf: [TIMESTAMP, INSTANT] },
    series: seriesField,
    showsExternalId: false,
  }),
  readOnly: EVENT_READ_ONLY,
  examples: {
    made: EXAMPLE,
    changed: { properties: { value: '2.6' } },
  },
  faultOf: faultIn(NAMES_V3),
  complete: (draft) => newEvent(draft as NewEventDraft, 0),
  merge: mergeEvent,
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
  identity: eventIdentity(({ id }) => `/api/v3/events/${id}/`),
  keyed: named,
  several: (records, numbers) => ({ ids: records.map(({ id }) => id), ...numbers }),
  told: record({ ids: listOf(INTEGER), created: INTEGER, changed: INTEGER, unchanged: INTEGER }),
  keyOf: ({ id }) => String(id),
  recordOf,
  add: addEvents,
  items: {
    change: (row, changes, writer) => changeEvent(recordOf(row), changes, writer),
    remove: async (db, { id, series }, { guards, ...writer }) =>
      (await db.write([...guards, ...removeEvent(id, series, writer)])) !== null,
  },
}
