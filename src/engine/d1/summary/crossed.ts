import { at, numberAt } from '../../../base/collections.ts'
import { countTallies } from '../../../base/work.ts'
import type { Crossed, CrossedBins, FoundEntries } from '../../shared/summary/assemble.ts'
import {
  type CrossedStatistics,
  type CrossedTallies,
  crossedStatisticsOf,
  refuseManyStatistics,
  tooManyStatistics,
} from '../../shared/summary/crossed.ts'
import { type ExactSum, unitsIn } from '../../shared/summary/exactSum.ts'
import {
  type BinCounter,
  binCounter,
  bump,
  type Fineness,
  type Groups,
  tooManyCrossed,
} from '../../shared/summary/histogram.ts'
import type { Tally } from '../../shared/summary/statistics.ts'
import { MAX_CROSSED_BINS, MAX_CROSSED_STATISTICS } from '../../summaries.ts'
import type { CountedFacet } from './facets.ts'
import { type EachNumber, type NumberField, note, START } from './statistics.ts'

/**
 * Counts the rows of all entries by bin. It counts nothing more after MAX_CROSSED_BINS, so it needs little more memory
 * than an answer.
 */
export const binCrossing = (fineness: Fineness) => {
  const counters = new Map<number, BinCounter>()
  let size = 0
  return {
    /** Adds a row. The key is -1 without an entry. */
    add: (start: number, key: number): void => {
      if (key < 0 || size > MAX_CROSSED_BINS) return
      const counter = counters.get(key) ?? binCounter(fineness)
      counters.set(key, counter)
      size -= counter.size()
      counter.add(1, start)
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

/**
 * Adds up numbers by entry and bin. It adds nothing after `most` pairs of them. With `only`, the numbers of all other
 * entries are together.
 */
export const numberCrossing = (most: number, only: ReadonlySet<number> | null = null) => {
  const entries = new Map<number, Map<number, Tally<ExactSum>>>()
  let size = 0
  return {
    /** Adds a number. The key is -1 without an entry. */
    add: (key: number, bin: number, number: number): void => {
      if (size > most) return
      const entry = only === null || only.has(key) ? key : -1
      const bins = entries.get(entry) ?? new Map<number, Tally<ExactSum>>()
      if (bins.size === 0) entries.set(entry, bins)
      if (!bins.has(bin)) size += 1
      note(bins, bin, number)
    },
    /** Returns the numbers. Null: there were too many pairs. */
    tallies: (): CrossedTallies<ExactSum> | null => (size > most ? null : entries),
  }
}

/** The first read of the matches counts by entry and bin. It stops if all entries together need too much memory. */
interface FirstRead {
  readonly bins: CrossedBins | null
  readonly numbers: readonly ReturnType<typeof numberCrossing>[]
}

/**
 * Returns the bins of the listed entries with their statistics. If the first read had too many bins, it reads the matches
 * once more, and counts the listed entries alone. Throws a 400 if these have too many, too.
 */
export const readCrossed = async (
  each: EachNumber,
  by: CountedFacet,
  found: FoundEntries,
  fields: readonly NumberField[],
  { binOf }: Groups,
  first: FirstRead,
): Promise<Crossed> => {
  const ids = found.entries.map(({ id }) => id)
  const listed = new Set(ids)
  const bins = first.bins ?? (await countBins(each, by, listed, binOf))
  const statistics: CrossedStatistics[] = []
  for (const [i, field] of fields.entries()) {
    const tallies = at(first.numbers, i).tallies() ?? (await addUp(each, by, listed, field, binOf))
    statistics.push(crossedStatisticsOf(tallies, ids, unitsIn))
  }
  refuseManyStatistics(statistics)
  return { found, bins, statistics }
}

const countBins = async (
  each: EachNumber,
  by: CountedFacet,
  listed: ReadonlySet<number>,
  binOf: Groups['binOf'],
): Promise<CrossedBins> => {
  const entries = new Map(Array.from(listed, (id) => [id, new Map<number, number>()]))
  let size = 0
  await each([START, by], (numbers, offset) => {
    const bins = entries.get(by.keyOf(numberAt(numbers, offset + 1)))
    if (bins === undefined) return
    const bin = binOf(numberAt(numbers, offset))
    if (!bins.has(bin)) size += 1
    if (size > MAX_CROSSED_BINS) throw tooManyCrossed()
    bump(bins, bin, 1)
  })
  return entries
}

const addUp = async (
  each: EachNumber,
  by: CountedFacet,
  listed: ReadonlySet<number>,
  { column, search }: NumberField,
  binOf: Groups['binOf'],
): Promise<CrossedTallies<ExactSum>> => {
  const crossing = numberCrossing(MAX_CROSSED_STATISTICS, listed)
  const add = (numbers: Float64Array, offset: number): void => {
    const number = numberAt(numbers, offset + 1)
    countTallies(1)
    if (Number.isNaN(number)) return
    crossing.add(by.keyOf(numberAt(numbers, offset + 2)), binOf(numberAt(numbers, offset)), number)
  }
  await each([START, column, by], add, search)
  const tallies = crossing.tallies()
  if (tallies === null) throw tooManyStatistics()
  return tallies
}
