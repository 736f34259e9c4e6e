import { MAX_CROSSED_BINS } from '../limits.ts'
import { type BinCounter, binCounter, bump, type Fineness, type Groups } from './histogram.ts'

/** The bins of some entries, by the id of the entry. A bin has its first instant and its rows. */
export type CrossedBins = ReadonlyMap<number, ReadonlyMap<number, number>>

/**
 * Counts rows by dictionary entry and by bin. `only` limits the entries. It counts nothing more after MAX_CROSSED_BINS,
 * so it needs little more memory than an answer.
 */
export const crossing = (fineness: Fineness, only: ReadonlySet<number> | null = null) => {
  const counters = new Map<number, BinCounter>()
  let size = 0
  return {
    /** Adds rows with the same start and entry. The key is -1 without an entry. */
    add: (rows: number, start: number, key: number): void => {
      if (key < 0 || size > MAX_CROSSED_BINS || only?.has(key) === false) return
      const counter = counters.get(key) ?? binCounter(fineness)
      counters.set(key, counter)
      size -= counter.size()
      counter.add(rows, start)
      size += counter.size()
    },
    /** Returns the bins of each entry. They are as long as the bins of all rows. Null: there were too many. */
    bins: (groups: Groups): CrossedBins | null => {
      if (size > MAX_CROSSED_BINS) return null
      // Bins of a unit are final. Bins by number may be narrower than the bins of all rows.
      const binOf = typeof fineness.bins === 'string' ? (start: number) => start : groups.binOf
      const widened = (counter: BinCounter) => {
        const bins = new Map<number, number>()
        for (const [start, rows] of counter.bins().bins) bump(bins, binOf(start), rows)
        return bins
      }
      return new Map(Array.from(counters, ([key, counter]) => [key, widened(counter)]))
    },
  }
}

/** Returns the bins of the rows that belong to none of the entries. */
export const restOf = (
  groups: Groups,
  entries: readonly ReadonlyMap<number, number>[],
): ReadonlyMap<number, number> => {
  const rest = new Map(groups.bins)
  for (const bins of entries) for (const [start, rows] of bins) bump(rest, start, -rows)
  return new Map([...rest].filter(([, rows]) => rows > 0))
}
