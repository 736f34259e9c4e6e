import { orElse, orUndefined, ValueError } from '../../src/base/errors.ts'
import { doublesIn, LongNumber } from '../../src/base/json.ts'
import { EVENT } from '../../src/model/event.ts'
import { isObject, uuid as uuidKind, type ValueReader } from '../../src/model/kinds.ts'
import type { DescribedField } from '../../src/model/types.ts'
import type { EventDraft } from '../../src/store/events.ts'
import { type EventRecord, faultOf, type LoadRecord, readField } from '../../src/store/records.ts'
import type { AttributeNames } from './attributes.ts'
import type { Crs } from './crs.ts'
import type { NumberOptions } from './decimal.ts'
import { FIELDS, type FieldNames } from './fields.ts'
import { hintOf, inDegrees, positionIn } from './place.ts'
import { type NoteTime, type Time, type TimeOptions, timeReader } from './time.ts'

/** The id of an event that has none. The database gives it the next id. */
export const NO_ID = 0

/** Fields whose value is one text or number. */
const PLAIN = FIELDS.filter(({ name }) => !['id', 'series', 'start', 'end'].includes(name))

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

export interface EventOptions extends NumberOptions {
  /** The names of the fields that the options give. */
  readonly names: FieldNames
  /** The series of all events. Null if each event names its own series. */
  readonly series: number | null
  /** The ids of series by their uuids. The event list names series by uuid in some formats. */
  readonly seriesIds?: ReadonlyMap<string, number>
  /** The columns of the series, whose titles may stand in a header. */
  readonly described?: readonly DescribedField[] | undefined
  /** True: the ids in the file are ignored. */
  readonly newIds: boolean
  /** True: the events may change stored events, so fields may be absent. */
  readonly partial?: boolean
  readonly times?: TimeOptions
  /** The reference system of the coordinates. Absent: they are degrees, longitude first. */
  readonly crs?: Crs
  /** Members or columns that become attributes. Absent: none do. */
  readonly attributes?: AttributeNames | undefined
  /** The text at the start of lines that are no rows. Absent: only sure comments are left out. */
  readonly comment?: string | undefined
  /** Texts that stand for missing values. */
  readonly marks?: ReadonlySet<string> | undefined
  /** True: no event has a place. */
  readonly placeless?: boolean | undefined
}

/**
 * Returns a function that reads the event of an item. Empty texts and nulls clear a field. It throws ValueError that has
 * the name of the field in the file and the value to enter. `note` receives the kinds of times that are not obvious.
 */
