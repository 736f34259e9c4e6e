/**
 * Folds a text for comparison without case, as Unicode defines it (CaseFolding.txt, statuses C and F). `Straße` becomes
 * `strasse`. Lone surrogates become U+FFFD, as in SQLite.
 */
export const caseFold = (text: string): string =>
  ASCII.test(text) ? text.toLowerCase() : Array.from(text.toWellFormed(), foldCharacter).join('')

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/
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
