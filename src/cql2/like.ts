import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { at } from '../collections.ts'
import { integerOf } from '../engine/d1/sql.ts'
import { textTest } from '../engine/d1/texts.ts'
import { EXAMPLES, fault } from './expression.ts'

/** The maximum length of a GLOB pattern in D1, in bytes. */
const MAX_GLOB = 50

/** The characters of a pattern between two `%`. Null is a `_`. */
type Part = readonly (string | null)[]

/**
 * Returns SQL that compares a whole text with a pattern. `%` matches any characters and `_` matches one. A backslash
 * escapes the next character. Case matters, unlike in LIKE of SQLite. The SQL is NULL if the text is NULL.
 */
export const like = (column: SQLWrapper, pattern: string, at: string): SQL => {
  const parts = partsOf(pattern)
  if (parts.some((part) => part.includes(null))) return byGlob(column, parts, at)
  const texts = parts.map((part) => part.join(''))
  return byLookup(column, texts) ?? inTurn(column, texts)
}

/** Returns the number of texts between the `%` signs of a pattern. The database searches each in the text of each row. */
export const textsIn = (pattern: string): number => partsOf(pattern).filter(({ length }) => length > 0).length

const partsOf = (pattern: string): readonly Part[] => {
  const parts: (string | null)[][] = [[]]
  for (const [character] of pattern.matchAll(/\\.|./gsu)) {
    if (character === '%') parts.push([])
    else at(parts, -1).push(character === '_' ? null : character.replace(/^\\(?=.)/su, ''))
  }
  return parts.filter(({ length }, i) => length > 0 || i === 0 || i === parts.length - 1)
}

/** Returns SQL with a lookup of the lists, if one means the same as the pattern. Otherwise null. */
const byLookup = (column: SQLWrapper, [first = '', second, third, ...others]: readonly string[]): SQL | null => {
  const lookup = (test: 'is' | 'starts' | 'ends' | 'has', text: string) =>
    textTest({ column }, { fold: null, test, texts: [text] })
  if (others.length > 0) return null
  if (second === undefined) return lookup('is', first)
  if (third === undefined && second === '')
    return first === '' ? sql`CASE WHEN ${column} IS NOT NULL THEN 1 END` : lookup('starts', first)
  if (third === undefined) return first === '' ? lookup('ends', second) : null
  return first === '' && third === '' ? lookup('has', second) : null
}

/** Returns a GLOB for a pattern with `_`. Throws ValueError if it would be too long. */
const byGlob = (column: SQLWrapper, parts: readonly Part[], at: string): SQL => {
  const globOf = (part: Part) => part.map((character) => character?.replace(/[*?[]/, '[$&]') ?? '?').join('')
  const glob = parts.map(globOf).join('*')
  if (new TextEncoder().encode(glob).length <= MAX_GLOB) return sql`${column} GLOB ${glob}`
  throw fault(
    at,
    `a pattern with _ has at most ${MAX_GLOB} bytes. Enter a shorter pattern, or one without _, such as ${EXAMPLES.like}`,
  )
}

/**
 * Returns SQL for all other patterns. The first text must be at the start and the last at the end. Each text between
 * them is searched in the rest after the text before it. If a text is missing, the rest is NULL.
 * Without LIMIT, SQLite would copy each query into the next one and double the work with each text.
 */
const inTurn = (column: SQLWrapper, texts: readonly string[]): SQL => {
  const [first, last] = [at(texts, 0), at(texts, -1)]
  const lengthOf = (text: string) => [...text].length
  let rest = sql`SELECT CASE WHEN substr(${column}, 1, ${integerOf(lengthOf(first))}) = ${first} THEN substr(${column}, ${integerOf(lengthOf(first) + 1)}) END AS rest LIMIT 1`
  for (const text of texts.slice(1, -1))
    rest = sql`SELECT substr(rest, nullif(instr(rest, ${text}), 0) + ${integerOf(lengthOf(text))}) AS rest FROM (${rest}) LIMIT 1`
  const ends = last === '' ? sql`rest IS NOT NULL` : sql`substr(rest, ${integerOf(-lengthOf(last))}) = ${last}`
  return sql`CASE WHEN ${column} IS NOT NULL THEN coalesce((SELECT ${ends} FROM (${rest})), 0) END`
}
