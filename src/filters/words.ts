import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { at } from '../collections.ts'
import { valueError } from '../errors.ts'
import { countSteps } from '../work.ts'
import type { Dictionary, Filter, RowTest } from './filter.ts'
import { foldWords, isAscii } from './fold.ts'
import { boundedText } from './lookups.ts'
import { all, isIn, NOTHING } from './sql.ts'

const EXAMPLE = 'maria flood, "tropical storm" or flo*'

/** Folding leaves out marks, so a word consists of letters and digits. */
const WORD = /[\p{L}\p{N}]+/gu
/** A word. More letters may follow if it ends with a star. */
const TERM = /[\p{L}\p{N}]+\*?(?![\p{L}\p{N}])/gu
const BETWEEN = /[^\p{L}\p{N}]+/gu
const QUOTES = /["“”„]/u

/** The steps to fold a character of a text that is not in ASCII: 40 ns. */
const STEPS_BEYOND_ASCII = 15

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
  const everything = 2 ** terms.length - 1
  /** Returns a bit for each term that a text has. */
  const termsIn = (text: string): number => {
    const spaced = spacedOf(text)
    return terms.reduce((bits, term, t) => (spaced.includes(term.spaced) ? bits | (1 << t) : bits), 0)
  }
  return {
    kind: 'rows',
    columns: [...own, ...keys],
    sought: dictionaries.map((dictionary) => ({
      dictionary,
      match: anyOf([isBeyondAscii(dictionary.text), ...terms.map((term) => mayHave(dictionary.text, term))]),
      test: termsIn,
    })),
    may: (found) => {
      const places = terms.map((term, t) => {
        const named = keys.flatMap((key, d) => {
          const ids = [...at(found, d)].flatMap(([id, bits]) => (bits & (1 << t) ? [id] : []))
          return ids.length > 0 ? [isIn(key, ids)] : []
        })
        return anyOf([...named, ...own.map((column) => mayHave(column, term))])
      })
      return anyOf([...own.map(isBeyondAscii), all(places)])
    },
    test: (values, found) => {
      const named = keys.reduce((bits, _, d) => bits | (at(found, d).get(values[own.length + d]) ?? 0), 0)
      if (named === everything) return true
      const columns = values.slice(0, own.length).map((value) => (typeof value === 'string' ? value : ''))
      const document = columns.pop() || '{}'
      const all = [...columns, ...textsIn(JSON.parse(document))]
      return all.reduce((bits, text) => bits | termsIn(text), named) === everything
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
const spacedOf = (text: string): string => {
  countSteps(isAscii(text) ? 1 : STEPS_BEYOND_ASCII, text.length)
  return ` ${foldWords(text).replace(BETWEEN, ' ').trim()} `
}

/** Returns the texts and numbers in a value of JSON. Names of members are not among them. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const anyOf = (conditions: readonly SQL[]): SQL => sql`(${sql.join([...conditions], sql` OR `)})`

/** Selects the texts that are not in ASCII. Folding may turn other characters into those of a term. */
const isBeyondAscii = (column: SQLWrapper): SQL => sql`octet_length(${column}) > length(${column})`

/** Selects the texts in ASCII that have a term, and more. */
const mayHave = (column: SQLWrapper, { words }: Term): SQL =>
  words.every(isAscii) ? all(words.map((word) => sql`instr(lower(${column}), ${word}) > 0`)) : NOTHING
