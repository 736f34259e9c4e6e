import { type SQLWrapper, sql } from 'drizzle-orm'
import { type Among, type Dictionary, type Filter, type Lookup, textOf } from './filter.ts'
import { commaList } from './lookups.ts'
import { bare, boundedText, entries, integerOf, isInteger } from './scalar.ts'
import { isIn } from './sql.ts'

/** Returns a filter for one whole text of a dictionary. It has no other lookups. */
export const wholeText = (dictionary: Dictionary): Filter =>
  bare('text', { type: 'string' }, (value) => withText(dictionary, value))

/** Returns the condition that an entry has this text. */
export const withText = (dictionary: Dictionary, text: string): Among =>
  entries(dictionary, sql`${dictionary.text} = ${text}`, true)

/** Returns a filter for the rows with this exact text, or with one of several. */
export const name = (dictionary: Dictionary): Filter => {
  const exact: Lookup = (value) => entries(dictionary, sql`${dictionary.text} = ${boundedText(value)}`, true)
  const several: Lookup = (value) => {
    const names = JSON.stringify(commaList(boundedText(value)))
    return entries(dictionary, sql`${dictionary.text} IN (SELECT value FROM json_each(${names}))`)
  }
  return { kind: 'name', schema: { type: 'string' }, bare: 'exact', lookups: { exact, in: several } }
}

/** Returns a filter for the id of a dictionary entry. */
export const reference = (dictionary: Dictionary): Filter => {
  const matching = (ids: readonly bigint[], few: boolean) => entries(dictionary, isIn(dictionary.id, ids), few)
  const exact: Lookup = (value) => matching([integerOf(textOf(value))], true)
  const several: Lookup = (value) => matching(commaList(textOf(value)).map(integerOf), false)
  return { kind: 'reference', schema: { type: 'integer' }, bare: 'exact', lookups: { exact, in: several } }
}

/**
 * Returns a filter for the entries that refer to a row of another table by `key`. A number is the id of that row, and
 * any other text is its name.
 */
export const referenceOrName = (
  dictionary: Dictionary,
  key: SQLWrapper,
  { id, table, text }: Pick<Dictionary, 'id' | 'table' | 'text'>,
): Filter => {
  const matching = (given: readonly string[]): Among => {
    const [ids, names] = [given.filter(isInteger), given.filter((each) => !isInteger(each))]
    const named = sql`SELECT ${id} FROM ${table} WHERE ${text} IN (SELECT value FROM json_each(${JSON.stringify(names)}))`
    return entries(dictionary, sql`(${isIn(key, ids.map(integerOf))} OR ${key} IN (${named}))`)
  }
  return {
    kind: 'reference or name',
    schema: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    bare: 'exact',
    lookups: {
      exact: (value) => matching([boundedText(value)]),
      in: (value) => matching(commaList(boundedText(value))),
    },
  }
}
