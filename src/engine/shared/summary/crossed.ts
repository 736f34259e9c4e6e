import { invalidParameters } from '../../../base/errors.ts'
import { MAX_CROSSED_STATISTICS, type NumberStatistics } from '../../summaries.ts'
import { type BinStatistics, statisticsByBin, statisticsOf, type Tally } from './statistics.ts'

/** The numbers of entries and bins, by the id of the entry. A bin is null for rows without a start. */
export type CrossedTallies<Sum> = ReadonlyMap<number, ReadonlyMap<number | null, Tally<Sum>>>

/** Listed entries have statistics of their bins. The rest is all other rows. */
export interface CrossedStatistics {
  readonly entries: readonly BinStatistics[]
  readonly rest: NumberStatistics & { readonly bins: BinStatistics }
}

/** Returns the statistics of the bins of listed entries. All other entries are the rest. */
export const crossedStatisticsOf = <Sum>(
  tallies: CrossedTallies<Sum>,
  ids: readonly number[],
  unitsOf: (sum: Sum) => bigint,
): CrossedStatistics => {
  const listed = new Set(ids)
  const others = [...tallies].flatMap(([key, bins]) => (listed.has(key) ? [] : [...bins]))
  const unlisted = others.map(([, tally]) => tally)
  return {
    entries: ids.map((id) => statisticsByBin([...(tallies.get(id) ?? [])], unitsOf)),
    rest: { ...statisticsOf(unlisted, unitsOf), bins: statisticsByBin(others, unitsOf) },
  }
}

/** Throws a 400 if an answer would have too many statistics of the bins of entries. */
export const refuseManyStatistics = (all: readonly CrossedStatistics[]): void => {
  const bins = all.flatMap(({ entries, rest }) => [...entries, rest.bins])
  if (bins.reduce((sum, { length }) => sum + length, 0) > MAX_CROSSED_STATISTICS) throw tooManyStatistics()
}

export const tooManyStatistics = (): Error =>
  invalidParameters({
    statistics: [
      `The entries of by have more than ${MAX_CROSSED_STATISTICS} statistics of bins. Enter fewer names in statistics, fewer or longer bins, such as bins=year, or a smaller by_size.`,
    ],
  })
