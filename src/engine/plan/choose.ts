import type { SQLWrapper } from 'drizzle-orm'
import { at } from '../../collections.ts'
import type { ColumnRange } from '../../filters/sql.ts'
import { endsOf } from '../candidates/ends.ts'
import { type Facts, MAX_LOOKED_UP } from '../candidates/facts.ts'
import { countedIn, partOf, rowsInExtent } from '../candidates/nodes.ts'
import { indexInOrder, type OrderedCandidate, orderedCandidatesOf } from '../candidates/ordered.ts'
import { byDurationClass, type Candidate, candidatesOf, LOOKED_UP, UNKNOWN } from '../candidates/paths.ts'
import { type Region, rangesOfCells } from '../candidates/region.ts'
import { asksOnlyArea, extentOf, type Group, isBounded, isRectangular } from '../conditions/criteria.ts'
import { type Slice, startsWithValues } from '../conditions/page.ts'
import { durationsOf, type Search, sliceOf, treeOf } from '../conditions/search.ts'
import { type CellCounting, type Counting, type PageRead, type Plan, storedCountOf } from './plan.ts'

/** The cost of storing a match for counting and sorting. The unit is rows read. */
const COPY_COST = 3
/** A scan in order may read this many times the expected rows. Then the page is almost certainly full. */
const RESERVE = 2.5
/** The rows read per row of a slice to find out which rows end near it. */
const SAMPLE_COST = 18
/** The most entries whose rows are merged. The rows of more entries are sorted. */
const MAX_MERGED_ENTRIES = 100
/** The most ids of one entry in a merge. Their JSON text is far below the limit of 2 MB. */
export const MAX_MERGED = 50_000
/** A path with more expected rows than this is not guarded. */
const MAX_GUARDED = 1000
/**
 * If the path has at most this many rows, they are tested point by point. Otherwise the cells of the area are read.
 */
const MAX_TESTED = 40_000

/** Chooses the path with the fewest rows, and how to count. The page follows later from the size of its slice. */
export const choose = (search: Search, facts: Facts): Plan => {
  const candidates = candidatesOf(search, facts)
  const narrow = at(candidates, 0)
  const chosen = {
    path: narrow.range.path,
    narrow: guarded(search, facts, narrow),
    beaten: candidates.slice(1),
    ordered: orderedCandidatesOf(search, facts),
    ends: search.order.column === search.access.time.end ? endsOf(search, facts) : null,
    expected: expectedRows(search, facts),
    entries: facts.entries,
    region: facts.region,
    page: null,
  }
  return { ...chosen, count: countingOf(search, chosen) }
}

/** Guards a path with few rows in the times of the search, unless its rows are certainly visible. */
const guarded = (search: Search, { statistics }: Facts, path: Candidate): Candidate => {
  const { access, bounds, visible } = search
  const isSeen = path.entries?.group.dictionary.key === access.owner
  const rows = byDurationClass(search, bounds, statistics)?.rows ?? Infinity
  const isBoundedInTime = isBounded(bounds.start) || isBounded(bounds.end)
  return visible === null || isSeen || rows > MAX_GUARDED || !isBoundedInTime ? path : { ...path, guarded: true }
}

const expectedRows = (search: Search, { statistics, entries, rowsByColumn, region }: Facts): number => {
  if (search.known !== null) return search.known.count
  const { criteria, table, bounds } = search
  const { total, ids } = statistics
  const parts = [
    partOf(rowsInExtent(ids, extentOf(criteria, table.id)), total),
    ...Array.from(rowsByColumn.values(), (rows) => (rows < MAX_LOOKED_UP ? partOf(rows, total) : UNKNOWN)),
    ...entries.map(({ rows }) => partOf(rows, total)),
    partOf(byDurationClass(search, bounds, statistics)?.rows ?? total, total),
    region === null ? 1 : partOf(region.inside + region.atBoundary / 2, total),
    UNKNOWN ** (criteria.plain.length + criteria.lists.length),
  ]
  return parts.reduce((left, part) => left * part, total)
}

type Chosen = Omit<Plan, 'count'>

