import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import { valueError } from '../../base/errors.ts'
import { caseFold, FOLDS, type Folding, foldingsFor, isAscii } from '../../filters/fold.ts'
import type { Condition } from '../../question/condition.ts'
import { patternParts } from '../../question/like.ts'
import type { FieldColumn } from './fields.ts'
import { all, blob, either, integerOf, isOneOf, letter } from './sql.ts'

type Text = Omit<Extract<Condition, { kind: 'text' }>, 'kind' | 'field'>

/** Writes the test of a text. `%`, `_`, quotes and backslashes are plain characters. */
export const textTest = (
  { column, folded, caseFolded, dictionary, isUuid = false }: Pick<FieldColumn, 'column'> & Partial<FieldColumn>,
  { fold: folding, test, texts }: Text,
): SQL => {
  if (isUuid && test === 'starts') return startsWithOneOf(column, texts, dictionary)
  const compare = (written: SQLWrapper) => compared(written, test, texts)
  if (folding === null) return compare(column)
  const stored = folding === 'upper' ? folded : caseFolded
  if (stored !== undefined) return compare(stored)
  const isExact = test === 'like' && texts.some((text) => text.includes('_'))
  return foldedFor(FOLDS[folding], column, texts, isExact, compare)
}

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
  like: (column, pattern) => like(column, pattern),
}

/** Writes the test if a uuid starts with one of some prefixes. Several are joined with the table, so an index finds each. */
const startsWithOneOf = (column: SQLWrapper, texts: readonly string[], dictionary: FieldColumn['dictionary']): SQL => {
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

/**
 * The maximum number of characters that one query replaces. D1 limits each expression to 100 levels, and each character
 * needs one.
 */
const AT_ONCE = 20
/** The maximum number of characters that a filter replaces. It limits the length of the SQL. */
const MAX_REPLACED = 400

/**
 * Returns SQL that folds a column and compares it with texts. `sqlFor` writes the comparison. The database replaces
 * characters beyond ASCII only if the texts contain them or their foldings.
 * `exact`: the length matters, so the SQL replaces all characters that become several. Throws ValueError if it would replace
 * too many.
 */
const foldedFor = (
  folding: Folding,
  column: SQLWrapper,
  texts: readonly string[],
  exact: boolean,
  sqlFor: (folded: SQL) => SQL,
): SQL => {
  const replaced = foldingsFor(folding, texts, exact)
  if (replaced.length > MAX_REPLACED) throw valueError(['tooManyLetters'])
  const ascii = folding === caseFold ? sql`lower(plain)` : sql`upper(plain)`
  let folded = sql`SELECT ${ascii} AS folded LIMIT 1`
  for (const [byte, ofByte] of Map.groupBy(replaced, ([from]) => firstByteOf(from)))
    for (let start = 0; start < ofByte.length; start += AT_ONCE) {
      const text = ofByte
        .slice(start, start + AT_ONCE)
        .reduce((inner, [from, to]) => sql`replace(${inner}, ${letter(from)}, ${letter(to)})`, sql`folded`)
      const has = sql`instr(CAST(folded AS BLOB), ${blob(byte)})`
      folded = sql`SELECT CASE WHEN ${has} THEN ${text} ELSE folded END AS folded FROM (${folded}) LIMIT 1`
    }
  // Such a text never equals or contains the other one, folded or not.
  const lacks = exact || texts.length > 1 ? [] : lacking(folding(texts[0] ?? ''), replaced)
  const isPlain = sql.join([sql`octet_length(plain) = length(plain)`, ...lacks], sql` OR `)
  const chosen = replaced.length === 0 ? ascii : sql`CASE WHEN ${isPlain} THEN ${ascii} ELSE (${folded}) END`
  return sql`(SELECT ${sqlFor(sql`folded`)} FROM (SELECT ${chosen} AS folded FROM (SELECT ${column} AS plain LIMIT 1) LIMIT 1))`
}

/** Returns the first byte of a character in UTF-8, in hexadecimal. The letters of a script share a few of them. */
const firstByteOf = (character: string): string => at(new TextEncoder().encode(character), 0).toString(16)

/** The most letters of a text that the database looks for before it folds. */
const MAX_SOUGHT = 3

/** Returns the conditions that a plain text lacks a letter beyond ASCII of a folded text, in all its forms. */
const lacking = (text: string, replaced: readonly (readonly [string, string])[]): SQL[] => {
  const letters = [...new Set(text)].filter((each) => !isAscii(each)).slice(0, MAX_SOUGHT)
  return letters.map((each) => {
    const forms = [each, ...replaced.flatMap(([from, to]) => (to.includes(each) ? [from] : []))]
    return all(forms.map((form) => sql`instr(plain, ${letter(form)}) = 0`))
  })
}

/** The maximum length of a GLOB pattern in D1, in bytes. */
const MAX_GLOB = 50

/**
 * Writes SQL that compares a whole text with a pattern of `like`. Case matters, unlike in LIKE of SQLite. The SQL is
 * NULL if the text is NULL. Throws ValueError for a pattern with `_` that is too long for the database.
 */
const like = (column: SQLWrapper, pattern: string): SQL => {
  const parts = patternParts(pattern)
  const texts = parts.map((part) => part.join(''))
  if (!parts.some((part) => part.includes(null))) return inTurn(column, texts)
  const globOf = (part: (typeof parts)[number]) =>
    part.map((character) => character?.replace(/[*?[]/, '[$&]') ?? '?').join('')
  const glob = parts.map(globOf).join('*')
  if (new TextEncoder().encode(glob).length > MAX_GLOB) throw valueError(['longLike', MAX_GLOB])
  return sql`${column} GLOB ${glob}`
}

/**
 * Compares a text with the texts between the `%` signs of a pattern. The first text must be at the start and the last at
 * the end. Each text between them is searched in the rest after the text before it. If a text is missing, the rest is
 * NULL. Without LIMIT, SQLite would copy each query into the next one and double the work with each text.
 */
const inTurn = (column: SQLWrapper, texts: readonly string[]): SQL => {
  const [first, last] = [at(texts, 0), at(texts, -1)]
  if (texts.length === 1) return sql`${column} = ${first}`
  let rest = sql`SELECT CASE WHEN substr(${column}, 1, ${integerOf(lengthOf(first))}) = ${first} THEN substr(${column}, ${integerOf(lengthOf(first) + 1)}) END AS rest LIMIT 1`
  for (const text of texts.slice(1, -1))
    rest = sql`SELECT substr(rest, nullif(instr(rest, ${text}), 0) + ${integerOf(lengthOf(text))}) AS rest FROM (${rest}) LIMIT 1`
  const ends = last === '' ? sql`rest IS NOT NULL` : sql`substr(rest, ${integerOf(-lengthOf(last))}) = ${last}`
  return sql`CASE WHEN ${column} IS NOT NULL THEN coalesce((SELECT ${ends} FROM (${rest})), 0) END`
}
