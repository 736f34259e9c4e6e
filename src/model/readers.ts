import { ValueError } from '../errors.ts'
import { exactInstantOf, MILLISECONDS, TICKS } from '../filters/temporal.ts'
import type { Coordinates, ObjectReference } from './kinds.ts'
import { isObject, type Kind, milliseconds, objectReference as object, position, positive, uuid } from './kinds.ts'
import { refuseLonger } from './length.ts'

type Read<T> = (value: unknown) => T

/** Returns a reader that throws ValueError with what to enter. */
export const as =
  <T>({ expected, read }: Kind<T>): Read<T> =>
  (value) =>
    required(read(value), expected)

/** Returns a value that could be read. Throws ValueError for undefined. */
const required = <T>(value: T | undefined, expected: string): T => {
  if (value === undefined) throw new ValueError(`Enter ${expected}.`)
  return value
}

/** Returns a reader that accepts only this text and returns its meaning. */
export const exactly =
  <const T>(text: string, meaning: T): Read<T> =>
  (value) =>
    required(value === text ? meaning : undefined, `"${text}"`)

/** Reads a text, or a number as JSON writes it. */
export const measured =
  (kind: Kind<string>): Read<string> =>
  (value) =>
    as(kind)(typeof value === 'number' ? JSON.stringify(value) : value)

/** Reads milliseconds since 1970, or an ISO 8601 instant. */
export const timestamp: Read<number> = (value) =>
  required(
    milliseconds.read(typeof value === 'string' ? millisecondsOf(value) : value),
    `${milliseconds.expected}, or an ISO 8601 instant to the millisecond, such as "2018-02-07T01:49:14Z"`,
  )

const millisecondsOf = (text: string): number | undefined => {
  try {
    const [instant, millisecond] = [exactInstantOf(text), MILLISECONDS * TICKS]
    return instant % millisecond === 0n ? Number(instant / millisecond) : undefined
  } catch {
    return undefined
  }
}

/** Reads a GeoJSON Point as its position, or null. */
export const point: Read<Coordinates | null> = (value) => {
  if (value === null) return null
  return required(
    position.read(isObject(value) && value.type === 'Point' ? value.coordinates : undefined),
    'a GeoJSON Point in degrees, longitude first, such as {"type": "Point", "coordinates": [5.18, 52.1, 0]}, or null',
  )
}

/** Reads the object that an event belongs to: `{"type": <model>, "id": <number>}` or null. */
export const objectReference: Read<ObjectReference | null> = (value) =>
  value === null
    ? null
    : required(
        object.read(isObject(value) && Object.keys(value).length === 2 ? { model: value.type, id: value.id } : value),
        'a model of a-z, 0-9, _ and an integer id, such as {"type": "storm", "id": 12}, or null',
      )

/** Reads the model of an object, or its id, if they are separate members. */
export const objectModel: Read<string> = (value) =>
  required(object.read({ model: value, id: 1 })?.model, 'a model of a-z, 0-9, _, such as "storm", or null')
export const objectId: Read<number> = (value) =>
  required(object.read({ model: 'any', id: value })?.id, 'an integer, such as 12, or null')

const ID = positive('')

/** Reads the id of a series, or its full uuid. */
export const seriesReference: Read<number | string> = (value) =>
  required(ID.read(value) ?? uuid.read(value), 'the id of an event series, such as 1, or its full uuid')

/**
 * The maximum number of characters. MAX_NAME is for a category, a model, an external id and the name of a series.
 * MAX_VALUE is for the value of an event.
 */
export const MAX_NAME = 300
export const MAX_VALUE = 10_000

/** Returns a reader that reads null and the empty text as `meaning`. Both clear a field. */
export const emptyAs =
  <T, const N>(meaning: N, read: Read<T>): Read<T | N> =>
  (value) =>
    value === null || value === '' ? meaning : read(value)

/** Returns a reader for null, or for a text of at most this many characters. */
export const atMost =
  <T extends string | null>(most: number, read: Read<T>): Read<T> =>
  (value) => {
    const text = read(value)
    if (text !== null) refuseLonger(text, most)
    return text
  }

/** Reads the id of an observation type, its address, or its code. */
export const typeReference: Read<number | string> = (value) => {
  const [, id] = (typeof value === 'string' && /\/observationtypes\/(\d{1,16})\/(\?[^?]*)?$/.exec(value)) || []
  if (typeof value === 'string' && id === undefined) return value
  return required(
    ID.read(id === undefined ? value : Number(id)),
    'the address of an observation type, such as "/api/v4/observationtypes/1/", its id or its code',
  )
}
