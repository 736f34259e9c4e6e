import { ACCESS_LEVELS, accessName } from '../base/access.ts'
import { orUndefined, ValueError } from '../base/errors.ts'
import { doublesIn, LongNumber } from '../base/json.ts'
import { INSTANT, INTEGER, listOf, NUMBER, type Schema, STRING, UUID } from '../base/schema.ts'
import { exactInstantOf, instantOf, isoInstant, MICROSECONDS } from '../filters/temporal.ts'
import { zeroIfNear } from '../geometry/geometry.ts'
import { isInDegrees } from '../geometry/srid.ts'
import { MILLISECOND } from '../question/range.ts'
import type { Coordinates } from './types.ts'

/** Makes the absolute addresses in an answer. */
export interface Links {
  /** Returns the address of a path from the root. It has `format` if the request had it. */
  readonly to: (path: string) => string
}

/** A way to write a value in an answer, and the schema of the result. `nullable`: the result may also be null. */
export interface Form {
  readonly schema: Schema
  readonly nullable?: boolean
  /** The unit of an instant, in microseconds. */
  readonly unit?: bigint
  /** Absent: the value does not change. It never gets null. */
  write?(value: unknown, links: Links): unknown
}

/** A reader of values. `expected` says what is valid. */
export interface ValueReader<V> {
  readonly expected: string
  /** Returns undefined for an invalid value. */
  read(value: unknown): V | undefined
}

/** A kind of value, with its reader for files and its form in answers. */
export interface Kind<V> extends Form, ValueReader<V> {
  /** How bodies have the value, where it differs. */
  readonly sent?: Partial<Kind<unknown>> | undefined
}

/** Reads a value. Throws ValueError with what to enter. */
export const parse = <V>({ expected, read }: ValueReader<V>, value: unknown): V => {
  const found = read(value)
  if (found === undefined) throw new ValueError(`Enter ${expected}.`)
  return found
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LongNumber)

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)

export const nullable = <V>({ sent, ...kind }: Kind<V>): Kind<V | null> => {
  const orNull = <T>({ expected, read }: ValueReader<T>) => ({
    expected: `${expected}, or null`,
    read: (value: unknown) => (value === null ? null : read(value)),
  })
  return { ...kind, nullable: true, ...orNull(kind), sent: sent && { ...sent, ...orNull({ ...kind, ...sent }) } }
}

/** Writes an instant in ISO 8601. `unit` is the unit of the value in microseconds. */
export const iso = (unit: bigint): Form => ({
  schema: INSTANT,
  unit,
  write: (value: number) => isoInstant(value, unit),
})

/**
 * The most characters of a text. MAX_NAME is for categories, models, external ids, names of series, and texts of
 * observation types.
 */
export const MAX_TEXT = 10_000
export const MAX_NAME = 300

/** A text has too many characters. */
export class LongText extends ValueError {
  readonly characters: number
  readonly most: number

  constructor(characters: number, most: number) {
    super(`Enter at most ${most} characters.`)
    this.characters = characters
    this.most = most
  }
}

/**
 * Returns the kind of a text. Reading a text with more than `most` characters throws LongText. Characters are code points,
 * as in OpenAPI.
 */
export const text = (expected: string, most = MAX_TEXT): Kind<string> => ({
  schema: STRING,
  expected: `${expected} (Unicode without NUL or lone surrogates)`,
  read: (value) => {
    if (typeof value !== 'string' || !value.isWellFormed() || value.includes('\0')) return undefined
    // A character outside of the Basic Multilingual Plane has a length of 2.
    const characters = value.length > most ? Array.from(value).length : value.length
    if (characters > most) throw new LongText(characters, most)
    return value
  },
  sent: { schema: { ...STRING, maxLength: most } },
})

/** Returns the kind of a text of 1 to MAX_NAME characters. */
export const name = (expected: string): Kind<string> => {
  const kind = text(expected, MAX_NAME)
  return { ...kind, read: (value) => kind.read(value) || undefined }
}

export const integer = (expected: string): Kind<number> => ({
  schema: INTEGER,
  expected,
  read: (value) => (isInteger(value) ? value : undefined),
})

/** Returns the kind of an id: an integer from 1. */
export const positive = (expected: string): Kind<number> => ({
  schema: INTEGER,
  expected: `${expected}, such as 1`,
  read: (value) => (isInteger(value) && value > 0 ? value : undefined),
})

