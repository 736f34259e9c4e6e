import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { at } from '../collections.ts'
import { LOOKUPS } from '../filters/lookups.ts'
import { all, integerOf } from '../filters/sql.ts'
import { fault } from './expression.ts'

/** The maximum length of a GLOB pattern in D1, in bytes. */
const MAX_GLOB = 50
/** The maximum number of texts between the `%` of a pattern. Each text needs a nested query. */
export const MAX_PARTS = 100

/** The characters of a pattern between two `%`. Null is a `_`. */
type Part = readonly (string | null)[]

/**
 * Returns SQL that compares a whole text with a pattern. `%` matches any characters and `_` matches one. A backslash
 * escapes the next character. Case matters, unlike in LIKE of SQLite. The SQL is NULL if the text is NULL.
 */
export const like = (column: SQLWrapper, pattern: string, at: string): SQL => {
  const parts = partsOf(pattern)
  if (parts.filter(({ length }) => length > 0).length > MAX_PARTS)
    throw fault(at, `the pattern has more than ${MAX_PARTS} texts between its % signs. Enter fewer of them`)
  return byLookup(column, parts) ?? byGlob(column, parts) ?? inTurn(column, parts)
}

const partsOf = (pattern: string): readonly Part[] => {
  const parts: (string | null)[][] = [[]]
  for (const [character] of pattern.matchAll(/\\.|./gsu)) {
    if (character === '%') parts.push([])
    else at(parts, -1).push(character === '_' ? null : character.replace(/^\\(?=.)/su, ''))
  }
  return parts.filter(({ length }, i) => length > 0 || i === 0 || i === parts.length - 1)
}

/** Returns the text of a part. Null: it has a `_`. */
const literalOf = (part: Part): string | null => (part.includes(null) ? null : part.join(''))

/** Returns SQL with a lookup of the lists, if one means the same as the pattern. Otherwise null. */
const byLookup = (column: SQLWrapper, parts: readonly Part[]): SQL | null => {
  const [first, second, third, ...others] = parts.map(literalOf)
  const lookup = (name: 'exact' | 'startswith' | 'endswith' | 'contains', text: string) =>
    LOOKUPS[name].text({ text: column, folded: column }, text)
  if (typeof first !== 'string' || second === null || third === null || others.length > 0) return null
  if (second === undefined) return lookup('exact', first)
  if (third === undefined && second === '')
    return first === '' ? sql`CASE WHEN ${column} IS NOT NULL THEN 1 END` : lookup('startswith', first)
  if (third === undefined) return first === '' ? lookup('endswith', second) : null
  return first === '' && third === '' ? lookup('contains', second) : null
}

/** Returns a GLOB for a pattern with `_`. Returns null for other patterns, and if the GLOB would be too long. */
const byGlob = (column: SQLWrapper, parts: readonly Part[]): SQL | null => {
  if (!parts.some((part) => part.includes(null))) return null
  const globOf = (part: Part) => part.map((character) => character?.replace(/[*?[]/, '[$&]') ?? '?').join('')
  const glob = parts.map(globOf).join('*')
  return new TextEncoder().encode(glob).length > MAX_GLOB ? null : sql`${column} GLOB ${glob}`
}

/**
 * Returns SQL for all other patterns. The first part must be at the start and the last at the end. Each part between
 * them is searched in the rest after the part before it. If a part is missing, the rest is NULL.
 * Without LIMIT, SQLite would copy each query into the next one and double the work with each part.
 */
const inTurn = (column: SQLWrapper, parts: readonly Part[]): SQL => {
  const [first, ...others] = [at(parts, 0), ...parts.slice(1)]
  const last = others.pop()
  if (last === undefined) return sql`(length(${column}) = ${integerOf(first.length)} AND ${holds(column, first, 1)})`
  let rest = sql`SELECT CASE WHEN length(${column}) >= ${integerOf(first.length)} AND ${holds(column, first, 1)} THEN substr(${column}, ${integerOf(first.length + 1)}) END AS rest LIMIT 1`
  for (const part of others)
    rest = sql`SELECT substr(rest, ${placeOf(part)} + ${integerOf(part.length)}) AS rest FROM (${rest}) LIMIT 1`
  const ends = sql`length(rest) >= ${integerOf(last.length)} AND ${holds(sql`rest`, last, -last.length)}`
  return sql`CASE WHEN ${column} IS NOT NULL THEN coalesce((SELECT ${ends} FROM (${rest})), 0) END`
}

/** A literal text in a part. `offset` is the number of characters before it, and `length` its own. */
interface Run {
  readonly text: string
  readonly offset: number
  readonly length: number
}

/** Returns the texts between the `_` of a part. */
const runsOf = (part: Part): readonly Run[] => {
  const starts = part.flatMap((character, i) => (character !== null && (part[i - 1] ?? null) === null ? [i] : []))
  return starts.map((offset) => {
    const end = part.indexOf(null, offset)
    const characters = part.slice(offset, end < 0 ? part.length : end)
    return { text: characters.join(''), offset, length: characters.length }
  })
}

/**
 * Compares the runs of a part with a text. `start` is the place of the part, counted from 1. If negative, it counts
 * from the end.
 */
const holds = (text: SQLWrapper, part: Part, start: number): SQL =>
  all(runsOf(part).map((run) => holdsAt(text, integerOf(start + run.offset), run)))

const holdsAt = (text: SQLWrapper, place: SQL, run: Run): SQL =>
  sql`substr(${text}, ${place}, ${integerOf(run.length)}) = ${run.text}`

/** Finds the first place of a part in the rest. With `_`, it tries each place of its longest run. Null: there is none. */
const placeOf = (part: Part): SQL => {
  const text = literalOf(part)
  if (text !== null) return sql`nullif(instr(rest, ${text}), 0)`
  const runs = runsOf(part)
  if (runs.length === 0) return sql`CASE WHEN length(rest) >= ${integerOf(part.length)} THEN 1 END`
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best))
  const offset = integerOf(longest.offset)
  const next = (from: SQL) => sql`nullif(instr(substr(rest, ${from} + 1), ${longest.text}), 0) + ${from}`
  const others = runs
    .filter((run) => run !== longest)
    .map((run) => holdsAt(sql`rest`, sql`place + ${integerOf(run.offset - longest.offset)}`, run))
  const fits = sql`length(rest) >= place + ${integerOf(part.length - longest.offset - 1)}`
  return sql`(WITH RECURSIVE found(place) AS (SELECT ${next(offset)} UNION ALL SELECT ${next(sql`place`)} FROM found WHERE place IS NOT NULL)
    SELECT place - ${offset} FROM found WHERE ${all([fits, ...others])} LIMIT 1)`
}
