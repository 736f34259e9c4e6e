import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { RE2JS } from 're2js'
import { ValueError } from '../errors.ts'
import { type Dictionary, type Filter, type Lookup, textOf } from './filter.ts'
import { commaList, integer, isIn, LOOKUPS, listSchema, type Schema, type TextColumns } from './lookups.ts'
import { pattern } from './pattern.ts'

/** Returns a filter for texts in a dictionary, with all lookups for texts. Spaces are part of the value. */
export const text = (dictionary: Dictionary & TextColumns, bare = 'exact'): Filter => {
  const lookups: Record<string, Lookup> = {}
  for (const [name, { text: match }] of Object.entries(LOOKUPS))
    if (match !== undefined)
      lookups[name] = (bytes) => ({
        dictionary,
        match: match(dictionary, boundedText(bytes)),
        few: name === 'exact' || name === 'iexact',
      })
  lookups.isnull = (bytes) => ({ sql: sql`${dictionary.key} IS ${sql.raw(booleanOf(bytes) ? 'NULL' : 'NOT NULL')}` })
  for (const [name, flags] of [['regex', 0] as const, ['iregex', RE2JS.CASE_INSENSITIVE] as const])
    lookups[name] = (bytes) => {
      const expression = pattern(textOf(bytes), flags)
      return { dictionary, match: (candidate) => expression.matcher(candidate).find() }
    }
  return { kind: 'text', schema: { type: 'string' }, bare, lookups }
}

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
  const lookups: Record<string, Lookup> = {}
  for (const [name, { extent }] of Object.entries(LOOKUPS))
    if (extent !== undefined)
      lookups[name] = (bytes) => ({ column, extent: extent(valuesOf(name, textOf(bytes), read), unit) })
  if (listed)
    lookups.in = (bytes) => {
      const multiples = valuesOf('in', textOf(bytes), read).filter((value) => value % unit === 0n)
      return { column, values: multiples.map((value) => value / unit) }
    }
  return { kind, schema, bare: 'exact', lookups }
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
  lookups: { exact: (bytes) => read(textOf(bytes)) },
})

/** Returns a filter for a full uuid in any case, with or without hyphens. */
export const uuid = (column: SQLWrapper): Filter =>
  bare('uuid', { type: 'string', format: 'uuid' }, (value) => {
    const prefix = uuidPrefix(value)
    if (prefix?.length !== 36) throw new ValueError('Enter a full uuid, such as 99fe5d03-893d-5b20-8244-b9189db33e37.')
    return { sql: sql`${column} = ${prefix}` }
  })

/** Returns a filter for the rows whose uuid starts with one of the prefixes in a comma list. */
export const uuidPrefixes = (dictionary: Dictionary, uuid: SQLWrapper, numbered: string): Filter => ({
  ...bare('uuid prefix', UUID_PREFIXES, (value) => {
    const prefixes = commaList(value).map((text) => {
      const prefix = uuidPrefix(text)
      if (prefix !== null) return prefix
      throw new ValueError(`Enter a uuid or its first characters, such as 99fe5d0. For a number use ${numbered}.`)
    })
    const [first, ...others] = prefixes
    if (first !== undefined && others.length === 0)
      return { dictionary, match: startsWithUuid(uuid, sql`${first}`), few: first.length >= FEW_PREFIX }
    const { id, table } = dictionary
    const match = sql`${id} IN (SELECT ${id} FROM json_each(${JSON.stringify(prefixes)}) AS prefix CROSS JOIN ${table}
      ON ${startsWithUuid(uuid, sql`prefix.value`)})`
    return { dictionary, match }
  }),
  asks: 'equals this uuid, or starts with these characters. Separate several uuids with commas',
})

/** A prefix of at least this length matches one series or a few. A shorter one may match many. */
const FEW_PREFIX = 4

const UUID_PREFIXES = listSchema({ type: 'string', pattern: '^-*([0-9A-Fa-f]-*){1,32}$' })

/** Returns a filter for the rows with this exact text, or with one of several. */
export const name = (dictionary: Dictionary): Filter => {
  const exact: Lookup = (bytes) => ({ dictionary, match: sql`${dictionary.text} = ${boundedText(bytes)}`, few: true })
  const several: Lookup = (bytes) => {
    const names = JSON.stringify(commaList(boundedText(bytes)))
    return { dictionary, match: sql`${dictionary.text} IN (SELECT value FROM json_each(${names}))` }
  }
  return { kind: 'name', schema: { type: 'string' }, bare: 'exact', lookups: { exact, in: several } }
}

