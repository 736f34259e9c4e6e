import type { SQLWrapper } from 'drizzle-orm'
import { codesIn, codesOf } from '../../../schema/durations.ts'
import { at } from '../../collections.ts'
import type { ColumnRange } from '../../filters/sql.ts'
import {
  extentOf,
  intersection,
  isBounded,
  isEmpty,
  numbersOf,
  type TimeBounds,
  type ValueRange,
  valuesOf,
} from '../conditions/criteria.ts'
import type { Search } from '../conditions/search.ts'
import { type Access, type Index, indexIn, indexOn } from '../conditions/table.ts'
import { type Facts, MAX_LOOKED_UP, type MatchingEntries } from './facts.ts'
import { partOf, rowsIn, rowsInExtent, type Statistics } from './nodes.ts'

/** The allowed values of a column: a list, or an extent. */
export interface ColumnValues {
  readonly extent: ColumnRange
  readonly values: readonly bigint[] | null
}

/** The rows that an access path reads, as data. sql/sources.ts writes them as SQL. The path is its name. */
export type PathRange =
  /** All rows in the order of ids. */
  | { readonly path: 'everything' }
  /** Rows by id. */
  | ({ readonly path: 'ids' } & ColumnValues)
  /** Rows by an index on a column, such as the duration. */
  | ({ readonly path: 'column'; readonly index: Index } & ColumnValues)
  /**
   * Rows of dictionary entries, then by the second column of the index. `endsFrom`: the row ends at this instant or
   * later, so the longest duration limits its start.
   */
  | ({
      readonly path: 'entries'
      readonly index: Index
      readonly ids: readonly number[]
      readonly endsFrom: bigint | null
    } & ColumnValues)
  /** Rows whose own table is the dictionary. */
  | { readonly path: 'entryRows'; readonly entries: MatchingEntries }
  /** A range of starts for each class of durations. */
  | { readonly path: 'durationClasses'; readonly ranges: readonly (readonly [durationClass: number, ...ValueRange])[] }
  /** Rows by the second column of an index, for all values of its first column. */
  | ({ readonly path: 'pairs'; readonly index: Index } & ColumnValues)
  /** Rows in ranges of finest cells. */
  | { readonly path: 'cells'; readonly ranges: readonly ValueRange[] }

/** An access path that can read all matches of a search, and its estimate. */
export interface Candidate {
  readonly range: PathRange
  /** The estimated rows read. A row that is found in an index and then read from the table counts twice. */
  readonly rows: number
  /** The estimate is a guess without statistics. There may be far fewer rows. */
  readonly isGuess?: boolean
  /** The entries that enter the path. Their condition needs no second test. */
  readonly entries?: MatchingEntries
  /**
   * The path reads nothing if stored counts show no visible row in these times. Otherwise the response time would reveal
   * hidden rows.
   */
  readonly guarded?: boolean
}

/** The estimated part of the rows with one value of a column that has no stored counts. */
const RARE = 1 / 100
/** The estimated part of the rows that satisfies a condition without statistics. */
export const UNKNOWN = 1 / 10
/** The cost of a row that is found in an index and then read from the table. The unit is rows read. */
export const LOOKED_UP = 2
/** The most entries that enter an index. One entry costs about two rows. */
const MAX_ENTERED = 200

/** Returns all access paths of a search, the one with the fewest rows first. */
export const candidatesOf = (search: Search, facts: Facts): readonly Candidate[] => {
  const { statistics, region } = facts
  return [
    { range: { path: 'everything' } as const, rows: statistics.total * LOOKED_UP },
    ...facts.entries.map((entries) => byEntries(search, entries, search.bounds, statistics)),
    byDurationClass(search, search.bounds, statistics),
    byDuration(search, statistics),
    byPairs(search, statistics),
    byIds(search, statistics),
    ...Array.from(facts.rowsByColumn, ([column, rows]) => byColumn(search, column, rows, statistics)),
    region && {
      range: { path: 'cells', ranges: region.ranges } as const,
      rows: region.inside + region.atBoundary,
    },
  ]
    .filter((candidate) => candidate !== null)
    .sort((a, b) => a.rows - b.rows)
}

