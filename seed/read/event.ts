import { ValueError } from '../../src/errors.ts'
import { EVENT } from '../../src/model/event.ts'
import { isObject, type Reader, uuid as uuidKind } from '../../src/model/kinds.ts'
import { storedIn } from '../../src/model/rows.ts'
import type { EventRecord } from '../../src/model/types.ts'
import type { EventDraft } from '../../src/store/events.ts'
import { faultOf, type LoadRecord, readField } from '../../src/store/records.ts'
import { reasonOf } from '../load/error.ts'
import type { AttributeNames } from './attributes.ts'
import type { Crs } from './crs.ts'
import { decimalHint } from './decimal.ts'
import { type TimeOptions, timeReader } from './time.ts'

/** The id of an event that has none. The database gives it the next id. */
export const NO_ID = 0

/** The parts of a position and of an object, which may have columns of their own, with their usual names. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  x: ['longitude', 'lon', 'lng', 'long', 'x'],
  y: ['latitude', 'lat', 'y'],
  z: ['z'],
  model: ['object_type', 'object_model'],
  object_id: ['object_id'],
}
const FIELDS = storedIn(EVENT).filter(({ name }) => !['coordinates', 'object', 'last_modified'].includes(name))
/** Fields whose value is one text or number. */
const PLAIN = FIELDS.filter(({ name }) => !['id', 'series', 'start', 'end'].includes(name))

/** The usual names of each field, most likely first. */
export const USUAL: ReadonlyMap<string, readonly string[]> = new Map([
  ...FIELDS.map(({ name, usual = [name] }) => [name, usual] as const),
  ...Object.entries(PARTS),
])
export const usualOf = (field: string): readonly string[] => USUAL.get(field) ?? [field]

/** The names of the fields of an event in a file. Absent: the usual names apply. */
export type FieldNames = Readonly<Record<string, string | undefined>>

/** An event of a file. Fields that the file lacks are absent. */
export type FileEvent = EventDraft & Pick<EventRecord, 'kind' | 'id' | 'series'>
/** A record of a file. Events may lack fields. */
export type DraftRecord = Exclude<LoadRecord, EventRecord> | FileEvent

/** An item of a file is a row, an object or a feature. */
export interface Item {
  readonly nameOf: (field: string) => string
  /** Returns the value of a field. Undefined: the item lacks the field. Null: the field is empty. */
  readonly valueIn: (field: string) => unknown
  /** The position, unless x, y and z are separate fields. */
  readonly place?: { readonly position: unknown }
  /** The object, unless its model and its id are separate fields. */
  readonly object?: { readonly reference: unknown }
  /** True: the event list wrote the file. Then its numeric times are milliseconds. */
  readonly isOwn: boolean
  /** In CSV: tests if the value is a number with the decimal mark of the file. */
  readonly isNumber?: () => boolean
}

export interface EventOptions {
  /** The names of the fields that the options give. */
  readonly names: FieldNames
  /** The series of all events. Null if each event names its own series. */
  readonly series: number | null
  /** The ids of series by their uuids. The event list names series by uuid in some formats. */
  readonly seriesIds?: ReadonlyMap<string, number>
  /** True: the ids in the file are ignored. */
  readonly newIds: boolean
  /** True: the events may change stored events, so fields may be absent. */
  readonly partial?: boolean
  readonly times?: TimeOptions
  /** The reference system of the coordinates. Absent: they are degrees, longitude first. */
  readonly crs?: Crs
  /** Members or columns that become attributes. Absent: none do. */
  readonly attributes?: AttributeNames | undefined
  /** The decimal mark of numbers in CSV. It is a comma or a point. Absent: it is recognised. */
  readonly decimal?: string | undefined
}

/** The column or member of rejected records that says why. */
export const REASON = 'load_fault'

/** Columns and members of the project that are not fields of an event. */
export const SHOWN: readonly string[] = ['url', 'the_geom', 'event_series_name', 'last_modified', REASON]

/** Returns true if the names show that the event list wrote the file. */
export const isOwn = (names: readonly string[]): boolean =>
  names.includes('timestamp_start') && names.includes('event_series') && names.includes('url')

/**
 * Returns a function that reads the event of an item. Empty texts and nulls clear a field. It throws ValueError that has
 * the name of the field in the file and the value to enter.
 */
export function eventReader(options: EventOptions): (item: Item) => FileEvent {
  const { newIds, partial = false, times = {} } = options
  const [readTime, readOwn] = [timeReader(times), timeReader({ ...times, unit: times.unit ?? 'ms' })]
  const timeOf = (item: Item, field: 'start' | 'end'): number => {
    const value = item.valueIn(field) ?? null
    try {
      return (item.isOwn ? readOwn : readTime)(value)
    } catch (error) {
      if (!(error instanceof ValueError)) throw error
      throw new ValueError(faultOf(item.nameOf(field), value ?? undefined, error.message))
    }
  }
  return (item) => {
    const { nameOf, valueIn } = item
    const start = valueIn('start') === undefined && partial ? undefined : timeOf(item, 'start')
    const givenEnd = valueIn('end')
    const end = givenEnd === undefined ? undefined : givenEnd === null ? (start ?? null) : timeOf(item, 'end')
    if (start !== undefined && end !== undefined && end !== null && end < start)
      throw new ValueError(
        `"${nameOf('end')}" is ${JSON.stringify(givenEnd)}, before "${nameOf('start')}", ${JSON.stringify(valueIn('start'))}: enter a later time`,
      )
    const position = inDegrees(positionOf(item), options.crs)
    const { expected: degrees, read: readPosition } = EVENT.coordinates.kind
    const expected = options.crs === undefined ? degrees : `${options.crs.expected}, or null`
    const placeName = item.place === undefined ? `${nameOf('x')}, ${nameOf('y')}` : 'coordinates'
    const objectName = item.object === undefined ? `${nameOf('model')}, ${nameOf('object_id')}` : 'object'
    return withoutAbsent({
      ...Object.fromEntries(PLAIN.map((field) => [field.name, plainOf(item, field)])),
      kind: 'event' as const,
      id: (newIds ? undefined : read(nameOf('id'), valueIn('id') ?? undefined, idOf(nameOf('id')))) ?? NO_ID,
      series: options.series ?? seriesOf(item, options),
      start,
      end,
      coordinates: read(placeName, position, {
        expected: expected + hintOf(position, options.crs),
        read: readPosition,
      }),
      object: read(objectName, referenceOf(item), EVENT.object.kind),
    })
  }
}

