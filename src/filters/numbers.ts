import { at } from '../base/collections.ts'
import { valueError } from '../base/errors.ts'
import type { Schema } from '../base/schema.ts'
import type { Clock } from '../base/zone.ts'
import { type FieldRef, inRange, oneOf } from '../question/condition.ts'
import { exactOf, keyOfDouble } from '../question/range.ts'
import type { FilterField, FilterType, Lookup } from './filter.ts'
import { checkText, commaList, type LookupName, MEANINGS } from './lookups.ts'

/** Returns a filter for decimal integers, with the lookups for numbers. */
export const number = (field: FieldRef): FilterType => comparable('integer', { type: 'integer' }, field, parseInteger)

/** Parses a value of a parameter. */
type Read = (text: string, clock: Clock) => bigint

/** Returns the lookups with an extent of values. */
const comparisons = (field: FieldRef, read: Read): { [N in LookupName]?: Lookup } =>
  Object.fromEntries(
    MEANINGS.flatMap(([name, { range }]) => {
      if (range === undefined) return []
      const lookup: Lookup = (value, clock) => {
        const within = (reads: (text: string) => bigint) =>
          inRange(field, range(...valuesOf(name, checkText(value), reads)))
        const condition = within((text) => read(text, clock))
        return typeof field === 'object' ? { ...condition, exact: within(exactOf).extents } : condition
      }
      return [[name, lookup]]
    }),
  )

/** Returns a filter for values that compare as numbers do. `listed` adds the lookup `in`. */
export const comparable = (kind: string, schema: Schema, field: FieldRef, read: Read, listed = true): FilterType => {
  const lookups = comparisons(field, read)
  if (listed)
    lookups.in = (value, clock) => {
      const values = commaList(checkText(value)).map((text) => read(text, clock))
      return oneOf(field, values)
    }
  return { kind, schema, bare: 'exact', lookups }
}

/** Returns a filter for doubles, with the lookups for numbers. */
export const decimal = (field: FieldRef): FilterType =>
  comparable('number', { type: 'number' }, field, (text) => keyOfDouble(parseNumber(text)))

/** Returns the lookups that compare doubles. */
export const measured = (field: FieldRef, about: string): FilterField => {
  const { lookups, ...filter } = decimal(field)
  const { exact: _, in: __, ...others } = lookups // of the text
  return { ...filter, lookups: others, about, example: 0.4 }
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
const valuesOf = (lookup: LookupName, value: string, read: (text: string) => bigint): [bigint, bigint] => {
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
const MAX_NUMBER = 1000

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
