import { type SQLWrapper, sql } from 'drizzle-orm'
import { numberAt } from '../../collections.ts'
import type { Condition } from '../../filters/filter.ts'
import type { Bbox } from '../../geometry/bbox.ts'
import { cellAt, cellBounds } from '../../geometry/cell.ts'
import { asksOnlyArea } from '../conditions/criteria.ts'
import { type Search, searchOf } from '../conditions/search.ts'
import type { Access, Table } from '../conditions/table.ts'
import { choose } from '../plan/choose.ts'
import type { Cache } from '../run/cache.ts'
import type { Database } from '../run/database.ts'
import { readFacts } from '../run/facts.ts'
import { matchReading } from '../run/matches.ts'
import { readPortions } from '../run/portions.ts'
import { atOneState, type SnapshotReader } from '../run/snapshot.ts'
import { decideTexts } from '../run/texts.ts'
import { readEverything } from './everything.ts'
import { countedEntries, type Facet, type FacetCounts, type FacetSlice, keyOf, type SummaryCounts } from './facets.ts'
import { binIn, bump, type Fineness, type Groups, histogram, inOneBin } from './histogram.ts'
import { readStatistics, type SummaryStatistics } from './statistics.ts'

/** The client requests a summary with filters, limits and facets. */
export interface SummaryRequest extends Fineness {
  readonly conditions: readonly Condition[]
  readonly facets: readonly Facet[]
  readonly slice: FacetSlice
  /** The columns whose numbers are summarized. */
  readonly numbers: readonly SQLWrapper[]
}

/** Counts of the matching rows: by start, by cell and by dictionary entry. */
export interface Summary {
  readonly count: number
  /** The first and the last start in milliseconds since 1970. Null without rows. */
  readonly least: number | null
  readonly greatest: number | null
  /** The milliseconds of a bin. It is null without rows, or if the bins differ in length. */
  readonly step: number | null
  /** The bins with rows, in ascending order. `start` is the first instant of a bin. */
  readonly bins: readonly (readonly [start: number, count: number])[]
  /** The level of the cells. It is null if no row has coordinates. */
  readonly level: number | null
  /** The cells with rows, by their bounds in degrees. They are sorted by their ranges of finest cells. */
  readonly cells: readonly (readonly [...Bbox, count: number])[]
  /** They are in the order of the requested facets. */
  readonly facets: readonly FacetCounts[]
  /** They are in the order of the requested columns. */
  readonly statistics: readonly SummaryStatistics[]
}

/**
 * Summarizes the matching rows that this access level sees. Without filters it reads stored counts. With filters it
 * reads every match once in a compact form and counts it here. It reads the rows with a number once more for each column
 * of numbers. Throws TooManyBins.
 */
export const fetchSummary = (
  db: Database,
  table: Table,
  access: Access,
  request: SummaryRequest,
  level: number,
): Promise<Summary> =>
  atOneState(db, async (read) => {
    const asked = searchOf(table, access, level, request)
    const search = asked.criteria.tested.length === 0 ? asked : await decideTexts(read, db.cache, asked)
    const isAll = asksOnlyArea(search.criteria) && search.criteria.area === null && request.zone === null
    const { groups: counted, facets } = isAll
      ? await readEverything(read, search, request, request.facets, request.slice)
      : await countMatches(read, db.cache, search, request)
    const groups = request.bins === 1 ? inOneBin(counted) : counted
    const statistics: SummaryStatistics[] = []
    for (const column of request.numbers)
      statistics.push(await readStatistics(read, db.cache, search, column, request.facets, binIn(groups, request)))
    return summaryOf(groups, facets, statistics)
  })

/** Counts the matches row by row. */
const countMatches = async (
  read: SnapshotReader,
  cache: Cache,
  search: Search,
  { facets, slice, numbers: _, ...fineness }: SummaryRequest,
): Promise<SummaryCounts> => {
  const { add, groups } = histogram(fineness)
  const counts = facets.map(() => new Map<number, number>())
  const extras = [sql`${search.access.time.start}`, ...facets.map(keyOf)]
  const facts = await readFacts(read, cache, search)
  const { level } = fineness
  const plan = choose(facts.search, facts)
  const matching = { search: facts.search, plan, statistics: facts.statistics, extras, level }
  const reading = matchReading(matching, (rows, cell, numbers, offset) => {
    add(rows, numberAt(numbers, offset), cell) // the start is the first extra number
    counts.forEach((entries, i) => {
      const key = numberAt(numbers, offset + 1 + i) // the facets follow the start
      if (key >= 0) bump(entries, key, rows)
    })
  })
  await readPortions(read, reading)
  return { groups: groups(), facets: await countedEntries(read, facets, slice, counts) }
}

const summaryOf = (
  { count, least, greatest, step, bins, level, cells }: Groups,
  facets: Summary['facets'],
  statistics: Summary['statistics'],
): Summary => {
  const placed = sorted(cells)
  return {
    count,
    least,
    greatest,
    step: count === 0 ? null : step,
    bins: sorted(bins),
    level: placed.length === 0 ? null : level,
    cells: placed.map(([cell, rows]) => [...cellBounds(cellAt(level, cell)), rows]),
    facets,
    statistics,
  }
}

const sorted = (counts: ReadonlyMap<number, number>) => [...counts].sort((a, b) => a[0] - b[0])