/** Returns a filter for the id of a dictionary entry. */
export const reference = (dictionary: Dictionary): Filter => {
  const one: Lookup = (bytes) => ({ dictionary, match: isIn(dictionary.id, [integerOf(textOf(bytes))]), few: true })
  const several: Lookup = (bytes) => ({
    dictionary,
    match: isIn(dictionary.id, commaList(textOf(bytes)).map(integerOf)),
  })
  return { kind: 'reference', schema: { type: 'integer' }, bare: 'exact', lookups: { exact: one, in: several } }
}

/**
 * Writes the condition that a uuid starts with a prefix. All characters of a uuid are less than g, so the prefix with a
 * g is the upper bound.
 */
export const startsWithUuid = (uuid: SQLWrapper, prefix: SQL): SQL =>
  sql`(${uuid} >= ${prefix} AND ${uuid} < ${prefix} || 'g')`

/**
 * Returns the schema of a choice. It separates names and numbers, because code generators create no type from an
 * enumeration of both.
 */
const choiceSchema = (numbers: Readonly<Record<string, number>>): Schema => ({
  anyOf: [
    { type: 'string', enum: Object.keys(numbers) },
    { type: 'integer', enum: Object.values(numbers) },
  ],
})

/** Returns a filter for one of some names in any case, or for the number of a name. */
export const choice = (column: SQLWrapper, numbers: Readonly<Record<string, number>>): Filter => ({
  choices: Object.keys(numbers),
  ...bare('choice', choiceSchema(numbers), (value) => {
    const entered = value.trim().toLowerCase()
    const enteredNumber = INTEGER.test(entered) ? integerOf(entered) : null
    const match = Object.entries(numbers).find(([name, number]) =>
      enteredNumber === null ? name.toLowerCase() === entered : BigInt(number) === enteredNumber,
    )
    if (match === undefined) {
      const choices = Object.entries(numbers).map(([name, number]) => `${name} (${number})`)
      throw new ValueError(`Enter one of ${choices.join(', ')}.`)
    }
    return { sql: sql`${column} = ${match[1]}` }
  }),
})

/** Returns the leading characters of a uuid in lower case with hyphens, or null for any other text. */
export const uuidPrefix = (value: string): string | null => {
  const digits = value.trim().replaceAll('-', '').toLowerCase()
  if (!/^[0-9a-f]{1,32}$/.test(digits)) return null
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)]
    .filter((group) => group !== '')
    .join('-')
}

const MAX_DIGITS = 30
const INTEGER = /^([+-]?)(\d+)(?:\.0*)?$/

/** Parses a decimal integer. `9.0` and `009` are 9. Throws ValueError for anything else. */
export const integerOf = (value: string): bigint => {
  const match = INTEGER.exec(value.trim())
  if (match === null) throw new ValueError('Enter a whole number, such as 986.')
  const [, sign, written = ''] = match
  const digits = written.replace(/^0+/, '') // not in INTEGER, which would try every split of a row of zeros
  const magnitude = digits.length > MAX_DIGITS ? 10n ** BigInt(MAX_DIGITS) : BigInt(digits)
  return sign === '-' ? -magnitude : magnitude
}

const valuesOf = (lookup: string, value: string, read: (text: string) => bigint): bigint[] => {
  if (lookup !== 'in' && lookup !== 'range') return [read(value)]
  const values = commaList(value)
  if (lookup === 'range' && values.length !== 2)
    throw new ValueError('Enter the lowest and the highest value, separated by a comma.')
  return values.map(read)
}

const booleanOf = (bytes: Uint8Array): boolean => {
  const value = textOf(bytes).trim().toLowerCase()
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return false
  throw new ValueError('Enter true or false.')
}

/** Longer than any stored text, see MAX_LINE of the loader. As JSON it is below D1's limit of 2 MB for a parameter. */
const MAX_TEXT = 300_000

const boundedText = (bytes: Uint8Array): string => {
  const value = textOf(bytes)
  if (value.length > MAX_TEXT) throw new ValueError(`Enter at most ${MAX_TEXT} characters.`)
  return value
}
