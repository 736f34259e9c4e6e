import type { Fold } from '../question/condition.ts'

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

/** The foldings of questions. */
export const FOLDS: Readonly<Record<Fold, Folding>> = { upper: fold, casei: caseFold }

/** A way to fold texts: `fold` for the lookups of lists, `caseFold` for CASEI of CQL2. */
export type Folding = typeof fold

/** All characters with two cases have code points below this one. */
const END = 0x1f000
const FIRST_BEYOND_ASCII = 0x80

const cached = new Map<Folding, ReadonlyMap<string, string>>()

/**
 * Returns the characters beyond ASCII that fold to others, with their foldings. They are computed once, in about 10
 * milliseconds.
 */
const foldings = (folding: Folding): ReadonlyMap<string, string> => {
  const known = cached.get(folding)
  if (known !== undefined) return known
  const all = new Map<string, string>()
  for (let code = FIRST_BEYOND_ASCII; code < END; code++) {
    const character = String.fromCodePoint(code)
    const folded = folding(character)
    if (folded !== character && character.isWellFormed()) all.set(character, folded)
  }
  cached.set(folding, all)
  return all
}

/**
 * Returns the characters beyond ASCII that a database replaces before it compares with texts. The texts have such a
 * character, or its folding has one of their letters, or is empty. `exact`: the length matters, so characters that become
 * several belong to them. Without texts it returns all.
 */
export const foldingsFor = (
  folding: Folding,
  texts: readonly string[] | null,
  exact = false,
): readonly (readonly [from: string, to: string])[] => {
  if (texts === null) return [...foldings(folding)]
  const letters = new Set(texts.flatMap((text) => [...text, ...folding(text)]))
  const isNeeded = (from: string, to: string) =>
    to === '' || letters.has(from) || [...to].some((letter) => letters.has(letter)) || (exact && [...to].length > 1)
  return [...foldings(folding)].filter(([from, to]) => isNeeded(from, to))
}
