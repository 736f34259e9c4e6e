import { Column, is, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { at, keptFor } from '../../base/collections.ts'
import { longitudesOf } from '../../geometry/box.ts'
import type { Area } from '../../question/condition.ts'
import type { Dictionary } from './dictionaries.ts'
import { type ColumnRange, either, gapsOf, inRanges, join, type Nested, NOTHING, negated, nested } from './sql.ts'

/**
 * A condition on a row, as D1 reads it. By three-valued logic it is true, false or NULL. It is NULL if the row does not
 * have the value. The parts of the outermost `all` may have cheap plans, see search.ts.
 */
export type Part =
  /** Without parts, `all` is true and `any` is false. `known` is the first part that is not NULL. */
  | { readonly kind: 'all' | 'any' | 'known'; readonly of: readonly Part[] }
  | { readonly kind: 'not' | 'unless'; readonly of: Part }
  /** Both have the same value. */
  | { readonly kind: 'same'; readonly one: Part; readonly other: Part }
  /** SQL with the value 1, 0 or NULL. With `exact`, `sql` may have the value 0 for NULL, and is faster. */
  | { readonly kind: 'sql'; readonly sql: SQL; readonly exact?: SQL }
  | InRange
  | Entry
  /** The row's place is in an area. `orMissing`: or the row has no place. */
  | { readonly kind: 'place'; readonly area: Area; readonly orMissing: boolean }
  /** It stands only in the outermost `all`. */
  | { readonly kind: 'decided'; readonly by: Decider }

/** A column is in one of some ranges. They are sorted and disjoint, and none is empty. */
export interface InRange {
  readonly kind: 'range'
  readonly column: SQLWrapper
  readonly extents: readonly ColumnRange[]
}

/** The row's entry in a dictionary meets a condition. `few`: it names one entry or a few, as an exact text or a uuid does. */
export interface Entry {
  readonly kind: 'entry'
  readonly dictionary: Dictionary
  readonly match: Nested
  readonly few: boolean
  /** The Worker tests the text of the entry. Such an entry stands only in the outermost `all`. */
  readonly test?: (text: string) => boolean
}

/** A condition that the Worker tests, if a row meets the others. The engine finds the ids of the rows that pass. */
export interface Decider {
  /** The Worker tests their values. `isNumeric`: all are numbers, so a list may have more of them. */
  readonly columns: readonly SQLWrapper[]
  readonly isNumeric?: boolean
  /** The engine finds these entries of dictionaries first. `match` selects them, and their text passes the test. */
  readonly sought?: readonly Sought[]
  /** Tests the values of a row. `found` has the entries of each of `sought`. */
  readonly test: (values: readonly unknown[], found: readonly Bits[]) => boolean
  /** Writes SQL that leaves out only rows that fail. Absent: there is none. */
  readonly may?: (found: readonly Bits[]) => SQL
}

/** Entries of a dictionary that the Worker finds by their texts. `test` returns a bit for each text that it finds, or 0. */
export interface Sought {
  readonly dictionary: Dictionary
  readonly match: SQL
  readonly test: (text: string) => number
}

/** The ids of the entries that a test found, with its bits. */
export type Bits = ReadonlyMap<unknown, number>

const TRUE: Part = { kind: 'all', of: [] }
const FALSE: Part = { kind: 'any', of: [] }
const isConstant = (part: Part, kind: 'all' | 'any'): boolean => part.kind === kind && part.of.length === 0

export const plain = (text: SQL): Part => ({ kind: 'sql', sql: text })

/** Matches each entry. */
const EACH = nested(sql`1`)

export const entry = (dictionary: Dictionary, match: SQL | null, few = false): Entry => ({
  kind: 'entry',
  dictionary,
  match: match === null ? EACH : nested(match),
  few,
})

export const columnInRange = (column: SQLWrapper, [least, greatest]: ColumnRange): InRange => {
  const isEmpty = least !== null && greatest !== null && least > greatest
  return { kind: 'range', column, extents: isEmpty ? [] : [[least, greatest]] }
}

/** The most gaps that become ranges. D1 limits an expression to 100 levels. */
const MAX_GAPS = 10

const gaps = (range: InRange): InRange | null => {
  const extents = gapsOf(range.extents)
  return extents.length > MAX_GAPS || range.extents.length === 0 ? null : { ...range, extents }
}

/** Returns the opposite of a part. It stays NULL for a row without the value. */
export const not = (of: Part): Part => {
  if (of.kind === 'not') return of.of
  if (of.kind === 'all' || of.kind === 'any') return joinedBy(of.kind === 'all' ? 'any' : 'all', of.of.map(not))
  if (of.kind === 'entry') return { ...of, match: negated(of.match), few: false }
  if (of.kind === 'range') return gaps(of) ?? { kind: 'not', of }
  if (of.kind === 'place' && !of.orMissing) return { ...of, area: outsideOf(of.area) }
  return { kind: 'not', of }
}

/**
 * Returns the part for the rows for which another one is not true. If each row has an entry, or a value, it selects
 * the other entries or ranges, because they have stored counts.
 */
export const unless = (of: Part): Part => {
  if (isConstant(of, 'all') || isConstant(of, 'any')) return not(of)
  if (of.kind === 'range' && isNeverNull(of.column)) return gaps(of) ?? { kind: 'unless', of }
  if (of.kind === 'decided') {
    const { may: _, test, ...by } = of.by
    return { kind: 'decided', by: { ...by, test: (...row) => !test(...row) } }
  }
  if (of.kind !== 'entry' || isItsEntry(of.dictionary) || !isNeverNull(of.dictionary.key)) return { kind: 'unless', of }
  return entry(of.dictionary, sql`(${of.match.sql}) IS NOT TRUE`)
}

/** Returns true if each row of the list is its own entry. */
const isItsEntry = ({ key, id }: Dictionary): boolean => key === id

/** An expression is never null if none of its columns is. */
const isNeverNull = (value: SQLWrapper): boolean => {
  const columns = is(value, Column) ? [value] : value.getSQL().queryChunks.filter((chunk) => is(chunk, Column))
  return columns.length > 0 && columns.every(({ notNull }) => notNull)
}

/** Joins parts. One area has all places, and one query finds the entries of a dictionary. */
export const joinedBy = (kind: 'all' | 'any', of: readonly Part[]): Part => {
  const [decisive, neutral] = kind === 'any' ? (['all', 'any'] as const) : (['any', 'all'] as const)
  if (of.some((part) => isConstant(part, decisive))) return kind === 'any' ? TRUE : FALSE
  const groups = Map.groupBy(
    of.filter((part) => !isConstant(part, neutral)),
    (part) => (part.kind === 'entry' ? part.dictionary.key : part.kind === 'place' && !part.orMissing ? 'place' : part),
  )
  const [only, ...others] = Array.from(groups.values(), (group) => merged(kind, group))
  return only !== undefined && others.length === 0 ? only : { kind, of: only === undefined ? [] : [only, ...others] }
}

/** Returns one part for several about one dictionary, or about places. */
const merged = (kind: 'all' | 'any', group: readonly Part[]): Part => {
  if (group.length === 1) return at(group, 0)
  const entries = group.filter((part) => part.kind === 'entry')
  if (entries.length > 0) return entryOf(kind, entries)
  const areas = group.flatMap((part) => (part.kind === 'place' ? [part.area] : []))
  return { kind: 'place', area: kind === 'all' ? { all: areas } : { any: areas }, orMissing: false }
}

/** Returns one condition for several on one dictionary. There is at least one. */
export const entryOf = (kind: 'all' | 'any', entries: readonly Entry[]): Entry => {
  const [first, ...others] = entries
  if (first === undefined || others.length === 0) return at(entries, 0)
  const tests = entries.flatMap(({ test }) => test ?? [])
  const matches = entries.map(({ match }) => match).filter((match) => kind === 'any' || match !== EACH)
  return {
    ...first,
    match: matches.length === 0 ? EACH : join(kind === 'all' ? 'AND' : 'OR', matches),
    few: kind === 'all' && tests.length === 0 && entries.some(({ few }) => few),
    ...(tests.length > 0 && { test: (text) => tests.every((passes) => passes(text)) }),
  }
}

/** Writes a part as SQL. Its rows in `areas` are found before the query, which has nothing in their place. */
export const sqlOf = keptFor((part: Part): { readonly sql: SQL; readonly areas: readonly Area[] } => {
  const areas: Area[] = []
  const written = write(part, (area) => {
    areas.push(area)
    return NOTHING
  })
  return { sql: written.sql, areas }
})

/** Writes a part as SQL with a test for each of its areas, in their order. */
export const sqlWith = (part: Part, within: readonly SQL[]): SQL => {
  const tests = within.values()
  return write(part, () => tests.next().value ?? NOTHING).sql
}

/** Writes a part as SQL with the value 1, 0 or NULL. `within` writes the test for an area that SQL cannot decide. */
const write = (part: Part, within: (area: Area) => SQL): Nested => {
  switch (part.kind) {
    case 'sql':
      return nested(part.sql)
    case 'range': {
      const { column, extents } = part
      return nested(extents.length === 0 ? sql`${column} <> ${column}` : inRanges(column, extents))
    }
    case 'entry': {
      const { key, id, table } = part.dictionary
      if (isItsEntry(part.dictionary)) return part.match
      const isAmong = sql`${key} IN (SELECT ${id} FROM ${table} WHERE ${part.match.sql})`
      return nested(isNeverNull(key) ? isAmong : ifPresent(key, isAmong))
    }
    case 'place': {
      const isIn = placeSql(part.area, (area) => nested(ifPresent(events.x, within(area))))
      return part.orMissing ? join('OR', [nested(sql`${events.x} IS NULL`), isIn]) : isIn
    }
    case 'not':
      return negated(write(exactly(part.of), within))
    case 'unless': {
      const { sql: text, depth } = write(part.of, within)
      return { sql: sql`(${text}) IS NOT TRUE`, depth: depth + 1 }
    }
    case 'same': {
      const [a, b] = [write(exactly(part.one), within), write(exactly(part.other), within)]
      return { sql: sql`(${a.sql}) = (${b.sql})`, depth: Math.max(a.depth, b.depth) + 1 }
    }
    case 'known': {
      const parts = part.of.map((each) => write(exactly(each), within))
      const texts = parts.map((each) => each.sql)
      return {
        sql: sql`coalesce(${sql.join(texts, sql`, `)})`,
        depth: Math.max(...parts.map(({ depth }) => depth)) + 1,
      }
    }
    case 'decided':
      throw new RangeError('The Worker tests this condition, so it has no SQL for OR and NOT.')
    default: {
      if (part.of.length === 0) return nested(part.kind === 'all' ? sql`1 = 1` : NOTHING)
      const written = part.of.map((each) => write(each, within))
      return join(part.kind === 'all' ? 'AND' : 'OR', written)
    }
  }
}

/** Returns a part that tells 0 from NULL. A selection needs it only for an opposite. */
const exactly = (part: Part): Part => {
  if (part.kind === 'sql') return plain(part.exact ?? part.sql)
  return part.kind === 'all' || part.kind === 'any' ? { ...part, of: part.of.map(exactly) } : part
}

/** Writes SQL that is NULL if a column of the row is NULL. */
const ifPresent = (column: SQLWrapper, text: SQL): SQL => sql`CASE WHEN ${column} IS NOT NULL THEN ${text} END`

export const outsideOf = (area: Area): Area => ('outside' in area ? area.outside : { outside: area })

/** Writes SQL that a place is in an area. `lookUp` writes the test for an area that SQL cannot decide. */
const placeSql = (area: Area, lookUp: (area: Area) => Nested): Nested => {
  if (isLookedUp(area)) return lookUp(area)
  if ('outside' in area) return negated(placeSql(area.outside, lookUp))
  if ('all' in area) return join('AND', placesSql(area.all, lookUp))
  if (!('any' in area)) return nested(boxSql(area) ?? NOTHING)
  const [found, others] = [area.any.filter(isLookedUp), area.any.filter((each) => !isLookedUp(each))]
  return join('OR', [...(found.length === 0 ? [] : [lookUp({ any: found })]), ...placesSql(others, lookUp)])
}

const placesSql = (areas: readonly Area[], lookUp: (area: Area) => Nested): Nested[] =>
  areas.map((each) => placeSql(each, lookUp))

/**
 * Returns true for an area whose rows are found before the query. Alternatives are looked up if all of them are. The outside of
 * an area is none, because it may have nearly all rows.
 */
const isLookedUp = (area: Area): boolean => {
  if ('any' in area) return area.any.length > 0 && area.any.every(isLookedUp)
  if ('all' in area) return area.all.some(isLookedUp)
  return !('outside' in area) && boxSql(area) === null
}

/** Writes SQL for an area that it decides exactly: a closed box, or a single point. Otherwise null. */
const boxSql = (area: Area): SQL | null => {
  const { x, y } = events
  if ('nowhere' in area) return sql`${x} <> ${x}`
  if ('box' in area && area.closed) {
    const [, south, , north] = area.box
    const across = longitudesOf(area.box).map(([west, east]) => sql`${x} BETWEEN ${west} AND ${east}`)
    return sql`(${either(across)} AND ${y} BETWEEN ${south} AND ${north})`
  }
  if (!('within' in area) || area.within.type !== 'Point' || area.within.coordinates.length === 0) return null
  const [longitude, latitude] = area.within.coordinates
  return sql`(${x} = ${longitude} AND ${y} = ${latitude})`
}
