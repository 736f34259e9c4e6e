import type { Bbox } from '../../../geometry/bbox.ts'
import { cellAt, cellBounds } from '../../../geometry/cell.ts'
import type { Row } from '../../engine.ts'
import {
  type Bins,
  type CrossedCounts,
  type EntryCount,
  type FacetCounts,
  type GroupStatistics,
  NO_NUMBERS,
  type NumberStatistics,
  type Summary,
} from '../../summaries.ts'
import type { CrossedStatistics } from './crossed.ts'
import { type DistinctValues, distinctInRest } from './distinct.ts'
import { bump, type CountedGroups } from './histogram.ts'
import type { BinStatistics, SummaryStatistics } from './statistics.ts'

/**
 * `entries` has a slice of the entries. Equal ones are sorted by text, uuid or value. `more` is the number of later
 * entries, and `without` the number of rows without the attribute. It is 0 for other facets.
 */
export interface FoundEntries {
  readonly entries: readonly { readonly id: number; readonly value: Row; readonly count: number }[]
  readonly more: number
  readonly without: number
}

/** The listed entries of `by`, with their bins and with the statistics of these for each number. */
export interface Crossed {
  readonly found: FoundEntries
  readonly bins: CrossedBins
  readonly statistics: readonly CrossedStatistics[]
}

/** The bins of some entries, by the id of the entry. A bin has its first instant and its rows. */
export type CrossedBins = ReadonlyMap<number, ReadonlyMap<number, number>>

/** Counts of the matches. In `statistics` and `distinct`, the last facet is `by`. It is null if nobody asked for it. */
export interface Counted {
  readonly groups: CountedGroups
  readonly bounds: Bbox | null
  readonly facets: readonly FoundEntries[]
  readonly by: Crossed | null
  readonly statistics: readonly SummaryStatistics[]
  readonly distinct: readonly DistinctValues[]
}

/** Returns the summary of rows that were counted. */
export const summaryOf = (counted: Counted): Summary => {
  const { groups, bounds, facets, by, statistics, distinct } = counted
  const { count, least, greatest, step, bins, level, cells } = groups
  const placed = sorted(cells)
  return {
    count,
    least,
    greatest,
    step: least === null ? null : step,
    bins: sorted(bins),
    level: placed.length === 0 ? null : level,
    bounds,
    cells: placed.map(([cell, rows]) => [...cellBounds(cellAt(level, cell)), rows]),
    facets: facets.map((found, i) => countsOf(counted, found, i)),
    by: by && crossedOf(counted, by),
    statistics: statistics.map(({ whole, bins: own }) => binned(whole, count, own, bins)),
    distinct: distinct.map(({ whole }) => whole.size),
  }
}

/** Returns the entries of a facet with their statistics and different values. */
const countsOf = (
  { statistics, distinct }: Counted,
  { entries, more, without }: FoundEntries,
  i: number,
): FacetCounts => ({
  entries: entries.map(
    ({ id, value, count }): EntryCount => ({
      value,
      count,
      statistics: statistics.map((each) => ofGroup(each.facets[i]?.get(id) ?? NO_NUMBERS, count)),
      distinct: distinct.map((each) => each.facets[i]?.get(id)?.size ?? 0),
    }),
  ),
  more,
  without,
})

/** Returns the entries of `by` with their bins, and all other rows together. */
const crossedOf = (counted: Counted, { found, bins, statistics }: Crossed): CrossedCounts => {
  const { groups, distinct } = counted
  const place = counted.facets.length
  const { entries, more } = countsOf(counted, found, place)
  const ids = found.entries.map(({ id }) => id)
  const binsOf = ids.map((id) => bins.get(id) ?? new Map<number, number>())
  const restBins = restOf(groups, binsOf)
  const restCount = entries.reduce((rest, entry) => rest - entry.count, groups.count)
  return {
    entries: entries.map((entry, j) => {
      const own = binsOf[j] ?? new Map()
      const crossed = entry.statistics.map((whole, k) =>
        binned(whole, entry.count, statistics[k]?.entries[j] ?? [], own),
      )
      return { ...entry, statistics: crossed, bins: sorted(own) }
    }),
    more,
    rest: {
      count: restCount,
      bins: sorted(restBins),
      statistics: statistics.map(({ rest: { bins: own, ...whole } }) => binned(whole, restCount, own, restBins)),
      distinct: distinct.map(({ facets }) => distinctInRest(facets[place] ?? new Map(), new Set(ids))),
    },
  }
}

/** Adds the number of rows without a number. Beside writes, the numbers may come from a later moment. */
const ofGroup = (statistics: NumberStatistics, rows: number): GroupStatistics => ({
  ...statistics,
  without: Math.max(0, rows - statistics.count),
})

const binned = (whole: NumberStatistics, rows: number, bins: BinStatistics, counts: ReadonlyMap<number, number>) => ({
  ...ofGroup(whole, rows),
  bins: bins.map(([start, each]) => [start, ofGroup(each, counts.get(start) ?? 0)] as const),
})

const sorted = (counts: ReadonlyMap<number, number>): Bins => [...counts].sort((a, b) => a[0] - b[0])

/** Returns the bins of the rows that belong to none of the entries. */
const restOf = (
  groups: CountedGroups,
  entries: readonly ReadonlyMap<number, number>[],
): ReadonlyMap<number, number> => {
  const rest = new Map(groups.bins)
  for (const bins of entries) for (const [start, rows] of bins) bump(rest, start, -rows)
  return new Map([...rest].filter(([, rows]) => rows > 0))
}
