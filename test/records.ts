import { EVENT } from '../src/model/event.ts'
import { defaultsOf } from '../src/model/members.ts'
import type {
  ObservationTypeRecord,
  SeriesRecord,
  EventRecord as StoredEvent,
  LoadRecord as StoredRecord,
} from '../src/store/records.ts'

export type { ObservationTypeRecord, SeriesRecord }

type Base = 'kind' | 'id' | 'series' | 'category' | 'value' | 'start' | 'end' | 'coordinates' | 'object'
/** An event of a test. It may omit the fields that are null by default. */
export type EventRecord = Pick<StoredEvent, Base> & Partial<StoredEvent>
export type LoadRecord = ObservationTypeRecord | SeriesRecord | EventRecord

/** Returns the record with all fields. */
export const wholeRecord = (record: LoadRecord): StoredRecord =>
  record.kind === 'event' ? ({ ...defaultsOf(EVENT), ...record } as StoredEvent) : record

/** Yields records with all fields. */
export function* wholeRecords(records: Iterable<LoadRecord>): Generator<StoredRecord> {
  for (const record of records) yield wholeRecord(record)
}
