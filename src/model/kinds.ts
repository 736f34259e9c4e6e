import { ACCESS_LEVELS } from '../access.ts'
import { ValueError } from '../errors.ts'
import { instantOf } from '../filters/temporal.ts'
import { zeroIfNear } from '../geometry/geometry.ts'

/** How a value of a file is read. `read` returns undefined for an invalid value. `expected` says what is valid. */
export interface Kind<V> {
  readonly expected: string
  readonly read: (value: unknown) => V | undefined
}

/** Longitude and latitude in degrees, and z. */
export type Coordinates = readonly [x: number, y: number, z: number]
/** The object that an event happened to. */
export type ObjectReference = { readonly model: string; readonly id: number }

const UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:?\d\d)$/
/** The limits of the years 0 to 9999, because a date has four digits for the year. */
const [FIRST_TIME, LAST_TIME] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')]

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)

export const nullable = <V>({ expected, read }: Kind<V>): Kind<V | null> => ({
  expected: `${expected}, or null`,
  read: (value) => (value === null ? null : read(value)),
})

/**
 * The maximum number of characters of a text. MAX_NAME is for a category, a model, an external id, the name of a series,
 * and the texts of an observation type.
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

/** Throws LongText if a text has more characters than this. Characters are code points, as in OpenAPI. */
const refuseLonger = (text: string, most: number): void => {
  // A character outside of the Basic Multilingual Plane has a length of 2.
  const characters = text.length > most ? Array.from(text).length : text.length
  if (characters > most) throw new LongText(characters, most)
}

/** Returns the kind of a text. Reading a text with more than `most` characters throws LongText. */
export const text = (expected: string, most = MAX_TEXT): Kind<string> => ({
  expected: `${expected} (Unicode without NUL or lone surrogates)`,
  read: (value) => {
    if (typeof value !== 'string' || !value.isWellFormed() || value.includes('\0')) return undefined
    refuseLonger(value, most)
    return value
  },
})

/** Returns the kind of a text of 1 to MAX_NAME characters. */
export const name = (expected: string): Kind<string> => {
  const { expected: described, read } = text(expected, MAX_NAME)
  return { expected: described, read: (value) => read(value) || undefined }
}

export const integer = (expected: string): Kind<number> => ({
  expected,
  read: (value) => (isInteger(value) ? value : undefined),
})

/** Returns the kind of an id: an integer from 1. */
export const positive = (expected: string): Kind<number> => ({
  expected: `${expected}, such as 1`,
  read: (value) => (isInteger(value) && value > 0 ? value : undefined),
})

/** A uuid in any case, with or without hyphens. The value is in lower case with hyphens. */
export const uuid: Kind<string> = {
  expected: 'a UUID, such as "1f3fd2e4-e4f6-564f-b861-9051626e9eb4"',
  read: (value) => {
    const parts = typeof value === 'string' ? UUID.exec(value) : null
    return parts?.slice(1).join('-').toLowerCase()
  },
}

export const color: Kind<string> = {
  expected: '# and six hexadecimal digits, such as "#6e9eb4"',
  read: (value) => (typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value) ? value : undefined),
}

/** The name of an access level. The value is its number. */
export const accessLevel: Kind<number> = {
  expected: `one of ${Object.keys(ACCESS_LEVELS).join(', ')}`,
  read: (value) => Object.entries(ACCESS_LEVELS).find(([name]) => name === value)?.[1],
}

/** An instant of ISO 8601. The value is in microseconds since 1970, limited to the safe integers, which D1 holds exactly. */
export const microseconds: Kind<number> = {
  expected: 'an ISO 8601 instant from 1685 to 2254, such as "2018-02-07T01:49:14.000000Z"',
  read: (value) => {
    if (typeof value !== 'string' || !INSTANT.test(value)) return undefined
    try {
      const instant = Number(instantOf(value))
      return isInteger(instant) ? instant : undefined
    } catch {
      return undefined
    }
  },
}

/** An integer of milliseconds since 1970. */
export const milliseconds: Kind<number> = {
  expected: `milliseconds since 1970, an integer from ${FIRST_TIME} to ${LAST_TIME} (the years 0 to 9999)`,
  read: (value) => (isInteger(value) && value >= FIRST_TIME && value <= LAST_TIME ? value : undefined),
}

/** An array of two or three numbers. The z of two is 0. */
export const position: Kind<Coordinates> = {
  expected: '[longitude, latitude] or [longitude, latitude, z], such as [5.18, 52.1, 0]',
  read: (value) => {
    if (!Array.isArray(value) || value.length < 2 || value.length > 3 || !value.every(Number.isFinite)) return undefined
    const [x, y, z = 0] = value as [number, number, number?] // checked above
    return Math.abs(x) <= 180 && Math.abs(y) <= 90 ? [zeroIfNear(x), zeroIfNear(y), z] : undefined
  },
}

export const objectReference: Kind<ObjectReference> = {
  expected: 'a model of a-z, 0-9, _ and an integer id, such as {"model": "storm", "id": 12}',
  read: (value) => {
    if (!isObject(value) || Object.keys(value).length !== 2) return undefined
    const { model, id } = value
    if (typeof model !== 'string' || !/^[a-z0-9_]+$/.test(model) || !isInteger(id)) return undefined
    refuseLonger(model, MAX_NAME)
    return { model, id }
  },
}
