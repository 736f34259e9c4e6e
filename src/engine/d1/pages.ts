import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { eventCounts, events } from '../../../schema/tables.ts'
import { eventLength } from '../../../schema/trees.ts'
import { LOOK_UP, RESERVE } from '../limits.ts'
import { rowsOf } from '../shared/cut.ts'
import type { ListedRow } from '../shared/page.ts'
import { isDown, orderTerms, POINT, type PointRow, selectListed } from './columns.ts'
import { type Estimates, fractionOf, rowsInExtent } from './estimates.ts'
import { COVERED, coveringIndexOf, indexOf, through } from './indexes.ts'
import type { Entry } from './part.ts'
import { matchesOf, type Plan, planStatement } from './plan.ts'
import { ANY, intersection, isBounded, isEmpty } from './ranges.ts'
import { asksOnlyOrder, extentOf, type List, type Search, timesOf } from './search.ts'
import { blocks } from './seek.ts'
import { all, type ColumnRange, NOTHING, within } from './sql.ts'
import { beyondStart, entriesOf, whereOf } from './where.ts'

/** Some rows in list order. `enter` enters the index, and `ordered` is the order of the index. */
export interface Run {
  readonly from: SQL
  readonly enter: SQL
  readonly ordered: SQL
}

/** Rows in list order: one run after the other. */
interface Along {
  readonly runs: readonly Run[]
  /** The rows are those of one entry, so every row meets this condition already. Null: there is no such condition. */
  readonly entry: Entry | null
  /** Every row matches, so the rows in list order are the whole answer. */
  readonly isWhole: boolean
  /** The estimated rows read for each match, if the counted conditions leave all rows. */
  readonly rowsPerMatch: number
}

/**
 * Reads a part of the matches. It reads rows in list order if these probably fill the part, but at most as many as
 * the path has. If they did not fill it, it sorts the matches. So it reads at most twice the rows of the path.
 */
export const pageQuery = (list: List, plan: Plan, estimates: Estimates): SQL<ListedRow> => {
  const { search, skip } = list
  const limit = rowsOf(list)
  const along = search.only === null ? alongOf(list, plan, estimates) : null
  const needed = skip + limit
  const where = whereOf(search, along?.entry)
  if (along?.isWhole) return everyRow(list, along.runs, where)
  const most = along && mostAlong(along, plan, needed)
  if (along === null || most === null) return planStatement(plan, listedRows(list, sortedIds(list, plan)))
  const first = firstRows(along.runs, columnsFor(search), null, most)
  const near = sql`SELECT ${events.id} AS id FROM (${first}) AS ${events} WHERE ${where} LIMIT ${needed}`
  const full = sql`SELECT count(*) >= ${needed} AS is_full FROM near`
  // The path reads nothing if the rows in list order filled the part.
  const gate = sql`(SELECT 1 FROM full WHERE NOT is_full)`
  const ids = sql`SELECT id FROM (SELECT near.id FROM full CROSS JOIN near WHERE is_full LIMIT ${limit} OFFSET ${skip})
    UNION ALL SELECT id FROM (${sortedIds(list, plan, gate)})`
  return planStatement(plan, listedRows(list, ids), { near, full })
}

/** Reads rows in list order. Every row that the caller sees matches. */
export const everyRow = (list: List, runs: readonly Run[], where: SQL | null): SQL<ListedRow> => {
  const { skip } = list
  const limit = rowsOf(list)
  const [only, ...others] = runs
  // Rows that are skipped need no joins, so only a part at the start reads all columns at once.
  if (only === undefined || others.length > 0 || skip > 0)
    return listedRows(list, cut(firstRows(runs, sql`${events.id} AS id`, where, sql`${skip + limit}`), list))
  const { from, enter, ordered } = only
  return selectListed(list, limit, from, sql`WHERE ${all([enter, where])} ORDER BY ${ordered} LIMIT ${limit}`)
}

