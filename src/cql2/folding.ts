import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { caseFold } from '../filters/fold.ts'
import { letter } from '../filters/sql.ts'

/** All characters with two cases have code points below this one. */
const END = 0x1f000
const FIRST_BEYOND_ASCII = 0x80

let cached: ReadonlyMap<string, string> | null = null

/**
 * Returns the characters beyond ASCII that fold to others, with their foldings. They are computed once, in about 10
 * milliseconds.
 */
const foldings = (): ReadonlyMap<string, string> => {
  if (cached !== null) return cached
  const all = new Map<string, string>()
  for (let code = FIRST_BEYOND_ASCII; code < END; code++) {
    const character = String.fromCodePoint(code)
    const folded = caseFold(character)
    if (folded !== character && character.isWellFormed()) all.set(character, folded)
  }
  cached = all
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
 * Returns SQL that folds a column as CASEI does and compares it with texts. `sqlFor` writes the comparison. The
 * database folds ASCII with lower(). It replaces other characters only if the texts contain them or their foldings.
 * `exact`: the length matters, so the SQL replaces all characters that become several. Returns null if it would replace
 * too many.
 */
export const foldedFor = (
  column: SQLWrapper,
  texts: readonly string[],
  exact: boolean,
  sqlFor: (folded: SQL) => SQL,
): SQL | null => {
  const letters = new Set(texts.flatMap((text) => [...text, ...caseFold(text)]))
  const isNeeded = (from: string, to: string) =>
    letters.has(from) || [...to].some((letter) => letters.has(letter)) || (exact && [...to].length > 1)
  const replaced = [...foldings()].filter(([from, to]) => isNeeded(from, to))
  if (replaced.length > MAX_REPLACED) return null
  const plain = sql`SELECT lower(${column}) AS folded LIMIT 1`
  let folded = plain
  for (let start = 0; start < replaced.length; start += AT_ONCE) {
    const text = replaced
      .slice(start, start + AT_ONCE)
      .reduce((inner, [from, to]) => sql`replace(${inner}, ${letter(from)}, ${letter(to)})`, sql`folded`)
    folded = sql`SELECT ${text} AS folded FROM (${folded}) LIMIT 1`
  }
  const ascii = sql`octet_length(${column}) = length(${column})`
  if (replaced.length === 0) return sql`(SELECT ${sqlFor(sql`folded`)} FROM (${plain}))`
  return sql`(SELECT ${sqlFor(sql`folded`)} FROM (SELECT CASE WHEN ${ascii} THEN lower(${column}) ELSE (${folded}) END AS folded LIMIT 1))`
}
