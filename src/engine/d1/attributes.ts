import { type SQL, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import type { Condition } from '../../question/condition.ts'
import type { Extent } from '../../question/range.ts'
import type { Predicate } from './predicate.ts'
import { doublesWithin, either, isOneOf, letter } from './sql.ts'
import { textTest } from './texts.ts'

/** Writes the value of an attribute. It is null if the event has none. */
export const attributeValue = (name: string): SQL => sql`json_extract(${events.attributes}, ${letter(`$.${name}`)})`

/** Writes the value of an attribute as JSON. */
export const attributeJson = (name: string): SQL => sql`${events.attributes} -> ${letter(`$.${name}`)}`

const typeOf = (name: string): SQL => sql`json_type(${events.attributes}, ${letter(`$.${name}`)})`

/** The types of JSON that are one type of a column. */
const JSON_TYPES = { text: sql`= 'text'`, number: sql`IN ('integer', 'real')`, boolean: sql`IN ('true', 'false')` }
type Type = keyof typeof JSON_TYPES

/** Writes a value for the attributes of a type. It is null for those of another type. */
const ifTyped = (name: string, type: Type, value: SQL): SQL =>
  sql`CASE WHEN ${typeOf(name)} ${JSON_TYPES[type]} THEN ${value} END`

/**
 * Returns the predicate that an attribute of a type passes a test. Few rows pass the test of the value, so the type of few
 * is read. Only its opposite needs the types of all others, which are unknown.
 */
const typed = (name: string, type: Type, test: SQL): Predicate => ({
  kind: 'sql',
  sql: sql`(${test} AND ${typeOf(name)} ${JSON_TYPES[type]})`,
  exact: ifTyped(name, type, test),
})

/** SQLite compares long integers digit by digit, so numbers are compared as doubles. */
const double = (name: string): SQL => sql`CAST(${attributeValue(name)} AS REAL)`

/** Writes the value of an attribute to sort by. The client gets numbers as doubles, so SQLite sorts them as doubles. */
export const attributeOrder = (name: string): SQL =>
  sql`iif(${typeOf(name)} = 'integer', ${double(name)}, ${attributeValue(name)})`

/** Returns the predicates that an attribute is one of some texts, numbers and booleans. One of them must hold. */
export const attributeAmong = (name: string, values: readonly (string | number | boolean)[]): readonly Predicate[] => {
  const texts = values.filter((value) => typeof value === 'string')
  const numbers = values.filter((value) => typeof value === 'number')
  const booleans = values.filter((value) => typeof value === 'boolean').map(String)
  return [
    ...(texts.length === 0 ? [] : [typed(name, 'text', sql`${attributeValue(name)} ${isOneOf(texts)}`)]),
    ...(numbers.length === 0
      ? []
      : [typed(name, 'number', sql`${double(name)} ${isOneOf(numbers, sql`CAST(value AS REAL)`)}`)]),
    ...(booleans.length === 0 ? [] : [typed(name, 'boolean', sql`${typeOf(name)} ${isOneOf(booleans)}`)]),
  ]
}

/** Returns the predicate that an attribute is a number in one of some extents of doubles. */
export const attributeInRange = (name: string, extents: readonly Extent[]): Predicate =>
  typed(name, 'number', either(extents.map((extent) => doublesWithin(double(name), extent))))

/** Selects the events whose attribute is a text. */
export const attributeIsText = (name: string): SQL => sql`${typeOf(name)} = 'text'`

/** Returns the predicate that an attribute is a text that passes a test. Each event reads it once. */
export const attributeText = (name: string, test: Extract<Condition, { kind: 'text' }>): Predicate => {
  const passes = textTest({ column: sql`attribute` }, test)
  return typed(name, 'text', sql`(SELECT ${passes} FROM (SELECT ${attributeValue(name)} AS attribute LIMIT 1))`)
}

/** Writes the value of an attribute that is a text or a number. It is null for an attribute of another type. */
export const attributeAs = (name: string, type: 'text' | 'number'): SQL =>
  ifTyped(name, type, type === 'text' ? attributeValue(name) : double(name))
