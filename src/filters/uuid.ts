import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { ValueError } from '../errors.ts'
import type { Dictionary, Filter } from './filter.ts'
import { commaList, listSchema } from './lookups.ts'
import { bare, entries } from './scalar.ts'

/** Returns a filter for a full uuid in any case, with or without hyphens. */
export const uuid = (column: SQLWrapper): Filter =>
  bare('uuid', { type: 'string', format: 'uuid' }, (value) => {
    const prefix = uuidPrefix(value)
    if (prefix?.length !== 36) throw new ValueError('Enter a full uuid, such as 99fe5d03-893d-5b20-8244-b9189db33e37.')
    return { kind: 'sql', sql: sql`${column} = ${prefix}` }
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
