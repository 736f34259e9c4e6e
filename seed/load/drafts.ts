import { ValueError } from '../../src/base/errors.ts'
import { EVENT } from '../../src/model/event.ts'
import { unstamped } from '../../src/model/members.ts'
import { mergeEvent, newEvent } from '../../src/store/events.ts'
import { changesIn, type EventRecord, type LoadRecord } from '../../src/store/records.ts'
import type { DraftRecord, FileEvent } from '../read/event.ts'

const UNSTAMPED = unstamped(EVENT)

/**
 * Completes an event of a file. Fields that the file lacks come from the stored event, or are empty in a new event.
 * `needsPlace`: a new event without a position is an error. Throws ValueError that says what to enter.
 */
export function wholeOf(event: FileEvent, stored?: EventRecord, needsPlace = false): EventRecord {
  const { id, ...draft } = event
  const merged = stored && { ...mergeEvent(stored, draft), ...UNSTAMPED }
  const whole = merged ?? created(draft, id, needsPlace)
  if (whole.end < whole.start)
    throw new ValueError(
      `the event would end before it starts, at ${new Date(whole.end).toISOString()}: add a later end`,
    )
  return whole
}

function created(draft: Omit<FileEvent, 'id'>, id: number, needsPlace: boolean): EventRecord {
  const { start, coordinates } = draft
  if (start === undefined) throw new ValueError('a new event needs a start: name its column with --start NAME')
  if (coordinates === undefined && needsPlace)
    throw new ValueError(
      'a new event needs a position, which may be empty: name its columns with --x NAME and --y NAME',
    )
  return newEvent({ ...draft, start, coordinates: coordinates ?? null }, id)
}

/**
 * Returns the first field of a record with another value than in the stored one. It ignores stamps, and the description
 * of a series, which each write of its events may change.
 */
export const differing = (record: DraftRecord, stored: LoadRecord): string | undefined =>
  Object.keys(changesIn({ ...stored }, record)).find((name) => !(name in UNSTAMPED) && name !== 'metadata')
