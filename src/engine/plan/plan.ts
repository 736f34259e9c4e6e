import type { ColumnRange } from '../../filters/sql.ts'
import type { Ends } from '../candidates/ends.ts'
import type { MatchingEntries } from '../candidates/facts.ts'
import type { OrderedCandidate, OrderedRange } from '../candidates/ordered.ts'
import { type Candidate, type PathRange, rangesByClass } from '../candidates/paths.ts'
import type { Region } from '../candidates/region.ts'
import {
  ANY,
  asksOnlyArea,
  extentOf,
  type Group,
  isBounded,
  timeBounds,
  type ValueRange,
} from '../conditions/criteria.ts'
import { durationsOf, type OrderTree, type Search } from '../conditions/search.ts'
import type { Index } from '../conditions/table.ts'

/** How to read and count the rows of a search, as data. */
export interface Plan {
  /** The name of the access path. */
  readonly path: PathName
  /** The access path with the fewest rows. It counts, sorts and tests. */
  readonly narrow: Candidate
  /** The other paths, the best first. */
  readonly beaten: readonly Candidate[]
  /** The paths in list order. */
  readonly ordered: readonly OrderedCandidate[]
  /** How to read the rows in the order of the end. Null: there is no better way than the paths. */
  readonly ends: Ends | null
  /** The estimated number of matches, if the conditions are independent. Null: the plan needed no estimate. */
  readonly expected: number | null
  readonly count: Counting
  /** The entries and the area that the conditions of the search became. */
  readonly entries: readonly MatchingEntries[]
  readonly region: Region | null
  /** Reads every slice in this way. Null: each slice is decided by its size, see `pageReadOf`. */
  readonly page: PageRead | null
}

/** The names of all access paths, and of the ways to read a page that need no facts. */
export type PathName = PathRange['path'] | 'inOrder' | 'seek' | 'walk'

/** How to count the matches. */
export type Counting =
  /** The count from the cursor or from an earlier request. */
  | { readonly by: 'known count' }
  | { readonly by: 'stored counts'; readonly of: StoredCount }
  /** Counts the rows of the path. */
  | { readonly by: 'path' }
  /** The page is read by sorting all matches, and the same scan counts them. */
  | { readonly by: 'the same scan' }
  /** Stored counts give the rows of cells inside rectangles, and SQL counts the rest. */
  | ({ readonly by: 'rectangles' } & CellCounting)
  /** The Worker tests the rows of the path. If they are too many for one query, it counts by cells. */
  | ({ readonly by: 'tests of the path' } & CellCounting)
  /** The database counts the cells inside the area, and the Worker tests the rows of boundary cells. */
  | ({ readonly by: 'tests of cells' } & CellCounting)

/** The rows that stored counts give, and the ranges of cells whose rows a query has to count. */
export interface CellCounting {
  readonly counted: number
  readonly ranges: readonly ValueRange[]
}

/** The rows that stored counts can count. */
export type StoredCount =
  | { readonly of: 'nothing' }
  | { readonly of: 'everything' }
  | { readonly of: 'entries'; readonly rows: number }
  | { readonly of: 'matching entries'; readonly group: Group }
  | { readonly of: 'ids'; readonly extent: ColumnRange }
  | { readonly of: 'times'; readonly tree: 'start' | 'end'; readonly extent: ColumnRange }
  | { readonly of: 'durations'; readonly extents: readonly ColumnRange[] }
  /** All rows that start in the extent, without those that end before an instant. */
  | { readonly of: 'overlap'; readonly start: ColumnRange; readonly endsBefore: bigint }
  /** All rows that start in a period, without those that end after it. Their starts are given by class of durations. */
  | {
      readonly of: 'period'
      readonly start: ColumnRange
      readonly last: bigint
      readonly later: readonly (readonly [durationClass: number, ...ValueRange])[]
    }

/** How to read a slice. */
export type PageRead =
  /** Reads all rows of an ordered path until the slice is full. */
  | { readonly read: 'scan'; readonly along: OrderedRange }
  /** Merges the first rows of some entries. They are given by id, or as a group that names few of them. */
  | { readonly read: 'merge'; readonly index: Index; readonly entries: readonly number[] | Group }
  /** Locates the slice by stored counts. `before` rows of the tree come first, and `count` rows match. */
  | { readonly read: 'seek'; readonly tree: OrderTree; readonly before: number; readonly count: number | null }
  /** Tests the first rows in list order in the Worker. `limit` rows probably fill the page. */
  | { readonly read: 'walk'; readonly along: OrderedRange; readonly limit: number }
  /** Sorts all rows of the path, or those that end near the slice. */
  | ({ readonly read: 'sort' } & Sorting)
  /** Reads at most `most` rows of an ordered path. If they do not fill the slice, it sorts. */
  | ({ readonly read: 'scan or sort'; readonly along: OrderedCandidate; readonly most: number } & Sorting)

/** The rows to sort. Null: all rows of the path. */
export interface Sorting {
  readonly ends: Ends | null
}

/** The most durations whose rows are counted one by one. Each takes two subqueries. */
const MAX_COUNTED = 10

/**
 * Returns the stored counts that give the number of matches. They exist for all rows, for entries of one dictionary,
 * for ids, for times and for durations. Returns null for other conditions.
 */
export const storedCountOf = (
  search: Search,
  entries: readonly MatchingEntries[],
  region: Region | null,
): StoredCount | null => {
  const { criteria, bounds, access, table } = search
  const { plain, spans, lists } = criteria
  if (!bounds.possible) return { of: 'nothing' }
  if (region !== null) return null
  if (asksOnlyArea(criteria)) return { of: 'everything' }
  const extents = durationsOf(search)
  if (extents !== null && extents.length <= MAX_COUNTED) return { of: 'durations', extents }
  if (plain.length + lists.length > 0) return null
  const [only, ...others] = entries
  const [span] = spans
  if (only !== undefined)
    return spans.length + others.length === 0 && only.counted ? { of: 'entries', rows: only.rows } : null
  if (spans.length === 1 && span?.column === table.id) return { of: 'ids', extent: span.extent }
  const { start, end } = access.time
  return spans.every(({ column }) => column === start || column === end) ? countOfTimes(search) : null
}

/**
 * Counts by start and end, because no row ends before it starts. An overlap has the rows that start early enough, minus
 * the rows that end too early. A period has the rows that start in it, minus the rows that end later. Returns null for
 * other combinations.
 */
const countOfTimes = ({ criteria, access }: Search): StoredCount | null => {
  const [start, end] = [extentOf(criteria, access.time.start), extentOf(criteria, access.time.end)]
  if (!isBounded(end)) return { of: 'times', tree: 'start', extent: start }
  if (!isBounded(start)) return { of: 'times', tree: 'end', extent: end }
  const [first, before] = start
  const [after, last] = end
  if (first === null && last === null && before !== null && after !== null && after <= before + 1n)
    return { of: 'overlap', start, endsBefore: after }
  if (before !== null || after !== null || first === null || last === null) return null
  const later = rangesByClass(access, timeBounds([first, last], [last + 1n, null], ANY))
  return later && { of: 'period', start: [first, last], last, later }
}
