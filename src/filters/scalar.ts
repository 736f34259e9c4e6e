import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { at } from '../collections.ts'
import { ValueError } from '../errors.ts'
import {
  type Among,
  type Dictionary,
  type Filter,
  type FilterField,
  inRange,
  type Lookup,
  type Lookups,
  oneOf,
  textOf,
} from './filter.ts'
import { keyOf } from './keys.ts'
import { MAX_NUMBER, numberOf } from './leadingNumber.ts'
import { commaList, type LookupName, MEANINGS, type Schema } from './lookups.ts'
import { integer } from './sql.ts'

/** Returns the condition that the entry of a row matches. */
export const entries = (dictionary: Dictionary, match: Among['match'], few = false): Among => ({
  kind: 'entries',
  dictionary,
  match,
  few,
})

/** Returns a filter for decimal integers, with the lookups for numbers. */
export const number = (column: SQLWrapper): Filter => ordered('integer', { type: 'integer' }, column, 1n, integerOf)

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
        const [first, last] = valuesOf(name, textOf(value), read)
        return inRange(column, rangeOf(first, last, unit))
      }
  if (listed)
    lookups.in = (value) => {
      const multiples = commaList(textOf(value))
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
  const compared = ordered('number', { type: 'number' }, column, 1n, (text) => keyOf(numberOf(text)), false)
  const { exact: _, ...lookups } = compared.lookups // of the text
  return { ...compared, lookups, about, example: 0.4 }
}

/**
 * Returns the condition for the row with an id from an address. Returns null if the text cannot be an id. The maximum
 * is 2^53 - 1, the greatest safe integer in JSON.
 */
export const hasId = (id: SQLWrapper, text: string): SQL | null => {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? sql`${id} = ${integer(BigInt(number))}` : null
}

/** Returns a filter with one lookup. Its parameter has no lookup name. */
export const bare = (kind: string, schema: Schema, read: (text: string) => ReturnType<Lookup>): Filter => ({
  kind,
  schema,
  bare: 'exact',
  lookups: { exact: (value) => read(textOf(value)) },
})

/**
 * Returns a filter for one of some names in any case, or for the number of a name. The column is in the list's own
 * table, or in that of the dictionary.
 */
export const choice = (
  column: SQLWrapper,
  numbers: Readonly<Record<string, number>>,
  dictionary?: Dictionary,
): Filter => ({
  choices: Object.keys(numbers),
  // Names and numbers are separate, because code generators create no type from an enumeration of both.
  ...bare(
    'choice',
    {
      anyOf: [
        { type: 'string', enum: Object.keys(numbers) },
        { type: 'integer', enum: Object.values(numbers) },
      ],
    },
    (value) => {
      const entered = value.trim().toLowerCase()
      const enteredNumber = isInteger(entered) ? integerOf(entered) : null
      const match = Object.entries(numbers).find(([name, number]) =>
        enteredNumber === null ? name.toLowerCase() === entered : BigInt(number) === enteredNumber,
      )
      if (match === undefined) {
        const choices = Object.entries(numbers).map(([name, number]) => `${name} (${number})`)
        throw new ValueError(`Enter one of ${choices.join(', ')}.`)
      }
      const equal = sql`${column} = ${match[1]}`
      return dictionary === undefined ? { kind: 'sql', sql: equal } : entries(dictionary, equal)
    },
  ),
})

const MAX_DIGITS = 30
const INTEGER = /^([+-]?)(\d+)(?:\.0*)?$/
const integerIn = (text: string) => (text.length > MAX_NUMBER ? null : INTEGER.exec(text.trim()))

/** Tests if a text is a decimal integer. */
export const isInteger = (text: string): boolean => integerIn(text) !== null

/** Parses a decimal integer. `9.0` and `009` are 9. Throws ValueError for anything else. */
export const integerOf = (value: string): bigint => {
  const match = integerIn(value)
  if (match === null) throw new ValueError('Enter a whole number, such as 986.')
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
  if (first === undefined || last === undefined || more.length > 0)
    throw new ValueError('Enter the lowest and the highest value, separated by a comma.')
  return [read(first), read(last)]
}

/** Longer than any stored text. As JSON it is below D1's limit of 2 MB for a parameter. */
const MAX_TEXT = 300_000

export const boundedText = (given: string): string => {
  const value = textOf(given)
  if (value.length > MAX_TEXT) throw new ValueError(`Enter at most ${MAX_TEXT} characters.`)
  return value
}
