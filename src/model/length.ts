import { ValueError } from '../errors.ts'

/**
 * The maximum number of characters in the texts of a record, as JSON. In UTF-8, a text and its folded forms are then
 * below 2 MB, which is D1's limit for a row or a parameter.
 */
const MAX_TEXTS = 300_000

/** Throws ValueError if a record is too long to store. */
export function refuseLong(record: object): void {
  const length = lengthOf(record)
  if (length > MAX_TEXTS)
    throw new ValueError(`The texts are too long: ${length} characters as JSON, of at most ${MAX_TEXTS}. Shorten them.`)
}

/** Throws ValueError if a text has more characters than this. Characters are code points, as in OpenAPI. */
export function refuseLonger(text: string, most: number): void {
  // A character outside of the Basic Multilingual Plane has a length of 2.
  const isLonger = text.length > most && (text.length > 2 * most || Array.from(text).length > most)
  if (isLonger) throw new ValueError(`Enter at most ${most} characters.`)
}

/** Tests if a record is long. Two changes of a long record can be too long together, although each of them fits. */
export const isLong = (record: object): boolean => lengthOf(record) > MAX_TEXTS / 4

/** Returns the number of characters in the texts of a record, as JSON. */
const lengthOf = (record: object): number =>
  Object.values(record).reduce((sum: number, value: unknown) => {
    if (typeof value === 'string') return sum + JSON.stringify(value).length
    return typeof value === 'object' && value !== null ? sum + lengthOf(value) : sum
  }, 0)
