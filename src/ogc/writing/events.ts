import {
  EVENT_READ_ONLY,
  type EventsWritable,
  eventFields,
  eventIdentity,
  exampleWith,
  type OwnerKey,
  ownSeries,
  writableV3,
} from '../../api/eventWriting.ts'
import type { BodyChanges } from '../../model/body.ts'
import { INSTANT, orNull, UUID } from '../../model/schema.ts'
import { namedInSeries } from '../../store/events.ts'
import { pointIn } from '../crs.ts'

/** The media types of a feature. */
export const FEATURE_TYPES = ['application/geo+json', 'application/json']

/** Returns the media types of a body. Each means a merge patch in a PATCH (RFC 7396). */
export const typesOf = (method: string): readonly string[] =>
  method === 'PATCH' ? ['application/merge-patch+json', ...FEATURE_TYPES] : FEATURE_TYPES

/** Returns how clients write events as features, with positions in the reference system `srid`. */
export const eventsWritable = (srid: number, series: BodyChanges = ANY_SERIES): EventsWritable => ({
  ...writableV3,
  named: 'EventFeature',
  types: FEATURE_TYPES,
  fields: eventFields('ogc', INSTANT, { series, coordinates: { read: pointIn(srid) } }),
  readOnly: EVENT_READ_ONLY,
  examples: {
    made: exampleWith('99fe5d03-893d-5b20-8244-b9189db33e37'),
    changed: { properties: { value: '2.6' } },
  },
  identity: eventIdentity(({ id }) => `/ogc/collections/events/items/${id}`),
})

const ANY_SERIES: BodyChanges = { schema: { ...UUID, description: 'The uuid of the series.' } }

/** Returns how clients write events of one series. A feature then needs no `event_series`. */
export const eventsWritableOf = (series: OwnerKey, srid: number): EventsWritable => ({
  ...eventsWritable(srid, { ...ownSeries(series), schema: orNull(UUID) }),
  fixed: { series: series.id },
  keyed: namedInSeries,
})
