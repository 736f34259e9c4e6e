import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { at } from '../collections.ts'
import type { Condition, Dictionary, Range } from '../engine/d1/condition.ts'
import { gapsOf, inRanges, NOTHING, OPERATORS } from '../engine/d1/sql.ts'
import { type Area, allOf, combine } from '../geometry/within.ts'

/**
 * A predicate about a row. By three-valued logic it is true, false or NULL. It is NULL if the row does not have the
 * value. Most forms are also conditions of the list filters, which have cheap plans.
 */
export type Predicate =
  | { readonly kind: 'constant'; readonly value: boolean }
  /** SQL with the value 1, 0 or NULL. */
  | { readonly kind: 'sql'; readonly sql: SQL }
  | Range
  | Entry
  | Place
  | { readonly kind: Word; readonly parts: readonly Predicate[] }
  | { readonly kind: 'not'; readonly of: Predicate }
  /** Both have the same value. */
  | { readonly kind: 'same'; readonly one: Predicate; readonly other: Predicate }

type Word = 'AND' | 'OR'

/** SQL and its depth in operators. D1 limits an expression to 100 levels. */
interface Nested {
  readonly sql: SQL
  readonly depth: number
}

/** The row's entry in a dictionary meets a condition. `few`: few entries meet it. */
interface Entry {
  readonly kind: 'entry'
  readonly dictionary: Dictionary
  readonly match: Nested
  readonly few: boolean
}

/** The row's place is in an area. */
interface Place {
  readonly kind: 'place'
  readonly area: Area
  readonly write: () => Nested
  /** Writes SQL for the rows in an area, whose ids the Worker reads before the query. Null: `write` needs no such ids. */
  readonly lookUp: ((area: Area) => Nested) | null
}

/** Wraps SQL that has no AND or OR from this file. */
const leaf = (text: SQL): Nested => ({ sql: text, depth: 1 })
const negated = ({ sql: text, depth }: Nested): Nested => ({ sql: sql`NOT (${text})`, depth: depth + 1 })
/** Writes SQL that is NULL if a column of the row is NULL. */
const present = (column: SQLWrapper, text: SQL): Nested => leaf(sql`CASE WHEN ${column} IS NOT NULL THEN ${text} END`)

export const TRUE: Predicate = { kind: 'constant', value: true }
export const FALSE: Predicate = { kind: 'constant', value: false }
export const plain = (text: SQL): Predicate => ({ kind: 'sql', sql: text })
export const ofEntry = (dictionary: Dictionary, match: SQL, few: boolean): Predicate => ({
  kind: 'entry',
  dictionary,
  match: leaf(match),
  few,
})

/** Returns the predicate that a place is in an area. `text` is its SQL. Null: the rows in the area are looked up. */
export const ofArea = (x: SQLWrapper, within: (area: Area) => SQL, area: Area, text: SQL | null): Predicate => {
  const lookUp = (area: Area) => present(x, within(area))
  if (text !== null) return { kind: 'place', area, write: () => leaf(text), lookUp: null }
  return { kind: 'place', area, write: () => lookUp(area), lookUp }
}

export const not = (of: Predicate): Predicate => {
  if (of.kind === 'constant') return of.value ? FALSE : TRUE
  if (of.kind === 'not') return of.of
  if (of.kind === 'entry') return { ...of, match: negated(of.match), few: false }
  // The gaps of many ranges would be too many for one expression.
  if (of.kind === 'range' && of.extents.length === 1) return { ...of, extents: gapsOf(of.extents) }
  if (of.kind !== 'place') return { kind: 'not', of }
  const outside = combine([of.area], (within) => !within(of.area))
  return { kind: 'place', area: outside, write: () => negated(of.write()), lookUp: null }
}

