import type { D1Database } from '@cloudflare/workers-types'
import { ValueError } from '../../src/errors.ts'
import { mergeEvent, newEvent } from '../../src/store/drafts.ts'
import { refuseLong } from '../../src/store/length.ts'
import type { EventRecord, LoadRecord } from '../../src/store/records.ts'
import type { DraftRecord, FileEvent } from '../read/event.ts'
import { LoadError } from './error.ts'
import type { Fate } from './names.ts'
import { readEvents } from './stored.ts'

/**
 * The whole record of an event of a file. Fields that the file does not have stay as they are stored, or are empty in a new
 * event. `needsPlace`: a new event without a position is an error. Throws ValueError with what to put into the file.
 */
export function wholeOf(event: FileEvent, stored?: EventRecord, needsPlace = false): EventRecord {
  const { id, ...draft } = event
  const whole = stored === undefined ? created(draft, id, needsPlace) : changed(stored, draft)
  if (whole.end < whole.start)
    throw new ValueError(`the event would end before it starts: it ends at ${instant(whole.end)}; put an end, too`)
  refuseLong(whole)
  return whole
}

/** A changed event gets a new instant of its last change. */
function changed({ last_modified: _, ...stored }: EventRecord, draft: Omit<FileEvent, 'id'>): EventRecord {
  return mergeEvent(stored, draft)
}

function created(draft: Omit<FileEvent, 'id'>, id: number, needsPlace: boolean): EventRecord {
  const { start, coordinates } = draft
  if (start === undefined) throw new ValueError('a new event needs a start: say --start NAME')
  if (coordinates === undefined && needsPlace)
    throw new ValueError('a new event needs a position, which may be empty: say --x NAME and --y NAME')
  return newEvent({ ...draft, start, coordinates: coordinates ?? null }, id)
}

/** Compares an event of a file with the stored one. `onFault` gets the reason of a fault. */
export function fateOf(
  event: FileEvent,
  stored: EventRecord | undefined,
  needsPlace: boolean,
  onFault: (reason: string) => void,
): Fate {
  try {
    const whole = wholeOf(event, stored, needsPlace)
    if (stored === undefined) return 'new'
    return differing(whole, stored) === undefined ? 'same' : 'changed'
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    onFault(error.message)
    return 'faulty'
  }
}

const AT_ONCE = 1_000

/** Completes the records of files in their order. Events with the ids of stored events are laid over them. */
export async function* wholeRecords(
  db: D1Database,
  records: AsyncIterable<DraftRecord>,
  storedIds: ReadonlySet<number>,
): AsyncGenerator<LoadRecord> {
  const isStored = ({ kind, id }: DraftRecord) => kind === 'event' && storedIds.has(id)
  const complete = async (batch: readonly DraftRecord[]): Promise<LoadRecord[]> => {
    const ids = batch.filter(isStored).map(({ id }) => id)
    const stored = new Map((ids.length === 0 ? [] : await readEvents(db, ids)).map((event) => [event.id, event]))
    return batch.map((record) => (record.kind === 'event' ? wholeOf(record, stored.get(record.id)) : record))
  }
  let batch: DraftRecord[] = []
  try {
    for await (const record of records) {
      // New events need no query. A mark of progress belongs to the last record.
      if (storedIds.size === 0) yield record.kind === 'event' ? wholeOf(record) : record
      else if (batch.push(record) === AT_ONCE) {
        yield* await complete(batch)
        batch = []
      }
    }
    yield* await complete(batch)
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    throw new LoadError(`the database was changed meanwhile: start again (${error.message})`, { cause: error })
  }
}

const instant = (time: number): string => new Date(time).toISOString()

/** The first field of a record that another record has with another value. Undefined without one, whenever they changed. */
export function differing(a: DraftRecord, b: LoadRecord): string | undefined {
  const [given, there] = [a, b] as Readonly<Record<string, unknown>>[]
  return Object.keys(a).find((name) => name !== 'last_modified' && textOf(given?.[name]) !== textOf(there?.[name]))
}

const textOf = (value: unknown): string => JSON.stringify(value ?? null)
