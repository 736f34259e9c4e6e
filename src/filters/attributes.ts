import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { valueError } from '../errors.ts'
import { MESSAGES } from '../messages.ts'
import type { Condition, Filter, FilterField, Lookups } from './filter.ts'
import { boundedText, commaList } from './lookups.ts'
import { measured, wholeNumber } from './numbers.ts'
import { doublesIn, letter } from './sql.ts'
import { ownText } from './text.ts'

/** The names of attributes that filters take. Two underscores separate a name from its lookup. */
const NAME = '[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*'
const PATTERN = `^attributes__${NAME}(__[a-z]+){0,2}$`

/** Returns a filter for the attributes in a column of JSON. Each attribute has its own parameters. */
export const attributes = (column: SQLWrapper): Filter => ({
  kind: 'attributes',
  schema: { type: 'object', patternProperties: { [PATTERN]: { type: 'string' } }, additionalProperties: false },
  asks: `with this name fulfils the lookup. ${MESSAGES.attribute.slice(0, -1)}`,
  bare: 'exact',
  lookups: {
    exact: () => {
      throw valueError(['attribute'])
    },
  },
  members: (name) => (new RegExp(`^${NAME}$`).test(name) ? attribute(column, name) : null),
})

/** Returns the filter for one attribute. Numbers compare with numbers, and texts with texts. */
const attribute = (column: SQLWrapper, name: string): FilterField => {
  const path = letter(`$.${name}`)
  const value = sql`json_extract(${column}, ${path})`
  const type = sql`json_type(${column}, ${path})`
  // Few rows pass the test of the value, so the type of few is read.
  const asText = (test: SQL): SQL => sql`(${test} AND ${type} = 'text')`
  const asNumber = (test: SQL): SQL => sql`(${test} AND ${type} IN ('integer', 'real'))`
  /** SQLite compares long integers digit by digit, so numbers are compared as doubles. */
  const double = sql`CAST(${value} AS REAL)`
  /** Selects the rows whose value is one of these texts, or the number or boolean that one of them stands for. */
  const isAmong = (given: readonly string[]): Condition => {
    const tests = [asText(sql`${value} ${among(given)}`)]
    const numbers = given.map(wholeNumber).filter((number) => number !== null)
    if (numbers.length > 0) tests.push(asNumber(sql`${double} ${among(numbers, sql`CAST(value AS REAL)`)}`))
    const booleans = given.filter((text) => text === 'true' || text === 'false')
    if (booleans.length > 0) tests.push(sql`${type} ${among(booleans)}`)
    return { kind: 'sql', sql: sql`(${sql.join(tests, sql` OR `)})` }
  }
  /** A test of the text `attribute` becomes a test of each row, which reads its attribute once. */
  const ofText = (test: Condition): Condition[] => {
    if (test.kind === 'sql')
      return [{ kind: 'sql', sql: asText(sql`(SELECT ${test.sql} FROM (SELECT ${value} AS attribute LIMIT 1))`) }]
    if (test.kind === 'rows')
      return [
        { kind: 'sql', sql: asText(sql`1`) },
        { ...test, columns: [value] },
      ]
    throw new RangeError(`A test of a text has the kind ${test.kind}.`)
  }
  const ofNumber = (test: Condition): Condition[] => {
    if (test.kind !== 'range') throw new RangeError(`A test of a number has the kind ${test.kind}.`)
    return [{ kind: 'sql', sql: asNumber(doublesIn(double, test.extents)) }]
  }
  const { isnull: _, ...texts } = ownText(sql`attribute`).lookups // of the value itself
  const about = `The attribute ${name} of the event`
  const numbers = measured(value, about)
  return {
    ...ownText(value),
    lookups: {
      ...ownText(value).lookups,
      ...changed(texts, ofText),
      exact: (value) => isAmong([boundedText(value)]),
      in: (value) => isAmong(commaList(boundedText(value))),
    },
    about,
    example: 'Skagway',
    numbers: { ...numbers, lookups: changed(numbers.lookups, ofNumber), example: 4.5 },
  }
}

/** Returns lookups with other conditions. */
const changed = (lookups: Lookups, change: (test: Condition) => Condition[]): Lookups =>
  Object.fromEntries(
    Object.entries(lookups).map(([name, read]) => [name, (value: string) => [read(value)].flat().flatMap(change)]),
  )

/** Tests if a value is one of these. */
const among = (values: readonly (string | number)[], each = sql`value`): SQL =>
  values.length === 1 ? sql`= ${values[0]}` : sql`IN (SELECT ${each} FROM json_each(${JSON.stringify(values)}))`