/**
 * Selects the rows that meet all conditions except the area, among the first `most` rows in list order, with their
 * coordinates. Null: no index has the rows in list order.
 */
export const walkQuery = (list: List, plan: Plan, estimates: Estimates, most: number): SQL<PointRow> | null => {
  const along = alongOf(list, plan, estimates)
  if (along === null || along.runs.length > 1) return null
  const first = firstRows(along.runs, columnsFor(list.search), null, sql`${most}`)
  return sql`SELECT ${POINT} FROM (${first}) AS ${events} WHERE ${whereOf(list.search, along.entry)}`
}

/** Reads the rows with some ids. `ids` selects them in list order, and a CROSS JOIN keeps it. `where` is a further condition. */
export const listedRows = (list: List, ids: SQL, where = sql`1`): SQL<ListedRow> => {
  const { table, id } = list.search.table
  const from = sql`(${ids}) AS hit CROSS JOIN ${table} ON ${id} = hit.id`
  return selectListed(list, rowsOf(list), from, sql`WHERE ${where} LIMIT ${rowsOf(list)}`)
}

/** Sorts without a limit, and the outer query applies the limit. With a limit in the sort, D1 would count each row twice. */
const sortedIds = (list: List, plan: Plan, gate: SQL | null = null): SQL => {
  const { order, backward } = list
  const columns = sql`${events.id} AS id, ${order.column ?? sql`NULL`} AS at`
  const ordered = orderTerms(order, backward, sql`id`, sql`at`)
  return cut(
    sql`SELECT id FROM (${matchesOf(plan, columns, beyondStart(list), gate)}) ORDER BY ${ordered} LIMIT -1`,
    list,
  )
}

const cut = (ids: SQL, list: List): SQL => sql`SELECT id FROM (${ids}) LIMIT ${rowsOf(list)} OFFSET ${list.skip}`

