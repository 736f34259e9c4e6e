import type { SQLWrapper } from 'drizzle-orm'
import type { ColumnRange } from '../../filters/sql.ts'
import { ANY, extentOf } from '../conditions/criteria.ts'
import type { Search } from '../conditions/search.ts'
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

/** Returns all paths through the rows in list order. */
export const orderedCandidatesOf = (
  { order, access, bounds, criteria, table }: Search,
  { statistics, entries }: Pick<Facts, 'statistics' | 'entries'>,
): readonly OrderedCandidate[] => {
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
  return [{ range: { path: 'inOrder', extent }, rows: total * part * (ofIds ? 1 : LOOKED_UP) }, ...ofOneEntry]
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
