import { type SQL, sql } from 'drizzle-orm'
import { FOLDS, foldingsFor } from '../../filters/fold.ts'
import type { Condition, Fold, TextTest } from '../../question/condition.ts'
import { patternParts } from '../../question/like.ts'
import { either, ifPresent, texts as listOfTexts } from './sql.ts'

/** The tests of a text. */
type TextTests = Pick<Extract<Condition, { kind: 'text' }>, 'fold' | 'test' | 'texts'>

/** Tests a text. `%`, `_`, quotes and backslashes are plain characters. It is unknown for a row without the text. */
export const passes = (value: SQL, { fold: folding, test, texts }: TextTests): SQL => {
  const written = folding === null ? value : folded(value, folding, texts, test === 'like')
  // No stored text has the character NUL, and no parameter may have it.
  const possible = texts.filter((text) => !text.includes('\0'))
  if (possible.length === 0) return ifPresent(value, sql`false`)
  if (test === 'is') return sql`${written} = ANY(${listOfTexts(possible)})`
  return either(possible.map((text) => TESTS[test](written, text)))
}

const lengthOf = (text: string): string => String([...text].length)

const TESTS: Readonly<Record<Exclude<TextTest, 'is'>, (value: SQL, text: string) => SQL>> = {
  has: (value, text) => sql`strpos(${value}, ${text}) > 0`,
  starts: (value, text) => sql`starts_with(${value}, ${text})`,
  ends: (value, text) => sql`right(${value}, ${lengthOf(text)}::int) = ${text}`,
  like: (value, pattern) => sql`${value} LIKE ${likeOf(pattern)}`,
}

/** Writes a pattern of `like` for LIKE. A backslash at its end is a plain character. */
const likeOf = (pattern: string): string =>
  patternParts(pattern)
    .map((part) => part.map((character) => character?.replace(/[\\%_]/u, '\\$&') ?? '_').join(''))
    .join('%')

/**
 * Folds a text as the Worker does, for a comparison with some texts. It replaces only the characters whose folding these
 * have, because no other one can match. `exact`: the length matters, so it also replaces characters that become several. Null
 * folds the whole text.
 */
export const folded = (value: SQL, folding: Fold, texts: readonly string[] | null, exact = false): SQL => {
  const replaced = foldingsFor(FOLDS[folding], texts, exact)
  const single = replaced.filter(([, to]) => [...to].length === 1)
  const ascii = folding === 'casei' ? sql`lower(${value} COLLATE "C")` : sql`upper(${value} COLLATE "C")`
  if (replaced.length === 0) return ascii
  const several = replaced
    .filter(([, to]) => [...to].length > 1)
    .reduce((inner, [from, to]) => sql`replace(${inner}, ${from}, ${to})`, value)
  const [from, to] = [single.map(([from]) => from).join(''), single.map(([, to]) => to).join('')]
  const translated = sql`translate(${several}, ${from}, ${to})`
  const cased = folding === 'casei' ? sql`lower(${translated} COLLATE "C")` : sql`upper(${translated} COLLATE "C")`
  return sql`CASE WHEN octet_length(${value}) = char_length(${value}) THEN ${ascii} ELSE ${cased} END`
}
