import { events as event, eventSeries } from '../../schema/tables.ts'
import { category, events, model, series } from '../api/v3/events.ts'
import type { Properties } from '../cql2/values.ts'
import { uuidPrefix } from '../filters/scalar.ts'
import { MILLISECONDS } from '../filters/temporal.ts'

/** What filters may name of an event: what its features show, by the same names. */
export const EVENT_PROPERTIES = {
  id: { kind: 'integer', column: events.id },
  category: { kind: 'text', column: category.text, folded: category.folded, dictionary: category },
  value: { kind: 'text', column: event.value },
  timestamp_start: { kind: 'instant', column: event.start, unit: MILLISECONDS },
  timestamp_end: { kind: 'instant', column: event.end, unit: MILLISECONDS },
  event_series: { kind: 'text', column: eventSeries.uuid, dictionary: series, canonical: uuidOf },
  event_series_name: { kind: 'text', column: series.text, folded: series.folded, dictionary: series },
  object_type: { kind: 'text', column: model.text, folded: model.folded, dictionary: model },
  object_id: { kind: 'integer', column: event.objectId },
  geom: { kind: 'place', x: event.x, y: event.y },
} as const satisfies Properties

/** A uuid in lower case with hyphens; what is none stays as it is, and is found nowhere. */
function uuidOf(text: string): string {
  return /^\s*[0-9a-f-]{32,36}\s*$/i.test(text) ? uuidPrefix(text) : text
}