/** Reads a value. Undefined stays undefined. Throws ValueError for an invalid one. */
const read = <T>(name: string, value: unknown, kind: Reader<T>): T | undefined =>
  value === undefined ? undefined : readField(name, value, kind)

/** Reads an id. A column with a usual name may have ids of the source, so the advice names --key-column. */
const idOf = (name: string): Reader<number> => {
  const { expected, read } = EVENT.id.kind
  return { expected: `${expected}, or use --key-column ${name} if it is the id at the source`, read }
}

/** Reads the id of the series. The file may name it by its uuid. */
function seriesOf({ nameOf, valueIn }: Item, { seriesIds }: EventOptions): number {
  const value = valueIn('series')
  const uuid = typeof value === 'string' ? uuidKind.read(value) : undefined
  const id = (uuid && seriesIds?.get(uuid)) ?? value
  const { expected, read } = EVENT.series.kind
  const series = read(id)
  if (series !== undefined) return series
  throw new ValueError(faultOf(nameOf('series'), id ?? undefined, `enter ${expected}, or use --series NAME`))
}

/** Returns a value with these parts. Null if all parts are empty, undefined if all are absent. */
const joined = (parts: readonly unknown[], whole: unknown): unknown =>
  parts.every((part) => part === null || part === undefined) ? parts.find((part) => part === null) : whole

/** Returns the position of an item, with two or three coordinates. Null if it is empty, undefined if it is absent. */
function positionOf({ place, valueIn }: Item): unknown {
  if (place !== undefined) return place.position
  const [x, y, z] = [valueIn('x'), valueIn('y'), valueIn('z')]
  return joined([x, y], [x, y, ...((z ?? null) === null ? [] : [z])])
}

/** Returns the object of an item. Null if both of its parts are empty, undefined without both. */
function referenceOf({ object, valueIn }: Item): unknown {
  const [model, id] = [valueIn('model'), valueIn('object_id')]
  if (object === undefined || (object.reference === null && (model ?? id) !== undefined))
    return joined([model, id], { model: model ?? null, id: id ?? null })
  const { reference } = object
  if (!isObject(reference) || !('type' in reference)) return reference
  const { type, ...rest } = reference
  return { model: type, ...rest }
}

/** Converts a position to degrees, but no other value. Throws ValueError outside the reference system. */
function inDegrees(position: unknown, crs: Crs | undefined): unknown {
  if (crs === undefined || !Array.isArray(position) || !position.slice(0, 2).every(Number.isFinite)) return position
  try {
    return [...crs.toDegrees(position.slice(0, 2)), ...position.slice(2)]
  } catch (error) {
    throw new ValueError(reasonOf(error))
  }
}

function withoutAbsent<T extends object>(source: T): { [N in keyof T]: Exclude<T[N], undefined> } {
  const given = Object.entries(source).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { [N in keyof T]: Exclude<T[N], undefined> }
}

/** Returns a hint about the likely mistake in a position, or an empty text. */
const hintOf = (position: unknown, crs: Crs | undefined): string => {
  if (!Array.isArray(position)) return ''
  if (isSwapped(position)) return '; these look like latitude, longitude'
  if (crs === undefined && areMetres(position)) return '; for coordinates in metres use --crs, such as --crs 28992'
  return decimalHint(position)
}

/** Tests if x and y are numbers, and one of them is more than a full circle in degrees. */
const areMetres = ([x, y]: readonly unknown[]): boolean =>
  [x, y].every(Number.isFinite) && Math.max(Math.abs(Number(x)), Math.abs(Number(y))) > 360

/** Returns true if a position is invalid, but valid after swapping x and y. */
const isSwapped = ([x, y]: readonly unknown[]): boolean =>
  Math.abs(Number(y)) > 90 && Math.abs(Number(y)) <= 180 && Math.abs(Number(x)) <= 90

/** Reads a text or a number. A file may have a number as a text, or a text as a number. An empty value clears the field. */
function plainOf({ nameOf, valueIn }: Item, { name, kind, otherwise }: (typeof PLAIN)[number]): unknown {
  const value = valueIn(name)
  if (value === null) return otherwise
  const isText = typeof value === 'string'
  const other = isText ? Number(value) : typeof value === 'object' ? undefined : JSON.stringify(value)
  const { expected } = kind
  return read(nameOf(name), value, { expected, read: (given) => kind.read(given) ?? kind.read(other) })
}
