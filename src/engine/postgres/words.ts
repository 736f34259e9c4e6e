import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import { foldingsFor, foldWords } from '../../filters/fold.ts'
import type { Term } from '../../question/condition.ts'
import { all, either, listOf } from './sql.ts'

/** A character that ends each text. */
const END = '\u0001'

/**
 * Tests if plain texts in ASCII have all words, without JSON. It is false for others, which may have them. Null: no such text has them.
 */
export const surelyHas = (columns: readonly SQL[], terms: readonly Term[]): SQL | null => {
  if (terms.some(({ words }) => words.some((word) => /[^a-z0-9]/.test(word)))) return null
  const patterns = terms.map(
    ({ words, open }) => `(^|[^a-z0-9])${words.join(`[^a-z0-9${END}]+`)}${open ? '' : '([^a-z0-9]|$)'}`,
  )
  const text = sql`(concat_ws(${END}, ${listOf(columns.slice(0, -1))}) COLLATE "C")`
  const isAscii = sql`octet_length(${text}) = char_length(${text})`
  return all([isAscii, ...patterns.map((pattern) => sql`lower(${text}) ~ ${pattern}`)])
}

/**
 * Selects the rows whose texts may have all words. A text with a mark, a ligature, an escape of JSON or an exponent may have
 * any word.
 */
export const mayHave = (columns: readonly SQL[], terms: readonly Term[]): SQL => {
  const folded = Map.groupBy(
    foldingsFor(
      foldWords,
      terms.flatMap(({ words }) => words),
    ),
    ([, to]) => to,
  )
  const like = (letters: string) => classOf((folded.get(letters) ?? []).map(([from]) => from))
  const others = [...folded.keys()]
    .filter((to) => [...to].length !== 1)
    .map(like)
    .join('')
  const patterns = terms.flatMap(({ words, open }) =>
    words.map((word, i) => patternOfWord(word, open && i === words.length - 1, like)),
  )
  // Citus refuses a query that computes the text once, and PostgreSQL takes 4 % longer for it.
  const text = sql`(concat_ws(' ', ${listOf([...columns])}) COLLATE "C")`
  const has = all(patterns.map((pattern) => sql`lower(${text}) ~ ${pattern}`))
  return either([has, sql`${text} ~ ${`[\\\\${others}${RARE}]|[0-9][eE]`}`])
}

/** Returns a regular expression for a word. A number may have other digits in JSON, such as 1.50 for 1.5. */
const patternOfWord = (word: string, isOpen: boolean, like: (letter: string) => string): string => {
  const letters = Array.from(word, (letter) => `[${letter}${like(letter)}]`).join('')
  return /\d/.test(word) ? letters : `(^|[^a-z0-9])${letters}${isOpen ? '' : '([^a-z0-9]|$)'}`
}

/** The characters from here on are rare, and some of them fold to letters. */
const RARE = '\\U0001f000-\\U0010ffff'

/** Returns characters in the order of their code points as a part of a class of a regular expression. */
const classOf = (characters: readonly string[]): string => {
  const codes = characters.map((character) => character.codePointAt(0) ?? 0)
  const starts = codes.filter((code, i) => code - 1 !== codes[i - 1])
  const ends = codes.filter((code, i) => code + 1 !== codes[i + 1])
  return starts.map((start, i) => `${String.fromCodePoint(start)}-${String.fromCodePoint(at(ends, i))}`).join('')
}
