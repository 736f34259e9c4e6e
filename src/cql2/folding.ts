import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { caseFold } from '../filters/caseFold.ts'

/** The characters after the last that has another case. */
const END = 0x1f000
const FIRST_BEYOND_ASCII = 0x80

let known: ReadonlyMap<string, string> | null = null

/** The characters beyond ASCII that fold to others. Computed once, in about 10 milliseconds. */
const foldings = (): ReadonlyMap<string, string> => {
  if (known !== null) return known
  const found = new Map<string, string>()
  for (let code = FIRST_BEYOND_ASCII; code < END; code++) {
    const character = String.fromCodePoint(code)
    const folded = caseFold(character)
    if (folded !== character && character.isWellFormed()) found.set(character, folded)
  }
  known = found
  return found
}

/** D1's limit of 100 levels holds for one expression, so that each query replaces only so many characters. */
const AT_ONCE = 20
/** The most characters that are replaced: the SQL of a filter has a bound. */
const MAX_REPLACED = 400

/**
 * Folds a column as CASEI does, to compare it with texts. The database folds ASCII. Other characters are replaced only if
 * the texts have them. `exact`: the length matters too, so all characters that become several are replaced. Returns null if
 * the texts have too many different letters.
 */
export const foldedFor = (
  column: SQLWrapper,
  texts: readonly string[],
  exact: boolean,
  ask: (folded: SQL) => SQL,
): SQL | null => {
  const letters = new Set(texts.flatMap((text) => [...text, ...caseFold(text)]))
  const isNeeded = (from: string, to: string) =>
    letters.has(from) || [...to].some((letter) => letters.has(letter)) || (exact && [...to].length > 1)
  const replaced = [...foldings()].filter(([from, to]) => isNeeded(from, to))
  if (replaced.length > MAX_REPLACED) return null
  let folded = sql`SELECT lower(${column}) AS folded LIMIT 1`
  for (let start = 0; start < replaced.length; start += AT_ONCE) {
    const text = replaced
      .slice(start, start + AT_ONCE)
      .reduce((inner, [from, to]) => sql`replace(${inner}, ${literal(from)}, ${literal(to)})`, sql`folded`)
    folded = sql`SELECT ${text} AS folded FROM (${folded}) LIMIT 1`
  }
  const ascii = sql`octet_length(${column}) = length(${column})`
  const plain = sql`SELECT lower(${column}) AS folded LIMIT 1`
  if (replaced.length === 0) return sql`(SELECT ${ask(sql`folded`)} FROM (${plain}))`
  return sql`(SELECT ${ask(sql`folded`)} FROM (SELECT CASE WHEN ${ascii} THEN lower(${column}) ELSE (${folded}) END AS folded LIMIT 1))`
}

/** Written into the SQL, as a parameter would be one of the hundred that D1 takes. No letter has a quote. */
const literal = (text: string): SQL => sql.raw(`'${text}'`)
