import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import { foldingsFor, foldWords } from '../../filters/fold.ts'
import type { Term } from '../../question/condition.ts'
import { all, either, listOf } from './sql.ts'

/** A character that ends each text. */
const END = '\u0001'

/** A test of words in SQL. */
interface WordTest {
  /** Selects the rows that may have all words. */
  readonly may: SQL
  /** Tells which of these rows have all words outside of JSON. Null: it knows none. */
  readonly sure: SQL | null
}

/** Tests texts in ASCII exactly, and all others roughly. The last column is JSON. */
export const testOfWords = (columns: readonly SQL[], terms: readonly Term[]): WordTest => {
  const may = mayHave(columns, terms)
  const words = terms.flatMap(({ words }) => words)
  if (words.some((word) => /[^a-z0-9]/.test(word))) return { may, sure: null }
  const patterns = terms.map(
    ({ words, open }) => `(?<![a-z0-9])${words.join(`[^a-z0-9${END}]+`)}${open ? '' : '(?![a-z0-9])'}`,
  )
  const text = sql`(concat_ws(${END}, ${listOf(columns.slice(0, -1))}) COLLATE "C")`
  // A plain search is faster than an expression, and most rows end there.
  const has = all([
    ...words.map((word) => sql`strpos(lower(${text}), ${word}) > 0`),
    ...patterns.map((pattern) => sql`lower(${text}) ~ ${pattern}`),
  ])
  const isAscii = sql`octet_length(${text}) = char_length(${text})`
  const document = sql`${columns.at(-1)}`
  return {
    may: sql`CASE WHEN ${isAscii} THEN ${has} OR (${document} IS NOT NULL AND ${may}) ELSE ${may} END`,
    sure: sql`CASE WHEN ${isAscii} THEN ${document} IS NULL OR ${has} ELSE false END`,
  }
}

/**
 * Selects the rows whose texts may have all words. A text with a mark, a ligature, an escape of JSON or an exponent may have
 * any word.
 */
const mayHave = (columns: readonly SQL[], terms: readonly Term[]): SQL => {
  const words = terms.flatMap((term) => term.words)
  const folded = Map.groupBy(foldingsFor(foldWords, words), ([, to]) => to)
  const like = (letters: string) => classOf((folded.get(letters) ?? []).map(([from]) => from))
  const several = [...folded.keys()].filter((to) => [...to].length !== 1)
  const others = several.map(like).join('')
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
