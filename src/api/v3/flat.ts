import { isoInstant, MICROSECONDS, MILLISECONDS } from '../../filters/temporal.ts'
import { INSTANT, INTEGER, orNull, STRING, UUID } from '../../formats/schema.ts'
import type { FlatRow } from './columns.ts'

/** Returns the properties that follow the times in the flat form of an event. */
export const flatProperties = (row: FlatRow) => ({
  event_series: row.uuid,
  event_series_name: row.seriesName,
  object_type: row.model,
  object_id: row.objectId,
  external_id: row.externalId,
  last_modified: isoInstant(row.lastModified, MICROSECONDS),
})

/** Returns the flat form of an event for GeoJSON, CSV and the collections of OGC. */
export const flatEvent = (row: FlatRow) => ({
  category: row.category,
  value: row.value,
  timestamp_start: isoInstant(row.start, MILLISECONDS),
  timestamp_end: isoInstant(row.end, MILLISECONDS),
  ...flatProperties(row),
})

/** The schemas for the results of these two functions. */
export const FLAT_PROPERTIES = {
  event_series: UUID,
  event_series_name: STRING,
  object_type: orNull(STRING),
  object_id: orNull(INTEGER),
  external_id: orNull(STRING),
  last_modified: INSTANT,
}
export const FLAT_EVENT = {
  category: STRING,
  value: STRING,
  timestamp_start: INSTANT,
  timestamp_end: INSTANT,
  ...FLAT_PROPERTIES,
}

/** The columns of CSV after the times. The position comes from the GeoJSON geometry. */
export const FLAT_COLUMNS = {
  event_series: 'event_series',
  event_series_name: 'event_series_name',
  longitude: 'geometry.coordinates.0',
  latitude: 'geometry.coordinates.1',
  z: 'geometry.coordinates.2',
  object_type: 'object_type',
  object_id: 'object_id',
  external_id: 'external_id',
  last_modified: 'last_modified',
  url: 'url',
}
