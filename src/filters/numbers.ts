import type { SQLWrapper } from 'drizzle-orm'
import { at } from '../collections.ts'
import { valueError } from '../errors.ts'
import { type Filter, type FilterField, inRange, type Lookups, oneOf } from './filter.ts'
import { checkText, commaList, type LookupName, MEANINGS, type Schema } from './lookups.ts'
import { keyOfDouble } from './sql.ts'

/** Returns a filter for decimal integers, with the lookups for numbers. */
export const number = (column: SQLWrapper): Filter => ordered('integer', { type: 'integer' }, column, 1n, parseInteger)

/**
 * Returns a filter for values that compare as numbers do. `read` parses a value. One unit of the column is `unit` of
 * the parsed value. `listed` adds the lookup `in`.
 */
export const ordered = (
  kind: string,
  schema: Schema,
  column: SQLWrapper,
  unit: bigint,
  read: (text: string) => bigint,
  listed = true,
): Filter => {
  const lookups: Lookups = {}
  for (const [name, { rangeOf }] of MEANINGS)
    if (rangeOf !== undefined)
      lookups[name] = (value) => {
        const [first, last] = valuesOf(name, checkText(value), read)
        return inRange(column, rangeOf(first, last, unit))
      }
  if (listed)
    lookups.in = (value) => {
      const multiples = commaList(checkText(value))
        .map(read)
        .filter((value) => value % unit === 0n)
      return oneOf(
        column,
        multiples.map((value) => value / unit),
      )
    }
  return { kind, schema, bare: 'exact', lookups }
}

/** Returns the lookups that compare a column of doubles. */
export const measured = (column: SQLWrapper, about: string): FilterField => {
  const compared = ordered('number', { type: 'number' }, column, 1n, (text) => keyOfDouble(parseNumber(text)), false)
  const { exact: _, ...lookups } = compared.lookups // of the text
  return { ...compared, lookups, about, example: 0.4 }
}

const MAX_DIGITS = 30
const INTEGER = /^([+-]?)(\d+)(?:\.0*)?$/
const integerIn = (text: string) => (text.length > MAX_NUMBER ? null : INTEGER.exec(text.trim()))

/** Tests if a text is a decimal integer. */
export const isInteger = (text: string): boolean => integerIn(text) !== null

/** Parses a decimal integer. `9.0` and `009` are 9. Throws ValueError for anything else. */
export const parseInteger = (value: string): bigint => {
  const match = integerIn(value)
  if (match === null) throw valueError(['integer'])
  const [sign, written] = [at(match, 1), at(match, 2)]
  const digits = written.replace(/^0+/, '') // not in INTEGER, which would try every split of a row of zeros
  const magnitude = digits.length > MAX_DIGITS ? 10n ** BigInt(MAX_DIGITS) : BigInt(digits)
  return sign === '-' ? -magnitude : magnitude
}

/** Returns the first and the last value of a lookup. They are equal except for `range`. */
export const valuesOf = (lookup: LookupName, value: string, read: (text: string) => bigint): [bigint, bigint] => {
  if (lookup !== 'range') {
    const one = read(value)
    return [one, one]
  }
  const [first, last, ...more] = commaList(value)
  if (first === undefined || last === undefined || more.length > 0) throw valueError(['range'])
  return [read(first), read(last)]
}

/** A number at the beginning of a text, and the rest. Its digits are ASCII. */
const NUMBER = /^\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)(.*)$/is

/** Returns the double at the beginning of a text, and the rest. Null without a number, or if it is beyond a double. */
const split = (text: string): readonly [number: number, rest: string] | null => {
  const [, digits, rest = ''] = NUMBER.exec(text) ?? []
  const number = Number(digits ?? Number.NaN)
  return Number.isFinite(number) ? [number + 0, rest] : null // + 0, because JSON has no -0
}

/**
 * Returns the number at the beginning of a text: `0.4 m` is 0.4. Leading blanks, `.5`, `+3` and `1e3` count. Returns null
 * for other texts, for a decimal comma as in `1,5`, and for numbers beyond a double.
 */
export const leadingNumber = (text: string): number | null => {
  const [number = null, rest = ''] = split(text) ?? []
  return /^,\d/.test(rest) ? null : number
}

/** The most characters of a number in a parameter. No pattern reads a longer text. */
export const MAX_NUMBER = 1000

/** Reads a text that is only a number. Returns null for others. */
export const wholeNumber = (text: string): number | null => {
  if (text.length > MAX_NUMBER) return null
  const [number = null, rest = ''] = split(text) ?? []
  return rest.trim() === '' ? number : null
}

/** Reads a text that is only a number. Throws ValueError for others. */
export const parseNumber = (text: string): number => {
  const number = wholeNumber(text)
  if (number === null) throw valueError(['number'])
  return number
}
