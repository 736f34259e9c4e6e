import type { SQLWrapper } from 'drizzle-orm'
import type { ColumnRange } from '../../filters/sql.ts'
import { ANY, extentOf, intersection } from '../conditions/criteria.ts'
import { isDown } from '../conditions/page.ts'
import { hasIndex, type Search, sliceOf, treeOf } from '../conditions/search.ts'
import type { Access, Index } from '../conditions/table.ts'
import type { Facts, MatchingEntries } from './facts.ts'
import { periodOf } from './kept.ts'
import { partOf, rowsInExtent } from './nodes.ts'
import { LOOKED_UP } from './paths.ts'

/** A path through rows in list order. Reading stops when the page is full. */
export interface OrderedCandidate {
  readonly range: OrderedRange
  readonly rows: number
  readonly entries?: MatchingEntries
}

/** The rows of an ordered path, limited to an extent of the order column. */
export type OrderedRange =
  /** All rows in list order. If the order is by id, blocks of ids without visible rows are skipped. */
  | { readonly path: 'inOrder'; readonly extent: ColumnRange }
  /** The rows of one dictionary entry in list order. */
  | { readonly path: 'entryInOrder'; readonly index: Index; readonly id: number; readonly extent: ColumnRange }

/** Near its last end, an entry has few rows that last long, and others pass. The scan passes so many times the rows. */
const TAIL = 6

/** Returns all paths through the rows in list order. */
export const orderedCandidatesOf = (
  search: Search,
  { statistics, entries }: Pick<Facts, 'statistics' | 'entries'>,
): readonly OrderedCandidate[] => {
  const { order, access, bounds, criteria, table } = search
  if (!hasIndex(search)) return []
  const ofIds = order.column === null
  const { total, ids, starts } = statistics
  if (!ofIds && treeOf(search) === null) {
    const extent = order.column === access.time.durationColumn ? bounds.duration : extentOf(criteria, order.column)
    return [{ range: { path: 'inOrder', extent }, rows: total * LOOKED_UP }]
  }
  const extent = ofIds ? extentOf(criteria, table.id) : order.column === access.time.start ? bounds.start : bounds.end
  const part = partOf(rowsInExtent(ofIds ? ids : starts, extent), total)
  const ofOneEntry = entries.flatMap((matching): OrderedCandidate[] => {
    const index = indexInOrder(access, matching.group.dictionary.key, order.column ?? table.id)
    const [id, ...others] = matching.ids ?? []
    if (index === null || id === undefined || others.length > 0) return []
    const range = { path: 'entryInOrder', index, id, extent } as const
    return [{ range, rows: matching.rows * part * LOOKED_UP, entries: matching }]
  })
  const period = ofIds ? ANY : periodOf(entries)
  const kept = period === ANY ? extent : intersection(extent, period)
  const passed = partOf(rowsInExtent(ofIds ? ids : starts, kept), total)
  const isTail = order.column === access.time.end && kept !== extent && isDown(order, sliceOf(search, 0))
  const rows = total * passed * (ofIds ? 1 : LOOKED_UP) * (isTail ? TAIL : 1)
  return [{ range: { path: 'inOrder', extent: kept }, rows }, ...ofOneEntry]
}

/** All rows in list order, without an extent. */
export const IN_ORDER: OrderedRange = { path: 'inOrder', extent: ANY }

/** Returns the index with the rows of each value of one column in the order of another. Null: there is none. */
export const indexInOrder = ({ indexes }: Access, on: SQLWrapper, second: SQLWrapper): Index | null =>
  indexes.find((index) => index.on === on && index.second === second) ?? null
