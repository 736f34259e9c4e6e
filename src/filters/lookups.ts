import { orUndefined, valueError } from '../base/errors.ts'
import type { Schema } from '../base/schema.ts'
import type { Fold, TextTest } from '../question/condition.ts'
import type { Extent } from '../question/range.ts'

/** The maximum number of values in a comma list. */
export const MAX_VALUES = 1000

/** The meaning of a lookup, in words and as data. */
export interface Meaning {
  /** The end of a sentence about a field. */
  readonly asks: string
  /** The least and the most values of its comma list. Absent: it takes one value. */
  readonly list?: readonly [least: number, most: number]
  /** The schema and an example of its value, if it is not a value of the field. */
  readonly own?: { readonly schema: Schema; readonly example: unknown }
  /** The test of a text. `%`, `_`, quotes and backslashes are plain characters. Absent: the lookup is not for texts. */
  readonly text?: { readonly test: TextTest; readonly fold: Fold | null }
  /**
   * Returns the extent of a value, which may last from `first` to `last`. Absent: the lookup is not for numbers, instants
   * and durations, or its result is not an extent.
   */
  readonly range?: (first: bigint, last: bigint) => Extent
}

/** All lookups by name, in the order of the documentation. */
export const LOOKUPS = {
  exact: { asks: 'equals this value', text: { test: 'is', fold: null }, range: (first, last) => [first, last] },
  iexact: { asks: 'equals this value, ignoring case', text: { test: 'is', fold: 'upper' } },
  contains: { asks: 'contains this text', text: { test: 'has', fold: null } },
  icontains: { asks: 'contains this text, ignoring case', text: { test: 'has', fold: 'upper' } },
  startswith: { asks: 'starts with this text', text: { test: 'starts', fold: null } },
  istartswith: { asks: 'starts with this text, ignoring case', text: { test: 'starts', fold: 'upper' } },
  endswith: { asks: 'ends with this text', text: { test: 'ends', fold: null } },
  iendswith: { asks: 'ends with this text, ignoring case', text: { test: 'ends', fold: 'upper' } },
  lt: { asks: 'is less than this value', range: (first) => [null, first - 1n] },
  lte: { asks: 'is this value or less', range: (_, last) => [null, last] },
  gt: { asks: 'is greater than this value', range: (_, last) => [last + 1n, null] },
  gte: { asks: 'is this value or greater', range: (first) => [first, null] },
  range: {
    asks: 'is in the range from the first to the second value, both included',
    list: [2, 2],
    range: (first, last) => [first, last],
  },
  in: { asks: 'is one of these values', list: [1, MAX_VALUES], text: { test: 'is', fold: null } },
  isnull: { asks: 'is absent (true) or present (false)', own: { schema: { type: 'boolean' }, example: false } },
  regex: { asks: 'contains a match of this regular expression (RE2)' },
  iregex: { asks: 'contains a match of this regular expression (RE2), ignoring case' },
} satisfies Readonly<Record<string, Meaning>>

export type LookupName = keyof typeof LOOKUPS

/** The lookups as a list. */
export const MEANINGS = Object.entries(LOOKUPS) as [LookupName, Meaning][] // keys widen to string

/** Splits a comma list. Throws ValueError if it has too many values. */
export const commaList = (value: string): string[] => {
  const values = value.split(',', MAX_VALUES + 1)
  if (values.length > MAX_VALUES) throw valueError(['tooManyValues', MAX_VALUES])
  return values
}

/** Returns the different names in a comma list. Throws ValueError if they are too many. */
export const namesIn = (text: string, most = MAX_VALUES): string[] => {
  const names = new Set(commaList(text).map((name) => name.trim()))
  if (names.size > most) throw valueError(['tooManyValues', most])
  return [...names]
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** What a byte above 127 becomes in a value that is not UTF-8. */
const ESCAPED = 0xdc00

/**
 * Decodes the value of a parameter. A value that is not UTF-8 may be WKB. Its bytes above 127 become lone surrogates, as
 * in Python (PEP 383), so that `encodeValue` finds them again.
 */
export const decodeValue = (bytes: Uint8Array): string => {
  const decoded = orUndefined(() => decoder.decode(bytes))
  if (decoded !== undefined) return decoded
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte < 128 ? byte : ESCAPED + byte)
  return text
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
