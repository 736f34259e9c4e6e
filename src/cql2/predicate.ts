import { type SQL, sql } from 'drizzle-orm'
import { ValueError } from '../errors.ts'
import type { Condition, Dictionary } from '../filters/filter.ts'
import { allOf, combine } from '../geometry/combine.ts'
import type { Area } from '../geometry/within.ts'

/** What is asked of a row: true, false or, of what a row does not have, neither. */
export interface Predicate {
  /** For the database. Throws ValueError where it cannot decide. */
  readonly sql: () => SQL
  /** The same as conditions that all hold, as the filters make them. */
  readonly conditions?: readonly Condition[]
  /** The same of an entry of a dictionary that the row refers to. */
  readonly entry?: Entry
  /** The same of a place. */
  readonly area?: Area
}

/** What is asked of an entry of a dictionary. `few`: it names one entry or a few. */
export interface Entry {
  readonly dictionary: Dictionary
  readonly match: SQL
  readonly few?: boolean
}

/** The conditions that hold of the rows of which a predicate is true: those that filters make wherever there are such. */
export const conditionsOf = (predicate: Predicate): Condition[] => {
  const { conditions, entry, area } = predicate
  if (conditions !== undefined) return [...conditions]
  if (entry !== undefined) return [entry]
  return [area === undefined ? { sql: predicate.sql() } : { area }]
}

/** Decided by an entry of a dictionary. */
export const ofEntry = (entry: Entry): Predicate => {
  const { dictionary, match } = entry
  const { key, id, table } = dictionary
  return { entry, sql: () => sql`${key} IN (SELECT ${id} FROM ${table} WHERE ${match})` }
}

/** True or false of every row. */
export const constant = (value: boolean): Predicate => {
  const always = sql.raw(value ? '1' : '0')
  return { sql: () => always, conditions: value ? [] : [{ sql: always }] }
}

/** Decided by the database. */
export const plain = (text: SQL): Predicate => ({ sql: () => text })

export const and = (all: readonly Predicate[]): Predicate => {
  const areas = all.map(({ area }) => area)
  if (areas.every((area) => area !== undefined)) return { area: allOf(areas), sql: () => joined(all, 'AND') }
  return { conditions: all.flatMap(conditionsOf), ...entries(all, 'AND'), sql: () => joined(all, 'AND') }
}

export const or = (any: readonly Predicate[]): Predicate => {
  const text = () => joined(any, 'OR')
  const areas = any.map(({ area }) => area)
  if (areas.every((area) => area !== undefined))
    return { area: combine(areas, (within) => areas.some(within)), sql: text }
  return { sql: text, ...entries(any, 'OR') }
}

export const not = (predicate: Predicate): Predicate => {
  const { area, entry } = predicate
  if (area !== undefined)
    return { area: combine([area], (within) => !within(area)), sql: () => sql`NOT (${predicate.sql()})` }
  if (entry !== undefined) return ofEntry({ dictionary: entry.dictionary, match: sql`NOT (${entry.match})` })
  return { sql: () => sql`NOT (${predicate.sql()})` }
}

/** What is all asked of one dictionary is asked of it at once. */
const entries = (all: readonly Predicate[], word: 'AND' | 'OR'): Partial<Predicate> => {
  const asked = all.map(({ entry }) => entry)
  const [first] = asked
  if (first === undefined || !asked.every((entry) => entry?.dictionary.key === first.dictionary.key)) return {}
  const match = join(
    asked.map((entry) => entry?.match ?? sql`1`),
    word,
  )
  return ofEntry({ dictionary: first.dictionary, match })
}

const joined = (all: readonly Predicate[], word: 'AND' | 'OR'): SQL =>
  join(
    all.map((each) => each.sql()),
    word,
  )

/** A balanced tree, as D1 takes expressions 100 deep. */
const join = (all: readonly SQL[], word: 'AND' | 'OR'): SQL => {
  const [first = sql`1`] = all
  if (all.length < 2) return first
  const half = all.length >> 1
  return sql`(${join(all.slice(0, half), word)} ${sql.raw(word)} ${join(all.slice(half), word)})`
}

/** What the database cannot decide of a geometry beside other questions. */
export const geometryAlone = (at: string): ValueError =>
  new ValueError(
    `At ${at}: here, beside OR and NOT with other questions, a geometry is a box or a point. Enter BBOX(west, south, east, north), or join it by AND.`,
  )
