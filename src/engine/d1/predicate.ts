import { Column, is, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { at } from '../../base/collections.ts'
import type { Area } from '../../question/condition.ts'
import { areaOf } from '../shared/area.ts'
import { outsideOf, placeSql } from './area.ts'
import type { Criterion, Dictionary, Range } from './criterion.ts'
import { join, type Nested, negated, nested, type Word } from './nested.ts'
import { gapsOf, inRanges, NOTHING } from './sql.ts'

/**
 * A predicate about a row. By three-valued logic it is true, false or NULL. It is NULL if the row does not have the
 * value. Some forms are also criteria of the planner, which have cheap plans.
 */
export type Predicate =
  | { readonly kind: 'constant'; readonly value: boolean }
  /** SQL with the value 1, 0 or NULL. With `exact`, `sql` may have the value 0 for NULL, and is faster. */
  | { readonly kind: 'sql'; readonly sql: SQL; readonly exact?: SQL }
  | Range
  | Entry
  | Place
  | { readonly kind: Word; readonly parts: readonly Predicate[] }
  | { readonly kind: 'not' | 'unless'; readonly of: Predicate }
  /** Both have the same value. */
  | { readonly kind: 'same'; readonly one: Predicate; readonly other: Predicate }
  /** The first of these that is not NULL. */
  | { readonly kind: 'known'; readonly of: readonly Predicate[] }
  /** The Worker tests these. They stand only in the outermost AND. */
  | { readonly kind: 'tested'; readonly conditions: readonly Criterion[] }

/** The row's entry in a dictionary meets a condition. `few`: few entries meet it. */
interface Entry {
  readonly kind: 'entry'
  readonly dictionary: Dictionary
  readonly match: Nested
  readonly few: boolean
}

/** The row's place is in an area. `orMissing`: or the row has no place. */
interface Place {
  readonly kind: 'place'
  readonly area: Area
  readonly orMissing: boolean
}

export const TRUE: Predicate = { kind: 'constant', value: true }
export const FALSE: Predicate = { kind: 'constant', value: false }
export const plain = (text: SQL): Predicate => ({ kind: 'sql', sql: text })
export const entry = (dictionary: Dictionary, match: SQL, few = false): Entry => ({
  kind: 'entry',
  dictionary,
  match: nested(match),
  few,
})

/** The most gaps that become ranges. D1 limits an expression to 100 levels. */
const MAX_GAPS = 10

const gaps = (range: Range): Range | null => {
  const extents = gapsOf(range.extents)
  return extents.length > MAX_GAPS || range.extents.length === 0 ? null : { ...range, extents }
}

/** Returns the opposite of a predicate. It stays NULL for a row without the value. */
export const not = (of: Predicate): Predicate => {
  if (of.kind === 'constant') return of.value ? FALSE : TRUE
  if (of.kind === 'not') return of.of
  if (of.kind === 'AND' || of.kind === 'OR') return joinedBy(of.kind === 'AND' ? 'OR' : 'AND', of.parts.map(not))
  if (of.kind === 'entry') return { ...of, match: negated(of.match), few: false }
  if (of.kind === 'range') return gaps(of) ?? { kind: 'not', of }
  if (of.kind === 'place' && !of.orMissing) return { ...of, area: outsideOf(of.area) }
  return { kind: 'not', of }
}

/**
 * Returns the predicate for the rows for which another one is not true. If each row has an entry, or a value, it selects
 * the other entries or ranges, because they have stored counts.
 */
export const unless = (of: Predicate): Predicate => {
  if (of.kind === 'constant') return not(of)
  if (of.kind === 'range' && isNeverNull(of.column)) return gaps(of) ?? { kind: 'unless', of }
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

/** Joins predicates by AND or OR. One area has all places, and one query finds the entries of a dictionary. */
export const joinedBy = (word: Word, parts: readonly Predicate[]): Predicate => {
  const [decisive, neutral] = word === 'OR' ? [TRUE, FALSE] : [FALSE, TRUE]
  if (parts.includes(decisive)) return decisive
  const groups = Map.groupBy(
    parts.filter((part) => part !== neutral),
    (part) => (part.kind === 'entry' ? part.dictionary.key : part.kind === 'place' && !part.orMissing ? 'place' : part),
  )
  const members = Array.from(groups.values(), (group) => (group.length === 1 ? at(group, 0) : merged(word, group)))
  const [only = neutral] = members
  return members.length < 2 ? only : { kind: word, parts: members }
}

/** Returns one predicate for several about one dictionary, or about places. */
const merged = (word: Word, parts: readonly Predicate[]): Predicate => {
  const entries = parts.filter((part) => part.kind === 'entry')
  if (entries.length > 0) {
    const matches = entries.map(({ match }) => match)
    const few = word === 'AND' && entries.some((each) => each.few)
    return { ...at(entries, 0), match: join(word, matches), few }
  }
  const areas = parts.flatMap((part) => (part.kind === 'place' ? [part.area] : []))
  return { kind: 'place', area: word === 'AND' ? { all: areas } : { any: areas }, orMissing: false }
}

/** Returns the criteria of the rows where a predicate is true. */
export const criteriaWhere = (predicate: Predicate): readonly Criterion[] => {
  if (predicate.kind === 'constant') return predicate.value ? [] : [{ kind: 'sql', sql: NOTHING }]
  if (predicate.kind === 'tested') return predicate.conditions
  if (predicate.kind === 'AND') return predicate.parts.flatMap(criteriaWhere)
  if (predicate.kind === 'range') return [predicate]
  if (predicate.kind === 'place')
    return [{ kind: 'area', area: areaOf(predicate.area), orMissing: predicate.orMissing }]
  if (predicate.kind === 'entry') {
    const { dictionary, match, few } = predicate
    return [{ kind: 'entries', dictionary, match: match.sql, few }]
  }
  const areas: Area[] = []
  const known = write(predicate, (area) => {
    areas.push(area)
    return NOTHING
  })
  if (areas.length === 0) return [{ kind: 'sql', sql: known.sql }]
  const writeWith = (within: readonly SQL[]) => {
    const tests = within.values()
    return write(predicate, () => tests.next().value ?? NOTHING).sql
  }
  return [{ kind: 'lookUp', areas: areas.map(areaOf), sql: writeWith }]
}

/** Writes a predicate as SQL with the value 1, 0 or NULL. `within` writes the test for an area that SQL cannot decide. */
const write = (predicate: Predicate, within: (area: Area) => SQL): Nested => {
  switch (predicate.kind) {
    case 'constant':
      return nested(predicate.value ? sql`1 = 1` : NOTHING)
    case 'sql':
      return nested(predicate.sql)
    case 'range': {
      const { column, extents } = predicate
      return nested(extents.length === 0 ? sql`${column} <> ${column}` : inRanges(column, extents))
    }
    case 'entry': {
      const { key, id, table } = predicate.dictionary
      if (isItsEntry(predicate.dictionary)) return predicate.match
      const isAmong = sql`${key} IN (SELECT ${id} FROM ${table} WHERE ${predicate.match.sql})`
      return nested(isNeverNull(key) ? isAmong : ifPresent(key, isAmong))
    }
    case 'place': {
      const isIn = placeSql(predicate.area, (area) => nested(ifPresent(events.x, within(area))))
      return predicate.orMissing ? join('OR', [nested(sql`${events.x} IS NULL`), isIn]) : isIn
    }
    case 'not':
      return negated(write(exactly(predicate.of), within))
    case 'unless': {
      const { sql: text, depth } = write(predicate.of, within)
      return { sql: sql`(${text}) IS NOT TRUE`, depth: depth + 1 }
    }
    case 'same': {
      const [a, b] = [write(exactly(predicate.one), within), write(exactly(predicate.other), within)]
      return { sql: sql`(${a.sql}) = (${b.sql})`, depth: Math.max(a.depth, b.depth) + 1 }
    }
    case 'known': {
      const parts = predicate.of.map((part) => write(exactly(part), within))
      const depth = Math.max(...parts.map((part) => part.depth)) + 1
      return {
        sql: sql`coalesce(${sql.join(
          parts.map((part) => part.sql),
          sql`, `,
        )})`,
        depth,
      }
    }
    case 'tested':
      throw new RangeError('The Worker tests this condition, so it has no SQL for OR and NOT.')
    default:
      return join(
        predicate.kind,
        predicate.parts.map((part) => write(part, within)),
      )
  }
}

/** Returns a predicate that tells 0 from NULL. A selection needs it only for an opposite. */
const exactly = (predicate: Predicate): Predicate => {
  if (predicate.kind === 'sql') return plain(predicate.exact ?? predicate.sql)
  return 'parts' in predicate ? { ...predicate, parts: predicate.parts.map(exactly) } : predicate
}

/** Writes SQL that is NULL if a column of the row is NULL. */
const ifPresent = (column: SQLWrapper, text: SQL): SQL => sql`CASE WHEN ${column} IS NOT NULL THEN ${text} END`
