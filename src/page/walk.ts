import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { TREES } from '../../schema/tally.ts'
import { beyond, orderBy } from './order.ts'
import { positionColumns, type Search, type Slice } from './search.ts'
import { all, columnsOf, each } from './sql.ts'
import type { Index, Row } from './table.ts'
import { nodeOf } from './tally.ts'

const [BLOCK] = TREES.id

/** A way into the table: an index, entered with ids of a dictionary or by an extent; without one, the list's own order. */
export interface Lead {
  readonly index: Index | null
  /** The ids that the index is entered with, as a query of `id`; null: it is entered by a condition on its column. */
  readonly keys: SQL | null
  /** How many keys there are, as far as known. */
  readonly entries: number
  /** How many rows it leads to, as far as known. */
  readonly rows: number
}

/** The way that is always there. */
export const EVERYTHING: Lead = { index: null, keys: null, entries: 0, rows: Number.POSITIVE_INFINITY }

/** Whether a way leads through the rows in the order asked for, so that reading can stop when the page is full. */
export const inOrder = ({ order, resource }: Search, { index, keys }: Lead): boolean =>
  index === null || (keys === null ? index.on : index.order) === (order.column ?? resource.id)

/** How many ids of one key are merged: as a text of JSON they are far from the 2 MB of D1. */
const MAX_MERGED = 50_000

/** The rows of a slice, read in order until there are enough; of an area's, which are tested first, only the positions. */
export const walk = (search: Search, lead: Lead, where: SQL, slice: Slice): SQL => {
  if (lead.keys !== null && lead.entries > 1) {
    const far = slice.limit + slice.offset > MAX_MERGED
    return far ? collect(search, lead, where, slice) : merge(search, lead, where, slice)
  }
  const { order, resource } = search
  const { id } = resource
  const { from, by } = source(search, lead, slice)
  const conditions = all([where, from.where, slice.from && beyond(order, id, slice.from, slice.backward)])
  const { columns, joins } = wanted(search)
  return sql`SELECT ${columns} FROM ${from.table} ${joins}
    WHERE ${conditions} ORDER BY ${by} LIMIT ${slice.limit} OFFSET ${slice.offset}`
}

/** What is read of a row in the order, and the joins that this takes. */
const wanted = (search: Search): { columns: SQL; joins: SQL } =>
  search.area === null
    ? { columns: sql`${columnsOf(search.resource)}, ${positionColumns(search)}`, joins: search.resource.joins ?? sql`` }
    : { columns: positionColumns(search), joins: sql`` }

/** The rows with these ids, in full, in the order of the ids. */
export const readRows = async (search: Search, ids: readonly number[]): Promise<Row[]> => {
  if (ids.length === 0) return []
  const { id, table, joins = sql`` } = search.resource
  const [found = []] = await search.read(sql`SELECT ${columnsOf(search.resource)}, ${positionColumns(search)}
    FROM (${each(ids)}) AS wanted CROSS JOIN ${table} ON ${id} = wanted.value ${joins}`)
  const rows = new Map(found.map((row) => [row.rowId, row]))
  return ids.flatMap((wanted) => rows.get(wanted) ?? [])
}

/** The rows of a slice, where all that match are read and sorted. */
export const collect = (search: Search, lead: Lead, where: SQL, slice: Slice): SQL => {
  const { resource, order } = search
  const { id, table } = resource
  const { columns, joins } = wanted(search)
  const from = entered(search, lead)
  const conditions = all([where, from.where, slice.from && beyond(order, id, slice.from, slice.backward)])
  const by = orderBy(order, id, slice.backward)
  // Without a limit of its own the sort is by merging: D1 counts every row twice that a sort with a limit passes.
  return sql`SELECT ${columns} FROM (SELECT id FROM (SELECT ${id} AS id FROM ${from.table} WHERE ${conditions} ORDER BY ${by} LIMIT -1)
      LIMIT ${slice.limit} OFFSET ${slice.offset}) AS hit
    CROSS JOIN ${table} ON ${id} = hit.id ${joins} ORDER BY ${by}`
}

