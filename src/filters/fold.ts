/**
 * A text as case-insensitive lookups compare it: each code point's `toUpperCase()`, kept as it is where that would be
 * longer than one code point (PostgreSQL's `upper()`, one to one: `ß` is not `SS`, both sigmas are one, no
 * normalisation). Lone surrogates, which no stored text holds, become U+FFFD, as they do on their way into SQLite.
 */
export const fold = (text: string): string =>
  ASCII.test(text) ? text.toUpperCase() : Array.from(text.toWellFormed(), upper).join('')

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/

function upper(char: string): string {
  const folded = char.toUpperCase()
  return folded.length === codePointLength(folded) ? folded : char
}

/** The length of a text's first code point in UTF-16 units. */
const codePointLength = (text: string) => ((text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1)
