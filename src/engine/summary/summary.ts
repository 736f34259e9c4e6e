import { type SQL, sql } from 'drizzle-orm'
import { at, numberAt } from '../../base/collections.ts'
import { CELL_LEVELS, cellAt, cellBounds, cellIn } from '../../geometry/cell.ts'
import type { Selection } from '../../question/question.ts'
import { asksNothing, type Search, searchOf } from '../conditions/search.ts'
import { tableOf } from '../conditions/tables.ts'
import { integerOf } from '../d1/sql.ts'
import { criteriaOf } from '../d1/write.ts'
import { MAX_CROSSED_BINS } from '../limits.ts'
import { admit } from '../run/admit.ts'
import { withoutArea } from '../run/area.ts'
import type { Database, RowReader } from '../run/database.ts'
import { decideRows } from '../run/latest.ts'
import { columnsOfCell } from '../sql/columns.ts'
import { planOf } from '../sql/plan.ts'
import type { FacetCounts, Shape, Summary } from '../summaries.ts'
import { type EachNumber, numberColumn, numbersOf, START } from './eachNumber.ts'
import { readEverything } from './everything.ts'
import { type CountedFacet, countedEntries, type FoundEntries, facetOf, isStored, type NumberColumn } from './facets.ts'
import { type BinCounter, binCounter, bump, type Fineness, type Groups, histogram, tooManyBins } from './histogram.ts'
import { NO_NUMBERS, numberFieldOf, readStatistics, type SummaryStatistics } from './statistics.ts'

/** The bins with rows, in ascending order. `start` is the first instant of a bin. */
type SortedBins = readonly (readonly [start: number, count: number])[]

/** The entries with the most rows, and the bins of each. `rest` has all other rows. */
interface Crossed extends FoundEntries {
  readonly bins: readonly SortedBins[]
  readonly rest: SortedBins
}

/** `crossed` has the entries of `by`. Null: nobody asked. */
interface Counted {
  readonly groups: Groups
  readonly facets: readonly FoundEntries[]
  readonly crossed: Crossed | null
}

/**
 * Summarizes the matching rows that the caller sees. Without filters it reads stored counts. With filters it
 * reads every match once in a compact form and counts it here. It reads the rows with a number once more for each column
 * of numbers, but attributes only once. Throws a 400 for too many bins.
 */
export const fetchSummary = async (db: Database, selection: Selection, shape: Shape): Promise<Summary> => {
  const { read } = db
  const facets = shape.facets.map((facet) => facetOf(facet, shape.zone))
  const by = shape.by && facetOf(shape.by, shape.zone)
  const asked = searchOf(tableOf('events', []), criteriaOf('events', selection), db.level)
  const search = await withoutArea(read, await decideRows(read, asked))
  await admit(read, planOf(search, read.estimates(), null))
  // Nodes are longer than an hour.
  const isAll = asksNothing(search) && by === null && shape.bins !== 'hour'
  const stored = isAll && facets.every(isStored) ? await readEverything(read, search, shape, facets) : null
  const grouped = by === null ? facets : [...facets, by]
  const place = numberColumn(placeColumn(shape.level))
  const fields = shape.numbers.map((field) => numberFieldOf(search, field))
  const each = await numbersOf(read, search, [place, START, ...grouped, ...fields.map(({ column }) => column)])
  const counted = stored ?? (await countEachMatch(read, search, { each, place }, shape, facets, by))
  const statistics: SummaryStatistics[] = []
  for (const field of fields) statistics.push(await readStatistics(each, field, grouped, counted.groups.binOf))
  return summaryOf(counted, statistics)
}

/** Counts the matches row by row. */
const countEachMatch = async (
  read: RowReader,
  search: Search,
  { each, place }: { readonly each: EachNumber; readonly place: NumberColumn },
  fineness: Fineness,
  facets: readonly CountedFacet[],
  by: CountedFacet | null,
): Promise<Counted> => {
  const { add, groups: counted } = histogram(fineness)
  const grouped = by === null ? facets : [...facets, by]
  const counts = grouped.map(() => new Map<number, number>())
  const crossed = crossing(fineness)
  const cellOf = cellOfPlace(fineness.level)
  await each([place, START, ...grouped], (numbers, offset) => {
    const start = numberAt(numbers, offset + 1)
    add(start, cellOf(numberAt(numbers, offset)))
    counts.forEach((entries, i) => {
      const key = at(grouped, i).keyOf(numberAt(numbers, offset + 2 + i)) // the facets follow the place and the start
      bump(entries, key, 1)
      if (i === facets.length) crossed.add(start, key)
    })
  })
  const groups = counted()
  const found = await countedEntries(read, search.level, grouped, counts)
  if (by === null) return { groups, facets: found, crossed: null }
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
  return { groups, facets: found.slice(0, -1), crossed: crossedOf(groups, entries, bins) }
}

const crossedOf = (groups: Groups, counts: FoundEntries, bins: CrossedBins): Crossed => {
  const listed = counts.entries.map(({ id }) => bins.get(id) ?? new Map())
  return { ...counts, bins: listed.map(sorted), rest: sorted(restOf(groups, listed)) }
}

const summaryOf = ({ groups, facets, crossed }: Counted, statistics: readonly SummaryStatistics[]): Summary => {
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
    step: count === 0 ? null : step,
    bins: sorted(bins),
    level: placed.length === 0 ? null : level,
    cells: placed.map(([cell, rows]) => [...cellBounds(cellAt(level, cell)), rows]),
    facets: facets.map((each, i) => countsOf(each, i)),
    by: crossed && {
      ...countsOf(crossed, facets.length, crossed.bins),
      rest: { count: crossed.rest.reduce((sum, [, rows]) => sum + rows, 0), bins: crossed.rest },
    },
    statistics: statistics.map(({ whole, bins }) => ({ ...whole, bins })),
  }
}

const sorted = (counts: ReadonlyMap<number, number>) => [...counts].sort((a, b) => a[0] - b[0])

/** The bins of some entries, by the id of the entry. A bin has its first instant and its rows. */
type CrossedBins = ReadonlyMap<number, ReadonlyMap<number, number>>

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

/** Returns the bins of the rows that belong to none of the entries. */
const restOf = (groups: Groups, entries: readonly ReadonlyMap<number, number>[]): ReadonlyMap<number, number> => {
  const rest = new Map(groups.bins)
  for (const bins of entries) for (const [start, rows] of bins) bump(rest, start, -rows)
  return new Map([...rest].filter(([, rows]) => rows > 0))
}

/** Writes the place of a row: the column of its cell * 2^level + the row. It is -1 without coordinates. */
const placeColumn = (level: number): SQL => {
  const { column, row } = columnsOfCell(level)
  return sql`coalesce(${column} * ${integerOf(2 ** level)} + ${row}, -1)`
}

/** Returns a function that converts a place to the first finest cell in it. It is negative without coordinates. */
const cellOfPlace = (level: number): ((place: number) => number) => {
  const side = 2 ** level
  const size = 4 ** (CELL_LEVELS - level)
  return (place) => {
    const column = Math.floor(place / side)
    return place < 0 ? place : cellIn(column, place - column * side) * size
  }
}
