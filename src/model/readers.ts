import { ValueError } from '../errors.ts'
import { exactInstantOf, MILLISECONDS, TICKS } from '../filters/temporal.ts'
import {
  type Coordinates,
  isObject,
  type Kind,
  milliseconds,
  nullable,
  objectReference,
  position,
  positive,
  uuid,
} from './kinds.ts'

/** Returns a reader that throws ValueError with what to enter. */
export const as =
  <T>({ expected, read }: Kind<T>) =>
  (value: unknown): T => {
    const found = read(value)
    if (found === undefined) throw new ValueError(`Enter ${expected}.`)
    return found
  }

/** Returns a reader that reads null and the empty text as `meaning`. Both clear a field. */
export const emptyAs =
  <T, const N>(meaning: N, read: (value: unknown) => T) =>
  (value: unknown): T | N =>
    value === null || value === '' ? meaning : read(value)

/** Accepts only this text, which has a meaning. */
export const exactly = <const T>(text: string, meaning: T): Kind<T> => ({
  expected: `"${text}"`,
  read: (value) => (value === text ? meaning : undefined),
})

/** Accepts a text, or a number as JSON writes it. */
export const measured = ({ expected, read }: Kind<string>): Kind<string> => ({
  expected,
  read: (value) => read(typeof value === 'number' ? JSON.stringify(value) : value),
})

/** Milliseconds since 1970, or an ISO 8601 instant. */
export const timestamp: Kind<number> = {
  expected: `${milliseconds.expected}, or an ISO 8601 instant to the millisecond, such as "2018-02-07T01:49:14Z"`,
  read: (value) => milliseconds.read(typeof value === 'string' ? millisecondsOf(value) : value),
}

const millisecondsOf = (text: string): number | undefined => {
  try {
    const [instant, millisecond] = [exactInstantOf(text), MILLISECONDS * TICKS]
    return instant % millisecond === 0n ? Number(instant / millisecond) : undefined
  } catch {
    return undefined
  }
}

/** A GeoJSON Point, or null. The value is its position. */
export const point: Kind<Coordinates | null> = nullable({
  expected: 'a GeoJSON Point in degrees, longitude first, such as {"type": "Point", "coordinates": [5.18, 52.1, 0]}',
  read: (value) => position.read(isObject(value) && value.type === 'Point' ? value.coordinates : undefined),
})

/** The object that an event belongs to: `{"type": <model>, "id": <number>}` or null. */
export const objectOrNull = nullable({
  expected: 'a model of a-z, 0-9, _ and an integer id, such as {"type": "storm", "id": 12}',
  read: (value) =>
    objectReference.read(
      isObject(value) && Object.keys(value).length === 2 ? { model: value.type, id: value.id } : value,
    ),
})

/** The model of an object, or its id, if they are separate members. */
export const objectModel: Kind<string> = {
  expected: 'a model of a-z, 0-9, _, such as "storm", or null',
  read: (value) => objectReference.read({ model: value, id: 1 })?.model,
}
export const objectId: Kind<number> = {
  expected: 'an integer, such as 12, or null',
  read: (value) => objectReference.read({ model: 'any', id: value })?.id,
}

const ID = positive('')

/** The id of a series, or its full uuid. */
export const seriesReference: Kind<number | string> = {
  expected: 'the id of an event series, such as 1, or its full uuid',
  read: (value) => ID.read(value) ?? uuid.read(value),
}

/** The id of an observation type, its address, or its code. */
export const typeReference: Kind<number | string> = {
  expected: 'the address of an observation type, such as "/api/v4/observationtypes/1/", its id or its code',
  read: (value) => {
    if (typeof value !== 'string') return ID.read(value)
    const [, id] = /\/observationtypes\/(\d{1,16})\/(\?[^?]*)?$/.exec(value) ?? []
    return id === undefined ? value : ID.read(Number(id))
  },
}
