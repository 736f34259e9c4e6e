import { ValueError } from '../errors.ts'

/**
 * Most characters that the texts of a record have as JSON. In UTF-8 a text and its folded forms are then below 2 MB, which
 * is the most that a row or a parameter of D1 takes.
 */
const MAX_TEXTS = 300_000

/** Throws ValueError for a record that is too long to be stored. */
export function refuseLong(record: object): void {
  const length = lengthOf(record)
  if (length > MAX_TEXTS)
    throw new ValueError(`Shorten the texts: as JSON they have ${length} characters, of ${MAX_TEXTS} at most.`)
}

/** Throws ValueError for a text of more characters. Characters are code points, as in OpenAPI. */
export function refuseLonger(text: string, most: number): void {
  // A character outside of the Basic Multilingual Plane has a length of 2.
  const isLonger = text.length > most && (text.length > 2 * most || Array.from(text).length > most)
  if (isLonger) throw new ValueError(`Enter ${most} characters at most.`)
}

/** Tells whether a record is so long that two changes of it may not fit together, though each fits alone. */
export const isLong = (record: object): boolean => lengthOf(record) > MAX_TEXTS / 4

/** Characters of the texts of a record, as JSON. */
const lengthOf = (record: object): number =>
  Object.values(record).reduce((sum: number, value: unknown) => {
    if (typeof value === 'string') return sum + JSON.stringify(value).length
    return typeof value === 'object' && value !== null ? sum + lengthOf(value) : sum
  }, 0)
