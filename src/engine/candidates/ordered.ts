import type { SQLWrapper } from 'drizzle-orm'
import type { ColumnRange } from '../../filters/sql.ts'
import { ANY, extentOf, intersection } from '../conditions/criteria.ts'
import { isDown } from '../conditions/page.ts'
import { type Search, sliceOf } from '../conditions/search.ts'
import type { Access, Index } from '../conditions/table.ts'
import type { Facts, MatchingEntries } from './facts.ts'
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
  const ofIds = order.column === null
  const extent = ofIds ? extentOf(criteria, table.id) : order.column === access.time.start ? bounds.start : bounds.end
  const { total, ids, starts } = statistics
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

/** Returns the period of all rows of the entries, as far as it is known. */
export const periodOf = (entries: readonly MatchingEntries[]): ColumnRange => {
  const kept = entries.flatMap((each) => each.kept ?? [])
  const times = kept.flatMap(({ start, end }) => (start === null || end === null ? [] : [start, end]))
  return times.length === 0 ? ANY : [BigInt(Math.min(...times)), BigInt(Math.max(...times))]
}

/** All rows in list order, without an extent. */
export const IN_ORDER: OrderedRange = { path: 'inOrder', extent: ANY }

/** Returns the index with the rows of each value of one column in the order of another. Null: there is none. */
export const indexInOrder = ({ indexes }: Access, on: SQLWrapper, second: SQLWrapper): Index | null =>
  indexes.find((index) => index.on === on && index.second === second) ?? null

/** A tree of counts that has the order of a list. */
export type OrderTree = 'id' | 'start' | 'end'

/** Returns the tree with the order of the search, or null if there is none. */
export const treeOf = ({ order, access: { time } }: Search): OrderTree | null => {
  if (order.column === null) return 'id'
  return order.column === time.start ? 'start' : order.column === time.end ? 'end' : null
}
