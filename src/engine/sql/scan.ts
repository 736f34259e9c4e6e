import { type SQL, sql } from 'drizzle-orm'
import { TREES } from '../../../schema/counts.ts'
import { all, type ColumnRange, integer, integerOf, namedColumns, numbersTable, within } from '../../filters/sql.ts'
import { fromIndex, indexOn, type Path } from '../candidates/paths.ts'
import { ANY, intersection } from '../conditions/bounds.ts'
import { extentOf } from '../conditions/criteria.ts'
import { beyond, orderBy } from '../conditions/order.ts'
import type { Row } from '../conditions/table.ts'
import { sharedColumns } from '../run/long.ts'
import { positionColumns, type Search, type Slice } from '../search.ts'
import { nodesOf } from './counts.ts'

const [BLOCK] = TREES.id.complete

/** A path through rows in list order. Reading stops when the page is full. */
export interface OrderedPath {
  readonly source: SQL
  readonly enter: SQL | null
  readonly orderBy: SQL
}

/** Reads all rows in list order. If the order is by id, it skips blocks that have no visible rows. */
export const inOrder = (search: Search, { from, backward }: Slice): OrderedPath => {
  const { table, access, order } = search
  const ordered = orderBy(order, table.id, backward)
  if (order.column !== null)
    return { source: fromIndex(search, indexOn(access, order.column, false)), enter: null, orderBy: ordered }
  const down = order.descending !== backward
  const { node } = access.counts
  const extent = extentOf(search.criteria, table.id)
  const after: ColumnRange = from === null ? ANY : down ? [null, BigInt(from.id) - 1n] : [BigInt(from.id) + 1n, null]
  const ends = intersection(extent, after)
  const [first, last] = ends.map((end) => end && end >> BigInt(BLOCK))
  return {
    ...blocks(search, within(node, [first ?? null, last ?? null]), ends),
    orderBy: sql`${node} ${sql.raw(down ? 'DESC' : 'ASC')}, ${ordered}`,
  }
}

/** Reads the table in blocks of ids, and skips blocks that have no visible rows. */
export const blocks = (
  { table: { id, table }, access, level }: Search,
  near: SQL | null,
  [least, greatest]: ColumnRange = ANY,
): Pick<OrderedPath, 'source' | 'enter'> => {
  const { table: counts, node, visible } = access.counts
  const first = sql`${node} * ${integerOf(2 ** BLOCK)}`
  const last = sql`${first} + ${integerOf(2 ** BLOCK - 1)}`
  // One bound at each end: SQLite enters an index with only one.
  const inside = sql`${id} BETWEEN ${least === null ? first : sql`max(${first}, ${integer(least)})`}
    AND ${greatest === null ? last : sql`min(${last}, ${integer(greatest)})`}`
  return {
    source: sql`${counts} CROSS JOIN ${table} NOT INDEXED`,
    enter: all([nodesOf(access, 'id', BLOCK), sql`${visible(level)} > 0`, near, inside]),
  }
}

const past = ({ order, table }: Search, { from, backward }: Slice): SQL | null =>
  from && beyond(order, table.id, from, backward)

/** Reads a slice along an ordered path, and stops when the slice is full. */
export const scanInOrder = (search: Search, path: OrderedPath, where: SQL, slice: Slice): SQL =>
  sql`SELECT ${namedColumns(sharedColumns(search.table, slice.limit))}, ${positionColumns(search)} FROM ${path.source} ${search.table.joins ?? sql``}
    WHERE ${all([path.enter, where, past(search, slice)])} ORDER BY ${path.orderBy} LIMIT ${slice.limit} OFFSET ${slice.offset}`

/** Reads a slice by sorting all matches. */
export const readAndSort = (search: Search, path: Path, where: SQL, slice: Slice): SQL =>
  rowsOf(search, sorted(search, path, where, slice), slice)

/** Reads a slice by sorting all matches, and counts them as `total`. A temporary table serves both. */
export const readAndCount = (search: Search, path: Path, where: SQL, slice: Slice): SQL => {
  const { table, order } = search
  const orderColumn = order.column ?? table.id
  const down = order.descending !== slice.backward
  return sql`WITH found AS MATERIALIZED (SELECT ${table.id} AS id, ${orderColumn} AS at FROM ${path.source} WHERE ${all([path.enter, where])})
    ${rowsOf(
      search,
      sql`SELECT id FROM found ORDER BY at ${sql.raw(down ? 'DESC' : 'ASC')}, id ${sql.raw(slice.backward ? 'DESC' : 'ASC')}
        LIMIT ${slice.limit} OFFSET ${slice.offset}`,
      slice,
      sql`, (SELECT count(*) FROM found) AS total`,
    )}`
}

/**
 * Sorts without a limit, and the outer query applies the limit. With a limit in the sort, D1 would count each row
 * twice.
 */
