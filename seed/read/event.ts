import { ValueError } from '../../src/errors.ts'
import type { EventDraft } from '../../src/store/drafts.ts'
import { refuseLong } from '../../src/store/length.ts'
import { type EventRecord, FIELDS, faultOf, type LoadRecord, OPTIONAL } from '../../src/store/records.ts'
import { decimalHint } from './decimal.ts'
import type { ReadTime } from './time.ts'

/** The id of an event that has none. The database gives it the next id. */
export const NO_ID = 0

/** The names of the fields of an event in a file. Null: the usual names apply. */
export type FieldNames = Readonly<Record<NameOf, string | null>>
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

/** The usual names of each field, most likely first. */
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

export const noNames: FieldNames = Object.fromEntries(Object.keys(USUAL).map((field) => [field, null])) as FieldNames

/** An event of a file. Fields that the file lacks are absent. */
export type FileEvent = EventDraft & Pick<EventRecord, 'kind' | 'id' | 'series'>
/** A record of a file. Events may lack fields. */
export type DraftRecord = Exclude<LoadRecord, EventRecord> | FileEvent

/** The fields of an event in a file. Undefined: the file lacks the field. Null: the field is empty. */
export type RawEvent = Readonly<
  Record<'id' | 'series' | 'category' | 'value' | 'start' | 'end' | 'coordinates' | 'object' | 'external', unknown>
>

/** Settings for reading the fields of events. */
export interface EventReader {
  /** The series of all events. Null if each event names its own series. */
  readonly series: number | null
  /** True: the event may change a stored event, so its start may be absent. */
  readonly partial: boolean
  readonly readTime: ReadTime
}

/**
 * Reads an event of a file that has only events. Empty texts and nulls clear a field. Throws ValueError that has the
 * name of the field in the file and the value to enter.
 */
export function eventOf(
  raw: RawEvent,
  names: Readonly<Record<keyof RawEvent, string>>,
  { series, partial, readTime }: EventReader,
): FileEvent {
  const read = <T>(
    field: keyof RawEvent,
    [expected, parse]: readonly [string, (value: unknown) => T | undefined],
  ): T => {
    const value = parse(raw[field])
    if (value === undefined) throw new ValueError(faultOf(names[field], raw[field] ?? undefined, `enter ${expected}`))
    return value
  }
  const given = <T>(field: keyof RawEvent, expected: readonly [string, (value: unknown) => T | undefined]) =>
    raw[field] === undefined ? undefined : read(field, expected)
  const time = (field: 'start' | 'end'): number => {
    try {
      return readTime(raw[field] ?? null)
    } catch (error) {
      if (!(error instanceof ValueError)) throw error
      throw new ValueError(faultOf(names[field], raw[field] ?? undefined, error.message))
    }
  }
  const start = raw.start === undefined && partial ? undefined : time('start')
  const end = raw.end === undefined ? undefined : raw.end === null ? (start ?? null) : time('end')
  if (start !== undefined && end !== undefined && end !== null && end < start)
    throw new ValueError(`"${names.end}" is ${end}, before "${names.start}": enter ${start} or a later time`)
  const event = withoutAbsent({
    kind: 'event' as const,
    id: raw.id === null || raw.id === undefined ? NO_ID : read('id', idOf(names.id)),
    series: series ?? read('series', [`${FIELDS.event.series[0]}, or use --series NAME`, FIELDS.event.series[1]]),
    category: given('category', [FIELDS.event.category[0], (value) => FIELDS.event.category[1](textOf(value))]),
    value: given('value', [FIELDS.event.value[0], (value) => FIELDS.event.value[1](textOf(value))]),
    start,
    end,
    coordinates: given('coordinates', [
      FIELDS.event.coordinates[0] + hintOf(raw.coordinates),
      FIELDS.event.coordinates[1],
    ]),
    object: given('object', FIELDS.event.object),
    external_id: given('external', [
      OPTIONAL.event.external_id[0],
      (value) => OPTIONAL.event.external_id[1](value === null ? null : textOf(value)),
    ]),
  })
  refuseLong(event)
  return event
}

/**
 * Describes and reads an id. The description mentions --key-column, because the column may have names that the source
 * gives its events.
 */
const idOf = (name: string) =>
  [`${FIELDS.event.id[0]}, or use --key-column ${name} if it is the id at the source`, FIELDS.event.id[1]] as const

/** Returns an object without its undefined members. */
function withoutAbsent<T extends object>(source: T): { [N in keyof T]: Exclude<T[N], undefined> } {
  const given = Object.entries(source).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { [N in keyof T]: Exclude<T[N], undefined> }
}

/** Returns a hint about the likely mistake in a position, or an empty text. */
const hintOf = (position: unknown): string => {
  if (!Array.isArray(position)) return ''
  return isSwapped(position) ? '; these look like latitude, longitude' : decimalHint(position)
}

/** Returns true if a position is invalid, but valid after swapping x and y. */
const isSwapped = ([x, y]: readonly unknown[]): boolean =>
  Math.abs(Number(y)) > 90 && Math.abs(Number(y)) <= 180 && Math.abs(Number(x)) <= 90

/** Converts a value to text. Null becomes the empty text. Numbers and booleans become their JSON. */
const textOf = (value: unknown): unknown => {
  if (value === null) return ''
  return typeof value === 'number' || typeof value === 'boolean' ? JSON.stringify(value) : value
}
