import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import { valueError } from '../../base/errors.ts'
import { patternParts } from '../../question/like.ts'
import { integerOf } from './sql.ts'

/** The maximum length of a GLOB pattern in D1, in bytes. */
const MAX_GLOB = 50

/**
 * Writes SQL that compares a whole text with a pattern of `like`. Case matters, unlike in LIKE of SQLite. The SQL is
 * NULL if the text is NULL. Throws ValueError for a pattern with `_` that is too long for the database.
 */
export const like = (column: SQLWrapper, pattern: string): SQL => {
  const parts = patternParts(pattern)
  if (!parts.some((part) => part.includes(null)))
    return inTurn(
      column,
      parts.map((part) => part.join('')),
    )
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
  const lengthOf = (text: string) => [...text].length
  let rest = sql`SELECT CASE WHEN substr(${column}, 1, ${integerOf(lengthOf(first))}) = ${first} THEN substr(${column}, ${integerOf(lengthOf(first) + 1)}) END AS rest LIMIT 1`
  for (const text of texts.slice(1, -1))
    rest = sql`SELECT substr(rest, nullif(instr(rest, ${text}), 0) + ${integerOf(lengthOf(text))}) AS rest FROM (${rest}) LIMIT 1`
  const ends = last === '' ? sql`rest IS NOT NULL` : sql`substr(rest, ${integerOf(-lengthOf(last))}) = ${last}`
  return sql`CASE WHEN ${column} IS NOT NULL THEN coalesce((SELECT ${ends} FROM (${rest})), 0) END`
}