/** Enters an index with dictionary entries, and then with the start or with the id of the object. */
export const byEntries = (
  { access, criteria, table }: Search,
  entries: MatchingEntries,
  bounds: TimeBounds,
  { starts, total }: Statistics,
): Candidate | null => {
  const { group, ids, rows } = entries
  if (group.dictionary.key === table.id)
    return { range: { path: 'entryRows', entries }, rows: LOOKED_UP * rows, isGuess: ids === null, entries }
  const index = indexIn(access, group.dictionary.key, true)
  if (index === null || ids === null || ids.length > MAX_ENTERED) return null
  const timed = index.second === access.time.start
  const extent = timed ? bounds.start : extentOf(criteria, index.second)
  const values = timed ? null : valuesOf(criteria, index.second)
  const isSelective = extent[0] !== null || values !== null
  const part = timed ? partOf(rowsInExtent(starts, extent), total) : isSelective ? RARE : 1
  const endsFrom = timed && extent[0] === null ? bounds.end[0] : null
  return { range: { path: 'entries', index, ids, extent, values, endsFrom }, rows: rows * part, entries }
}

/**
 * Enters by class of duration, with one range of starts for each class. A row of a class that ends at an instant or
 * later starts at most 2^class milliseconds before it. Returns null without bounds on time.
 */
export const byDurationClass = ({ access }: Search, bounds: TimeBounds, statistics: Statistics): Candidate | null => {
  const ranges = rangesByClass(access, bounds)
  if (ranges === null) return null
  const { durations, starts, total } = statistics
  const rowsOf = ([durationClass, ...range]: (typeof ranges)[number]) =>
    rowsIn(durations, ...codesOf(durationClass)) * partOf(rowsIn(starts, ...range), total)
  const rows = ranges.reduce((sum, range) => sum + rowsOf(range), 0)
  return { range: { path: 'durationClasses', ranges }, rows }
}

/** Returns the range of starts for each class of durations. Null without bounds on time. */
export const rangesByClass = (
  { time: { classes } }: Access,
  { start, end, duration: [shortest, longest] }: TimeBounds,
): readonly (readonly [durationClass: number, ...ValueRange])[] | null => {
  const atLeast = shortest ?? 0n
  if (!isBounded(start) && !isBounded(end) && longest === null && atLeast <= 0n) return null
  return classes.flatMap((durationClass, i): (readonly [number, ...ValueRange])[] => {
    const least = i === 0 ? 0n : 2n ** BigInt(at(classes, i - 1))
    const most = i === classes.length - 1 ? null : 2n ** BigInt(durationClass) - 1n
    if ((most !== null && atLeast > most) || (longest !== null && longest < least)) return []
    const byEnd: ColumnRange = [
      end[0] === null || most === null ? null : end[0] - most,
      end[1] === null ? null : end[1] - least,
    ]
    const starts = intersection(start, byEnd)
    return isEmpty(starts) ? [] : [[durationClass, ...numbersOf(starts)]]
  })
}

/** Enters by the duration, if a filter names it. The index is not covering, so each row is read from the table. */
const byDuration = ({ criteria, access }: Search, { total, durations }: Statistics): Candidate | null => {
  const { duration, durationColumn } = access.time
  const values = valuesOf(criteria, duration)
  const extent = extentOf(criteria, duration)
  if (values === null && !isBounded(extent)) return null
  return {
    range: { path: 'column', index: indexOn(access, durationColumn, false), extent, values },
    rows: LOOKED_UP * (values === null ? rowsIn(durations, ...codesIn(extent)) : total * RARE * values.length),
  }
}

/**
 * Enters an index by its second column, and tries all values of the first one. Example: an object id without its type.
 */
const byPairs = ({ criteria, access }: Search, { total }: Statistics): Candidate | null => {
  for (const index of access.indexes) {
    const values = valuesOf(criteria, index.second)
    const extent = extentOf(criteria, index.second)
    if (index.values === undefined || (values === null && !isBounded(extent))) continue
    return {
      range: { path: 'pairs', index, extent, values },
      rows: total * RARE * (values?.length ?? (extent[0] === extent[1] ? 1 : 10)),
    }
  }
  return null
}

const byIds = ({ criteria, table }: Search, { ids }: Statistics): Candidate | null => {
  const values = valuesOf(criteria, table.id)
  const extent = extentOf(criteria, table.id)
  if (values === null && !isBounded(extent)) return null
  return { range: { path: 'ids', extent, values }, rows: LOOKED_UP * (values?.length ?? rowsInExtent(ids, extent)) }
}

const byColumn = ({ criteria, access }: Search, column: SQLWrapper, rows: number, { total }: Statistics): Candidate => {
  const isGuess = rows >= MAX_LOOKED_UP
  return {
    range: {
      path: 'column',
      index: indexOn(access, column, false),
      extent: extentOf(criteria, column),
      values: null,
    },
    rows: LOOKED_UP * (isGuess ? Math.max(rows, total * UNKNOWN) : rows),
    isGuess,
  }
}
