import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { valueError } from '../errors.ts'
import { fold } from './fold.ts'
import { type ColumnRange, integerOf } from './sql.ts'

/** The maximum number of values in a comma list. */
const MAX_VALUES = 1000

/** The columns of a text and its case-folded form, in one table. */
export interface TextColumns {
  readonly text: SQLWrapper
  readonly folded: SQLWrapper
}

/** A JSON Schema (2020-12). */
export type Schema = Readonly<Record<string, unknown>>

/** The meaning of a lookup, in words and as a condition for the database. */
export interface Meaning {
  /** The end of a sentence about a field. */
  readonly asks: string
  /** The least and the most values of its comma list. Absent: it takes one value. */
  readonly list?: readonly [least: number, most: number]
  /** The schema and an example of its value, if it is not a value of the field. */
  readonly own?: { readonly schema: Schema; readonly example: unknown }
  /**
   * Writes the condition for a text. `%`, `_`, quotes and backslashes are plain characters. It is absent if the lookup
   * is not for texts, or if the database cannot decide it.
   */
  readonly text?: (column: TextColumns, value: string) => SQL
  /** The text names one entry of a dictionary, or a few. */
  readonly few?: true
  /**
   * Returns the range of a column for a value, which may last from `first` to `last`. The value may have a finer unit
   * than the column: one unit of the column is `unit` of it. Exact: 1.5 milliseconds are less than 2 and more than 1.
   * It is absent if the lookup is not for numbers, instants and durations, or if its result is not a range.
   */
  readonly rangeOf?: (first: bigint, last: bigint, unit: bigint) => ColumnRange
}

/** All lookups by name, in the order of the documentation. */
export const LOOKUPS = {
  exact: {
    asks: 'equals this value',
    text: ({ text }, value) => sql`${text} = ${value}`,
    few: true,
    rangeOf: (first, last, unit) => [ceiling(first, unit), floor(last, unit)],
  },
  iexact: {
    asks: 'equals this value, ignoring case',
    text: ({ folded }, value) => sql`${folded} = ${fold(value)}`,
    few: true,
  },
  contains: {
    asks: 'contains this text',
    text: ({ text }, value) => sql`instr(${text}, ${value}) > 0`,
  },
  icontains: {
    asks: 'contains this text, ignoring case',
    text: ({ folded }, value) => sql`instr(${folded}, ${fold(value)}) > 0`,
  },
  startswith: {
    asks: 'starts with this text',
    text: ({ text }, value) => startsWith(text, value),
  },
  istartswith: {
    asks: 'starts with this text, ignoring case',
    text: ({ folded }, value) => startsWith(folded, fold(value)),
  },
  endswith: {
    asks: 'ends with this text',
    text: ({ text }, value) => endsWith(text, value),
  },
  iendswith: {
    asks: 'ends with this text, ignoring case',
    text: ({ folded }, value) => endsWith(folded, fold(value)),
  },
  lt: { asks: 'is less than this value', rangeOf: (first, _, unit) => [null, ceiling(first, unit) - 1n] },
  lte: { asks: 'is this value or less', rangeOf: (_, last, unit) => [null, floor(last, unit)] },
  gt: { asks: 'is greater than this value', rangeOf: (_, last, unit) => [floor(last, unit) + 1n, null] },
  gte: { asks: 'is this value or greater', rangeOf: (first, _, unit) => [ceiling(first, unit), null] },
  range: {
    asks: 'is in the range from the first to the second value, both included',
    list: [2, 2],
    rangeOf: (first, last, unit) => [ceiling(first, unit), floor(last, unit)],
  },
  in: {
    asks: 'is one of these values',
    list: [1, MAX_VALUES],
    text: ({ text }, value) => sql`${text} IN (SELECT value FROM json_each(${JSON.stringify(commaList(value))}))`,
  },
  isnull: { asks: 'is absent (true) or present (false)', own: { schema: { type: 'boolean' }, example: false } },
  // The Worker matches regular expressions text by text.
  regex: { asks: 'contains a match of this regular expression (RE2)' },
  iregex: { asks: 'contains a match of this regular expression (RE2), ignoring case' },
} satisfies Readonly<Record<string, Meaning>>

/** Returns the schema of a comma list. */
export const listSchema = (items: Schema, minItems = 1, maxItems = MAX_VALUES): Schema => {
  return { type: 'array', items, minItems, maxItems }
}

export type LookupName = keyof typeof LOOKUPS

/** The lookups as a list. */
export const MEANINGS = Object.entries(LOOKUPS) as [LookupName, Meaning][] // keys widen to string

/** Splits a comma list. Throws ValueError if it has too many values. */
export const commaList = (value: string): string[] => {
  const values = value.split(',', MAX_VALUES + 1)
  if (values.length > MAX_VALUES) throw valueError(['tooManyValues', MAX_VALUES])
  return values
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** What a byte above 127 becomes in a value that is not UTF-8. */
const ESCAPED = 0xdc00

/**
 * Decodes the value of a parameter. A value that is not UTF-8 may be WKB. Its bytes above 127 become lone surrogates, as
 * in Python (PEP 383), so that `encodeValue` finds them again.
 */
export const decodeValue = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes)
  } catch {
    let text = ''
    for (const byte of bytes) text += String.fromCharCode(byte < 128 ? byte : ESCAPED + byte)
    return text
  }
}

/** Returns the bytes of a value that `decodeValue` returned. */
export const encodeValue = (value: string): Uint8Array => {
  if (value.isWellFormed()) return new TextEncoder().encode(value)
  const bytes = new Uint8Array(value.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = value.charCodeAt(i) // modulo 256
  return bytes
}

/** Checks a text. Throws ValueError if it was not UTF-8, or if it contains NUL, which no stored text does. */
export const checkText = (value: string): string => {
  if (!value.isWellFormed()) throw valueError(['encoding'])
  if (value.includes('\0')) throw valueError(['nulCharacter'])
  return value
}

/** Longer than any stored text. As JSON it is below D1's limit of 2 MB for a parameter. */
const MAX_TEXT = 300_000

export const boundedText = (given: string): string => {
  const value = checkText(given)
  if (value.length > MAX_TEXT) throw valueError(['tooLong', MAX_TEXT])
  return value
}

const startsWith = (column: SQLWrapper, prefix: string): SQL =>
  sql`substr(${column}, 1, ${integerOf([...prefix].length)}) = ${prefix}`

const endsWith = (column: SQLWrapper, suffix: string): SQL =>
  sql`substr(${column}, ${integerOf(-[...suffix].length)}) = ${suffix}`

/** Divides and rounds down. */
export const floor = (value: bigint, unit: bigint): bigint => value / unit - (value % unit < 0n ? 1n : 0n)

/** Divides and rounds up. */
export const ceiling = (value: bigint, unit: bigint): bigint => -floor(-value, unit)
