import { type SQL, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import type { Condition } from '../../question/condition.ts'
import type { Extent } from '../../question/range.ts'
import { doublesWithin, either, isOneOf, letter } from './sql.ts'
import { textTest } from './texts.ts'

/** Writes the value of an attribute. It is null if the event has none. */
export const attributeValue = (name: string): SQL => sql`json_extract(${events.attributes}, ${letter(`$.${name}`)})`

/** Writes the value of an attribute as JSON. */
export const attributeJson = (name: string): SQL => sql`${events.attributes} -> ${letter(`$.${name}`)}`

const typeOf = (name: string): SQL => sql`json_type(${events.attributes}, ${letter(`$.${name}`)})`

// Few rows pass the test of the value, so the type of few is read.
const asText = (name: string, test: SQL): SQL => sql`(${test} AND ${typeOf(name)} = 'text')`
const asNumber = (name: string, test: SQL): SQL => sql`(${test} AND ${typeOf(name)} IN ('integer', 'real'))`

/** SQLite compares long integers digit by digit, so numbers are compared as doubles. */
const double = (name: string): SQL => sql`CAST(${attributeValue(name)} AS REAL)`

/** Writes the value of an attribute to sort by. The client gets numbers as doubles, so SQLite sorts them as doubles. */
export const attributeOrder = (name: string): SQL =>
  sql`iif(${typeOf(name)} = 'integer', ${double(name)}, ${attributeValue(name)})`

/** Selects the events whose attribute is one of some texts, numbers and booleans. */
export const attributeAmong = (name: string, values: readonly (string | number | boolean)[]): SQL => {
  const texts = values.filter((value) => typeof value === 'string')
  const numbers = values.filter((value) => typeof value === 'number')
  const booleans = values.filter((value) => typeof value === 'boolean').map(String)
  return either([
    ...(texts.length === 0 ? [] : [asText(name, sql`${attributeValue(name)} ${isOneOf(texts)}`)]),
    ...(numbers.length === 0
      ? []
      : [asNumber(name, sql`${double(name)} ${isOneOf(numbers, sql`CAST(value AS REAL)`)}`)]),
    ...(booleans.length === 0 ? [] : [sql`${typeOf(name)} ${isOneOf(booleans)}`]),
  ])
}

/** Selects the events whose attribute is a number in one of some extents of doubles. */
export const attributeInRange = (name: string, extents: readonly Extent[]): SQL =>
  either(extents.map((extent) => asNumber(name, doublesWithin(double(name), extent))))

/** Selects the events whose attribute is a text that passes a test. Null: any text passes. Each event reads it once. */
export const attributeText = (name: string, test: Extract<Condition, { kind: 'text' }> | null): SQL => {
  if (test === null) return asText(name, sql`1`)
  const passes = textTest({ column: sql`attribute` }, test)
  return asText(name, sql`(SELECT ${passes} FROM (SELECT ${attributeValue(name)} AS attribute LIMIT 1))`)
}
