import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { LOOKUPS } from '../filters/lookups.ts'
import { fault } from './expression.ts'

/** What D1 takes of a pattern, in bytes. */
const MAX_GLOB = 50
/** Each is a query in a query. */
const MAX_PARTS = 12

/**
 * A text as a whole is like a pattern: `%` stands for any characters, `_` for one, what follows a backslash for itself.
 * Case counts, unlike with SQLite's own LIKE.
 */
export const like = (column: SQLWrapper, pattern: string, at: string): SQL => {
  const characters = charactersOf(pattern)
  if (characters.some(({ wild }) => wild === '_')) return glob(column, characters, at)
  const parts = partsOf(characters)
  const [first = '', second, third] = parts
  if (parts.length === 1) return lookup('exact', column, first)
  if (parts.length > MAX_PARTS) throw fault(at, `enter a pattern with less than ${MAX_PARTS} %`)
  if (parts.length === 2 && second === '')
    return first === '' ? sql`${column} IS NOT NULL` : lookup('startswith', column, first)
  if (parts.length === 2 && first === '') return lookup('endswith', column, second ?? '')
  if (parts.length === 3 && first === '' && third === '') return lookup('contains', column, second ?? '')
  return inTurn(column, parts)
}

interface Character {
  readonly wild: '%' | '_' | null
  readonly text: string
}

const charactersOf = (pattern: string): Character[] =>
  Array.from(pattern.matchAll(/\\(.)|([%_])|(.)/gsu), ([all, escaped, wild, text]) => ({
    wild: (wild ?? null) as Character['wild'],
    text: escaped ?? text ?? all,
  }))

/** The texts between any characters. */
const partsOf = (characters: readonly Character[]): string[] => {
  const parts = ['']
  characters.forEach(({ wild, text }, i) => {
    if (wild === null) parts.push((parts.pop() ?? '') + text)
    else if (characters[i - 1]?.wild !== '%') parts.push('')
  })
  return parts
}

const lookup = (name: string, column: SQLWrapper, value: string): SQL => {
  const match = LOOKUPS[name]?.text
  if (match === undefined) throw new Error(`no lookup ${name}`)
  return match({ text: column, folded: column }, value)
}

const glob = (column: SQLWrapper, characters: readonly Character[], at: string): SQL => {
  const written = characters
    .map(({ wild, text }) => (wild === '%' ? '*' : wild === '_' ? '?' : /[*?[]/.test(text) ? `[${text}]` : text))
    .join('')
  if (new TextEncoder().encode(written).length > MAX_GLOB)
    throw fault(at, `enter a pattern of at most ${MAX_GLOB} bytes, or one without _, or \\_ for the character itself`)
  return sql`${column} GLOB ${written}`
}

/** The first part at the start, the last at the end, and those between each in what the one before leaves over. */
const inTurn = (column: SQLWrapper, parts: readonly string[]): SQL => {
  const [first = '', ...others] = parts
  const last = others.pop() ?? ''
  const length = (text: string) => sql.raw(String([...text].length))
  let rest = sql`SELECT substr(${column}, ${length(first)} + 1) AS rest WHERE substr(${column}, 1, ${length(first)}) = ${first}`
  for (const part of others.filter((each) => each !== ''))
    rest = sql`SELECT substr(rest, instr(rest, ${part}) + ${length(part)}) AS rest FROM (${rest}) WHERE instr(rest, ${part}) > 0`
  const ends = last === '' ? sql`1` : sql`length(rest) >= ${length(last)} AND substr(rest, -${length(last)}) = ${last}`
  return sql`CASE WHEN ${column} IS NOT NULL THEN EXISTS (SELECT 1 FROM (${rest}) WHERE ${ends}) END`
}
