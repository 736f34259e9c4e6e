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

const upper = (character: string): string => {
  const folded = character.toUpperCase()
  return [...folded].length === 1 ? folded : character
}

/** Cherokee folds to upper case, because Unicode added its lower case later. */
const CHEROKEE = /[\u13a0-\u13f5\u13f8-\u13fd\uab70-\uabbf]+/g
/** The texts between the characters that have a rule of their own. */
const USUAL = /[^ı\u13a0-\u13f5\u13f8-\u13fd\uab70-\uabbf]+/g

/**
 * Folds a text for comparison without case, as Unicode defines it (CaseFolding.txt, statuses C and F). `Straße` becomes
 * `strasse`. Lone surrogates become U+FFFD, as in SQLite.
 */
export const caseFold = (text: string): string => {
  if (ASCII.test(text)) return text.toLowerCase()
  return text
    .toWellFormed()
    .replace(USUAL, foldUsual)
    .replace(CHEROKEE, (letters) => letters.toUpperCase())
}

/**
 * The lower case of the upper case is the full folding. The first toLowerCase is for `ẞ`, which is its own upper case. A
 * sigma gets another form at the end of a word, which the folding does not have.
 */
const foldUsual = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')

/**
 * Folds a text for the comparison of words: compatible characters become one (NFKD), marks such as accents are left
 * out, and case is folded.
 */
export const foldWords = (text: string): string =>
  ASCII.test(text) ? text.toLowerCase() : caseFold(text.normalize('NFKD').replace(/\p{M}+/gu, ''))

export const isAscii = (text: string): boolean => ASCII.test(text)
