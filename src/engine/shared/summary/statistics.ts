import { NO_NUMBERS, type NumberStatistics } from '../../summaries.ts'
import { quotient } from './exactSum.ts'

/** The numbers of a group so far, with their exact sum. */
export interface Tally<Sum> {
  count: number
  min: number
  max: number
  sum: Sum
}

/** The statistics of bins, in ascending order. A bin has its first instant. */
export type BinStatistics = readonly (readonly [start: number, statistics: NumberStatistics])[]

/** The statistics of the entries of a facet, by key. */
export type EntryStatistics = ReadonlyMap<number, NumberStatistics>

/** A summary has statistics of all matches, of each bin, and of each entry of each facet. */
export interface SummaryStatistics {
  readonly whole: NumberStatistics
  readonly bins: BinStatistics
  readonly facets: readonly EntryStatistics[]
}

/** Returns the statistics of some groups together. `unitsOf` returns a sum as a multiple of the least double. */
export const statisticsOf = <Sum>(tallies: readonly Tally<Sum>[], unitsOf: (sum: Sum) => bigint): NumberStatistics => {
  const count = tallies.reduce((sum, tally) => sum + tally.count, 0)
  if (count === 0) return NO_NUMBERS
  const units = tallies.reduce((sum, tally) => sum + unitsOf(tally.sum), 0n)
  const [min, max] = [Math.min(...tallies.map(({ min }) => min)), Math.max(...tallies.map(({ max }) => max))]
  return { count, min, max, mean: quotient(units, count), sum: quotient(units, 1) }
}

/** Returns the statistics of bins. Several groups may have one bin. It is null for rows without a start. */
export const statisticsByBin = <Sum>(
  tallies: readonly (readonly [start: number | null, tally: Tally<Sum>])[],
  unitsOf: (sum: Sum) => bigint,
): BinStatistics => {
  const bins = new Map<number, Tally<Sum>[]>()
  for (const [start, tally] of tallies) {
    if (start === null) continue
    const known = bins.get(start)
    if (known === undefined) bins.set(start, [tally])
    else known.push(tally)
  }
  return [...bins].sort(([a], [b]) => a - b).map(([start, own]) => [start, statisticsOf(own, unitsOf)])
}
