import { type SQL, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import type { Condition, FieldRef } from '../../question/condition.ts'
import { type Extent, keyOfInstant } from '../../question/range.ts'
import { keyOfText } from './instants.ts'
import type { Part } from './part.ts'
import { between, doublesWithin, either, isOneOf, letter } from './sql.ts'
import { textTest } from './texts.ts'

/** The path of an attribute. Quotes let it have any character. */
const pathOf = (name: string): SQL => letter(`$.${JSON.stringify(name)}`)

/** Writes the value of an attribute. It is null if the event has none. */
export const attributeValue = (name: string): SQL => sql`json_extract(${events.attributes}, ${pathOf(name)})`

/** Writes the value of an attribute as JSON. */
export const attributeJson = (name: string): SQL => sql`${events.attributes} -> ${pathOf(name)}`

const typeOf = (name: string): SQL => sql`json_type(${events.attributes}, ${pathOf(name)})`

/** The types of JSON that are one type of a column. */
const JSON_TYPES = { text: sql`= 'text'`, number: sql`IN ('integer', 'real')`, boolean: sql`IN ('true', 'false')` }
type Type = keyof typeof JSON_TYPES

const hasType = (name: string, type: Type): SQL => sql`${typeOf(name)} ${JSON_TYPES[type]}`

/**
 * Returns the condition that an attribute passes the test of its type. Few rows pass the test of the value, so the type of
 * few is read. Only the opposite needs the types of all others, which are unknown.
 */
const typed = (name: string, ...tests: readonly (readonly [type: Type, test: SQL])[]): Part => {
  const passes = either(tests.map(([type, test]) => sql`(${test} AND ${hasType(name, type)})`))
  const isKnown = either(tests.map(([type]) => hasType(name, type)))
  return { kind: 'sql', sql: passes, exact: sql`CASE WHEN ${isKnown} THEN ${passes} END` }
}

/** SQLite compares long integers digit by digit, so numbers are compared as doubles. */
const double = (name: string): SQL => sql`CAST(${attributeValue(name)} AS REAL)`

/** Writes the value of an attribute to sort by. The client gets numbers as doubles, so SQLite sorts them as doubles. */
export const attributeOrder = (name: string): SQL =>
  sql`iif(${typeOf(name)} = 'integer', ${double(name)}, ${attributeValue(name)})`

/** Returns the condition that an attribute is one of some texts, numbers and booleans. */
export const attributeAmong = (name: string, values: readonly (string | number | boolean)[]): Part => {
  const texts = values.filter((value) => typeof value === 'string')
  const numbers = values.filter((value) => typeof value === 'number')
  const booleans = values.filter((value) => typeof value === 'boolean').map(String)
  const tests: (readonly [Type, SQL])[] = [
    ['text', sql`${attributeValue(name)} ${isOneOf(texts)}`],
    ['number', sql`${double(name)} ${isOneOf(numbers, sql`CAST(value AS REAL)`)}`],
    ['boolean', sql`${typeOf(name)} ${isOneOf(booleans)}`],
  ]
  const asked = { text: texts.length > 0, number: numbers.length > 0, boolean: booleans.length > 0 }
  return typed(name, ...tests.filter(([type]) => asked[type]))
}

/** Returns the condition that an attribute is in one of some extents: a number among doubles, or an instant among ticks. */
export const attributeInRange = ({ attribute, as }: Exclude<FieldRef, string>, extents: readonly Extent[]): Part => {
  if (as === undefined)
    return typed(attribute, ['number', either(extents.map((extent) => doublesWithin(double(attribute), extent)))])
  const within = either(extents.map((extent) => between(sql`instant`, extent, (tick) => sql`${keyOfInstant(tick)}`)))
  const passes = sql`CASE WHEN instant IS NOT NULL THEN ${within} END`
  return { kind: 'sql', sql: sql`(SELECT ${passes} FROM (SELECT ${attributeKey(attribute)} AS instant LIMIT 1))` }
}

/** Selects the events whose attribute is a text. */
export const attributeIsText = (name: string): SQL => hasType(name, 'text')

/** Returns the condition that an attribute is a text that passes a test. Each event reads it once. */
export const attributeText = (name: string, test: Extract<Condition, { kind: 'text' }>): Part => {
  const passes = textTest({ column: sql`attribute` }, test)
  return typed(name, ['text', sql`(SELECT ${passes} FROM (SELECT ${attributeValue(name)} AS attribute LIMIT 1))`])
}

/** Writes the value of an attribute that is a text or a number. It is null for an attribute of another type. */
export const attributeAs = (name: string, type: 'text' | 'number'): SQL =>
  sql`CASE WHEN ${hasType(name, type)} THEN ${type === 'text' ? attributeValue(name) : double(name)} END`

/** Writes the key of an attribute that is an instant. It is null for other values. */
export const attributeKey = (name: string): SQL => keyOfText(attributeAs(name, 'text'))
