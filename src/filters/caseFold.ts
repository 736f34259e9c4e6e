/**
 * Folds a text as Unicode compares texts without case (CaseFolding.txt, statuses C and F): `Straße` becomes `strasse`.
 * Lone surrogates become U+FFFD, as they do in SQLite.
 */
export const caseFold = (text: string): string =>
  ASCII.test(text) ? text.toLowerCase() : Array.from(text.toWellFormed(), foldCharacter).join('')

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/
/** Cherokee folds to upper case: its lower case is younger. */
const CHEROKEE = /[\u13a0-\u13f5\u13f8-\u13fd\uab70-\uabbf]/

/** The lower case of the upper case has the whole folding. The first step is for `ẞ`, whose upper case is itself. */
const foldCharacter = (character: string): string => {
  if (character === 'ı') return character
  if (CHEROKEE.test(character)) return character.toUpperCase()
  return character.toLowerCase().toUpperCase().toLowerCase()
}
