import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { valueError } from '../errors.ts'
import type { Filter, Term, Words } from './filter.ts'
import { foldWords, isAscii } from './fold.ts'
import { boundedText } from './lookups.ts'
import { all } from './sql.ts'

const EXAMPLE = 'maria flood, "tropical storm" or flo*'

/** Folding leaves out marks, so a word consists of letters and digits. */
const WORD = /[\p{L}\p{N}]+/gu
/** A word. More letters may follow if it ends with a star. */
const TERM = /[\p{L}\p{N}]+\*?(?![\p{L}\p{N}])/gu
const BETWEEN = /[^\p{L}\p{N}]+/gu
const QUOTES = /["“”„]/u

/** Each word takes a test of each text in SQL. */
const MAX_WORDS = 20

/** Returns a filter for rows whose texts have all words. */
export const words = (places: Pick<Words, 'dictionaries' | 'texts' | 'json'>): Filter => ({
  kind: 'words',
  schema: { type: 'string' },
  asks: 'has all these words, phrases in quotes and beginnings such as flo*, in its value, category, series name, object model, external id or attributes, without case and accents',
  bare: 'exact',
  lookups: { exact: (value) => ({ kind: 'words', terms: termsOf(boundedText(value)), ...places }) },
})

/** Reads words, phrases in quotes, and beginnings of words with a star. */
const termsOf = (text: string): readonly Term[] => {
  const parts = foldWords(text).split(QUOTES)
  if (parts.length % 2 === 0) throw valueError(['noQuote'])
  const isStarred = parts.some((part, i) => (i % 2 === 0 ? part.replace(TERM, '') : part).includes('*'))
  if (isStarred) throw valueError(['star'])
  const terms = parts.flatMap((part, i) => (i % 2 === 0 ? (part.match(TERM) ?? []).map(wordOf) : [phraseOf(part)]))
  const count = terms.reduce((sum, { words }) => sum + words.length, 0)
  if (count === 0) throw valueError(['noWord', EXAMPLE])
  if (count > MAX_WORDS) throw valueError(['tooManyWords', MAX_WORDS])
  return terms
}

const wordOf = (text: string): Term => {
  const word = text.replace('*', '')
  return { words: [word], spaced: ` ${word}${text === word ? ' ' : ''}` }
}

const phraseOf = (text: string): Term => {
  const words = text.match(WORD)
  if (words === null) throw valueError(['noWordInQuotes', EXAMPLE])
  return { words, spaced: spacedOf(text) }
}

/** Folds a text and writes a space around each word, so that a term occurs in it if its spaced form does. */
export const spacedOf = (text: string): string => ` ${foldWords(text).replace(BETWEEN, ' ').trim()} `

/** Returns the texts and numbers in a value of JSON. Names of members are not among them. */
export const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/**
 * Selects all texts that have a term, and more. It leaves out only texts in ASCII: folding may turn other characters
 * into those of the term.
 */
export const mayHave = (column: SQLWrapper, { words }: Term): SQL => {
  const isOther = sql`octet_length(${column}) > length(${column})`
  if (!words.every(isAscii)) return isOther
  return sql`(${all(words.map((word) => sql`instr(lower(${column}), ${word}) > 0`))} OR ${isOther})`
}
