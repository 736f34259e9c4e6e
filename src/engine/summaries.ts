import type { TimePart, Zone } from '../base/zone.ts'
import type { Bbox } from '../geometry/bbox.ts'
import type { FieldRef } from '../question/condition.ts'
import type { FieldName } from '../question/fields.ts'

/** The units of bins. A week starts on Monday (ISO 8601). */
export const UNITS = ['hour', 'day', 'week', 'month', 'year'] as const
export type Unit = (typeof UNITS)[number]

/** The most bins of a unit. */
export const MAX_BINS = 20_000

/**
 * All entries together have at most so many bins, and so many statistics of bins, in an answer and while rows are counted.
 * In JSON, so many statistics are 3 MB. PostgreSQL reads them of 200,000 events in 11 seconds on a busy machine, and D1 in 3.
 */
export const [MAX_CROSSED_BINS, MAX_CROSSED_STATISTICS] = [50_000, 25_000]

/** How a summary groups its rows. */
export interface Shape {
  /** The most bins, or their unit. */
  readonly bins: number | Unit
  readonly zone: Zone | null
  /** The first instant of the bins, in milliseconds since 1970. Rows that start earlier are in its bin. Null: none. */
  readonly from: number | null
  /** The level of the smallest cells. */
  readonly level: number
  readonly facets: readonly Facet[]
  /** The facet whose entries have bins of their own. */
  readonly by: Facet | null
  /** The fields whose numbers are summarized. Values of attributes that are no numbers are left out. */
  readonly numbers: readonly FieldRef[]
  /** The fields whose different values are counted. */
  readonly distinct: readonly FieldRef[]
}

/**
 * A field whose values are counted, or a part of the start. It shows `size` values, after the first `offset`. `reads` are
 * the fields of a value: `attributes` for that of an attribute, and `start` for a part of the start.
 */
export interface Facet {
  readonly field: FieldRef | { readonly start: TimePart }
  readonly reads: readonly FieldName[]
  readonly size: number
  readonly offset: number
  readonly order: EntryOrder
}

/**
 * Entries have the order of their rows, of their texts, or of a statistic of one of the numbers. Equal entries have the
 * order of their texts. Entries without the statistic come last.
 */
export interface EntryOrder {
  readonly by: 'count' | 'text' | { readonly number: number; readonly statistic: keyof NumberStatistics }
  readonly descending: boolean
}

/** The rows of each bin, by its first instant in milliseconds since 1970. */
export type Bins = readonly (readonly [start: number, count: number])[]

/** Counts and statistics of the rows that match. Times are in milliseconds since 1970. */
export interface Summary {
  readonly count: number
  readonly least: number | null
  readonly greatest: number | null
  /** The length of a bin. Null: the bins differ, or there are none. */
  readonly step: number | null
  readonly bins: Bins
  /**
   * The bounds of all places, which are exact. West is greater than east if the bounds cross 180 degrees. They do if that
   * leaves out more empty columns of cells. Null: no row has a place.
   */
  readonly bounds: Bbox | null
  /** The level of the cells. Null: no row has a place. */
  readonly level: number | null
  readonly cells: readonly (readonly [...Bbox, count: number])[]
  readonly facets: readonly FacetCounts[]
  readonly by: CrossedCounts | null
  /** One for each of the numbers. */
  readonly statistics: readonly BinnedStatistics[]
  /** The different values of each field of `distinct`. */
  readonly distinct: readonly number[]
}

/** The values with the most rows, the number of further values, and the number of rows without the attribute. */
export interface FacetCounts {
  readonly entries: readonly EntryCount[]
  readonly more: number
  readonly without: number
}

export interface EntryCount {
  /** The fields that name the value. */
  readonly value: Readonly<Record<string, unknown>>
  readonly count: number
  /** One for each of the numbers of the summary. */
  readonly statistics: readonly GroupStatistics[]
  /** The different values of each field of `distinct`. */
  readonly distinct: readonly number[]
}

/** The rows of an entry with bins of its own. */
export interface CrossedEntry extends EntryCount {
  readonly bins: Bins
  readonly statistics: readonly BinnedStatistics[]
}

/** Some values, the number of further values, and the rows of no listed value together. */
export interface CrossedCounts {
  readonly entries: readonly CrossedEntry[]
  readonly more: number
  readonly rest: Omit<CrossedEntry, 'value'>
}

/** Without numbers the count is 0, and the others are null. The sum is exact and rounded once. It is null beyond a double. */
export interface NumberStatistics {
  readonly count: number
  readonly min: number | null
  readonly max: number | null
  readonly mean: number | null
  readonly sum: number | null
}

/** The statistics of a group of rows, with the number of its rows without a number. */
export interface GroupStatistics extends NumberStatistics {
  readonly without: number
}

/** The statistics of a group of rows, and of its bins with numbers. A bin has its first instant. */
export interface BinnedStatistics extends GroupStatistics {
  readonly bins: readonly (readonly [start: number, statistics: GroupStatistics])[]
}

/** The statistics of rows without a number. */
export const NO_NUMBERS: NumberStatistics = { count: 0, min: null, max: null, mean: null, sum: null }
