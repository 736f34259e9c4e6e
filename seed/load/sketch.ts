import { hash } from 'node:crypto'
import { at } from '../../src/base/collections.ts'
import { orElse } from '../../src/base/errors.ts'
import { EVENT } from '../../src/model/event.ts'
import { storedIn } from '../../src/model/members.ts'
import { newEvent } from '../../src/store/events.ts'
import type { EventRecord } from '../../src/store/records.ts'
import type { FileEvent } from '../read/event.ts'
import { wholeOf } from './drafts.ts'
import type { Target, Verdict } from './target.ts'

/** The fields that a row may change. A row with an external id stays in its series. */
export const CHANGEABLE = storedIn(EVENT).flatMap(({ name, body }) =>
  body === undefined || name === 'series' || name === 'external_id' ? [] : [name],
)
const DIGESTED = CHANGEABLE.filter((name) => name !== 'start' && name !== 'end')

/**
 * The id and the times of a stored event, and a digest of each other field, with blanks between them. It has about 70
 * characters. So a load can compare each row of a long file with a stored event.
 */
export type Sketch = string

export const sketchOf = (event: EventRecord): Sketch =>
  [event.id, event.start, event.end, ...digestsOf(event)].join(' ')

const digestsOf = (event: Readonly<Record<string, unknown>>): string[] => DIGESTED.map((name) => digestOf(event[name]))

export const idIn = (sketch: Sketch): number => Number(sketch.slice(0, sketch.indexOf(' ')))

/** Hashes a value to 48 bits. A changed value has the digest of the stored one in 1 of 280,000,000,000,000 cases. */
const digestOf = (value: unknown): string => hash('sha256', JSON.stringify(value), 'base64').slice(0, 8)

/** Compares an event of a file with the stored event that has its external id. Undefined: there is none. */
export function judgeNamed(event: FileEvent, sketch: Sketch | undefined, needsPlace: boolean): Verdict {
  const judge = () => {
    if (sketch !== undefined) return isSame(event, sketch) ? 'same' : 'changed'
    wholeOf(event, undefined, needsPlace)
    return 'new'
  }
  return orElse(judge, ({ message }) => ({ fault: message }))
}

/** Tests if a row changes no field of a stored event. Throws ValueError if the event would end before it starts. */
function isSame(event: FileEvent, sketch: Sketch): boolean {
  const [, start, end, ...digests] = sketch.split(' ')
  const times = { start: Number(start), end: Number(end) }
  const { kind, series, id } = event
  const whole = wholeOf(event, newEvent({ kind, series, ...times, coordinates: null }, id))
  if (whole.start !== times.start || whole.end !== times.end) return false
  const given: Readonly<Record<string, unknown>> = event
  return digestsOf(whole).every((digest, i) => given[at(DIGESTED, i)] === undefined || digest === digests[i])
}

/** The stored events of a series that no row named yet. */
export interface Unnamed {
  /** The number of all stored events. */
  readonly total: number
  /** The sketches of the events by their external ids, or by their ids without one. */
  readonly left: Map<string | number, Sketch>
}

/** Reads the events of a series. Null: it has more than `most`. */
export async function readUnnamed(target: Target, series: number, most: number): Promise<Unnamed | null> {
  const left: Unnamed['left'] = new Map()
  const isRead = await target.readAll(series, most, (event) => left.set(event.external_id ?? event.id, sketchOf(event)))
  return isRead ? { total: left.size, left } : null
}