/** How many match. */
export const countBy = (search: Search, lead: Lead, where: SQL): SQL => {
  const from = entered(search, lead)
  return sql`SELECT count(*) AS count FROM ${from.table} WHERE ${all([where, from.where])}`
}

/** The first rows of each key, merged: what is read follows the page and the number of keys, not what they lead to. */
const merge = (search: Search, { index, keys }: Lead, where: SQL, slice: Slice): SQL => {
  const { resource, order } = search
  const { id, table } = resource
  const { columns, joins } = wanted(search)
  const by = orderBy(order, id, slice.backward)
  const conditions = all([where, slice.from && beyond(order, id, slice.from, slice.backward)])
  const firsts = sql`SELECT json_group_array(first.id) FROM (SELECT ${id} AS id FROM ${indexed(table, index)}
    WHERE ${index?.on ?? id} = keys.id AND ${conditions} ORDER BY ${by} LIMIT ${slice.limit + slice.offset}) AS first`
  return sql`SELECT ${columns} FROM (${keys}) AS keys CROSS JOIN json_each((${firsts})) AS hit CROSS JOIN ${table} ON ${id} = hit.value ${joins}
    ORDER BY ${by} LIMIT ${slice.limit} OFFSET ${slice.offset}`
}

export interface From {
  readonly table: SQL
  readonly where: SQL | null
}

/** The table by way of an index, or by no index but its ids. */
export const indexed = (table: SQLWrapper, index: Index | null): SQL =>
  index === null ? sql`${table} NOT INDEXED` : sql`${table} INDEXED BY ${sql.identifier(index.name)}`

/** The table by way of a lead, in whatever order. */
export const entered = ({ resource: { table } }: Search, { index, keys }: Lead): From => ({
  table: indexed(table, index),
  where: index === null || keys === null ? null : sql`${index.on} IN (${keys})`,
})

/** The table in the order of the list. In the order of the id it is read by blocks, past those where nothing is visible. */
const source = (search: Search, lead: Lead, { from, backward }: Slice): { from: From; by: SQL } => {
  const { resource, ways, order } = search
  const { id, table } = resource
  const by = orderBy(order, id, backward)
  if (lead.index !== null) {
    const entry = lead.keys === null ? null : sql`${lead.index.on} = (${lead.keys})`
    return { from: { table: indexed(table, lead.index), where: entry }, by }
  }
  if (order.column !== null)
    return {
      from: { table: indexed(table, ways.indexes.find(({ on }) => on === order.column) ?? null), where: null },
      by,
    }
  const down = order.descending !== backward
  const near = from && sql`${ways.tallies.node} ${sql.raw(down ? '<=' : '>=')} ${Math.floor(from.id / 2 ** BLOCK)}`
  return {
    from: blocks(search, near, from && (down ? [null, from.id - 1] : [from.id + 1, null])),
    by: sql`${ways.tallies.node} ${sql.raw(down ? 'DESC' : 'ASC')}, ${by}`,
  }
}

/** The table by blocks of ids, without those in which the caller sees nothing. */
export const blocks = (
  { resource: { id, table }, ways, level }: Search,
  near: SQL | null,
  ends: readonly [least: number | null, greatest: number | null] | null = null,
): From => {
  const { table: tally, node, visible } = ways.tallies
  const first = sql`${node} * ${sql.raw(String(2 ** BLOCK))}`
  const last = sql`${first} + ${sql.raw(String(2 ** BLOCK - 1))}`
  const [least = null, greatest = null] = ends ?? []
  // One bound at each end, as an index is entered with one.
  const inside = sql`${id} BETWEEN ${least === null ? first : sql`max(${first}, ${least})`}
    AND ${greatest === null ? last : sql`min(${last}, ${greatest})`}`
  return {
    table: sql`${tally} CROSS JOIN ${table} NOT INDEXED`,
    where: all([nodeOf(ways, 'id', BLOCK), sql`${visible(level)} > 0`, near, inside]),
  }
}
