import { sql } from 'drizzle-orm'
import type { Condition } from '../../filters/filter.ts'
import type { Bbox } from '../../geometry/bbox.ts'
import { cellAt, cellBounds } from '../../geometry/cell.ts'
import type { Database } from '../db/d1.ts'
import { atOneState } from '../db/snapshot.ts'
import { eachMatch } from '../matches.ts'
import { choose } from '../plan/choose.ts'
import { asksOnlyArea } from '../plan/conditions.ts'
import { factsOf } from '../plan/facts.ts'
import { type Search, searchOf } from '../search.ts'
import type { Access, Table } from '../table.ts'
import { readEverything } from './everything.ts'
import { type Counted, countedEntries, type Facet, type FacetCounts, keyOf } from './facets.ts'
import { bump, type Fineness, type Groups, histogram, inOneBin } from './histogram.ts'

/** Of which rows, how fine at most, and by what else they are counted. */
export interface SummaryRequest extends Fineness {
  readonly conditions: readonly Condition[]
  readonly facets: readonly Facet[]
}

/** All that matches, by its start, by its cell, and by the entries that it refers to. */
export interface Summary {
  readonly count: number
  /** The least start and the greatest; null where nothing matches. */
  readonly least: number | null
  readonly greatest: number | null
  /** How many milliseconds a bin has; null where nothing matches, and where bins differ. */
  readonly step: number | null
  /** The bins that rows fall into, ascending by the least start that may. */
  readonly bins: readonly (readonly [start: number, count: number])[]
  /** The level of the cells; null where nothing that matches has a place. */
  readonly level: number | null
  /** The cells that rows fall into, by their bounds in degrees, ascending by the ranges of finest cells. */
  readonly cells: readonly (readonly [...Bbox, count: number])[]
  /** In the order of the facets that were asked for. */
  readonly facets: readonly FacetCounts[]
}

/**
 * Sums up what matches, of the rows that a caller of this level sees. Everything is summed up from the counts; what
 * filters leave is read once, in compact portions, and counted here. Throws TooManyBins.
 */
export const fetchSummary = (
  db: Database,
  table: Table,
  access: Access,
  request: SummaryRequest,
  level: number,
): Promise<Summary> =>
  atOneState(db, async (read) => {
    const noPage = { order: { column: null, descending: false }, pageSize: 1, page: 1, cursor: null, key: null }
    const search = searchOf(db, read, table, access, { ...request, ...noPage }, level)
    const isAll = asksOnlyArea(search.criteria) && search.criteria.area === null
    const { groups, facets } = await (isAll ? readEverything : countMatches)(search, request, request.facets)
    return summaryOf(request.bins === 1 ? inOneBin(groups) : groups, facets)
  })

/** Counts what matches, row by row. */
const countMatches = async (search: Search, fineness: Fineness, facets: readonly Facet[]): Promise<Counted> => {
  const { add, groups } = histogram(fineness)
  const counts = facets.map(() => new Map<number, number>())
  const extras = [sql`${search.access.time.start}`, ...facets.map(keyOf)]
  const known = await factsOf(search)
  await eachMatch(search, known, choose(search, known), extras, (rows, column, row, numbers, at) => {
    add(rows, numbers[at] as number, column, row) // the first of the extra numbers
    counts.forEach((entries, i) => {
      const key = numbers[at + 1 + i] as number // the others follow it
      if (key >= 0) bump(entries, key, rows)
    })
  })
  return { groups: groups(), facets: await countedEntries(search, facets, counts) }
}

const summaryOf = (
  { count, least, greatest, step, bins, level, cells }: Groups,
  facets: Summary['facets'],
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
  }
}

const sorted = (counts: ReadonlyMap<number, number>) => [...counts].sort((a, b) => a[0] - b[0])
