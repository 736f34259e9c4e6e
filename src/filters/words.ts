import { valueError } from '../base/errors.ts'
import { countSteps } from '../base/work.ts'
import type { Term } from '../question/condition.ts'
import { bare, type FilterType } from './filter.ts'
import { foldWords, isAscii } from './fold.ts'
import { boundedText } from './lookups.ts'

const EXAMPLE = 'maria flood, "tropical storm" or flo*'

/** Folding leaves out marks, so a word consists of letters and digits. */
const WORD = /[\p{L}\p{N}]+/gu
/** A word. More letters may follow if it ends with a star. */
const TERM = /[\p{L}\p{N}]+\*?(?![\p{L}\p{N}])/gu
const QUOTES = /["“”„]/u

/** The fields of an event that have its texts. The last one is JSON: its values are texts, but its names are not. */
export const SEARCHED = ['category', 'value', 'external_id', 'object_type', 'series_name', 'attributes'] as const

/** Each word is searched in each text. */
const MAX_WORDS = 20

/** Returns a filter for rows whose texts have all words. `names` says which texts these are. */
export const words = (names: string): FilterType => ({
  ...bare('words', { type: 'string' }, (value) => ({ kind: 'words', terms: termsOf(boundedText(value)) })),
  asks: `has all these words, phrases in quotes and beginnings such as flo*, in its ${names}, without case and accents`,
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

const wordOf = (text: string): Term => ({ words: [text.replace('*', '')], open: text.endsWith('*') })

const phraseOf = (text: string): Term => {
  const words = text.match(WORD)
  if (words === null) throw valueError(['noWordInQuotes', EXAMPLE])
  return { words, open: false }
}

const BETWEEN = /[^\p{L}\p{N}]+/gu

/** The steps to fold a character of a text that is not in ASCII: 40 ns. */
const STEPS_BEYOND_ASCII = 15

/** Writes a space around each word of a term. The last one is missing if more letters may follow. */
const spacedTerm = ({ words, open }: Term): string => ` ${words.join(' ')}${open ? '' : ' '}`

/** Folds a text and writes a space around each word, so that a term occurs in it if its spaced form does. */
const spacedOf = (text: string): string => {
  countSteps(isAscii(text) ? 1 : STEPS_BEYOND_ASCII, text.length)
  return ` ${foldWords(text).replace(BETWEEN, ' ').trim()} `
}

/** Returns a function that returns a bit for each of some terms that a text has. */
export const finderOf = (terms: readonly Term[]): ((text: string) => number) => {
  const sought = terms.map(spacedTerm)
  return (text) => {
    const spaced = spacedOf(text)
    return sought.reduce((bits, term, t) => (spaced.includes(term) ? bits | (1 << t) : bits), 0)
  }
}

/** Returns the texts and numbers in a value of JSON. Names of members are not among them. */
export const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
