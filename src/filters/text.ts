import { type SQLWrapper, sql } from 'drizzle-orm'
import { RE2JS } from 're2js'
import { valueError } from '../errors.ts'
import { countSteps } from '../work.ts'
import { type Condition, type Dictionary, entries, type Filter, type Lookup, type Lookups } from './filter.ts'
import { foldedFor, LISTS } from './fold.ts'
import { boundedText, checkText, type LookupName, MEANINGS, type Meaning, type TextColumns } from './lookups.ts'

/** Returns a filter for texts in a dictionary. */
export const text = (dictionary: Dictionary & TextColumns, bare: LookupName = 'exact'): Filter =>
  texts(
    {
      key: dictionary.key,
      matching: (text, value, few) => entries(dictionary, text(dictionary, value), few),
      tested: (test) => entries(dictionary, test),
    },
    bare,
  )

/** Returns a filter for texts in a column of the list's own table. */
export const ownText = (column: SQLWrapper): Filter =>
  texts(
    {
      key: column,
      matching: (text, value) => ({ kind: 'sql', sql: text(ownColumns(column, value), value) }),
      tested: (test) => ({ kind: 'rows', columns: [column], test: ([text]) => test(String(text)) }),
    },
    'exact',
  )

/** Returns a column for a comparison with a text. Few lookups need its folding, so it is written when one asks for it. */
const ownColumns = (column: SQLWrapper, value: string): TextColumns => ({
  text: column,
  get folded() {
    const folded = foldedFor(LISTS, column, [value], false, (text) => text)
    if (folded === null) throw valueError(['tooManyLetters'])
    return folded
  },
})

/** How a filter compares texts: SQL and tests in the Worker become conditions. */
interface Compared {
  readonly key: SQLWrapper
  readonly matching: (text: NonNullable<Meaning['text']>, value: string, few: boolean) => Condition
  readonly tested: (test: (text: string) => boolean) => Condition
}

/** Returns a filter with all lookups for texts. Spaces are part of the value. */
const texts = ({ key, matching, tested }: Compared, bare: LookupName): Filter => {
  const regex =
    (flags: number): Lookup =>
    (value) => {
      const expression = pattern(checkText(value), flags)
      return tested(expression)
    }
  const lookups: Lookups = {
    isnull: (value) => ({ kind: 'sql', sql: booleanOf(value) ? sql`${key} IS NULL` : sql`${key} IS NOT NULL` }),
    regex: regex(0),
    iregex: regex(RE2JS.CASE_INSENSITIVE),
  }
  for (const [name, { text, few = false }] of MEANINGS)
    if (text !== undefined) lookups[name] = (value) => matching(text, boundedText(value), few)
  return { kind: 'text', schema: { type: 'string' }, bare, lookups }
}

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

/** Returns the test of a regular expression. Throws ValueError if its syntax is wrong or it is too large. */
const pattern = (expression: string, flags: number): ((text: string) => boolean) => {
  if (expression.length > MAX_PATTERN) throw valueError(['longPattern', MAX_PATTERN])
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
