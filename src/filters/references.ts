import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { valueError } from '../errors.ts'
import {
  type Among,
  bare,
  type Condition,
  type CountedDictionary,
  type Dictionary,
  entries,
  type Filter,
} from './filter.ts'
import { boundedText, commaList, listSchema, type Schema } from './lookups.ts'
import { isInteger, parseInteger } from './numbers.ts'
import { integer, isIn, isOneOf } from './sql.ts'

/** Returns a filter for one whole text of a dictionary. It has no other lookups. */
export const wholeText = (dictionary: Dictionary): Filter =>
  bare('text', { type: 'string' }, (value) => withText(dictionary, value))

/** Returns the condition that an entry has this text. */
export const withText = (dictionary: Dictionary, text: string): Among =>
  entries(dictionary, sql`${dictionary.text} = ${text}`, true)

/** Returns a filter for one value, or for one of several. `matching` gets the values, and if they are few. */
const oneOrSeveral = (
  kind: string,
  schema: Schema,
  matching: (given: readonly string[], few: boolean) => Condition,
): Filter => ({
  kind,
  schema,
  bare: 'exact',
  lookups: {
    exact: (value) => matching([boundedText(value)], true),
    in: (value) => matching(commaList(boundedText(value)), false),
  },
})

/** Returns a filter for the rows with this exact text, or with one of several. */
export const name = (dictionary: Dictionary): Filter =>
  oneOrSeveral('name', { type: 'string' }, (names, few) =>
    entries(dictionary, sql`${dictionary.text} ${isOneOf(names)}`, few),
  )

/** Returns a filter for the id of a dictionary entry. */
export const reference = (dictionary: Dictionary): Filter =>
  oneOrSeveral('reference', { type: 'integer' }, (ids, few) =>
    entries(dictionary, isIn(dictionary.id, ids.map(parseInteger)), few),
  )

/**
 * Returns a filter for the entries that refer to a row of another table by `key`. A number is the id of that row, and
 * any other text is its name.
 */
export const referenceOrName = (
  dictionary: Dictionary,
  key: SQLWrapper,
  { id, table, text }: Pick<Dictionary, 'id' | 'table' | 'text'>,
): Filter =>
  oneOrSeveral('reference or name', { anyOf: [{ type: 'integer' }, { type: 'string' }] }, (given) => {
    const [ids, names] = [given.filter(isInteger), given.filter((each) => !isInteger(each))]
    const named = sql`SELECT ${id} FROM ${table} WHERE ${text} IN (SELECT value FROM json_each(${JSON.stringify(names)}))`
    return entries(dictionary, sql`(${isIn(key, ids.map(parseInteger))} OR ${key} IN (${named}))`)
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
      const isNumber = (number: number) => isInteger(entered) && parseInteger(entered) === BigInt(number)
      const match = Object.entries(numbers).find(([name, number]) => name.toLowerCase() === entered || isNumber(number))
      if (match === undefined) {
        const choices = Object.entries(numbers).map(([name, number]) => `${name} (${number})`)
        throw valueError(['choice', choices.join(', ')])
      }
      const equal = sql`${column} = ${match[1]}`
      return dictionary === undefined ? { kind: 'sql', sql: equal } : entries(dictionary, equal)
    },
  ),
})

/**
 * Returns a filter for the row of each dictionary entry that starts last, among the rows that meet all other conditions.
 * Its value is the name of a dictionary.
 */
export const latest = (dictionaries: Readonly<Record<string, CountedDictionary>>): Filter => {
  const names = Object.keys(dictionaries)
  const read = (text: string) => {
    const name = names.find((each) => each === text.trim())
    const of = name && dictionaries[name]
    if (!of) throw valueError(['name', names.join(' or ')])
    return { kind: 'latest', of } as const
  }
  return {
    ...bare('latest', { type: 'string', enum: names }, read),
    asks: 'starts last among all that match and have the same value in this field. If several do, it has the greatest id',
    choices: names,
  }
}

/**
 * Returns the condition for the row with an id from an address. Returns null if the text cannot be an id. The maximum
 * is 2^53 - 1, the greatest safe integer in JSON.
 */
export const hasId = (id: SQLWrapper, text: string): SQL | null => {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? sql`${id} = ${integer(BigInt(number))}` : null
}

/** Returns a filter for a full uuid in any case, with or without hyphens. */
export const uuid = (column: SQLWrapper): Filter =>
  bare('uuid', { type: 'string', format: 'uuid' }, (value) => {
    const prefix = uuidPrefix(value)
    if (prefix?.length !== 36) throw valueError(['uuid'])
    return { kind: 'sql', sql: sql`${column} = ${prefix}` }
  })

/** Returns a filter for the rows whose uuid starts with one of the prefixes in a comma list. */
export const uuidPrefixes = (dictionary: Dictionary, uuid: SQLWrapper, numbered: string): Filter => ({
  ...bare('uuid prefix', UUID_PREFIXES, (value) => {
    const prefixes = commaList(value).map((text) => {
      const prefix = uuidPrefix(text)
      if (prefix !== null) return prefix
      throw valueError(['uuidPrefix', numbered])
    })
    const [first, ...others] = prefixes
    if (first !== undefined && others.length === 0)
      return entries(dictionary, startsWithUuid(uuid, sql`${first}`), first.length >= FEW_PREFIX)
    const { id, table } = dictionary
    const match = sql`${id} IN (SELECT ${id} FROM json_each(${JSON.stringify(prefixes)}) AS prefix CROSS JOIN ${table}
      ON ${startsWithUuid(uuid, sql`prefix.value`)})`
    return entries(dictionary, match)
  }),
  asks: 'equals this uuid, or starts with these characters. Separate several uuids with commas',
})

/** A prefix of at least this length matches one series or a few. A shorter one may match many. */
const FEW_PREFIX = 4

const UUID_PREFIXES = listSchema({ type: 'string', pattern: '^-*([0-9A-Fa-f]-*){1,32}$' })

/**
 * Writes the condition that a uuid starts with a prefix. All characters of a uuid are less than g, so the prefix with a
 * g is the upper bound.
 */
export const startsWithUuid = (uuid: SQLWrapper, prefix: SQL): SQL =>
  sql`(${uuid} >= ${prefix} AND ${uuid} < ${prefix} || 'g')`

/** Returns the leading characters of a uuid in lower case with hyphens, or null for any other text. */
export const uuidPrefix = (value: string): string | null => {
  const digits = value.trim().replaceAll('-', '').toLowerCase()
  if (!/^[0-9a-f]{1,32}$/.test(digits)) return null
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)]
    .filter((group) => group !== '')
    .join('-')
}

/** Returns a whole uuid in lower case with hyphens. Any other text is unchanged, and matches nothing. */
export const canonicalUuid = (text: string): string => {
  const uuid = uuidPrefix(text)
  return uuid?.length === 36 ? uuid : text
}
