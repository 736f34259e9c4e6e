import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { ValueError } from '../errors.ts'
import type { Condition, Filter, FilterField, Lookups } from './filter.ts'
import { boundedText, checkText, commaList, MEANINGS } from './lookups.ts'
import { parseNumber, valuesOf, wholeNumber } from './numbers.ts'
import { doublesWithin, keyOfDouble, letter } from './sql.ts'
import { ownText } from './text.ts'

/** The names of attributes that filters take. Two underscores separate a name from its lookup. */
const NAME = '[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*'
const PATTERN = `^attributes__${NAME}(__[a-z]+){0,2}$`

/** The right form of a parameter, for messages. */
const FORM = 'Enter attributes__NAME or attributes__NAME__LOOKUP, such as attributes__mag__gte=4.5.'

/** Returns a filter for the attributes in a column of JSON. Each attribute has its own parameters. */
export const attributes = (column: SQLWrapper): Filter => ({
  kind: 'attributes',
  schema: { type: 'object', patternProperties: { [PATTERN]: { type: 'string' } }, additionalProperties: false },
  asks: `with this name fulfils the lookup. ${FORM.slice(0, -1)}`,
  bare: 'exact',
  lookups: {
    exact: () => {
      throw new ValueError(FORM)
    },
  },
  members: {
    form: FORM,
    named: (name) => (new RegExp(`^${NAME}$`).test(name) ? attribute(column, name) : null),
  },
})

/** Writes an attribute as SQL, and tests of its values that are texts or numbers. */
const storedOf = (column: SQLWrapper, name: string) => {
  const path = letter(`$.${name}`)
  const [value, type] = [sql`json_extract(${column}, ${path})`, sql`json_type(${column}, ${path})`]
  return {
    ...{ value, type },
    // Few rows pass the first test, so the type of few is read.
    asText: (test: SQL): SQL => sql`(${test} AND ${type} = 'text')`,
    /** SQLite compares long integers digit by digit, so the test gets a double. */
    asNumber: (test: (double: SQL) => SQL): SQL =>
      sql`(${test(sql`CAST(${value} AS REAL)`)} AND ${type} IN ('integer', 'real'))`,
  }
}

/** Returns the filter for one attribute. Numbers compare with numbers, and texts with texts. */
const attribute = (column: SQLWrapper, name: string): FilterField => {
  const { value, type, asText, asNumber } = storedOf(column, name)
  /** Selects the rows whose value is one of these texts, or the number or boolean that one of them stands for. */
  const isOneOf = (given: readonly string[]): Condition => {
    const numbers = given.map(wholeNumber).filter((number) => number !== null)
    const booleans = given.filter((text) => text === 'true' || text === 'false')
    const tests = [
      asText(sql`${value} ${oneOf(given)}`),
      ...(numbers.length > 0 ? [asNumber((double) => sql`${double} ${oneOf(numbers, sql`CAST(value AS REAL)`)}`)] : []),
      ...(booleans.length > 0 ? [sql`${type} ${oneOf(booleans)}`] : []),
    ]
    return { kind: 'sql', sql: sql`(${sql.join(tests, sql` OR `)})` }
  }
  /** A test of the text `attribute` becomes a test of each row, which reads its attribute once. */
  const ofRow = (test: Condition): Condition[] => {
    if (test.kind === 'sql')
      return [{ kind: 'sql', sql: asText(sql`(SELECT ${test.sql} FROM (SELECT ${value} AS attribute LIMIT 1))`) }]
    if (test.kind === 'tested')
      return [
        { kind: 'sql', sql: asText(sql`1`) },
        { ...test, columns: [value] },
      ]
    throw new RangeError(`A test of a text has the kind ${test.kind}.`)
  }
  const lookups: Lookups = {}
  const compared: Lookups = {}
  const ofTexts = ownText(sql`attribute`).lookups
  for (const [lookup, { rangeOf }] of MEANINGS) {
    const test = ofTexts[lookup]
    if (test !== undefined) lookups[lookup] = (value) => [test(value)].flat().flatMap(ofRow)
    if (rangeOf !== undefined && lookup !== 'exact')
      compared[lookup] = (value) => {
        const [first, last] = valuesOf(lookup, checkText(value), (number) => keyOfDouble(parseNumber(number)))
        return { kind: 'sql', sql: asNumber((double) => doublesWithin(double, rangeOf(first, last, 1n))) }
      }
  }
  const words = { about: `The attribute ${name} of the event`, bare: 'exact' } as const
  const { isnull } = ownText(value).lookups
  const own: Lookups = {
    ...{ ...lookups, ...(isnull && { isnull }) },
    exact: (value) => isOneOf([boundedText(value)]),
    in: (value) => isOneOf(commaList(boundedText(value))),
  }
  return {
    ...{ ...words, kind: 'text', schema: { type: 'string' }, lookups: own, example: 'Skagway' },
    numbers: { ...words, kind: 'number', schema: { type: 'number' }, lookups: compared, example: 4.5 },
  }
}

/** Tests if a value is one of these. */
const oneOf = (values: readonly (string | number)[], each = sql`value`): SQL =>
  values.length === 1 ? sql`= ${values[0]}` : sql`IN (SELECT ${each} FROM json_each(${JSON.stringify(values)}))`
