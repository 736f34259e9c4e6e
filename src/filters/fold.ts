/**
 * Folds a text for lookups without case. Each code point becomes its `toUpperCase()`, unless that is longer than one
 * code point. PostgreSQL's `upper()` does the same: `ß` does not become `SS`, both sigmas become one, and there is no
 * normalisation.
 * Lone surrogates become U+FFFD, as in SQLite. No stored text has them.
 */
export const fold = (text: string): string =>
  ASCII.test(text) ? text.toUpperCase() : Array.from(text.toWellFormed(), upper).join('')

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/

function upper(char: string): string {
  const folded = char.toUpperCase()
  return folded.length === codePointLength(folded) ? folded : char
}

/** Returns the length of the first code point of a text, in UTF-16 units. */
const codePointLength = (text: string): number => (codePointOf(text) > 0xffff ? 2 : 1)

/** Returns the first code point of a text. Throws for an empty text. */
export const codePointOf = (text: string): number => {
  const point = text.codePointAt(0)
  if (point === undefined) throw new RangeError('The text is empty.')
  return point
}

/**
 * Folds a text for comparison without case, as Unicode defines it (CaseFolding.txt, statuses C and F). `Straße` becomes
 * `strasse`. Lone surrogates become U+FFFD, as in SQLite.
 */
export const caseFold = (text: string): string =>
  ASCII.test(text) ? text.toLowerCase() : Array.from(text.toWellFormed(), foldCharacter).join('')

/**
 * Folds a text for the comparison of words: compatible characters become one (NFKD), marks such as accents are left
 * out, and case is folded.
 */
export const foldWords = (text: string): string =>
  ASCII.test(text) ? text.toLowerCase() : caseFold(text.normalize('NFKD').replace(/\p{M}+/gu, ''))

export const isAscii = (text: string): boolean => ASCII.test(text)

/** Cherokee folds to upper case, because Unicode added its lower case later. */
const CHEROKEE = /[\u13a0-\u13f5\u13f8-\u13fd\uab70-\uabbf]/

/**
 * Folds one character. The lower case of its upper case is the full folding. The first toLowerCase is for `ẞ`, which is
 * its own upper case.
 */
const foldCharacter = (character: string): string => {
  if (character === 'ı') return character
  if (CHEROKEE.test(character)) return character.toUpperCase()
  return character.toLowerCase().toUpperCase().toLowerCase()
}

/** A word, or several that follow each other. */
export interface Term {
  readonly words: readonly string[]
  /** The words with spaces around them. The last space is missing if more letters may follow. */
  readonly spaced: string
}