const WHOLE_UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i

/** A uuid in any case, with or without hyphens. The value is in lower case with hyphens. */
export const uuid: Kind<string> = {
  schema: UUID,
  expected: 'a UUID, such as "1f3fd2e4-e4f6-564f-b861-9051626e9eb4"',
  read: (value) => {
    const parts = typeof value === 'string' ? WHOLE_UUID.exec(value) : null
    return parts?.slice(1).join('-').toLowerCase()
  },
}

export const color: Kind<string> = {
  schema: { type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' },
  expected: '# and six hexadecimal digits, such as "#6e9eb4"',
  read: (value) => (typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value) ? value : undefined),
}

/** The name of an access level. The value is its number. */
export const accessLevel: Kind<number> = {
  schema: { type: 'string', enum: Object.keys(ACCESS_LEVELS) },
  write: (level: number) => accessName(level),
  expected: `one of ${Object.keys(ACCESS_LEVELS).join(', ')}`,
  read: (value) => Object.entries(ACCESS_LEVELS).find(([name]) => name === value)?.[1],
}

const WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:?\d\d)$/

/** An instant of ISO 8601, in microseconds since 1970. D1 holds safe integers exactly, so it is one of these. */
export const microseconds: Kind<number> = {
  ...iso(MICROSECONDS),
  expected: 'an ISO 8601 instant from 1685 to 2254, such as "2018-02-07T01:49:14.000000Z"',
  read: (value) => {
    if (typeof value !== 'string' || !WITH_ZONE.test(value)) return undefined
    const instant = orUndefined(() => Number(instantOf(value)))
    return isInteger(instant) ? instant : undefined
  },
}

/** The limits of the years 0 to 9999, because a date has four digits for the year. */
const [FIRST_TIME, LAST_TIME] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')]
const IN_YEARS = `milliseconds since 1970, an integer from ${FIRST_TIME} to ${LAST_TIME} (the years 0 to 9999)`
const inYears = (value: unknown) => (isInteger(value) && value >= FIRST_TIME && value <= LAST_TIME ? value : undefined)

/** An integer of milliseconds since 1970. A body may also have an ISO 8601 instant. */
export const milliseconds: Kind<number> = {
  schema: INTEGER,
  expected: IN_YEARS,
  read: inYears,
  sent: {
    schema: INSTANT,
    expected: `${IN_YEARS}, or an ISO 8601 instant to the millisecond, such as "2018-02-07T01:49:14Z"`,
    read: (value) => inYears(typeof value === 'string' ? orUndefined(() => wholeMilliseconds(value)) : value),
  },
}

const wholeMilliseconds = (text: string): number | undefined => {
  const instant = exactInstantOf(text)
  return instant % MILLISECOND === 0n ? Number(instant / MILLISECOND) : undefined
}

const readPosition = (given: unknown): Coordinates | undefined => {
  const value = doublesIn(given)
  if (!Array.isArray(value) || value.length < 2 || value.length > 3 || !value.every(Number.isFinite)) return undefined
  const [x, y, z = 0] = value as [number, number, number?] // checked above
  return Math.abs(x) <= 180 && Math.abs(y) <= 90 ? [zeroIfNear(x), zeroIfNear(y), z] : undefined
}

/** A GeoJSON Point. The z is optional, and GeoJSON allows more members (RFC 7946, 6.1). */
export const point: Kind<Coordinates> = {
  schema: {
    type: 'object',
    properties: { type: { const: 'Point' }, coordinates: listOf(NUMBER, 2, 3) },
    required: ['type', 'coordinates'],
  },
  expected: 'a GeoJSON Point in degrees, longitude first, such as {"type": "Point", "coordinates": [5.18, 52.1, 0]}',
  read: (value) =>
    isObject(value) && value.type === 'Point' && isInDegrees(value.crs) ? readPosition(value.coordinates) : undefined,
}

/** An array of two or three numbers. The z of two is 0. Bodies have a point. */
export const position: Kind<Coordinates> = {
  schema: {},
  expected: '[longitude, latitude] or [longitude, latitude, z], such as [5.18, 52.1, 0]',
  read: readPosition,
  sent: point,
}