export function eventReader(options: EventOptions, note?: NoteTime): (item: Item) => FileEvent {
  const { newIds, partial = false, times = {} } = options
  const [readTime, readOwn] = [timeReader(times, note), timeReader({ ...times, unit: times.unit ?? 'ms' }, note)]
  const timeOf = (item: Item, field: 'start' | 'end'): Time => {
    const value = digitsOf(item.valueIn(field)) ?? null
    return named(item.nameOf(field), value, () => (item.isOwn ? readOwn : readTime)(value))
  }
  /** Returns the end of an event. It has the end of its start if that is a month, a year or an interval. */
  const endOf = (item: Item, time: Time | undefined): number | null | undefined => {
    const given = item.valueIn('end')
    if (given !== undefined && given !== null) return lastOf(timeOf(item, 'end'))
    return time?.last ?? (given === undefined ? undefined : (time?.first ?? null))
  }
  return (item) => {
    const { nameOf, valueIn } = item
    const time = valueIn('start') === undefined && partial ? undefined : timeOf(item, 'start')
    const start = time?.first
    const end = endOf(item, time)
    if (start !== undefined && end !== undefined && end !== null && end < start) throw backward(item)
    const position = inDegrees(doublesIn(positionOf(item, options)), options.crs)
    const { expected: degrees, read: readPosition } = EVENT.coordinates.kind
    const expected = options.crs === undefined ? degrees : `${options.crs.expected}, or null`
    const placeName = item.place === undefined ? nameOfPlace(item) : 'coordinates'
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

/** Runs a reader, and adds the name of the field to its ValueError. */
const named = <T>(name: string, value: unknown, read: () => T): T =>
  orElse(read, ({ message }) => {
    throw new ValueError(faultOf(name, value ?? undefined, message))
  })

function backward({ nameOf, valueIn }: Item): ValueError {
  const [start, end] = [JSON.stringify(valueIn('start')), JSON.stringify(valueIn('end') ?? undefined)]
  const name = nameOf('start')
  return new ValueError(
    end === undefined
      ? `"${name}" is ${start}: enter an interval that ends after its start`
      : `"${nameOf('end')}" is ${end}, before "${name}", ${start}: enter a later time`,
  )
}

/** Returns the digits of a number that no double holds. Returns other values unchanged. */
const digitsOf = (value: unknown): unknown => (value instanceof LongNumber ? value.digits : value)

const lastOf = ({ first, last = first }: Time): number => last

/** Reads a value. Undefined stays undefined. Throws ValueError for an invalid one. */
const read = <T>(name: string, value: unknown, kind: ValueReader<T>): T | undefined =>
  value === undefined ? undefined : readField(name, value, kind)

/** Reads an id. A column with a usual name may have ids of the source, so the advice names --key-column. */
const idOf = (name: string): ValueReader<number> => {
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
function positionOf({ place, nameOf, valueIn }: Item, { crs, names, placeless }: EventOptions): unknown {
  if (placeless) return undefined
  if (place !== undefined) return place.position
  const [x, y, z, whole] = [valueIn('x'), valueIn('y'), valueIn('z'), valueIn('place')]
  if (whole === undefined) return joined([x, y], [x, y, ...((z ?? null) === null ? [] : [z])])
  return named(nameOf('place'), whole, () => positionIn(whole, { crs, isNamed: names.place !== undefined }))
}

const nameOfPlace = ({ nameOf, valueIn }: Item): string =>
  valueIn('place') === undefined ? `${nameOf('x')}, ${nameOf('y')}` : nameOf('place')

/** Returns the object of an item. Null if both of its parts are empty, undefined without both. */
function referenceOf({ object, valueIn }: Item): unknown {
  const [model, id] = [valueIn('model'), valueIn('object_id')]
  if (object === undefined || (object.reference === null && (model ?? id) !== undefined))
    return joined([model, id], { model: model ?? null, id: id ?? null })
  // GDAL and QGIS copy it as a text.
  const { reference: given } = object
  const reference = (typeof given === 'string' ? orUndefined(() => JSON.parse(given)) : undefined) ?? given
  if (!isObject(reference) || !('type' in reference)) return reference
  const { type, ...rest } = reference
  return { model: type, ...rest }
}

function withoutAbsent<T extends object>(source: T): { [N in keyof T]: Exclude<T[N], undefined> } {
  const given = Object.entries(source).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { [N in keyof T]: Exclude<T[N], undefined> }
}

/** Returns the external id of an item that may have faults. Null: it has none that can be read. */
export const keyOf = (item: Item): string | null => {
  const key = PLAIN.flatMap((field) => (field.name === 'external_id' ? orUndefined(() => plainOf(item, field)) : []))[0]
  return typeof key === 'string' ? key : null
}

/** Reads a text or a number. A file may have a number as a text, or a text as a number. An empty value clears the field. */
function plainOf({ nameOf, valueIn }: Item, { name, kind, otherwise }: (typeof PLAIN)[number]): unknown {
  const value = digitsOf(valueIn(name))
  if (value === null) return otherwise
  const isText = typeof value === 'string'
  const other = isText ? Number(value) : typeof value === 'object' ? undefined : JSON.stringify(value)
  const { expected } = kind
  return read(nameOf(name), value, { expected, read: (given) => kind.read(given) ?? kind.read(other) })
}
