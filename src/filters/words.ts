import { valueError } from '../base/errors.ts'
import type { Term } from '../question/condition.ts'
import type { Filter } from './filter.ts'
import { foldWords } from './fold.ts'
import { boundedText } from './lookups.ts'

const EXAMPLE = 'maria flood, "tropical storm" or flo*'

/** Folding leaves out marks, so a word consists of letters and digits. */
const WORD = /[\p{L}\p{N}]+/gu
/** A word. More letters may follow if it ends with a star. */
const TERM = /[\p{L}\p{N}]+\*?(?![\p{L}\p{N}])/gu
const QUOTES = /["“”„]/u

/** Each word is searched in each text. */
const MAX_WORDS = 20

/** Returns a filter for rows whose texts have all words. `names` says which texts these are. */
export const words = (names: string): Filter => ({
  kind: 'words',
  schema: { type: 'string' },
  asks: `has all these words, phrases in quotes and beginnings such as flo*, in its ${names}, without case and accents`,
  bare: 'exact',
  lookups: { exact: (value) => ({ kind: 'words', terms: termsOf(boundedText(value)) }) },
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
