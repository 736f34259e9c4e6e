import { ValueError } from '../../src/errors.ts'
import { type EventRecord, FIELDS, faultOf, OPTIONAL, refuseLong } from '../../src/store/records.ts'
import { decimalHint } from './decimal.ts'
import type { ReadTime } from './time.ts'

/** The id of an event that has none yet: the database gives it the next one. */
export const NO_ID = 0

/** What a file of events calls the fields of an event; null for those that it does not have. */
export type Names = Readonly<Record<NameOf, string | null>>
export type NameOf =
  | 'id'
  | 'series'
  | 'category'
  | 'value'
  | 'start'
  | 'end'
  | 'x'
  | 'y'
  | 'z'
  | 'model'
  | 'object'
  | 'external'

/** What each field is called where nothing else is said, the likeliest first. */
export const USUAL: Readonly<Record<NameOf, readonly string[]>> = {
  id: ['id'],
  series: ['event_series', 'series'],
  category: ['category'],
  value: ['value'],
  start: ['timestamp_start', 'start', 'timestamp', 'time', 'datetime', 'date'],
  end: ['timestamp_end', 'end'],
  x: ['longitude', 'lon', 'lng', 'long', 'x'],
  y: ['latitude', 'lat', 'y'],
  z: ['z'],
  model: ['object_type', 'object_model'],
  object: ['object_id'],
  external: ['external_id'],
}

/** Where nothing is said of any name. */
export const noNames: Names = Object.fromEntries(Object.keys(USUAL).map((field) => [field, null])) as Names

/** The fields of an event as a file has them: a missing one is null. */
export interface RawEvent {
  readonly id: unknown
  readonly series: unknown
  readonly category: unknown
  readonly value: unknown
  readonly start: unknown
  readonly end: unknown
  readonly coordinates: unknown
  readonly object: unknown
  readonly external: unknown
}

/**
 * The event of a file that has events only. What is missing is the empty text, null, or for the end the start. Throws
 * ValueError with the name that the file has for a field, and what to do about it.
 */
export function eventOf(
  raw: RawEvent,
  names: Readonly<Record<keyof RawEvent, string>>,
  series: number | null,
  readTime: ReadTime,
): EventRecord {
  const read = <T>(field: keyof RawEvent, [expected, of]: readonly [string, (value: unknown) => T | undefined]): T => {
    const value = of(raw[field])
    if (value === undefined) throw new ValueError(faultOf(names[field], raw[field] ?? undefined, `put ${expected}`))
    return value
  }
  const time = (field: 'start' | 'end'): number => {
    try {
      return readTime(raw[field])
    } catch (error) {
      throw error instanceof ValueError
        ? new ValueError(faultOf(names[field], raw[field] ?? undefined, error.message))
        : error
    }
  }
  const start = time('start')
  const end = raw.end === null ? start : time('end')
  if (end < start) throw new ValueError(`"${names.end}" is ${end}: put "${names.start}", ${start}, or a later time`)
  const event: EventRecord = {
    kind: 'event',
    id: raw.id === null ? NO_ID : read('id', FIELDS.event.id),
    series: series ?? read('series', [`${FIELDS.event.series[0]}, or say --series NAME`, FIELDS.event.series[1]]),
    category: read('category', [FIELDS.event.category[0], (value) => FIELDS.event.category[1](textOf(value))]),
    value: read('value', [FIELDS.event.value[0], (value) => FIELDS.event.value[1](textOf(value))]),
    start,
    end,
    coordinates: read('coordinates', [
      FIELDS.event.coordinates[0] + hintOf(raw.coordinates),
      FIELDS.event.coordinates[1],
    ]),
    object: read('object', FIELDS.event.object),
    ...(raw.external !== null && {
      external_id: read('external', [
        OPTIONAL.event.external_id[0],
        (value) => OPTIONAL.event.external_id[1](textOf(value)),
      ]),
    }),
  }
  refuseLong(event)
  return event
}

/** What probably went wrong with a position. */
const hintOf = (position: unknown): string => {
  if (!Array.isArray(position)) return ''
  return isSwapped(position) ? '; these look like latitude, longitude' : decimalHint(position)
}

/** Whether a position would be right with longitude and latitude the other way round. */
const isSwapped = ([x, y]: readonly unknown[]): boolean =>
  Math.abs(Number(y)) > 90 && Math.abs(Number(y)) <= 180 && Math.abs(Number(x)) <= 90

/** Null is the empty text; a number and a truth value are what JSON writes. */
const textOf = (value: unknown): unknown => {
  if (value === null) return ''
  return typeof value === 'number' || typeof value === 'boolean' ? JSON.stringify(value) : value
}
