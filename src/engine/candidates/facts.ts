import type { SQLWrapper } from 'drizzle-orm'
import type { Group } from '../conditions/criteria.ts'
import type { Search } from '../conditions/search.ts'
import type { Statistics } from './nodes.ts'
import type { Region } from './region.ts'

/**
 * The extremes of the rows of an entry: the least start and the greatest end in milliseconds since 1970, and the sides
 * of their box in degrees. The box is null if no row has coordinates.
 */
export interface Kept {
  readonly start: number | null
  readonly end: number | null
  readonly west: number | null
  readonly south: number | null
  readonly east: number | null
  readonly north: number | null
}

/** The dictionary entries that match a group of conditions. */
export interface MatchingEntries {
  readonly group: Group
  /** The ids of the entries. It is null if there are too many entries. The condition is then a subquery. */
  readonly ids: readonly number[] | null
  /** The rows of these entries that the caller sees. The number is exact if `counted`, else it is an estimate. */
  readonly rows: number
  readonly counted: boolean
  /** The entries with their extremes. Null: the dictionary has none, or there are too many entries. */
  readonly kept: readonly (Kept & { readonly id: number; readonly rows: number })[] | null
}

/** The planner decides with these facts. Reading them takes one or two round trips. */
export interface Facts {
  /** The search without the conditions that are decided. */
  readonly search: Search
  readonly statistics: Statistics
  readonly entries: readonly MatchingEntries[]
  /**
   * The rows in the extent of each column that has an index but no stored counts. Exact below MAX_LOOKED_UP.
   */
  readonly rowsByColumn: ReadonlyMap<SQLWrapper, number>
  /** The cells of the area. Null without an area. */
  readonly region: Region | null
}

/** The most dictionary entries that are listed by id. */
export const MAX_ENTRIES = 1000
/** The most texts that the Worker tests with a regular expression. */
export const MAX_TEXTS = 100_000
/** The most rows that are counted in the index of a column without stored counts. */
export const MAX_LOOKED_UP = 500
/** The estimated part of the rows that a dictionary leaves if its entries have no stored counts. */
export const UNCOUNTED = 1 / 3
