import { valueError } from '../base/errors.ts'
import { listOf, type Schema } from '../base/schema.ts'
import { type Condition, oneOf } from '../question/condition.ts'
import type { FieldName } from '../question/fields.ts'
import { bare, type FilterType } from './filter.ts'
import { boundedText, commaList, MAX_VALUES } from './lookups.ts'
import { isInteger, parseInteger } from './numbers.ts'

/** Returns a filter for one whole text. It has no other lookups. */
export const wholeText = (field: FieldName): FilterType =>
  bare('text', { type: 'string' }, (value) => isText(field, [value]))

/** Returns the condition that a text is one of these. */
export const isText = (field: FieldName, texts: readonly string[]): Condition => ({
  kind: 'text',
  field,
  fold: null,
  test: 'is',
  texts,
})

/** Returns a filter for one value, or for one of several. */
const oneOrSeveral = (kind: string, schema: Schema, matching: (given: readonly string[]) => Condition): FilterType => ({
  kind,
  schema,
  bare: 'exact',
  lookups: {
    exact: (value) => matching([boundedText(value)]),
    in: (value) => matching(commaList(boundedText(value))),
  },
})

/** Returns a filter for the rows with this exact text, or with one of several. */
export const name = (field: FieldName): FilterType =>
  oneOrSeveral('name', { type: 'string' }, (names) => isText(field, names))

/** Returns a filter for an id, or for one of several. */
export const reference = (field: FieldName): FilterType =>
  oneOrSeveral('reference', { type: 'integer' }, (ids) => oneOf(field, ids.map(parseInteger)))

/** Returns a filter for the id or the name of a row. A number is its id, and any other text is its name. */
export const referenceOrName = (id: FieldName, named: FieldName): FilterType =>
  oneOrSeveral('reference or name', { anyOf: [{ type: 'integer' }, { type: 'string' }] }, (given) => {
    const [ids, names] = [given.filter(isInteger), given.filter((each) => !isInteger(each))]
    return { kind: 'any', of: [oneOf(id, ids.map(parseInteger)), isText(named, names)] }
  })

/** Returns a filter for one of some names in any case, or for the number of a name. */
export const choice = (field: FieldName, numbers: Readonly<Record<string, number>>): FilterType => ({
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
      if (match !== undefined) return oneOf(field, [BigInt(match[1])])
      const choices = Object.entries(numbers).map(([name, number]) => `${name} (${number})`)
      throw valueError(['choice', choices.join(', ')])
    },
  ),
})

/** A filter for the event of each series that starts last, among the events that meet all other conditions. */
export const latest: FilterType = {
  ...bare('latest', { type: 'string', enum: ['event_series'] }, (text) => {
    if (text.trim() === 'event_series') return { kind: 'latest' }
    throw valueError(['name', 'event_series'])
  }),
  asks: 'starts last among all that match and have the same value in this field. If several do, it has the greatest id',
  choices: ['event_series'],
}

/** Returns a filter for a full uuid in any case, with or without hyphens. */
export const uuid = (field: FieldName): FilterType =>
  bare('uuid', { type: 'string', format: 'uuid' }, (value) => {
    const prefix = uuidPrefix(value)
    if (prefix?.length === 36) return isText(field, [prefix])
    throw valueError(['uuid'])
  })

/** Returns a filter for the rows whose uuid starts with one of the prefixes in a comma list. */
export const uuidPrefixes = (field: FieldName, numbered: string): FilterType => ({
  ...bare('uuid prefix', UUID_PREFIXES, (value) => {
    const texts = commaList(value).map((text) => {
      const prefix = uuidPrefix(text)
      if (prefix !== null) return prefix
      throw valueError(['uuidPrefix', numbered])
    })
    return { kind: 'text', field, fold: null, test: 'starts', texts }
  }),
  asks: 'equals this uuid, or starts with these characters. Separate several uuids with commas',
})

const UUID_PREFIXES = listOf({ type: 'string', pattern: '^-*([0-9A-Fa-f]-*){1,32}$' }, 1, MAX_VALUES)

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
