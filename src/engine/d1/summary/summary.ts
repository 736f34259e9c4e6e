import { at, numberAt } from '../../../base/collections.ts'
import { countTallies } from '../../../base/work.ts'
import { cellOf, NOWHERE } from '../../../geometry/cell.ts'
import type { Selection } from '../../../question/question.ts'
import { type Crossed, type CrossedBins, type FoundEntries, summaryOf } from '../../shared/summary/assemble.ts'
import { boundsCounter } from '../../shared/summary/bounds.ts'
import {
  type CrossedStatistics,
  type CrossedTallies,
  crossedStatisticsOf,
  refuseManyStatistics,
  tooManyStatistics,
} from '../../shared/summary/crossed.ts'
import { distinctCounter, unlisted } from '../../shared/summary/distinct.ts'
import { type ExactSum, unitsIn } from '../../shared/summary/exactSum.ts'
import {
  type BinCounter,
  binCounter,
  bump,
  type CountedGroups,
  crossedBins,
  type Fineness,
  histogram,
} from '../../shared/summary/histogram.ts'
import type { SummaryStatistics, Tally } from '../../shared/summary/statistics.ts'
import { MAX_CROSSED_BINS, MAX_CROSSED_STATISTICS, type Shape, type Summary } from '../../summaries.ts'
import { admit } from '../admit.ts'
import type { Database } from '../database.ts'
import { decide } from '../decide.ts'
import { withoutArea } from '../decideArea.ts'
import { planOf } from '../plan.ts'
import { asksNothing, searchOf } from '../search.ts'
import { tableOf } from '../tables.ts'
import { readEverything } from './everything.ts'
import { type CountedFacet, countedEntries, facetOf, isStored } from './facets.ts'
import {
  type EachNumber,
  NO_PLACE,
  type NumberField,
  note,
  numberFieldOf,
  numbersOf,
  PLACE,
  readStatistics,
  START,
} from './statistics.ts'

/**
 * Summarizes the matching rows that the caller sees. Without filters it reads stored counts. With filters it
 * reads every match once in a compact form and counts it here. It reads the rows with a number once more for each column
 * of numbers, but attributes only once. Throws a 400 for too many bins.
 */
export const fetchSummary = async (db: Database, selection: Selection, shape: Shape): Promise<Summary> => {
  const { read } = db
  const facets = shape.facets.map((facet) => facetOf(facet, shape.zone))
  const by = shape.by && facetOf(shape.by, shape.zone)
  const distinct = shape.distinct.map((field) => facetOf(unlisted(field), null))
  const asked = searchOf(tableOf('events', []), selection, db.level)
  const search = await withoutArea(read, await decide(read, asked))
  await admit(read, planOf(search, read.estimates(), null))
  // Nodes are longer than an hour.
  const isAll = asksNothing(search) && by === null && distinct.length === 0 && shape.bins !== 'hour'
  const areStored = facets.every((facet) => isStored(facet) && typeof facet.order.by === 'string')
  const stored = isAll && areStored ? await readEverything(read, search, shape, facets.filter(isStored)) : null
  const grouped = by === null ? facets : [...facets, by]
  const fields = shape.numbers.map((field) => numberFieldOf(search, field))
  const columns = [...PLACE, START, ...grouped, ...distinct, ...fields.map(({ column }) => column)]
  const each = await numbersOf(read, search, columns)
  const counted = stored ?? (await countEachMatch(each, shape, grouped, by, distinct))
  const { groups, bounds } = counted
  // All of them together have room for an answer.
  const share = Math.floor(MAX_CROSSED_STATISTICS / Math.max(1, fields.length))
  const crossings = by === null ? [] : fields.map(() => numberCrossing(share))
  const statistics: SummaryStatistics[] = []
  for (const [i, field] of fields.entries())
    statistics.push(await readStatistics(each, field, grouped, groups.binOf, crossings[i] ?? null))
  if ('facets' in counted) return summaryOf({ ...counted, by: null, statistics, distinct: [] })
  const entries = await countedEntries(read, search.level, grouped, counted.counts, statistics)
  const first = { bins: counted.crossed, numbers: crossings }
  const crossed = by && (await readCrossed(each, by, at(entries, -1), fields, groups, first))
  return summaryOf({
    groups,
    bounds,
    facets: entries.slice(0, facets.length),
    by: crossed,
    statistics,
    distinct: counted.distinct,
  })
}

/** Counts the matches row by row. The last of the grouped facets is `by`, unless it is null. */
const countEachMatch = async (
  each: EachNumber,
  shape: Shape,
  grouped: readonly CountedFacet[],
  by: CountedFacet | null,
  distinct: readonly CountedFacet[],
) => {
  const { add, groups: counted } = histogram(shape)
  const counts = grouped.map(() => new Map<number, number>())
  const crossing = binCrossing(shape)
  const places = boundsCounter(shape.level)
  const values = distinctCounter(distinct.length, grouped.length)
  const keys = new Float64Array(grouped.length)
  const [firstKey, firstValue] = [3, 3 + grouped.length] // after the place and the start
  await each([...PLACE, START, ...grouped, ...distinct], (numbers, offset) => {
    const [x, y, start] = [numberAt(numbers, offset), numberAt(numbers, offset + 1), numberAt(numbers, offset + 2)]
    add(start, x === NO_PLACE ? NOWHERE : cellOf(x, y))
    if (x !== NO_PLACE) places.add(x, y)
    countTallies(counts.length * (1 + distinct.length) + distinct.length)
    counts.forEach((entries, i) => {
      const key = at(grouped, i).keyOf(numberAt(numbers, offset + firstKey + i))
      keys[i] = key
      bump(entries, key, 1)
      if (grouped[i] === by) crossing.add(start, key)
    })
    for (let i = 0; i < distinct.length; i++) {
      const value = at(distinct, i).keyOf(numberAt(numbers, offset + firstValue + i))
      values.add(i, value)
      for (let facet = 0; facet < keys.length; facet++) values.addTo(i, facet, numberAt(keys, facet), value)
    }
  })
  const groups = counted()
  return {
    groups,
    bounds: places.bounds(groups),
    counts,
    crossed: by && crossing.bins(groups),
    distinct: values.values(),
  }
}

/**
 * Counts the rows of all entries by bin. It counts nothing more after MAX_CROSSED_BINS, so it needs little more memory
 * than an answer.
 */
const binCrossing = (fineness: Fineness) => {
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
    bins: (groups: CountedGroups): CrossedBins | null => {
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
const numberCrossing = (most: number, only: ReadonlySet<number> | null = null) => {
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
const readCrossed = async (
  each: EachNumber,
  by: CountedFacet,
  found: FoundEntries,
  fields: readonly NumberField[],
  { binOf }: CountedGroups,
  first: FirstRead,
): Promise<Crossed> => {
  const ids = found.entries.map(({ id }) => id)
  const listed = new Set(ids)
  const bins = first.bins ?? (await countBins(each, by, ids, binOf))
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
  listed: readonly number[],
  binOf: CountedGroups['binOf'],
): Promise<CrossedBins> => {
  const { bins, add } = crossedBins(listed)
  await each([START, by], (numbers, offset) =>
    add(by.keyOf(numberAt(numbers, offset + 1)), binOf(numberAt(numbers, offset)), 1),
  )
  return bins
}

const addUp = async (
  each: EachNumber,
  by: CountedFacet,
  listed: ReadonlySet<number>,
  { column, search }: NumberField,
  binOf: CountedGroups['binOf'],
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
