import {
  EVENT_READ_ONLY,
  type EventField,
  eventFields,
  eventIdentity,
  NAMES_V3,
  ownSeriesField,
  seriesField,
} from '../../api/eventFields.ts'
import { EXAMPLE, type StoredEvent, writable as writableV3 } from '../../api/v3/writing.ts'
import { INSTANT, orNull, UUID } from '../../formats/schema.ts'
import type { EventDraft } from '../../store/drafts.ts'
import { named } from '../../store/named.ts'
import type { EventRecord } from '../../store/records.ts'
import type { Writable } from '../../store/writable.ts'
import { pointIn } from '../crs.ts'

type EventsWritable = Writable<EventRecord, StoredEvent, EventDraft>

/** The media types of a feature. In a PATCH they mean a merge patch (RFC 7396). */
export const FEATURE_TYPES = ['application/geo+json', 'application/json']

/** Returns how clients write events as features, with positions in the reference system `srid`. */
export const eventsWritable = (srid: number, series: EventField = seriesOfFeature): EventsWritable => ({
  ...writableV3,
  named: 'EventFeature',
  types: FEATURE_TYPES,
  fields: eventFields({ names: NAMES_V3, time: INSTANT, series, point: pointIn(srid), showsExternalId: true }),
  readOnly: EVENT_READ_ONLY,
  examples: {
    made: { ...EXAMPLE, properties: { ...EXAMPLE.properties, event_series: '99fe5d03-893d-5b20-8244-b9189db33e37' } },
    changed: { properties: { value: '2.6' } },
  },
  identity: eventIdentity(({ id }) => `/ogc/collections/events/items/${id}`),
})

const seriesOfFeature = { ...seriesField, schema: { ...UUID, description: 'The uuid of the series.' } }

/** Returns how clients write events of one series. A feature then needs no `event_series`. */
export const eventsWritableOf = (
  series: { readonly id: number; readonly uuid: string },
  srid: number,
): EventsWritable => ({
  ...eventsWritable(srid, { ...ownSeriesField(series), schema: orNull(UUID) }),
  fixed: { series: series.id },
  keyed: { ...named, needed: ['properties.external_id'] },
})
