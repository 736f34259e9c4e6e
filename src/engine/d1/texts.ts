import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { valueError } from '../../base/errors.ts'
import { caseFold, fold } from '../../filters/fold.ts'
import type { Condition, Fold } from '../../question/condition.ts'
import type { StoredText } from './fields.ts'
import { foldedFor } from './fold.ts'
import { like } from './like.ts'
import { either, integerOf, isOneOf } from './sql.ts'

type Text = Omit<Extract<Condition, { kind: 'text' }>, 'kind' | 'field'>

/** Writes the test of a text. `%`, `_`, quotes and backslashes are plain characters. */
export const textTest = (
  { column, folded, caseFolded, dictionary, isUuid = false }: Omit<StoredText, 'kind'>,
  { fold: folding, test, texts }: Text,
): SQL => {
  if (isUuid && test === 'starts') return startsWithOneOf(column, texts, dictionary)
  const compare = (written: SQLWrapper) => compared(written, test, texts)
  if (folding === null) return compare(column)
  const stored = folding === 'upper' ? folded : caseFolded
  if (stored !== undefined) return compare(stored)
  const isExact = test === 'like' && texts.some((text) => text.includes('_'))
  const inSql = foldedFor(FOLDS[folding], column, texts, isExact, compare)
  if (inSql === null) throw valueError(['tooManyLetters'])
  return inSql
}

const FOLDS: Readonly<Record<Fold, typeof fold>> = { upper: fold, casei: caseFold }

const compared = (column: SQLWrapper, test: Text['test'], texts: readonly string[]): SQL => {
  if (test === 'is') return sql`${column} ${isOneOf(texts)}`
  const tests = texts.map((text) => TESTS[test](column, text))
  return tests.length === 1 ? sql.join(tests) : either(tests)
}

const lengthOf = (text: string): number => [...text].length

const TESTS: Readonly<Record<Exclude<Text['test'], 'is'>, (column: SQLWrapper, text: string) => SQL>> = {
  has: (column, text) => sql`instr(${column}, ${text}) > 0`,
  starts: (column, text) => sql`substr(${column}, 1, ${integerOf(lengthOf(text))}) = ${text}`,
  // `substr(text, 0)` is the whole text.
  ends: (column, text) =>
    text === '' ? TESTS.starts(column, text) : sql`substr(${column}, ${integerOf(-lengthOf(text))}) = ${text}`,
  like,
}

/** Writes the test if a uuid starts with one of some prefixes. Several are joined with the table, so an index finds each. */
const startsWithOneOf = (column: SQLWrapper, texts: readonly string[], dictionary: StoredText['dictionary']): SQL => {
  const [only, ...others] = texts
  if (dictionary === undefined || (only !== undefined && others.length === 0))
    return either(texts.map((text) => startsWithUuid(column, sql`${text}`)))
  const { id, table } = dictionary
  return sql`${id} IN (SELECT ${id} FROM json_each(${JSON.stringify(texts)}) AS prefix CROSS JOIN ${table}
    ON ${startsWithUuid(column, sql`prefix.value`)})`
}

/**
 * Writes the condition that a uuid starts with a prefix. All characters of a uuid are less than g, so the prefix with a
 * g is the upper bound.
 */
export const startsWithUuid = (uuid: SQLWrapper, prefix: SQL): SQL =>
  sql`(${uuid} >= ${prefix} AND ${uuid} < ${prefix} || 'g')`