/** Joins predicates by AND or OR. One look-up finds the rows of all places, and one query the entries of a dictionary. */
export const joined = (word: Word, parts: readonly Predicate[]): Predicate => {
  const [decisive, neutral] = word === 'OR' ? [TRUE, FALSE] : [FALSE, TRUE]
  if (parts.includes(decisive)) return decisive
  const groups = Map.groupBy(
    parts.filter((part) => part !== neutral),
    (part) => (part.kind === 'place' ? part.kind : part.kind === 'entry' ? part.dictionary.key : part),
  )
  const members = Array.from(groups.values(), (group) => (group.length === 1 ? at(group, 0) : merged(word, group)))
  const [only = neutral] = members
  return members.length < 2 ? only : { kind: word, parts: members }
}

export const and = (parts: readonly Predicate[]): Predicate => joined('AND', parts)
export const or = (parts: readonly Predicate[]): Predicate => joined('OR', parts)

/** Returns one predicate for several about places, or about one dictionary. */
const merged = (word: Word, parts: readonly Predicate[]): Predicate => {
  const entries = parts.filter((part) => part.kind === 'entry')
  if (entries.length > 0) {
    const matches = entries.map(({ match }) => match)
    const few = word === 'AND' && entries.some((entry) => entry.few)
    return { ...at(entries, 0), match: join(word, matches), few }
  }
  const places = parts.filter((part) => part.kind === 'place')
  const others = places.filter(({ lookUp }) => lookUp === null)
  const lookedUp = places.filter(({ lookUp }) => lookUp !== null)
  const lookUp = lookedUp[0]?.lookUp ?? null
  const write = () => {
    const found = lookUp === null ? [] : [lookUp(areaOf(word, lookedUp))]
    return join(word, [...others.map((place) => place.write()), ...found])
  }
  return { kind: 'place', area: areaOf(word, places), write, lookUp: others.length === 0 ? lookUp : null }
}

const areaOf = (word: Word, places: readonly Place[]): Area => {
  const areas = places.map(({ area }) => area)
  return word === 'AND' ? allOf(areas) : combine(areas, (within) => areas.some(within))
}

/** Returns the conditions for the rows where a predicate is true. */
export const conditionsOf = (predicate: Predicate): readonly Condition[] => {
  if (predicate.kind === 'constant') return predicate.value ? [] : [{ kind: 'sql', sql: NOTHING }]
  if (predicate.kind === 'AND') return predicate.parts.flatMap(conditionsOf)
  if (predicate.kind === 'range') return [predicate]
  if (predicate.kind === 'place') return [{ kind: 'area', area: predicate.area }]
  if (predicate.kind !== 'entry') return [{ kind: 'sql', sql: write(predicate).sql }]
  const { dictionary, match, few } = predicate
  return [{ kind: 'entries', dictionary, match: match.sql, few }]
}

/** Writes a predicate as SQL with the value 1, 0 or NULL. */
const write = (predicate: Predicate): Nested => {
  switch (predicate.kind) {
    case 'constant':
      return leaf(predicate.value ? sql`1 = 1` : NOTHING)
    case 'sql':
      return leaf(predicate.sql)
    case 'range': {
      const { column, extents } = predicate
      return leaf(extents.length === 0 ? sql`${column} <> ${column}` : inRanges(column, extents))
    }
    case 'entry': {
      const { key, id, table } = predicate.dictionary
      return present(key, sql`${key} IN (SELECT ${id} FROM ${table} WHERE ${predicate.match.sql})`)
    }
    case 'place':
      return predicate.write()
    case 'not':
      return negated(write(predicate.of))
    case 'same': {
      const [a, b] = [write(predicate.one), write(predicate.other)]
      return { sql: sql`(${a.sql}) = (${b.sql})`, depth: Math.max(a.depth, b.depth) + 1 }
    }
    default:
      return join(predicate.kind, predicate.parts.map(write))
  }
}

/** Joins SQL by AND or OR. Joins the parts of least depth first, because D1 limits an expression to 100 levels. */
const join = (word: Word, parts: readonly Nested[]): Nested => {
  const [a, b, ...others] = [...parts].sort((one, other) => one.depth - other.depth)
  if (a === undefined || b === undefined) return at(parts, 0)
  return join(word, [...others, { sql: sql`(${a.sql} ${OPERATORS[word]} ${b.sql})`, depth: b.depth + 1 }])
}