const countingOf = (search: Search, plan: Chosen): Counting => {
  const { narrow, region, expected } = plan
  const { criteria, known, page, cursor } = search
  if (region !== null && !isRectangular(region.area))
    return narrow.range.path !== 'cells' && narrow.rows <= MAX_TESTED
      ? { by: 'tests of the path', ...cellCounting(search, region) }
      : { by: 'tests of cells', ...cellCounting(search, region) }
  if (region !== null && asksOnlyArea(criteria)) {
    const { counted, ranges } = countedInside(region)
    const boundary = rangesOfCells(region.boundary)
    return { by: 'rectangles', counted, ranges: [...ranges, ...boundary].sort((a, b) => a[0] - b[0]) }
  }
  const stored = storedCountOf(search, plan.entries, region)
  if (stored !== null) return { by: 'stored counts', of: stored }
  const isFirst = page === 1 && cursor === null && known === null
  // Nobody knows how many rows meet a condition in SQL, so a page and a count could scan the table three times.
  const isBlind = narrow.range.path === 'everything' && criteria.plain.length > 0
  const isSorted = COPY_COST * (expected ?? narrow.rows) < narrow.rows && !isOrdered(search, plan)
  return isFirst && (isBlind || isSorted) ? { by: 'the same scan' } : { by: 'path' }
}

/** Counts the cells inside an area. Stored counts give most of their rows if the area is the only filter. */
const cellCounting = ({ criteria }: Search, region: Region): CellCounting =>
  asksOnlyArea(criteria) ? countedInside(region) : { counted: 0, ranges: region.covering.interior }

const countedInside = (region: Region): CellCounting => {
  const inside = region.interior.map(({ range }) => range)
  const { counted, uncounted } = countedIn(region.nodes, inside)
  return { counted: counted.reduce((sum, [, rows]) => sum + rows, 0), ranges: uncounted }
}

/** Decides how to read a slice. It scans in order if the page is full before sorting would have read as many rows. */
export const pageReadOf = (search: Search, plan: Chosen, slice: Slice): PageRead => {
  const { criteria } = search
  const { narrow, region, entries } = plan
  if (plan.page !== null) return plan.page
  const conditions = criteria.plain.length + criteria.spans.length + criteria.lists.length
  const [only, ...others] = entries
  if (only !== undefined && others.length === 0 && conditions === 0 && region === null) {
    const { ids, group } = only
    const merge = ids && ids.length <= MAX_MERGED_ENTRIES ? mergeOf(search, group.dictionary.key, ids, slice) : null
    if (merge !== null) return merge
  }
  const lasting = valuesIn(durationsOf(search) ?? [])
  const merge = lasting.length > 0 ? mergeOf(search, search.access.time.durationColumn, lasting, slice) : null
  if (merge !== null) return merge
  const needed = slice.offset + slice.limit
  if (plan.ordered.length === 0 || !startsWithValues(search.order, slice)) return { read: 'sort', ends: null }
  const { path: along, cost } = cheapest(plan, slice)
  const nearEnds = plan.ends === null ? Infinity : plan.ends.rows + SAMPLE_COST * needed
  const [ends, sorted] = nearEnds < narrow.rows ? [plan.ends, nearEnds] : [null, narrow.rows]
  if (RESERVE * cost >= sorted) return { read: 'sort', ends }
  const most = Math.max(needed, ends === null ? RESERVE * cost : 0, sorted / LOOKED_UP)
  return { read: 'scan or sort', along, most: Math.ceil(most), ends }
}

/** Returns the values of extents that have one value each. Empty: there are others, or too many to merge their rows. */
const valuesIn = (extents: readonly ColumnRange[]): readonly number[] => {
  const isOne = ([least, greatest]: ColumnRange) =>
    least !== null && least === greatest && Number.isSafeInteger(Number(least))
  return extents.length <= MAX_MERGED_ENTRIES && extents.every(isOne) ? extents.map(([value]) => Number(value)) : []
}

/** Returns the ordered path that probably fills a slice after the fewest rows. */
const cheapest = (plan: Chosen, { offset, limit }: Slice): { readonly path: OrderedCandidate; readonly cost: number } =>
  plan.ordered
    .map((path) => ({ path, cost: ((offset + limit) * path.rows) / Math.max(1, plan.expected ?? 1) }))
    .reduce((best, path) => (path.cost < best.cost ? path : best))

/** Returns true if the first page will probably be read in order. */
const isOrdered = (search: Search, plan: Chosen): boolean =>
  plan.ordered.length > 0 && cheapest(plan, sliceOf(search, 0)).cost * RESERVE < plan.narrow.rows

/** Reads a slice of all rows of some entries. Returns null if no index has these rows in list order. */
export const mergeOf = (
  search: Search,
  on: SQLWrapper,
  entries: readonly number[] | Group,
  slice: Slice,
): PageRead | null => {
  const { access, order, table } = search
  const index = indexInOrder(access, on, order.column ?? table.id)
  // An index may have another order without an index of its own, such as object_id for each model.
  if (treeOf(search) === null || index === null || slice.limit + slice.offset > MAX_MERGED) return null
  return { read: 'merge', index, entries }
}
