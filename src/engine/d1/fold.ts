import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { caseFold, type Folding, foldingsFor, isAscii } from '../../filters/fold.ts'
import { all, blob, letter } from './sql.ts'

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
  const replaced = foldingsFor(folding, texts, exact)
  if (replaced.length > MAX_REPLACED) return null
  const ascii = folding === caseFold ? sql`lower(plain)` : sql`upper(plain)`
  let folded = sql`SELECT ${ascii} AS folded LIMIT 1`
  for (const [byte, ofByte] of Map.groupBy(replaced, ([from]) => firstByteOf(from)))
    for (let start = 0; start < ofByte.length; start += AT_ONCE) {
      const text = ofByte
        .slice(start, start + AT_ONCE)
        .reduce((inner, [from, to]) => sql`replace(${inner}, ${letter(from)}, ${letter(to)})`, sql`folded`)
      const has = sql`instr(CAST(folded AS BLOB), ${blob(byte)})`
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
