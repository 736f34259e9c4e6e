import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { fold } from '../filters/fold.ts'

/** The characters after the last that has another case. */
const END = 0x1f000
const FIRST_BEYOND_ASCII = 0x80

let known: ReadonlyMap<string, readonly string[]> | null = null

/** Of a folded character, those beyond ASCII that are folded to it. Found out once, in some 10 milliseconds. */
const variants = (): ReadonlyMap<string, readonly string[]> => {
  if (known !== null) return known
  const found = new Map<string, string[]>()
  for (let code = FIRST_BEYOND_ASCII; code < END; code++) {
    const character = String.fromCodePoint(code)
    const folded = fold(character)
    if (folded !== character && character.isWellFormed()) found.set(folded, [...(found.get(folded) ?? []), character])
  }
  known = found
  return found
}

/** How many characters are replaced at most: each stands in the next, and D1 takes expressions 100 deep. */
const MAX_REPLACED = 60

/**
 * A column as far as it takes to compare it with folded texts: ASCII in upper case, which the database knows, and of other letters
 * those of the texts. What else it has is in none of them. Null where they have too many.
 */
export const foldedFor = (column: SQLWrapper, texts: readonly string[]): SQL | null => {
  const letters = new Set(texts.flatMap((text) => [...fold(text)]))
  const replaced = [...letters].flatMap((letter) =>
    (variants().get(letter) ?? []).map((each) => [each, letter] as const),
  )
  if (replaced.length > MAX_REPLACED) return null
  return replaced.reduce(
    (inner, [from, to]) => sql`replace(${inner}, ${characterOf(from)}, ${characterOf(to)})`,
    sql`upper(${column})`,
  )
}

/** By its number, as a parameter would be one of the hundred that D1 takes. */
const characterOf = (character: string): SQL => sql.raw(`char(${character.codePointAt(0)})`)
