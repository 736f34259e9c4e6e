import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../collections.ts'
import { all, numbersTable } from '../../filters/sql.ts'
import type { OrderedRange } from '../candidates/ordered.ts'
import { ANY, type Group, type ValueRange } from '../conditions/criteria.ts'
import { isDown, type Slice } from '../conditions/page.ts'
import { type Search, treeOf } from '../conditions/search.ts'
import type { Index } from '../conditions/table.ts'
import type { PageRead, Plan, Sorting } from '../plan/plan.ts'
import { idsInOrder, rowsByValue } from './byValue.ts'
import { listedColumns, orderBy, positionColumns, type RowsQuery } from './columns.ts'
import { idsByEnd } from './ends.ts'
import { seek } from './seek.ts'
import { cellsSource, orderedSourceOf, sourceOf } from './sources.ts'
import { beyondStart, idsOfGroup, whereOf } from './where.ts'

/** Reads a slice in the way that the plan decided for its size. */
export const pageQuery = (search: Search, plan: Plan, page: PageRead, slice: Slice): RowsQuery => {
  switch (page.read) {
    case 'scan':
      return scanQuery(search, page.along, slice)
    case 'walk':
      return walkQuery(search, plan, page, slice)
    case 'merge':
      return mergeQuery(search, page, slice)
    case 'seek':
      return seek(search, page, slice)
    case 'sort':
      return rowsOf(search, sortedIds(search, plan, page, slice), slice)
    case 'scan or sort':
      return scanOrSort(search, plan, page, slice)
  }
}

/** Reads a slice of the visible rows along an ordered path, and stops when the slice is full. */
const scanQuery = (search: Search, along: OrderedRange, slice: Slice, key?: SQL): RowsQuery => {
  if (treeOf(search) === null) return rowsOf(search, idsInOrder(search, along, slice), slice)
  const { source, enter, orderBy } = orderedSourceOf(search, along, slice, key)
  return sql`SELECT ${listedColumns(search, slice.limit)} FROM ${source} ${search.table.joins ?? sql``}
    WHERE ${all([enter, search.visible, beyondStart(search, slice)])} ORDER BY ${orderBy} LIMIT ${slice.limit} OFFSET ${slice.offset}`
}

/** Reads the ids and coordinates of the first rows in list order that meet all conditions but the area. */
const walkQuery = (
  search: Search,
  plan: Plan,
  { along, limit }: Extract<PageRead, { read: 'walk' }>,
  slice: Slice,
): RowsQuery => {
  const { source, enter, orderBy } = orderedSourceOf(search, along, slice)
  return sql`SELECT ${positionColumns(search)} FROM ${source}
    WHERE ${all([enter, whereOf(search, plan), beyondStart(search, slice)])} ORDER BY ${orderBy} LIMIT ${limit}`
}

/**
 * Merges the first rows of each entry. The cost grows with the page and the number of entries, not with their rows. One
 * entry is scanned instead. Only the database knows how many entries a group has.
 */
const mergeQuery = (
  search: Search,
  { index, entries }: Extract<PageRead, { read: 'merge' }>,
  slice: Slice,
): RowsQuery => {
  const entry = (id: number) => ({ path: 'entryInOrder', index, id, extent: ANY }) as const
  if (isList(entries))
    return entries.length === 1
      ? scanQuery(search, entry(at(entries, 0)), slice)
      : merged(search, index, sql`SELECT value AS id FROM (${numbersTable(entries)})`, slice)
  const ids = idsOfGroup(entries, search.level)
  const one = scanQuery(search, entry(0), slice, sql`(SELECT min(id) FROM (${ids}) HAVING count(*) = 1)`)
  const several = merged(search, index, sql`SELECT id FROM (${ids}) WHERE (SELECT count(*) FROM (${ids})) > 1`, slice)
  return sql`SELECT * FROM (${one}) UNION ALL SELECT * FROM (${several})`
}

const isList = (entries: readonly number[] | Group): entries is readonly number[] => Array.isArray(entries)

const merged = (search: Search, index: Index, ids: SQL, slice: Slice): RowsQuery => {
  const { table, visible } = search
  const along = { path: 'entryInOrder', index, id: 0, extent: ANY } as const
  const { source, enter, orderBy: ordered } = orderedSourceOf(search, along, slice, sql`keys.id`)
  const firsts = sql`SELECT json_group_array(first.id) FROM (SELECT ${table.id} AS id FROM ${source}
    WHERE ${all([enter, visible, beyondStart(search, slice)])} ORDER BY ${ordered} LIMIT ${slice.limit + slice.offset}) AS first`
  return sql`SELECT ${listedColumns(search, slice.limit)}
    FROM (${ids}) AS keys CROSS JOIN json_each((${firsts})) AS hit CROSS JOIN ${table.table} ON ${table.id} = hit.value ${table.joins ?? sql``}
    ORDER BY ${orderBy(search, slice.backward)} LIMIT ${slice.limit} OFFSET ${slice.offset}`
}

/**
 * Reads a slice along an ordered path, but at most its first `most` rows. If they do not fill the slice, it sorts the
 * rows of another path. The cost is at most twice the cost of sorting.
 */
