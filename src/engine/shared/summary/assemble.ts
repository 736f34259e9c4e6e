import type { Bbox } from '../../../geometry/bbox.ts'
import { cellAt, cellBounds } from '../../../geometry/cell.ts'
import type { Row } from '../../engine.ts'
import { type FacetCounts, NO_NUMBERS, type NumberStatistics, type Summary } from '../../summaries.ts'
import { quotient } from './exactSum.ts'
import { bump, type Groups, type SortedBins } from './histogram.ts'

/**
 * `entries` has a slice of the entries. Equal ones are sorted by text, uuid or value. `more` is the number of later
 * entries, and `without` the number of rows without the attribute. It is 0 for other facets.
 */
export interface FoundEntries {
  readonly entries: readonly { readonly id: number; readonly value: Row; readonly count: number }[]
  readonly more: number
  readonly without: number
}

/** The statistics of the entries of a facet, by key. */
export type EntryStatistics = ReadonlyMap<number, NumberStatistics>

/** Statistics of all matches, of the bins, and of the entries of each facet. A bin has its start, and an entry its id. */
export interface SummaryStatistics {
  readonly whole: NumberStatistics
  readonly bins: readonly (readonly [start: number, statistics: NumberStatistics])[]
  readonly facets: readonly EntryStatistics[]
}

/** The numbers of a group so far, with their exact sum. */
export interface Tally<Sum> {
  count: number
  min: number
  max: number
  sum: Sum
}

/** Returns the statistics of some groups together. `unitsOf` returns a sum as a multiple of the least double. */
export const statisticsOf = <Sum>(tallies: readonly Tally<Sum>[], unitsOf: (sum: Sum) => bigint): NumberStatistics => {
  const count = tallies.reduce((sum, tally) => sum + tally.count, 0)
  if (count === 0) return NO_NUMBERS
  const units = tallies.reduce((sum, tally) => sum + unitsOf(tally.sum), 0n)
  const [min, max] = [Math.min(...tallies.map(({ min }) => min)), Math.max(...tallies.map(({ max }) => max))]
  return { count, min, max, mean: quotient(units, count), sum: quotient(units, 1) }
}

/** The entries with the most rows, and the bins of each. `rest` has all other rows. */
export interface Crossed extends FoundEntries {
  readonly bins: readonly SortedBins[]
  readonly rest: SortedBins
}

/** The entries of each facet, and of `by`. `crossed` is null if nobody asked for `by`. */
export interface Entries {
  readonly facets: readonly FoundEntries[]
  readonly crossed: Crossed | null
}

/** Rows counted by their times and places. `entriesBy` finds the entries, which statistics may order. */
export interface Counted {
  readonly groups: Groups
  readonly bounds: Bbox | null
  readonly entriesBy: (statistics: readonly SummaryStatistics[]) => Promise<Entries>
}

/** The bins of some entries, by the id of the entry. A bin has its first instant and its rows. */
export type CrossedBins = ReadonlyMap<number, ReadonlyMap<number, number>>

/** Returns the entries of `by` with their bins. */
export const crossedOf = (groups: Groups, counts: FoundEntries, bins: CrossedBins): Crossed => {
  const listed = counts.entries.map(({ id }) => bins.get(id) ?? new Map())
  return { ...counts, bins: listed.map(sorted), rest: sorted(restOf(groups, listed)) }
}

/** Returns the summary of rows that were counted. */
export const summaryOf = (
  { groups, bounds }: Pick<Counted, 'groups' | 'bounds'>,
  { facets, crossed }: Entries,
  statistics: readonly SummaryStatistics[],
): Summary => {
  const { count, least, greatest, step, bins, level, cells } = groups
  const placed = sorted(cells)
  /** Adds the statistics of entries. The statistics of `by` come last, after the facets. */
  const countsOf = (
    { entries, more, without }: FoundEntries,
    i: number,
    binsOf: readonly SortedBins[] = [],
  ): FacetCounts => ({
    entries: entries.map(({ id, value, count }, j) => ({
      value,
      count,
      statistics: statistics.map((each) => each.facets[i]?.get(id) ?? NO_NUMBERS),
      bins: binsOf[j] ?? [],
    })),
    more,
    without,
  })
  return {
    count,
    least,
    greatest,
    step: least === null ? null : step,
    bins: sorted(bins),
    level: placed.length === 0 ? null : level,
    bounds,
    cells: placed.map(([cell, rows]) => [...cellBounds(cellAt(level, cell)), rows]),
    facets: facets.map((each, i) => countsOf(each, i)),
    by: crossed && {
      ...countsOf(crossed, facets.length, crossed.bins),
      rest: { count: crossed.entries.reduce((rest, entry) => rest - entry.count, count), bins: crossed.rest },
    },
    statistics: statistics.map(({ whole, bins }) => ({ ...whole, bins })),
  }
}

const sorted = (counts: ReadonlyMap<number, number>) => [...counts].sort((a, b) => a[0] - b[0])

/** Returns the bins of the rows that belong to none of the entries. */
const restOf = (groups: Groups, entries: readonly ReadonlyMap<number, number>[]): ReadonlyMap<number, number> => {
  const rest = new Map(groups.bins)
  for (const bins of entries) for (const [start, rows] of bins) bump(rest, start, -rows)
  return new Map([...rest].filter(([, rows]) => rows > 0))
}
