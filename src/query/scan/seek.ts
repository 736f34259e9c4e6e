import { type SQL, sql } from 'drizzle-orm'
import { TREES, type TreeName } from '../../../schema/counts.ts'
import { nodesOf } from '../db/counts.ts'
import { all, columnsOf, integerOf } from '../db/sql.ts'
import { orderBy } from '../order.ts'
import { by, indexOn } from '../plan/paths.ts'
import { positionColumns, type Search, type Slice } from '../search.ts'
import { blocks } from './scan.ts'

/** The tree that counts the rows in the order of a search; null where none does. */
export const treeOf = ({ order, access: { time } }: Search): TreeName | null => {
  if (order.column === null) return 'id'
  return order.column === time.start ? 'start' : order.column === time.end ? 'end' : null
}

/**
 * The rows from a number of visible rows on, of everything that the caller sees, in the order of a tree upward: the node
 * that they are in is found from the largest nodes down to the smallest, and only in it are rows passed. `turned`: the
 * order asked for is downward, and the caller reads it from its end.
 */
export const seek = (search: Search, tree: TreeName, slice: Slice, turned: boolean): SQL => {
  const { table, access, visible, order } = search
  const [finest] = TREES[tree].complete
  const steps = stepsOf(search, tree, slice.offset)
  const leaf = step(steps.length - 1)
  const from =
    tree === 'id'
      ? blocks(search, sql`${access.counts.node} >= (SELECT node FROM ${leaf})`)
      : {
          source: by(search, indexOn(access, order.column ?? table.id, false)),
          enter: sql`${order.column} >= (SELECT node FROM ${leaf}) * ${integerOf(2 ** finest)}`,
        }
  const ordered = orderBy(order, table.id, turned)
  return sql`WITH ${sql.join(steps, sql`, `)} SELECT ${columnsOf(table)}, ${positionColumns(search)}
    FROM ${from.source} ${table.joins ?? sql``} WHERE ${all([from.enter, visible])}
    ORDER BY ${tree === 'id' ? sql`${access.counts.node}, ${table.id}` : ordered}
    LIMIT ${slice.limit} OFFSET max(0, ${slice.offset} - coalesce((SELECT before FROM ${leaf}), 0))`
}

/** From the largest nodes down: in which node the row is, and how many rows are in those before it. */
const stepsOf = ({ access, level }: Search, tree: TreeName, offset: number): SQL[] => {
  const { table, node, visible } = access.counts
  const rows = visible(level)
  return [...TREES[tree].complete].reverse().map((shift, i, shifts) => {
    const above = step(i - 1)
    const children = sql.raw(String(2 ** ((shifts[i - 1] ?? shift) - shift)))
    const first = sql`(SELECT node FROM ${above}) * ${children}`
    const inside = i === 0 ? null : sql`${node} BETWEEN ${first} AND ${first} + ${children} - 1`
    const before = i === 0 ? sql`0` : sql`(SELECT before FROM ${above})`
    return sql`${step(i)} AS (SELECT node, before FROM (
      SELECT ${node} AS node, ${rows} AS "rows", ${before} + sum(${rows}) OVER (ORDER BY ${node}) - ${rows} AS before
      FROM ${table} WHERE ${all([nodesOf(access, tree, shift), inside])})
      WHERE before <= ${offset} AND "rows" > 0 ORDER BY node DESC LIMIT 1)`
  })
}

const step = (i: number): SQL => sql.raw(`step${i}`)
