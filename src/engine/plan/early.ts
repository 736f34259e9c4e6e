import type { ColumnRange } from '../../filters/sql.ts'
import { IN_ORDER } from '../candidates/ordered.ts'
import { ANY, asksOnlyArea, extentOf, isRectangular, isTested } from '../conditions/criteria.ts'
import { hasIndex, type OrderTree, type Search, sliceOf, treeOf } from '../conditions/search.ts'
import { mergeOf } from './choose.ts'
import { type Counting, type PageRead, type PathName, type Plan, type StoredCount, storedCountOf } from './plan.ts'

/**
 * Plans a page without facts, in one round trip: a page of all rows, or of a filter that names few rows of one
 * dictionary, such as a uuid. Returns null for other requests.
 */
export const planEarly = (search: Search): Plan | null => planOfEverything(search) ?? planOfFewRows(search)

const planOfEverything = (search: Search): Plan | null => {
  if (!asksOnlyArea(search.criteria) || search.criteria.area !== null) return null
  if (!hasIndex(search)) return null
  const tree = treeOfFarPage(search)
  return planOf(
    search,
    tree === null ? 'inOrder' : 'seek',
    tree === null ? { read: 'scan', along: IN_ORDER } : { read: 'seek', tree, before: 0, count: null },
    { by: 'stored counts', of: { of: 'everything' } },
  )
}

const planOfFewRows = (search: Search): Plan | null => {
  const { groups, plain, spans, lists, area } = search.criteria
  const [group, ...others] = groups
  if (group?.namesFewRows !== true || group.dictionary.counts === undefined || area !== null) return null
  if (others.length + plain.length + spans.length + lists.length > 0) return null
  const page = mergeOf(search, group.dictionary.key, group, sliceOf(search, 0))
  return page && planOf(search, 'entries', page, { by: 'stored counts', of: { of: 'matching entries', group } })
}

/** Returns a plan that reads every slice in the same way. */
const planOf = (search: Search, path: PathName, page: PageRead, count: Counting): Plan => {
  const { offset, limit } = sliceOf(search, 0)
  const narrow = { range: { path: 'everything' }, rows: offset + limit } as const
  return {
    path,
    narrow,
    beaten: [],
    ordered: [],
    ends: null,
    expected: search.known?.count ?? null,
    count,
    entries: [],
    region: null,
    page,
  }
}

/**
 * Returns the tree that can locate a far page. Returns null for other pages, or if no tree has the order of the list.
 */
const treeOfFarPage = (search: Search): OrderTree | null =>
  search.cursor === null && search.page !== 1 && search.page !== 'last' ? treeOf(search) : null

/** The stored counts that locate a far page. */
export interface FarPage {
  readonly tree: OrderTree
  readonly count: StoredCount
  /** The only filter is this range of the order column. Null: there are other filters. */
  readonly stretch: ColumnRange | null
}

/** Returns the counts to read for a far page, or null if stored counts do not count the matches. */
export const farPageOf = (search: Search): FarPage | null => {
  const { criteria, order, table } = search
  const tree = treeOfFarPage(search)
  if (tree === null || criteria.groups.length > 0 || criteria.area !== null) return null
  const count = storedCountOf(search, [], null)
  if (count === null) return null
  const column = order.column ?? table.id
  const isStretch = criteria.spans.length === 1 && criteria.spans[0]?.column === column
  return { tree, count, stretch: isStretch ? extentOf(criteria, column) : null }
}

/** The rows that the caller sees, the matches, and the visible rows below the stretch. */
export interface FarCounts {
  readonly total: number
  readonly count: number
  readonly before: number
}

/**
 * Plans a far page by its counts. The matches must have no gaps in list order: the only filter is a range of the order
 * column, or every row matches. Returns null otherwise.
 */
export const planFarPage = (search: Search, { tree, stretch }: FarPage, counts: FarCounts): Plan | null => {
  const { total, count, before } = counts
  if (stretch === null && count < total) return null
  return planOf(search, 'seek', { read: 'seek', tree, before, count }, { by: 'known count' })
}

/** The most rows that a walk reads on the way to a page. */
const MAX_WALKED = 20_000

/**
 * Plans to continue in list order, when the count is known and a walk probably fills the page. Returns null if it would
 * read too many rows.
 */
export const planWalk = (search: Search): Plan | null => {
  const { known, cursor, page, criteria, size, table, order } = search
  if (criteria.area === null || isRectangular(criteria.area)) return null
  if (known === null || known.rowsPerMatch === 0 || (cursor === null && page !== 1)) return null
  if (criteria.groups.some(isTested) || !hasIndex(search) || order.nullsLast) return null
  const limit = Math.min(rowsToWalk(size, known.rowsPerMatch), MAX_WALKED)
  const extent = order.column === null ? extentOf(criteria, table.id) : ANY
  const plan = planOf(
    search,
    'walk',
    { read: 'walk', along: { path: 'inOrder', extent }, limit },
    { by: 'known count' },
  )
  return {
    ...plan,
    entries: criteria.groups.map((group) => ({ group, ids: null, rows: 0, counted: false, kept: null })),
  }
}

/**
 * Estimates the rows scanned per match in list order. Returns 0 if a walk would pass too many rows before the next
 * page.
 */
export const rowsPerMatch = ({ size }: Search, total: number, count: number): number => {
  const rows = Math.ceil(total / Math.max(1, count))
  return rowsToWalk(size, rows) <= Math.max(200, count) ? rows : 0
}

/** Returns how many rows to read for a page. Matches are not spread evenly, so the expected number is doubled. */
const rowsToWalk = (size: number, rows: number): number => 2 * (size + 1) * rows + 20
