import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { at } from '../collections.ts'
import type { Among, Condition, Range } from '../filters/filter.ts'
import { gapsOf, inRanges, NOTHING, OPERATORS } from '../filters/sql.ts'
import { type Area, allOf, combine } from '../geometry/within.ts'

/**
 * A predicate about a row. By three-valued logic it is true, false or NULL. It is NULL if the row does not have the
 * value.
 */
export interface Predicate {
  /** Writes the predicate as SQL with the value 1, 0 or NULL. */
  readonly write: () => Nested
  /** Returns conditions of the list filters for the rows where it is true. Absent: only its SQL tests it. */
  readonly conditions?: () => readonly Condition[]
  /** Returns the opposite predicate. Absent: only its SQL is known. */
  readonly negation?: () => Predicate
  readonly entry?: Entry
  readonly place?: Place
}

type Word = 'AND' | 'OR'

/** SQL and its depth in operators. D1 limits an expression to 100 levels. */
interface Nested {
  readonly sql: SQL
  readonly depth: number
}

/** The row's entry in a dictionary meets a condition. */
interface Entry {
  readonly dictionary: Among['dictionary']
  readonly match: Nested
  readonly few: boolean
}

/** The row's place is in an area. */
interface Place {
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

/** Returns the conditions for the rows where a predicate is true. Those of the list filters have cheap plans. */
export const conditionsOf = ({ conditions, write }: Predicate): readonly Condition[] =>
  conditions?.() ?? [{ kind: 'sql', sql: write().sql }]

/** The predicates with one value for all rows. */
export const TRUE: Predicate = { write: () => leaf(sql`1 = 1`), conditions: () => [], negation: () => FALSE }
export const FALSE: Predicate = { write: () => leaf(NOTHING), negation: () => TRUE }

/** Returns a predicate that the database decides. The value of the SQL is 1, 0 or NULL. */
export const plain = (text: SQL): Predicate => ({ write: () => leaf(text) })

/** Returns the predicate that is false for each value of a column. */
export const never = (column: SQLWrapper): Predicate => ({
  write: () => leaf(sql`${column} <> ${column}`),
  conditions: () => [{ kind: 'sql', sql: NOTHING }],
})

/** Returns the predicate that a column is in some ranges. */
export const ofRange = (range: Range): Predicate => {
  const { column, extents } = range
  if (extents.length === 0) return never(column)
  const inside = { write: () => leaf(inRanges(column, extents)), conditions: () => [range] }
  // The gaps of many ranges would be too many for one expression.
  return extents.length > 1 ? inside : { ...inside, negation: () => ofRange({ ...range, extents: gapsOf(extents) }) }
}

/** Returns a predicate about the row's entry in a dictionary. */
export const ofEntry = (dictionary: Among['dictionary'], match: SQL, few: boolean): Predicate =>
  entryOf({ dictionary, match: leaf(match), few })

const entryOf = (entry: Entry): Predicate => {
  const { dictionary, match, few } = entry
  const { key, id, table } = dictionary
  return {
    entry,
    write: () => present(key, sql`${key} IN (SELECT ${id} FROM ${table} WHERE ${match.sql})`),
    conditions: () => [{ kind: 'entries', dictionary, match: match.sql, few }],
    negation: () => entryOf({ dictionary, match: negated(match), few: false }),
  }
}

/** Returns the predicate that a place is in an area. `text` is its SQL. Null: the rows in the area are looked up. */
export const ofArea = (x: SQLWrapper, within: (area: Area) => SQL, area: Area, text: SQL | null): Predicate => {
  if (text !== null) return placeOf({ area, write: () => leaf(text), lookUp: null })
  const lookUp = (area: Area) => present(x, within(area))
  return placeOf({ area, write: () => lookUp(area), lookUp })
}

const placeOf = (place: Place): Predicate => {
  const { area, write } = place
  const complement = () => combine([area], (within) => !within(area))
  return {
    place,
    write,
    conditions: () => [{ kind: 'area', area }],
    negation: () => placeOf({ area: complement(), write: () => negated(write()), lookUp: null }),
  }
}

export const not = ({ negation, write }: Predicate): Predicate => negation?.() ?? { write: () => negated(write()) }

/** Returns the predicate that two predicates have the same value. */
export const same = (one: Predicate, other: Predicate): Predicate => ({
  write: () => {
    const [a, b] = [one.write(), other.write()]
    return { sql: sql`(${a.sql}) = (${b.sql})`, depth: Math.max(a.depth, b.depth) + 1 }
  },
})

/** Joins predicates by AND or OR. */
export const joined = (word: Word, parts: readonly Predicate[]): Predicate => {
  const [decisive, neutral] = word === 'OR' ? [TRUE, FALSE] : [FALSE, TRUE]
  if (parts.includes(decisive)) return decisive
  const others = parts.filter((part) => part !== neutral)
  // One look-up finds the rows of all places, and one query the entries of a dictionary.
  const groups = Map.groupBy(others, (part) => (part.place ? 'place' : (part.entry?.dictionary.key ?? part)))
  const members = Array.from(groups.values(), (group) => (group.length === 1 ? at(group, 0) : merged(word, group)))
  const [only = neutral] = members
  if (members.length < 2) return only
  const write = () =>
    join(
      word,
      members.map((member) => member.write()),
    )
  return word === 'OR' ? { write } : { write, conditions: () => members.flatMap(conditionsOf) }
}

export const and = (parts: readonly Predicate[]): Predicate => joined('AND', parts)
export const or = (parts: readonly Predicate[]): Predicate => joined('OR', parts)

/** Returns one predicate for several about places, or about one dictionary. */
const merged = (word: Word, parts: readonly Predicate[]): Predicate => {
  const entries = parts.flatMap(({ entry }) => entry ?? [])
  if (entries.length > 0) {
    const few = word === 'AND' && entries.some((entry) => entry.few)
    return entryOf({
      ...at(entries, 0),
      match: join(
        word,
        entries.map(({ match }) => match),
      ),
      few,
    })
  }
  const places = parts.flatMap(({ place }) => place ?? [])
  const others = places.filter(({ lookUp }) => lookUp === null)
  const lookedUp = places.filter((place) => !others.includes(place))
  const lookUp = lookedUp[0]?.lookUp ?? null
  const write = () => {
    const found = lookUp === null ? [] : [lookUp(areaOf(word, lookedUp))]
    return join(word, [...others.map((place) => place.write()), ...found])
  }
  return placeOf({ area: areaOf(word, places), write, lookUp: others.length === 0 ? lookUp : null })
}

const areaOf = (word: Word, places: readonly Place[]): Area => {
  const areas = places.map(({ area }) => area)
  return word === 'AND' ? allOf(areas) : combine(areas, (within) => areas.some(within))
}

/** Joins SQL by AND or OR. Joins the parts of least depth first, because D1 limits an expression to 100 levels. */
const join = (word: Word, parts: readonly Nested[]): Nested => {
  const [a, b, ...others] = [...parts].sort((one, other) => one.depth - other.depth)
  if (a === undefined || b === undefined) return at(parts, 0)
  return join(word, [...others, { sql: sql`(${a.sql} ${OPERATORS[word]} ${b.sql})`, depth: b.depth + 1 }])
}
