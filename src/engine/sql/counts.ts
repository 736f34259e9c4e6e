import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { TREES, type TreeName } from '../../../schema/counts.ts'
import { at } from '../../collections.ts'
import { all, type ColumnRange, integerOf, rangesTable } from '../../filters/sql.ts'
import { decompose, type NodeSpan } from '../candidates/nodes.ts'
import { idsOf, numbersOf, type ValueRange } from '../conditions/criteria.ts'
import type { Access, Table } from '../conditions/table.ts'

/** Selects the nodes of one size in the table of counts. */
export const nodesOf = ({ counts }: Access, tree: TreeName, shift: SQLWrapper | number): SQL =>
  sql`${counts.tree} = ${sql.raw(`'${tree}'`)} AND ${counts.shift} = ${typeof shift === 'number' ? integerOf(shift) : shift}`

/** Returns the number of all rows that a caller of this level sees. */
export const total = (access: Access, level: number): SQL =>
  sql`coalesce((SELECT ${access.counts.visible(level)} FROM ${access.counts.table}
    WHERE ${nodesOf(access, 'id', at(TREES.id.complete, -1))} AND ${access.counts.node} = 0), 0)`

/** If the finest complete node has at most this many rows, the index counts them. Else dense nodes help. */
const FEW = 256

/**
 * Counts the visible rows with a time in an extent. Complete nodes give most of it. The index counts the rest at both
 * ends, or dense nodes do if the rest has many rows.
 */
export const countInTime = (
  table: Table,
  access: Access,
  tree: 'start' | 'end',
  extent: ColumnRange,
  level: number,
): SQL => {
  const [first, last] = numbersOf(extent)
  const { nodes, rest } = decompose(TREES[tree].complete, [[first, last]])
  const finest = TREES[tree].complete[0]
  const ends = rest.map((range) => {
    const node = Math.floor(range[0] / 2 ** finest)
    // A rest is smaller than a node, so it lies in at most two nodes.
    const within = sql`(SELECT coalesce(sum(${access.counts.visible(Number.POSITIVE_INFINITY)}), 0) FROM ${access.counts.table}
      WHERE ${nodesOf(access, tree, finest)} AND ${access.counts.node} BETWEEN ${integerOf(node)} AND ${integerOf(node + 1)})`
    return sql`(SELECT CASE WHEN ${within} <= ${integerOf(FEW)} THEN (SELECT count(*) FROM ${inIndex(table, access, tree, [range], level)})
      ELSE ${countDense(table, access, tree, range, level)} END)`
  })
  return sql.join([countComplete(access, tree, nodes, level), ...ends], sql` + `)
}

/**
 * Counts the visible rows with an id in an extent. Complete nodes give most of it, and the table the rest at both ends.
 */
export const countInIds = ({ table, id, visible }: Table, access: Access, extent: ColumnRange, level: number): SQL => {
  const { nodes, rest } = decompose(TREES.id.complete, [idsOf(extent)])
  const ends = rest.map(
    ([first, last]) =>
      sql`(SELECT count(*) FROM ${table} NOT INDEXED
        WHERE ${all([sql`${id} BETWEEN ${integerOf(first)} AND ${integerOf(last)}`, visible(level)])})`,
  )
  return sql.join([countComplete(access, 'id', nodes, level), ...ends], sql` + `)
}

const countComplete = (access: Access, tree: TreeName, nodes: readonly NodeSpan[], level: number): SQL =>
  sql`(SELECT coalesce(sum(${access.counts.visible(level)}), 0) FROM ${rangesTable(nodes)} CROSS JOIN ${access.counts.table}
    WHERE ${nodesOf(access, tree, sql`span.value ->> 0`)} AND ${access.counts.node} BETWEEN span.value ->> 1 AND span.value ->> 2)`

/**
 * Counts the visible rows in a dense node, given its least value. A node without a stored count has few rows, so the
 * index counts them.
 */
export const countInNode = (
  table: Table,
  access: Access,
  tree: 'start' | 'end',
  shift: SQLWrapper | number,
  least: SQL,
  level: number,
): SQL => {
  const { counts } = access
  const bits = typeof shift === 'number' ? integerOf(shift) : shift
  const stored = sql`(SELECT ${counts.visible(level)} FROM ${counts.table}
    WHERE ${nodesOf(access, tree, shift)} AND ${counts.node} = ${least} >> ${bits})`
  const inside = sql`${counts.values[tree]} BETWEEN ${least} AND ${least} + (1 << ${bits}) - 1`
  return sql`coalesce(${stored}, (SELECT count(*) FROM ${indexOf(table, tree)} WHERE ${all([inside, table.visible(level)])}))`
}

const countDense = (table: Table, access: Access, tree: 'start' | 'end', range: ValueRange, level: number): SQL => {
  const { nodes, rest } = decompose(TREES[tree].dense, [range])
  const each = nodes.flatMap(([shift, low, high]) =>
    Array.from({ length: high - low + 1 }, (_, i) => [shift, (low + i) * 2 ** shift]),
  )
  return sql`(SELECT coalesce(sum(${countInNode(table, access, tree, sql`(span.value ->> 0)`, sql`(span.value ->> 1)`, level)}), 0) FROM ${rangesTable(each)})
    + (SELECT count(*) FROM ${inIndex(table, access, tree, rest, level)})`
}

/** Selects the visible rows with a value in some ranges, through the index of a tree. */
export const inIndex = (
  table: Table,
  { counts }: Access,
  tree: TreeName,
  ranges: readonly ValueRange[],
  level: number,
): SQL =>
  sql`${rangesTable(ranges)} CROSS JOIN ${indexOf(table, tree)}
    WHERE ${all([sql`${counts.values[tree]} BETWEEN span.value ->> 0 AND span.value ->> 1`, table.visible(level)])}`

const indexOf = ({ table }: Table, tree: TreeName): SQL => sql`${table} INDEXED BY ${sql.identifier(TREES[tree].index)}`
