import { type SQL, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { eventLength } from '../../../schema/trees.ts'
import { all, type ColumnRange } from '../../filters/sql.ts'
import type { PageRequest, Slice, Sorted } from '../conditions/page.ts'
import { ANY, type Search } from '../conditions/search.ts'
import type { Statistics } from '../estimates.ts'
import { COVERED } from '../events.ts'
import { LOOK_UP, RESERVE } from '../limits.ts'
import { type Along, alongOf, asksOnlyOrder } from './along.ts'
import { listedColumns, orderBy, type RowsQuery } from './columns.ts'
import { type OrderTree, orderTreeOf } from './counts.ts'
import type { Plan } from './plan.ts'
import { matchesOf, statement } from './plan.ts'
import { beyondStart, whereOf } from './where.ts'

/**
 * Reads a slice of the matches. It reads rows in list order if these probably fill the slice, but at most as many as
 * the path has. If they did not fill the slice, it sorts the matches. So it reads at most twice the rows of the path.
 */
export const pageQuery = (
  search: Search,
  plan: Plan,
  sorted: Sorted,
  slice: Slice,
  statistics: Statistics,
): RowsQuery => {
  const along = search.decided === null ? alongOf(search, plan, sorted, slice, statistics) : null
  if (along === null) return statement(plan, rowsOf(sorted, sortedIds(plan, sorted, slice), slice))
  const where = whereOf(search, along.group)
  const needed = slice.offset + slice.limit
  if (along.isWhole) {
    const [only, ...others] = along.parts
    // Rows that are skipped need no joins, so only a slice at the start reads all columns at once.
    return only !== undefined && others.length === 0 && slice.offset === 0
      ? scanQuery(sorted, only, where, slice.limit)
      : rowsOf(sorted, cut(firstRows(along, sql`${events.id} AS id`, where, sql`${needed}`), slice), slice)
  }
  const most = mostAlong(along, plan, needed)
  if (most === null) return statement(plan, rowsOf(sorted, sortedIds(plan, sorted, slice), slice))
  const first = firstRows(along, columnsFor(search), null, most)
  const near = sql`SELECT ${events.id} AS id FROM (${first}) AS ${events} WHERE ${where} LIMIT ${needed}`
  const full = sql`SELECT count(*) >= ${needed} AS is_full FROM near`
  // The path reads nothing if the rows in list order filled the slice.
  const gate = sql`(SELECT 1 FROM full WHERE NOT is_full)`
  const ids = sql`SELECT id FROM (SELECT near.id FROM full CROSS JOIN near WHERE is_full LIMIT ${slice.limit} OFFSET ${slice.offset})
    UNION ALL SELECT id FROM (${sortedIds(plan, sorted, slice, gate)})`
  return statement(plan, rowsOf(sorted, ids, slice), { near, full })
}

/**
 * Selects the rows that meet all conditions except the area, among the first `most` rows in list order, with their
 * coordinates.
 */
export const walkQuery = (
  search: Search,
  plan: Plan,
  sorted: Sorted,
  slice: Slice,
  statistics: Statistics,
  most: number,
): SQL<{ readonly id: number; readonly x: number; readonly y: number }> | null => {
  const along = alongOf(search, plan, sorted, slice, statistics)
  if (along === null || along.parts.length > 1) return null
  const first = firstRows(along, columnsFor(search), null, sql`${most}`)
  return sql`SELECT ${events.id} AS id, ${events.x} AS x, ${events.y} AS y FROM (${first}) AS ${events}
    WHERE ${whereOf(search, along.group)}`
}

const scanQuery = (
  sorted: Sorted,
  { from, enter, ordered }: Along['parts'][number],
  where: SQL,
  limit: number,
): RowsQuery =>
  sql`SELECT ${listedColumns(sorted, limit)} FROM ${from} ${sorted.table.joins ?? sql``}
    WHERE ${all([enter, where])} ORDER BY ${ordered} LIMIT ${limit}`

/** Reads the rows with some ids in list order. `ids` selects them as `id`. */
export const rowsOf = (sorted: Sorted, ids: SQL, slice: Slice): RowsQuery => {
  const { table, order } = sorted
  return sql`SELECT ${listedColumns(sorted, slice.limit)} FROM (${ids}) AS hit
    CROSS JOIN ${table.table} ON ${table.id} = hit.id ${table.joins ?? sql``} ORDER BY ${orderBy(order, slice.backward, table.id)}`
}

/** Sorts without a limit, and the outer query applies the limit. With a limit in the sort, D1 would count each row twice. */
const sortedIds = (plan: Plan, sorted: Sorted, slice: Slice, gate: SQL | null = null): SQL => {
  const columns = sql`${events.id} AS id, ${sorted.order.column ?? sql`NULL`} AS at`
  const ordered = orderBy(sorted.order, slice.backward, sql`id`, sql`at`)
  return cut(
    sql`SELECT id FROM (${matchesOf(plan, columns, beyondStart(sorted, slice), gate)}) ORDER BY ${ordered} LIMIT -1`,
    slice,
  )
}

const cut = (ids: SQL, { limit, offset }: Slice): SQL => sql`SELECT id FROM (${ids}) LIMIT ${limit} OFFSET ${offset}`

/** Selects columns of the first rows in list order. A later part is read only if those before it were too few. */
const firstRows = ({ parts }: Along, columns: SQL, where: SQL | null, most: SQL): SQL => {
  const selects = parts.map(
    ({ from, enter, ordered }) =>
      sql`SELECT ${columns} FROM ${from} WHERE ${all([enter, where])} ORDER BY ${ordered} LIMIT ${most}`,
  )
  if (selects.length === 1) return sql.join(selects)
  return sql`SELECT * FROM (${sql.join(
    selects.map((select) => sql`SELECT * FROM (${select})`),
    sql` UNION ALL `,
  )}) LIMIT ${most}`
}

/** Returns the rows to read in list order, in SQL. Null: the path certainly reads fewer rows. */
const mostAlong = ({ rowsPerMatch, isEntry }: Along, { choice, rows }: Plan, needed: number): SQL | null => {
  const cost = RESERVE * needed * rowsPerMatch
  const most = (path: SQL) => sql`max(${needed}, CAST(${path} / ${LOOK_UP} AS INTEGER))`
  if (choice === null) return cost < rows ? most(sql`${rows}`) : null
  const saved = isEntry ? sql`"rows"` : sql`"rows" * part`
  return sql`(SELECT CASE WHEN ${cost} < ${saved} THEN ${most(sql`"rows"`)} ELSE 0 END FROM choice)`
}

/** Selects the columns that the conditions of a search use. */
const columnsFor = (search: Search): SQL =>
  usesOtherColumns(search) ? sql`${events}.*` : sql.join([events.id, ...COVERED], sql`, `)

/** Returns true if a condition uses a column that covering indexes lack. A condition in plain SQL may use any column. */
const usesOtherColumns = ({ plain, ranges, groups }: Search): boolean => {
  const covered = [...COVERED, eventLength, events.id]
  const isOwn = groups.some(({ dictionary: { key, id } }) => key === id)
  return plain.length > 0 || isOwn || [...ranges.keys()].some((column) => !covered.includes(column))
}

/** A page whose place stored counts locate. */
export interface FarPage {
  readonly tree: OrderTree
  readonly extent: ColumnRange
}

/** Returns how to find a page by its number. Null: it is the first or last one, or other rows stand between the matches. */
export const farPageOf = (
  search: Search,
  { order, cursor, page }: Pick<PageRequest, 'order' | 'cursor' | 'page'>,
): FarPage | null => {
  const tree = orderTreeOf(order.column)
  if (tree === null || cursor !== null || page === 1 || page === 'last') return null
  const [extent, ...others] = search.ranges.get(order.column ?? events.id) ?? [ANY]
  return extent !== undefined && others.length === 0 && asksOnlyOrder(search, order.column) ? { tree, extent } : null
}
