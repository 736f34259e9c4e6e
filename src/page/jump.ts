import { type SQL, sql } from 'drizzle-orm'
import { TREES, type Tree } from '../../schema/tally.ts'
import { orderBy } from './order.ts'
import { positionColumns, type Search, type Slice } from './search.ts'
import { all, columnsOf } from './sql.ts'
import { nodeOf } from './tally.ts'
import { blocks, indexed } from './walk.ts'

/** The tree that counts the rows in the order of a search; null where none does. */
export const treeOf = ({ order, ways }: Search): Tree | null => {
  if (order.column === null) return 'id'
  return order.column === ways.trees.start ? 'start' : null
}

/**
 * The rows from a number of visible rows on, of everything that the caller sees, in the order of a tree upward: the node
 * that they are in is found from the largest nodes down to the smallest, and only in it are rows passed. `turned`: the
 * order asked for is downward, and the caller reads it from its end.
 */
export const jump = (search: Search, tree: Tree, slice: Slice, turned: boolean): SQL => {
  const { resource, ways, visible, order } = search
  const { id, table, joins = sql`` } = resource
  const [finest] = TREES[tree]
  const steps = stepsOf(search, tree, slice.offset)
  const leaf = step(steps.length - 1)
  const index = ways.indexes.find(({ on }) => on === order.column) ?? null
  const from =
    tree === 'id'
      ? blocks(search, sql`${ways.tallies.node} >= (SELECT node FROM ${leaf})`)
      : {
          table: indexed(table, index),
          where: sql`${ways.trees[tree]} >= (SELECT node FROM ${leaf}) * ${sql.raw(String(2 ** finest))}`,
        }
  const by = orderBy(order, id, turned)
  return sql`WITH ${sql.join(steps, sql`, `)} SELECT ${columnsOf(resource)}, ${positionColumns(search)}
    FROM ${from.table} ${joins} WHERE ${all([from.where, visible])}
    ORDER BY ${tree === 'id' ? sql`${ways.tallies.node}, ${id}` : by}
    LIMIT ${slice.limit} OFFSET max(0, ${slice.offset} - coalesce((SELECT before FROM ${leaf}), 0))`
}

/** From the largest nodes down: in which node the row is, and how many rows are in those before it. */
const stepsOf = ({ ways, level }: Search, tree: Tree, offset: number): SQL[] => {
  const { table, node, visible } = ways.tallies
  const rows = visible(level)
  return [...TREES[tree]].reverse().map((shift, i, shifts) => {
    const above = step(i - 1)
    const children = sql.raw(String(2 ** ((shifts[i - 1] ?? shift) - shift)))
    const first = sql`(SELECT node FROM ${above}) * ${children}`
    const inside = i === 0 ? null : sql`${node} BETWEEN ${first} AND ${first} + ${children} - 1`
    const before = i === 0 ? sql`0` : sql`(SELECT before FROM ${above})`
    return sql`${step(i)} AS (SELECT node, before FROM (
      SELECT ${node} AS node, ${rows} AS "rows", ${before} + sum(${rows}) OVER (ORDER BY ${node}) - ${rows} AS before
      FROM ${table} WHERE ${all([nodeOf(ways, tree, shift), inside])})
      WHERE before <= ${offset} AND "rows" > 0 ORDER BY node DESC LIMIT 1)`
  })
}

const step = (i: number): SQL => sql.raw(`step${i}`)
