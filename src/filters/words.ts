import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { at } from '../collections.ts'
import { valueError } from '../errors.ts'
import type { Dictionary, Filter, RowTest } from './filter.ts'
import { foldWords, isAscii } from './fold.ts'
import { boundedText } from './lookups.ts'
import { all, isIn } from './sql.ts'

const EXAMPLE = 'maria flood, "tropical storm" or flo*'

/** Folding leaves out marks, so a word consists of letters and digits. */
const WORD = /[\p{L}\p{N}]+/gu
/** A word. More letters may follow if it ends with a star. */
const TERM = /[\p{L}\p{N}]+\*?(?![\p{L}\p{N}])/gu
const BETWEEN = /[^\p{L}\p{N}]+/gu
const QUOTES = /["“”„]/u

/** Each word takes a test of each text in SQL. */
const MAX_WORDS = 20

/** The places of the texts of a row: entries of dictionaries, and columns of the row. */
interface Places {
  readonly dictionaries: readonly Dictionary[]
  readonly texts: readonly SQLWrapper[]
  /** A column of JSON. Its values are texts, but its names are not. */
  readonly json: SQLWrapper
}

/** A word, or several that follow each other. */
interface Term {
  readonly words: readonly string[]
  /** The words with spaces around them. The last space is missing if more letters may follow. */
  readonly spaced: string
}

/** Returns a filter for rows whose texts have all words. `names` says which texts these are. */
export const words = (names: string, places: Places): Filter => ({
  kind: 'words',
  schema: { type: 'string' },
  asks: `has all these words, phrases in quotes and beginnings such as flo*, in its ${names}, without case and accents`,
  bare: 'exact',
  lookups: { exact: (value) => haveTerms(termsOf(boundedText(value)), places) },
})

/** Returns the condition that each term occurs in a text of a row. */
const haveTerms = (terms: readonly Term[], { dictionaries, texts, json }: Places): RowTest => {
  const own = [...texts, json]
  const keys = dictionaries.map(({ key }) => key)
  // The entries with a term, for each dictionary.
  const ofTerm = <T>(found: readonly T[], t: number) => found.slice(t * keys.length, (t + 1) * keys.length)
  return {
    kind: 'rows',
    columns: [...own, ...keys],
    sought: terms.flatMap((term) =>
      dictionaries.map((dictionary) => ({
        dictionary,
        match: mayHave(dictionary.text, term),
        test: (text: string) => spacedOf(text).includes(term.spaced),
      })),
    ),
    may: (found) =>
      all(
        terms.map((term, t) => {
          const named = ofTerm(found, t).flatMap((ids, d) => (ids.size > 0 ? [isIn(at(keys, d), [...ids])] : []))
          return sql`(${sql.join([...named, ...own.map((column) => mayHave(column, term))], sql` OR `)})`
        }),
      ),
    test: (values, found) => {
      const left = terms.filter((_, t) => !ofTerm(found, t).some((ids, d) => ids.has(values[own.length + d])))
      if (left.length === 0) return true
      const columns = values.slice(0, own.length).map((value) => (typeof value === 'string' ? value : ''))
      const document = columns.pop() || '{}'
      const spaced = [...columns, ...textsIn(JSON.parse(document))].map(spacedOf)
      return left.every((term) => spaced.some((text) => text.includes(term.spaced)))
    },
  }
}

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
const spacedOf = (text: string): string => ` ${foldWords(text).replace(BETWEEN, ' ').trim()} `

/** Returns the texts and numbers in a value of JSON. Names of members are not among them. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/**
 * Selects all texts that have a term, and more. It leaves out only texts in ASCII: folding may turn other characters
 * into those of the term.
 */
const mayHave = (column: SQLWrapper, { words }: Term): SQL => {
  const isOther = sql`octet_length(${column}) > length(${column})`
  if (!words.every(isAscii)) return isOther
  return sql`(${all(words.map((word) => sql`instr(lower(${column}), ${word}) > 0`))} OR ${isOther})`
}
