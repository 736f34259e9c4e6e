import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { eventCounts, events } from '../../../schema/tables.ts'
import { eventLength } from '../../../schema/trees.ts'
import { all, type ColumnRange, NOTHING, within } from '../../filters/sql.ts'
import { isDown, type Order, type Slice, type Sorted } from '../conditions/page.ts'
import { ANY, type Group, intersection, isBounded, isEmpty, type Search } from '../conditions/search.ts'
import type { Statistics } from '../estimates.ts'
import { indexOf, through } from '../events.ts'
import { LOOK_UP } from '../limits.ts'
import { orderBy } from './columns.ts'
import { blocks } from './counts.ts'
import { coveringIndexOf } from './paths.ts'
import { orderExtentOf, orderPartOf, type Plan } from './plan.ts'
import { beyondStart, entriesOf } from './where.ts'

/** Rows in list order. */
export interface Along {
  /** The parts in list order. `enter` enters the index, and `ordered` is the order of the index. */
  readonly parts: readonly { readonly from: SQL; readonly enter: SQL | null; readonly ordered: SQL }[]
  /** The condition that every row meets already. Null: there is none. */
  readonly group: Group | null
  /** These are the rows of one entry. */
  readonly isEntry: boolean
  /** Every row matches, so the rows in list order are the whole answer. */
  readonly isWhole: boolean
  /** The estimated rows read for each match, if the counted conditions leave all rows. */
  readonly rowsPerMatch: number
}

/** Returns the rows in list order. Null: no index has them. */
export const alongOf = (
  search: Search,
  plan: Plan,
  sorted: Sorted,
  slice: Slice,
  statistics: Statistics,
): Along | null => {
  const { order } = sorted
  const { column } = order
  const extent = orderExtentOf(search, column)
  const perMatch = orderPartOf(column, extent, statistics) / Math.max(plan.share, 1e-9)
  const ahead = extentAhead(column ?? events.id, extent, slice, order)
  const ordered = orderBy(order, slice.backward, events.id)
  const one = oneEntryOf(search, column)
  if (one !== null) {
    const { group, index } = one
    const enter = all([isOnly(group, search.level), ahead, beyondStart(sorted, slice)])
    const parts = [{ from: through(index), enter, ordered }]
    return { parts, group, isEntry: true, isWhole: false, rowsPerMatch: LOOK_UP * perMatch }
  }
  const along = { group: null, isEntry: false, isWhole: asksOnlyOrder(search, column) }
  if (column === null) return { ...along, parts: [byId(search, extent, order, slice)], rowsPerMatch: perMatch }
  const index = indexOf(column)
  if (index === null) return null
  const rowsPerMatch = LOOK_UP * perMatch
  if (order.nullsLast !== true) {
    const parts = [{ from: through(index), enter: all([ahead, beyondStart(sorted, slice)]), ordered }]
    return { ...along, parts, rowsPerMatch }
  }
  const { from, backward } = slice
  const isAmongNulls = from !== null && from.value === null
  const rest = { ...slice, from: null }
  const beyond = isAmongNulls ? null : beyondStart({ ...sorted, order: { ...order, nullsLast: false } }, slice)
  const values = {
    from: through(index),
    enter: all([ahead, sql`${column} IS NOT NULL`, beyond]),
    ordered: orderBy({ ...order, nullsLast: false }, backward, events.id),
  }
  const byIds = byId(search, ANY, order, isAmongNulls ? slice : rest)
  const others = { ...byIds, enter: all([byIds.enter, sql`${column} IS NULL`]) }
  const inOrder = backward ? [others, values] : [values, others]
  // A slice that starts in the second part needs nothing of the first one.
  const parts = from !== null && isAmongNulls !== backward ? inOrder.slice(1) : inOrder
  return { ...along, parts, rowsPerMatch }
}

/** Reads the rows in the order of ids. */
const byId = (search: Search, extent: ColumnRange, order: Order, slice: Slice): Along['parts'][number] => {
  const down = isDown(order, slice)
  const { from } = slice
  const after: ColumnRange = from === null ? ANY : down ? [null, BigInt(from.id) - 1n] : [BigInt(from.id) + 1n, null]
  const direction = sql.raw(down ? 'DESC' : 'ASC')
  return {
    ...blocks(search, intersection(extent, after)),
    ordered: sql`${eventCounts.node} ${direction}, ${events.id} ${direction}`,
  }
}

/** Limits the order column to its extent. The start of a slice limits one end already, so this adds the other. */
const extentAhead = (column: SQLWrapper, [least, greatest]: ColumnRange, slice: Slice, order: Order): SQL | null => {
  if (!isBounded([least, greatest])) return null
  if (isEmpty([least, greatest])) return NOTHING
  const ahead: ColumnRange = isDown(order, slice) ? [least, null] : [null, greatest]
  return within(column, slice.from === null ? [least, greatest] : ahead)
}

/** Returns the dictionary condition that probably names one entry, and the index with the rows of each entry in order. */
const oneEntryOf = ({ groups }: Search, column: SQLWrapper | null) => {
  for (const group of groups) {
    const { key } = group.dictionary
    const index = column === null ? indexOf(key) : column === events.start ? coveringIndexOf(key, column) : null
    if (group.few && index !== null) return { group, index }
  }
  return null
}

/** Tests if a row belongs to the only entry of a group. No row does if there are several. */
const isOnly = (group: Group, level: number): SQL =>
  sql`${group.dictionary.key} = (SELECT CASE WHEN count(*) = 1 THEN min(id) END FROM (${entriesOf(group, level)}))`

/** Returns true if all conditions are a range or two of the order column. */
export const asksOnlyOrder = (search: Search, column: SQLWrapper | null): boolean => {
  const { plain, ranges, groups, tested, area, decided } = search
  if (plain.length + groups.length + tested.length > 0 || area !== null || decided !== null) return false
  const ordered = column === events.duration ? eventLength : (column ?? events.id)
  return [...ranges].every(([each, extents]) => each === ordered && extents.length <= 2)
}