const sorted = (search: Search, path: Path, where: SQL, slice: Slice): SQL => {
  const { table, order } = search
  return sql`SELECT id FROM (SELECT ${table.id} AS id FROM ${path.source}
      WHERE ${all([path.enter, where, past(search, slice)])} ORDER BY ${orderBy(order, table.id, slice.backward)} LIMIT -1)
    LIMIT ${slice.limit} OFFSET ${slice.offset}`
}

/**
 * Reads a slice along an ordered path, but at most its first `most` rows. If they do not fill the slice, it sorts the
 * rows of another path. The cost is at most twice the cost of sorting.
 */
export const scanOrSort = (
  search: Search,
  ordered: OrderedPath,
  most: number,
  narrow: Path,
  where: { readonly ordered: SQL; readonly narrow: SQL },
  slice: Slice,
): SQL => {
  const { table, access } = search
  const needed = slice.offset + slice.limit
  const columns = usesOtherColumns(search) ? sql`${table.table}.*` : sql.join([table.id, ...access.filtered], sql`, `)
  const first = sql`SELECT ${columns} FROM ${ordered.source} WHERE ${all([ordered.enter, past(search, slice)])}
    ORDER BY ${ordered.orderBy} LIMIT ${Math.ceil(most)}`
  return sql`WITH near AS MATERIALIZED (SELECT ${table.id} AS id FROM (${first}) AS ${table.table} WHERE ${where.ordered} LIMIT ${needed}),
    full AS MATERIALIZED (SELECT count(*) >= ${needed} AS is_full FROM near)
    ${rowsOf(
      search,
      sql`SELECT id FROM (SELECT near.id FROM full CROSS JOIN near WHERE is_full LIMIT ${slice.limit} OFFSET ${slice.offset})
        UNION ALL SELECT sorted.id FROM full CROSS JOIN (${sorted(search, gated(narrow), where.narrow, slice)}) AS sorted WHERE NOT is_full`,
      slice,
    )}`
}

/**
 * Returns true if a condition uses a column that covering indexes lack. A condition in plain SQL may use any column.
 */
const usesOtherColumns = ({ criteria: { plain, spans, lists }, access, table }: Search): boolean => {
  const covered = [...access.filtered, access.time.duration, table.id]
  return plain.length > 0 || [...spans, ...lists].some(({ column }) => !covered.includes(column))
}

/** Returns a path that reads nothing if the ordered path filled the slice. */
const gated = (path: Path): Path => ({
  ...path,
  source: sql`(SELECT 1 FROM full WHERE NOT is_full) AS gate CROSS JOIN ${path.source}`,
})

/**
 * Merges the first rows of each key. The cost grows with the page and the number of keys, not with the rows of a key.
 */
export const mergeKeys = (
  search: Search,
  keys: SQL,
  path: (key: SQL) => OrderedPath,
  where: SQL,
  slice: Slice,
): SQL => {
  const { table } = search
  const { source, enter, orderBy: ordered } = path(sql`keys.id`)
  const firsts = sql`SELECT json_group_array(first.id) FROM (SELECT ${table.id} AS id FROM ${source}
    WHERE ${all([enter, where, past(search, slice)])} ORDER BY ${ordered} LIMIT ${slice.limit + slice.offset}) AS first`
  return sql`SELECT ${namedColumns(sharedColumns(table, slice.limit))}, ${positionColumns(search)}
    FROM (${keys}) AS keys CROSS JOIN json_each((${firsts})) AS hit CROSS JOIN ${table.table} ON ${table.id} = hit.value ${table.joins ?? sql``}
    ORDER BY ${orderBy(search.order, table.id, slice.backward)} LIMIT ${slice.limit} OFFSET ${slice.offset}`
}

/** Reads complete rows by a query of their ids, in list order. */
const rowsOf = (search: Search, ids: SQL, slice: Slice, more = sql``): SQL => {
  const { table, order } = search
  return sql`SELECT ${namedColumns(sharedColumns(table, slice.limit))}, ${positionColumns(search)}${more} FROM (${ids}) AS hit
    CROSS JOIN ${table.table} ON ${table.id} = hit.id ${table.joins ?? sql``} ORDER BY ${orderBy(order, table.id, slice.backward)}`
}

/** Returns the search with few columns: only the id, the position and the coordinates of each row. */
export const bare = (search: Search): Search => ({
  ...search,
  table: { ...search.table, columns: { id: search.table.id }, joins: sql`` },
})

/** Reads complete rows by id. The answer has the order of `ids`. */
export const readRows = async (search: Search, ids: readonly number[]): Promise<Row[]> => {
  if (ids.length === 0) return []
  const { id, table, joins = sql`` } = search.table
  const [unordered] =
    await search.read(sql`SELECT ${namedColumns(sharedColumns(search.table, ids.length))}, ${positionColumns(search)}
    FROM (${numbersTable(ids)}) AS wanted CROSS JOIN ${table} ON ${id} = wanted.value ${joins}`)
  const rows = new Map(unordered.map((row) => [row.rowId, row]))
  return ids.flatMap((rowId) => rows.get(rowId) ?? [])
}
