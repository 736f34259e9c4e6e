import { type SQL, sql } from 'drizzle-orm'
import { countInIds, countInTime } from './db/counts.ts'
import { asCount, numberOf } from './db/sql.ts'
import { extentOf } from './plan/conditions.ts'
import { boundsOf } from './plan/facts.ts'
import { keptCount } from './plan/kept.ts'
import { type OrderTree, seek, treeOf } from './scan/seek.ts'
import { type Search, type Slice, totalQuery } from './search.ts'

/** What kept counts tell of a page far on: how many rows match, and where its rows are; null where they do not tell that. */
export interface FarPage {
  readonly count: number
  readonly rows: ((slice: Slice) => SQL) | null
}

/** The tree by which a page far on is found; null for other pages, and where no tree counts in their order. */
export const treeOfFar = (search: Search): OrderTree | null =>
  search.cursor === null && search.page !== 1 && search.page !== 'last' ? treeOf(search) : null

/**
 * A page far on of rows that kept counts count: null for others. Its rows are known where all that match stand side by
 * side in the order of the list: an extent is asked of the column of that order, or what is asked for holds for every row.
 */
export const findFarPage = async (search: Search): Promise<FarPage | null> => {
  const { criteria, access, order, table, read } = search
  const tree = treeOfFar(search)
  if (tree === null || criteria.groups.length > 0 || criteria.area !== null) return null
  const counting = keptCount(search, { keys: [], bounds: boundsOf(criteria, access), region: null })
  if (counting === null) return null
  const isStretch = criteria.spans.length === 1 && criteria.spans[0]?.column === (order.column ?? table.id)
  const [least] = extentOf(criteria, order.column ?? table.id)
  const below = isStretch && least !== null ? countBelow(search, tree, least) : sql`0`
  const answers = await read(totalQuery(search), counting, asCount(below))
  const [total = 0, count = 0, before = 0] = answers.map(numberOf)
  if (!isStretch && count < total) return { count, rows: null }
  const within = (slice: Slice): Slice => ({
    ...slice,
    offset: before + slice.offset,
    limit: Math.max(0, Math.min(slice.limit, count - slice.offset)),
  })
  return { count, rows: (slice) => seek(search, tree, within(slice), order.descending) }
}

const countBelow = ({ table, access, level }: Search, tree: OrderTree, least: bigint): SQL =>
  tree === 'id'
    ? countInIds(table, access, [null, least - 1n], level)
    : countInTime(table, access, tree, [null, least - 1n], level)
