import { at, numberAt } from '../../../base/collections.ts'
import { countTallies } from '../../../base/work.ts'
import { cellOf, NOWHERE } from '../../../geometry/cell.ts'
import type { Selection } from '../../../question/question.ts'
import { MAX_CROSSED_BINS } from '../../limits.ts'
import {
  type Counted,
  type CrossedBins,
  crossedOf,
  type Entries,
  type SummaryStatistics,
  summaryOf,
} from '../../shared/summary/assemble.ts'
import { boundsCounter } from '../../shared/summary/bounds.ts'
import {
  type BinCounter,
  binCounter,
  bump,
  type Fineness,
  type Groups,
  histogram,
  tooManyBins,
} from '../../shared/summary/histogram.ts'
import type { Shape, Summary } from '../../summaries.ts'
import { admit } from '../admit.ts'
import type { Database, RowReader } from '../database.ts'
import { decide } from '../decide.ts'
import { withoutArea } from '../decideArea.ts'
import { planOf } from '../plan.ts'
import { asksNothing, type Search, searchOf } from '../search.ts'
import { tableOf } from '../tables.ts'
import { readEverything } from './everything.ts'
import { type CountedFacet, countedEntries, facetOf, isStored } from './facets.ts'
import { type EachNumber, NO_PLACE, numberFieldOf, numbersOf, PLACE, readStatistics, START } from './statistics.ts'

/**
 * Summarizes the matching rows that the caller sees. Without filters it reads stored counts. With filters it
 * reads every match once in a compact form and counts it here. It reads the rows with a number once more for each column
 * of numbers, but attributes only once. Throws a 400 for too many bins.
 */
export const fetchSummary = async (db: Database, selection: Selection, shape: Shape): Promise<Summary> => {
  const { read } = db
  const facets = shape.facets.map((facet) => facetOf(facet, shape.zone))
  const by = shape.by && facetOf(shape.by, shape.zone)
  const asked = searchOf(tableOf('events', []), selection, db.level)
  const search = await withoutArea(read, await decide(read, asked))
  await admit(read, planOf(search, read.estimates(), null))
  // Nodes are longer than an hour.
  const isAll = asksNothing(search) && by === null && shape.bins !== 'hour'
  const areStored = facets.every((facet) => isStored(facet) && typeof facet.order.by === 'string')
  const stored = isAll && areStored ? await readEverything(read, search, shape, facets.filter(isStored)) : null
  const grouped = by === null ? facets : [...facets, by]
  const fields = shape.numbers.map((field) => numberFieldOf(search, field))
  const each = await numbersOf(read, search, [...PLACE, START, ...grouped, ...fields.map(({ column }) => column)])
  const counted = stored ?? (await countEachMatch(read, search, each, shape, grouped, by))
  const statistics: SummaryStatistics[] = []
  for (const field of fields) statistics.push(await readStatistics(each, field, grouped, counted.groups.binOf))
  return summaryOf(counted, await counted.entriesBy(statistics), statistics)
}

/** Counts the matches row by row. The last of the grouped facets is `by`, unless it is null. */
const countEachMatch = async (
  read: RowReader,
  search: Search,
  each: EachNumber,
  fineness: Fineness,
  grouped: readonly CountedFacet[],
  by: CountedFacet | null,
): Promise<Counted> => {
  const { add, groups: counted } = histogram(fineness)
  const counts = grouped.map(() => new Map<number, number>())
  const crossed = crossing(fineness)
  const places = boundsCounter(fineness.level)
  await each([...PLACE, START, ...grouped], (numbers, offset) => {
    const [x, y, start] = [numberAt(numbers, offset), numberAt(numbers, offset + 1), numberAt(numbers, offset + 2)]
    add(start, x === NO_PLACE ? NOWHERE : cellOf(x, y))
    if (x !== NO_PLACE) places.add(x, y)
    countTallies(counts.length)
    counts.forEach((entries, i) => {
      const key = at(grouped, i).keyOf(numberAt(numbers, offset + 3 + i)) // the facets follow the place and the start
      bump(entries, key, 1)
      if (grouped[i] === by) crossed.add(start, key)
    })
  })
  const groups = counted()
  const entriesBy = async (statistics: readonly SummaryStatistics[]): Promise<Entries> => {
    const found = await countedEntries(
      read,
      search.level,
      grouped,
      counts,
      statistics.map(({ facets }) => facets),
    )
    if (by === null) return { facets: found, crossed: null }
    const entries = at(found, -1)
    let bins = crossed.bins(groups)
    if (bins === null) {
      // The matches are read once more, and only the bins of the listed entries are counted.
      const again = crossing(fineness, new Set(entries.entries.map(({ id }) => id)))
      await each([START, by], (numbers, offset) =>
        again.add(numberAt(numbers, offset), by.keyOf(numberAt(numbers, offset + 1))),
      )
      bins = again.bins(groups)
    }
    if (bins === null) throw tooManyBins()
    return { facets: found.slice(0, -1), crossed: crossedOf(groups, entries, bins) }
  }
  return { groups, bounds: places.bounds(groups), entriesBy }
}

/**
 * Counts rows by dictionary entry and by bin. `only` limits the entries. It counts nothing more after MAX_CROSSED_BINS,
 * so it needs little more memory than an answer.
 */
const crossing = (fineness: Fineness, only: ReadonlySet<number> | null = null) => {
  const counters = new Map<number, BinCounter>()
  let size = 0
  return {
    /** Adds a row. The key is -1 without an entry. */
    add: (start: number, key: number): void => {
      if (key < 0 || size > MAX_CROSSED_BINS || only?.has(key) === false) return
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
