import { type SQL, sql } from 'drizzle-orm'
import { all, within } from '../../filters/sql.ts'
import { IN_ORDER, type OrderedRange } from '../candidates/ordered.ts'
import { isDown, type Slice, withoutNulls } from '../conditions/page.ts'
import type { Search } from '../conditions/search.ts'
import { indexOn } from '../conditions/table.ts'
import { fromIndex } from './columns.ts'
import { orderedSourceOf } from './sources.ts'
import { beyondStart, boundOf } from './where.ts'

/**
 * Selects the ids of a slice of all visible rows, in the order of a column with an index. If rows without a value come
 * last, they are read by id. The second part is read only if the first one does not fill the slice.
 */
export const idsInOrder = (search: Search, along: OrderedRange, slice: Slice): SQL => {
  const { order } = search
  const { backward, from, limit, offset } = slice
  const needed = { ...slice, limit: limit + offset, offset: 0 }
  const isAmongNulls = order.nullsLast === true && from !== null && from.value === null
  const byValue = { ...search, order: withoutNulls(order) }
  const values = () =>
    sql`SELECT id FROM (${idsByValue(byValue, along, { ...needed, from: isAmongNulls ? null : from })})`
  const byId = { ...search, order: { column: null, descending: false } }
  const others = () =>
    sql`SELECT id FROM (${idsAlong(byId, IN_ORDER, { ...needed, from: isAmongNulls ? from : null }, sql`${order.column} IS NULL`)})`
  const parts = !order.nullsLast ? [values] : backward ? [others, values] : [values, others]
  const left = from === null || isAmongNulls === backward ? parts : parts.slice(-1)
  const ids = sql.join(
    left.map((part) => part()),
    sql` UNION ALL `,
  )
  return sql`SELECT id FROM (${ids}) LIMIT ${limit} OFFSET ${offset}`
}

/** Selects columns of the first visible rows with a value, in the order of a column with an index. */
export const rowsByValue = (search: Search, along: OrderedRange, slice: Slice, columns: SQL): SQL => {
  const { table, order } = search
  const ids = idsByValue({ ...search, order: withoutNulls(order) }, along, slice)
  // An ORDER BY would read all rows before the first one. The rows come in the order of the ids.
  return sql`SELECT ${columns} FROM (${ids}) AS hit CROSS JOIN ${fromIndex(table, null)} ON ${table.id} = hit.id`
}

/**
 * Selects the ids of the visible rows with a value. The index has equal rows in ascending order of their ids. An
 * ascending order reads the index. A descending order looks up each value and its first rows, because many may be equal.
 */
const idsByValue = (search: Search, along: OrderedRange, slice: Slice): SQL => {
  const { access, order, table, visible } = search
  const { column } = order
  if (column === null || !order.descending) return idsAlong(search, along, slice, sql`${column} IS NOT NULL`)
  const source = fromIndex(table, indexOn(access, column, false))
  const down = isDown(order, slice)
  const [direction, beyond] = [sql.raw(down ? 'DESC' : 'ASC'), sql.raw(down ? '<' : '>')]
  const nextValue = (condition: SQL | null) =>
    sql`(SELECT ${column} FROM ${source} WHERE ${all([sql`${column} IS NOT NULL`, within(column, along.extent), condition])}
      ORDER BY ${column} ${direction} LIMIT 1)`
  const first = slice.from === null ? null : sql`${column} ${beyond}= ${boundOf(search, slice.from, down)}`
  const rows = sql`SELECT ${table.id} AS id FROM ${source}
    WHERE ${all([sql`${column} = step.at`, visible, beyondStart(search, slice)])}
    ORDER BY ${table.id} ${sql.raw(slice.backward ? 'DESC' : 'ASC')} LIMIT ${slice.limit}`
  return sql`WITH RECURSIVE step(at) AS (SELECT ${nextValue(first)}
      UNION ALL SELECT ${nextValue(sql`${column} ${beyond} step.at`)} FROM step WHERE step.at IS NOT NULL)
    SELECT hit.value AS id FROM step CROSS JOIN json_each((SELECT json_group_array(first.id) FROM (${rows}) AS first)) AS hit
    LIMIT ${slice.limit}`
}

const idsAlong = (search: Search, along: OrderedRange, slice: Slice, part: SQL): SQL => {
  const { source, enter, orderBy } = orderedSourceOf(search, along, slice)
  return sql`SELECT ${search.table.id} AS id FROM ${source}
    WHERE ${all([enter, part, search.visible, beyondStart(search, slice)])} ORDER BY ${orderBy} LIMIT ${slice.limit}`
}
