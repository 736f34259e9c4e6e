import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { all, letter } from './sql.ts'

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

/** A way to fold texts: `fold` for the lookups of lists, `caseFold` for CASEI of CQL2. */
type Folding = typeof fold

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
 * The maximum number of characters that one query replaces. D1 limits each expression to 100 levels, and each character
 * needs one.
 */
const AT_ONCE = 20
/** The maximum number of characters that a filter replaces. It limits the length of the SQL. */
const MAX_REPLACED = 400

/**
 * Returns SQL that folds a column and compares it with texts. `sqlFor` writes the comparison. The database replaces
 * characters beyond ASCII only if the texts contain them or their foldings.
 * `exact`: the length matters, so the SQL replaces all characters that become several. Returns null if it would replace
 * too many.
 */
export const foldedFor = (
  folding: Folding,
  column: SQLWrapper,
  texts: readonly string[],
  exact: boolean,
  sqlFor: (folded: SQL) => SQL,
): SQL | null => {
  const letters = new Set(texts.flatMap((text) => [...text, ...folding(text)]))
  const isNeeded = (from: string, to: string) =>
    letters.has(from) || [...to].some((letter) => letters.has(letter)) || (exact && [...to].length > 1)
  const replaced = [...foldings(folding)].filter(([from, to]) => isNeeded(from, to))
  if (replaced.length > MAX_REPLACED) return null
  const ascii = folding === caseFold ? sql`lower(plain)` : sql`upper(plain)`
  let folded = sql`SELECT ${ascii} AS folded LIMIT 1`
  for (const [byte, ofByte] of Map.groupBy(replaced, ([from]) => firstByteOf(from)))
    for (let start = 0; start < ofByte.length; start += AT_ONCE) {
      const text = ofByte
        .slice(start, start + AT_ONCE)
        .reduce((inner, [from, to]) => sql`replace(${inner}, ${letter(from)}, ${letter(to)})`, sql`folded`)
      const has = sql`instr(CAST(folded AS BLOB), ${sql.raw(`x'${byte}'`)})`
      folded = sql`SELECT CASE WHEN ${has} THEN ${text} ELSE folded END AS folded FROM (${folded}) LIMIT 1`
    }
  // Such a text never equals or contains the other one, folded or not.
  const lacks = exact || texts.length > 1 ? [] : lacking(folding(texts[0] ?? ''), replaced)
  const isPlain = sql.join([sql`octet_length(plain) = length(plain)`, ...lacks], sql` OR `)
  const chosen = replaced.length === 0 ? ascii : sql`CASE WHEN ${isPlain} THEN ${ascii} ELSE (${folded}) END`
  return sql`(SELECT ${sqlFor(sql`folded`)} FROM (SELECT ${chosen} AS folded FROM (SELECT ${column} AS plain LIMIT 1) LIMIT 1))`
}

/** Returns the first byte of a character in UTF-8, in hexadecimal. The letters of a script share a few of them. */
const firstByteOf = (character: string): string => (new TextEncoder().encode(character)[0] ?? 0).toString(16)

/** The most letters of a text that the database looks for before it folds. */
const MAX_SOUGHT = 3

/** Returns the conditions that a plain text lacks a letter beyond ASCII of a folded text, in all its forms. */
const lacking = (text: string, replaced: readonly (readonly [string, string])[]): SQL[] => {
  const letters = [...new Set(text)].filter((each) => !isAscii(each)).slice(0, MAX_SOUGHT)
  return letters.map((each) => {
    const forms = [each, ...replaced.flatMap(([from, to]) => (to.includes(each) ? [from] : []))]
    return all(forms.map((form) => sql`instr(plain, ${letter(form)}) = 0`))
  })
}