const scanOrSort = (
  search: Search,
  plan: Plan,
  { along, most, ends }: Extract<PageRead, { read: 'scan or sort' }>,
  slice: Slice,
): RowsQuery => {
  const { table, access } = search
  const needed = slice.offset + slice.limit
  const columns = usesOtherColumns(search) ? sql`${table.table}.*` : sql.join([table.id, ...access.filtered], sql`, `)
  const first =
    treeOf(search) === null
      ? rowsByValue(search, along.range, { ...slice, limit: most, offset: 0 }, columns)
      : firstRows(search, along.range, slice, most, columns)
  // The second path reads nothing if the ordered path filled the slice.
  const gate = sql`(SELECT 1 FROM full WHERE NOT is_full)`
  return sql`WITH near AS MATERIALIZED (SELECT ${table.id} AS id FROM (${first}) AS ${table.table}
      WHERE ${whereOf(search, plan, along.entries)} LIMIT ${needed}),
    full AS MATERIALIZED (SELECT count(*) >= ${needed} AS is_full FROM near)
    ${rowsOf(
      search,
      sql`SELECT id FROM (SELECT near.id FROM full CROSS JOIN near WHERE is_full LIMIT ${slice.limit} OFFSET ${slice.offset})
        UNION ALL SELECT sorted.id FROM full CROSS JOIN (${sortedIds(search, plan, { ends }, slice, gate)}) AS sorted WHERE NOT is_full`,
      slice,
    )}`
}

const firstRows = (search: Search, along: OrderedRange, slice: Slice, most: number, columns: SQL): SQL => {
  const { source, enter, orderBy } = orderedSourceOf(search, along, slice)
  return sql`SELECT ${columns} FROM ${source} WHERE ${all([enter, beyondStart(search, slice)])}
    ORDER BY ${orderBy} LIMIT ${most}`
}

/**
 * Returns true if a condition uses a column that covering indexes lack. A condition in plain SQL may use any column.
 */
const usesOtherColumns = ({ criteria: { plain, spans, lists }, access, table }: Search): boolean => {
  const covered = [...access.filtered, access.time.duration, table.id]
  return plain.length > 0 || [...spans, ...lists].some(({ column }) => !covered.includes(column))
}

/**
 * Sorts without a limit, and the outer query applies the limit. With a limit in the sort, D1 would count each row
 * twice.
 */
const sortedIds = (search: Search, plan: Plan, { ends }: Sorting, slice: Slice, gate = sql`(SELECT 1)`): SQL => {
  if (ends !== null) return idsByEnd(search, ends, slice, gate)
  const { source, enter } = sourceOf(search, plan.narrow)
  return sql`SELECT id FROM (SELECT ${search.table.id} AS id FROM ${gate} AS gate CROSS JOIN ${source}
      WHERE ${all([enter, whereOf(search, plan, plan.narrow.entries), beyondStart(search, slice)])}
      ORDER BY ${orderBy(search, slice.backward)} LIMIT -1)
    LIMIT ${slice.limit} OFFSET ${slice.offset}`
}

/**
 * Reads a slice by sorting all matches, and counts them as `total`. A temporary table serves both. A scan of the table
 * in list order stops when the slice is full. If it never was, its rows are all matches.
 */
export const pageAndCountQuery = (search: Search, plan: Plan, slice: Slice): RowsQuery => {
  const { table, order } = search
  const { source, enter } = sourceOf(search, plan.narrow)
  const down = isDown(order, slice)
  const where = all([enter, whereOf(search, plan, plan.narrow.entries)])
  const needed = slice.offset + slice.limit
  const nulls = sql.raw(order.nullsLast ? ` NULLS ${slice.backward ? 'FIRST' : 'LAST'}` : '')
  const isAlong = order.column === null && plan.narrow.range.path === 'everything'
  const total = isAlong
    ? sql`CASE WHEN count(*) < ${needed} THEN count(*) ELSE (SELECT count(*) FROM ${source} WHERE ${where}) END`
    : sql`count(*)`
  return sql`WITH found AS MATERIALIZED (SELECT ${table.id} AS id, ${order.column ?? table.id} AS at FROM ${source}
      WHERE ${where} ${isAlong ? sql`ORDER BY ${orderBy(search, slice.backward)} LIMIT ${needed}` : sql``})
    ${rowsOf(
      search,
      sql`SELECT id FROM found ORDER BY at ${sql.raw(down ? 'DESC' : 'ASC')}${nulls}, id ${sql.raw(slice.backward ? 'DESC' : 'ASC')}
        LIMIT ${slice.limit} OFFSET ${slice.offset}`,
      slice,
      sql`, (SELECT ${total} FROM found) AS total`,
    )}`
}

/** Reads a slice of the rows in cells inside the area and of the rows with these ids. It sorts them. */
export const farWithinQuery = (
  search: Search,
  plan: Plan,
  cells: readonly ValueRange[],
  ids: readonly number[],
  slice: Slice,
): RowsQuery => {
  const { table, access } = search
  const { source, enter } = cellsSource(table, access, cells)
  const inside = all([enter, whereOf(search, { ...plan, region: null })])
  const within = sql`SELECT ${table.id} AS id FROM ${source} WHERE ${inside} UNION ALL ${numbersTable(ids)}`
  const ordered = sql`SELECT id FROM (SELECT ${table.id} AS id FROM (${within}) AS hit CROSS JOIN ${table.table} ON ${table.id} = hit.id
    ORDER BY ${orderBy(search, slice.backward)} LIMIT -1) LIMIT ${slice.limit} OFFSET ${slice.offset}`
  return rowsOf(search, ordered, slice)
}

/** Reads complete rows by a query of their ids, in list order. */
const rowsOf = (search: Search, ids: SQL, slice: Slice, more = sql``): RowsQuery => {
  const { table } = search
  return sql`SELECT ${listedColumns(search, slice.limit)}${more} FROM (${ids}) AS hit
    CROSS JOIN ${table.table} ON ${table.id} = hit.id ${table.joins ?? sql``} ORDER BY ${orderBy(search, slice.backward)}`
}
