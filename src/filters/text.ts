import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { RE2JS } from 're2js'
import { valueError } from '../errors.ts'
import { MESSAGES } from '../messages.ts'
import { countSteps } from '../work.ts'
import { type Condition, type Dictionary, entries, type Filter, type FilterField, type Lookup } from './filter.ts'
import { fold, foldedFor } from './fold.ts'
import {
  boundedText,
  checkText,
  commaList,
  type LookupName,
  MEANINGS,
  type Meaning,
  type TextColumns,
} from './lookups.ts'
import { measured, wholeNumber } from './numbers.ts'
import { doublesWithin, isOneOf, letter } from './sql.ts'

/** Returns a filter for texts in a dictionary. */
export const text = (dictionary: Dictionary & TextColumns, bare: LookupName = 'exact'): Filter => {
  const filter = textsOf({
    key: dictionary.key,
    present: entries(dictionary, sql`1`),
    matching: (text, value, few) => entries(dictionary, text(dictionary, value), few),
    tested: (test) => entries(dictionary, test),
  })
  return { ...filter, bare }
}

/** Returns a filter for texts in a column of the list's own table. */
export const ownText = (column: SQLWrapper): Filter =>
  textsOf({
    key: column,
    matching: (text, value) => ({ kind: 'sql', sql: text(ownColumns(column, value), value) }),
    tested: (test) => ({ kind: 'rows', columns: [column], test: ([text]) => test(String(text)) }),
  })

/** Returns a column for a comparison with a text. Few lookups need its folding, so it is written when one asks for it. */
const ownColumns = (column: SQLWrapper, value: string): TextColumns => ({
  text: column,
  get folded() {
    const folded = foldedFor(fold, column, [value], false, (text) => text)
    if (folded === null) throw valueError(['tooManyLetters'])
    return folded
  },
})

/** How a filter compares texts: SQL and tests in the Worker become conditions. */
interface Compared {
  readonly key: SQLWrapper
  /** The condition that the row has a text. */
  readonly present?: Condition
  readonly matching: (text: NonNullable<Meaning['text']>, value: string, few: boolean) => Condition
  readonly tested: (test: (text: string) => boolean) => ReturnType<Lookup>
}

/** Returns a filter with all lookups for texts. Spaces are part of the value. */
const textsOf = ({ key, present = isNull(key, false), matching, tested }: Compared): Filter => {
  const lookups: { [N in LookupName]?: Lookup } = {
    isnull: (value) => (booleanOf(value) ? isNull(key, true) : present),
    regex: (value) => tested(pattern(checkText(value), 0)),
    iregex: (value) => tested(pattern(checkText(value), RE2JS.CASE_INSENSITIVE)),
  }
  for (const [name, { text, few = false }] of MEANINGS)
    if (text !== undefined) lookups[name] = (value) => matching(text, boundedText(value), few)
  return { kind: 'text', schema: { type: 'string' }, bare: 'exact', lookups }
}

const isNull = (key: SQLWrapper, isTrue: boolean): Condition => ({
  kind: 'sql',
  sql: isTrue ? sql`${key} IS NULL` : sql`${key} IS NOT NULL`,
})

const booleanOf = (given: string): boolean => {
  const value = checkText(given).trim().toLowerCase()
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return false
  throw valueError(['boolean'])
}

const MAX_PATTERN = 200
/**
 * The maximum number of instructions in a compiled expression. Each may run on each character of a text, for 30 ns. So
 * the longest text takes at most 0.3 seconds. `.{0,100}` has 201.
 */
const MAX_PROGRAM = 1000

/** The most characters in the ranges of an expression. RE2JS folds each when it compiles, in 35 ns. */
const MAX_IN_RANGES = 1_000_000
/** RE2JS folds no characters after this one. */
const LAST_FOLDED = 0x1e943
/** A range such as `a-z`. A code of `\x{...}` may stand for each end. */
const RANGE = /(?<=\\x\{([\da-f]+)\}|(.))-(?=\\x\{([\da-f]+)\}|(.))/gisu

/** Returns the number of characters in the ranges of an expression. A hyphen outside of brackets counts as a range, too. */
const charactersInRanges = (expression: string): number => {
  const placeOf = (code: string | undefined, character = '') =>
    Math.min(LAST_FOLDED, (code === undefined ? character.codePointAt(0) : Number.parseInt(code, 16)) ?? 0)
  const sizes = Array.from(expression.matchAll(RANGE), ([, firstCode, first, lastCode, last]) =>
    Math.max(0, placeOf(lastCode, last) - placeOf(firstCode, first)),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Returns the units of work to compile an expression. It compiles none that is too long. */
export const unitsToCompile = (expression: string): number =>
  expression.length > MAX_PATTERN ? 0 : 1000 + charactersInRanges(expression) / 40

/** Returns the test of a regular expression. Throws ValueError if its syntax is wrong or it is too large. */
const pattern = (expression: string, flags: number): ((text: string) => boolean) => {
  if (expression.length > MAX_PATTERN) throw valueError(['longPattern', MAX_PATTERN])
  if (charactersInRanges(expression) > MAX_IN_RANGES) throw valueError(['largeRanges'])
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(expression, flags)
  } catch {
    throw valueError(['pattern'])
  }
  const size = compiled.programSize()
  if (size > MAX_PROGRAM) throw valueError(['largePattern'])
  // A test for the places of the match would take 400 times as long, because it has no automaton.
  return (text) => {
    countSteps(size, text.length)
    return compiled.test(text)
  }
}

/** The names of attributes that filters take. Two underscores separate a name from its lookup. */
const NAME = '[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*'
const PATTERN = `^attributes__${NAME}(__[a-z]+){0,2}$`

/** Returns a filter for the attributes in a column of JSON. Each attribute has its own parameters. */
export const attributes = (column: SQLWrapper): Filter => ({
  kind: 'attributes',
  // Generated clients keep members of additionalProperties, and drop those of patternProperties.
  schema: { type: 'object', propertyNames: { pattern: PATTERN }, additionalProperties: { type: 'string' } },
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
    const tests = [asText(sql`${value} ${isOneOf(given)}`)]
    const numbers = given.map(wholeNumber).filter((number) => number !== null)
    if (numbers.length > 0) tests.push(asNumber(sql`${double} ${isOneOf(numbers, sql`CAST(value AS REAL)`)}`))
    const booleans = given.filter((text) => text === 'true' || text === 'false')
    if (booleans.length > 0) tests.push(sql`${type} ${isOneOf(booleans)}`)
    return { kind: 'sql', sql: sql`(${sql.join(tests, sql` OR `)})` }
  }
  const texts = textsOf({
    key: value,
    // Each row reads its attribute once.
    matching: (text, given) => {
      const test = text(ownColumns(sql`attribute`, given), given)
      return { kind: 'sql', sql: asText(sql`(SELECT ${test} FROM (SELECT ${value} AS attribute LIMIT 1))`) }
    },
    tested: (test) => [
      { kind: 'sql', sql: asText(sql`1`) },
      { kind: 'rows', columns: [value], test: ([text]) => test(String(text)) },
    ],
  })
  const about = `The attribute ${name} of the event`
  return {
    ...texts,
    lookups: {
      ...texts.lookups,
      exact: (value) => isAmong([boundedText(value)]),
      in: (value) => isAmong(commaList(boundedText(value))),
    },
    about,
    example: 'Skagway',
    numbers: {
      ...measured(value, about, (range) => ({ kind: 'sql', sql: asNumber(doublesWithin(double, range)) })),
      example: 4.5,
    },
  }
}