/** Selects columns of the first rows in list order. A later run is read only if those before it were too few. */
const firstRows = (runs: readonly Run[], columns: SQL, where: SQL | null, most: SQL): SQL => {
  const selects = runs.map(
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
const mostAlong = ({ rowsPerMatch, entry }: Along, { choice, rows }: Plan, needed: number): SQL | null => {
  const cost = RESERVE * needed * rowsPerMatch
  const most = (path: SQL) => sql`max(${needed}, CAST(${path} / ${LOOK_UP} AS INTEGER))`
  if (choice === null) return cost < rows ? most(sql`${rows}`) : null
  // If the counted conditions leave `part` of the rows, a match takes more rows in list order: cost / part < rows.
  const saved = entry === null ? sql`"rows" * part` : sql`"rows"`
  return sql`(SELECT CASE WHEN ${cost} < ${saved} THEN ${most(sql`"rows"`)} ELSE 0 END FROM choice)`
}

/** Selects the columns that the conditions of a search use. A condition in plain SQL may use any column. */
const columnsFor = ({ plain, ranges, entries }: Search): SQL => {
  const covered = [...COVERED, eventLength, events.id]
  const isOwn = entries.some(({ dictionary: { key, id } }) => key === id)
  const usesOthers = plain.length > 0 || isOwn || [...ranges.keys()].some((column) => !covered.includes(column))
  return usesOthers ? sql`${events}.*` : sql.join([events.id, ...COVERED], sql`, `)
}

/** Returns the rows in list order. Null: no index has them. */
const alongOf = (list: List, plan: Plan, estimates: Estimates): Along | null => {
  const { search, order } = list
  const { column } = order
  const extent = orderExtentOf(search, column)
  const { ids, starts, total } = estimates
  const spread = column === null ? ids : column === events.start || column === events.end ? starts : null
  const fraction = spread === null ? 1 : fractionOf(rowsInExtent(spread, extent), total)
  const perMatch = fraction / Math.max(plan.share, 1e-9)
  const one = oneEntryOf(search, column)
  if (one !== null) {
    const runs = [runIn(one.index, list, extent, isOnly(one.entry, search.level))]
    return { runs, entry: one.entry, isWhole: false, rowsPerMatch: LOOK_UP * perMatch }
  }
  const runs = runsOf(list, extent)
  const rowsPerMatch = column === null ? perMatch : LOOK_UP * perMatch
  return runs && { runs, entry: null, isWhole: asksOnlyOrder(search, column), rowsPerMatch }
}

/** Returns all rows with a value in an extent, in list order. Null: no index has the order. */
export const runsOf = (list: List, extent: ColumnRange): readonly Run[] | null => {
  const { order, backward, after } = list
  const { column } = order
  if (column === null) return [runById(list, extent)]
  const index = indexOf(column)
  if (index === null) return null
  if (order.nullsLast !== true) return [runIn(index, list, extent, null)]
  // The rows without a value follow, in the order of ids.
  const isAmongNulls = after !== null && after.value === null
  const others = { ...list, after: null }
  const values = { ...(isAmongNulls ? others : list), order: { ...order, nullsLast: false } }
  const withValue = runIn(index, values, extent, sql`${column} IS NOT NULL`)
  const withoutValue = runById(isAmongNulls ? list : others, ANY, sql`${column} IS NULL`)
  const runs = backward ? [withoutValue, withValue] : [withValue, withoutValue]
  // A list that starts in the second run needs nothing of the first one.
  const isInSecond = after !== null && isAmongNulls !== backward
  return isInSecond ? runs.slice(1) : runs
}

/** Reads the rows in the order of an index. */
const runIn = (index: string, list: List, extent: ColumnRange, only: SQL | null): Run => ({
  from: through(index),
  enter: all([only, withinExtent(list, extent), beyondStart(list)]),
  ordered: orderTerms(list.order, list.backward, events.id),
})

/** Reads the rows in the order of ids. */
const runById = (list: List, extent: ColumnRange, only: SQL | null = null): Run => {
  const { search, after } = list
  const down = isDown(list)
  const ids: ColumnRange = after === null ? ANY : down ? [null, BigInt(after.id) - 1n] : [BigInt(after.id) + 1n, null]
  const direction = sql.raw(down ? 'DESC' : 'ASC')
  const { from: table, enter } = blocks(search, intersection(extent, ids))
  return {
    from: table,
    enter: all([enter, only]),
    ordered: sql`${eventCounts.node} ${direction}, ${events.id} ${direction}`,
  }
}

/** Returns the range of the order column that has all matches. Null stands for the order of ids. */
const orderExtentOf = (search: Search, column: SQLWrapper | null): ColumnRange => {
  const bounds = timesOf(search)
  if (column === events.start) return bounds.start
  if (column === events.end) return bounds.end
  if (column === events.duration) return bounds.duration
  return extentOf(search, column ?? events.id)
}

/** Limits the order column to its extent. The start of a list limits one end already, so this adds the other. */
const withinExtent = (list: List, extent: ColumnRange): SQL | null => {
  const [least, greatest] = extent
  if (!isBounded(extent)) return null
  if (isEmpty(extent)) return NOTHING
  const ahead: ColumnRange = isDown(list) ? [least, null] : [null, greatest]
  return within(list.order.column ?? events.id, list.after === null ? extent : ahead)
}

/** Returns the dictionary condition that probably names one entry, and the index with the rows of each entry in order. */
const oneEntryOf = ({ entries }: Search, column: SQLWrapper | null) => {
  for (const entry of entries) {
    const { key } = entry.dictionary
    const index = column === null ? indexOf(key) : column === events.start ? coveringIndexOf(key, column) : null
    if (entry.few && index !== null) return { entry, index }
  }
  return null
}

/** Tests if a row belongs to the only entry that matches. No row does if there are several. */
const isOnly = (entry: Entry, level: number): SQL =>
  sql`${entry.dictionary.key} = (SELECT CASE WHEN count(*) = 1 THEN min(id) END FROM (${entriesOf(entry, level)}))`
