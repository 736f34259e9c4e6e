import { type SQL, sql } from 'drizzle-orm'
import { asCount, numberOf } from '../filters/sql.ts'
import { boundsOf } from './candidates/facts.ts'
import { extentOf } from './conditions/criteria.ts'
import { storedCount } from './plan/storedCount.ts'
import { type Search, type Slice, totalQuery } from './search.ts'
import { countInIds, countInTime } from './sql/counts.ts'
import { type OrderTree, seek, treeOf } from './sql/seek.ts'

/**
 * A page far from the start, located by stored counts. `rows` is null if the counts give the number of matches but not
 * their position.
 */
export interface FarPage {
  readonly count: number
  readonly rows: ((slice: Slice) => SQL) | null
}

/**
 * Returns the tree that can locate a far page. Returns null for other pages, or if no tree has the order of the list.
 */
export const treeOfFar = (search: Search): OrderTree | null =>
  search.cursor === null && search.page !== 1 && search.page !== 'last' ? treeOf(search) : null

/**
 * Locates a far page with stored counts, or returns null if they do not count the matches. `rows` exists if the matches
 * have no gaps in list order: the only filter is a range of the order column, or every row matches.
 */
export const findFarPage = async (search: Search): Promise<FarPage | null> => {
  const { criteria, access, order, table, read } = search
  const tree = treeOfFar(search)
  if (tree === null || criteria.groups.length > 0 || criteria.area !== null) return null
  const counting = storedCount(search, { keys: [], bounds: boundsOf(criteria, access), region: null })
  if (counting === null) return null
  const isStretch = criteria.spans.length === 1 && criteria.spans[0]?.column === (order.column ?? table.id)
  const [least] = extentOf(criteria, order.column ?? table.id)
  const below = isStretch && least !== null ? countBelow(search, tree, least) : sql`0`
  const answers = await read(totalQuery(search), counting, asCount(below))
  const [total, count, before] = [numberOf(answers[0]), numberOf(answers[1]), numberOf(answers[2])]
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
