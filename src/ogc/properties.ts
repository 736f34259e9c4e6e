import { events as event, eventSeries } from '../../schema/tables.ts'
import { category, model, series } from '../api/v3/events.ts'
import type { Properties } from '../cql2/values.ts'
import { MICROSECONDS, MILLISECONDS } from '../filters/temporal.ts'
import { uuidPrefix } from '../filters/uuid.ts'

/** The properties of an event that CQL2 filters may name. Its features show them under the same names. */
export const EVENT_PROPERTIES = {
  id: { kind: 'integer', column: event.id },
  category: { kind: 'text', column: category.text, caseFolded: category.caseFolded, dictionary: category },
  value: { kind: 'text', column: event.value },
  timestamp_start: { kind: 'instant', column: event.start, unit: MILLISECONDS },
  timestamp_end: { kind: 'instant', column: event.end, unit: MILLISECONDS },
  event_series: { kind: 'text', column: eventSeries.uuid, dictionary: series, canonical: uuidOf },
  event_series_name: { kind: 'text', column: series.text, caseFolded: eventSeries.nameCaseFolded, dictionary: series },
  object_type: { kind: 'text', column: model.text, caseFolded: model.caseFolded, dictionary: model },
  object_id: { kind: 'integer', column: event.objectId },
  external_id: { kind: 'text', column: event.externalId },
  last_modified: { kind: 'instant', column: event.lastModified, unit: MICROSECONDS },
  geom: { kind: 'place', x: event.x, y: event.y },
} as const satisfies Properties

/** The properties of a series that CQL2 filters may name. */
export const SERIES_PROPERTIES = {
  id: { kind: 'integer', column: eventSeries.id },
  uuid: { kind: 'text', column: eventSeries.uuid, canonical: uuidOf },
  name: { kind: 'text', column: eventSeries.name, caseFolded: eventSeries.nameCaseFolded },
  description: { kind: 'text', column: eventSeries.description },
  start: { kind: 'instant', column: eventSeries.start, unit: MILLISECONDS },
  end: { kind: 'instant', column: eventSeries.end, unit: MILLISECONDS },
  event_count: { kind: 'integer', column: eventSeries.eventCount },
  statistic: { kind: 'text', column: eventSeries.statistic },
  color: { kind: 'text', column: eventSeries.color },
  created: { kind: 'instant', column: eventSeries.created, unit: MICROSECONDS },
  last_modified: { kind: 'instant', column: eventSeries.lastModified, unit: MICROSECONDS },
} as const satisfies Properties

/** Returns a whole uuid in lower case with hyphens. Any other text is unchanged and matches nothing. */
function uuidOf(text: string): string {
  const uuid = uuidPrefix(text)
  return uuid?.length === 36 ? uuid : text
}
