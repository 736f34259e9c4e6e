import { type SQL, sql } from 'drizzle-orm'
import { TREES } from '../../../schema/trees.ts'
import { all, integerOf, numbersTable } from '../../filters/sql.ts'
import type { Slice } from '../conditions/page.ts'
import type { OrderTree, Search } from '../conditions/search.ts'
import { indexOn } from '../conditions/table.ts'
import type { PageRead } from '../plan/plan.ts'
import { fromIndex, listedColumns, orderBy, type RowsQuery } from './columns.ts'
import { countInNode, nodesOf } from './counts.ts'
import { blocksSource } from './sources.ts'

/** In a node with at most this many rows, seek scans the rows and does not look at smaller nodes. */
const FEW = 128

/**
 * Reads a slice of all visible rows, in ascending order of a tree. Stored counts locate the node with its first row,
 * from the largest nodes down to the smallest. It then scans the rows of that node only. The caller converts the slice
 * of a descending list, and reverses the rows.
 */
export const seek = (
  search: Search,
  { tree, before, count }: Extract<PageRead, { read: 'seek' }>,
  slice: Slice,
): RowsQuery => {
  const { table, access, visible, order } = search
  const offset = before + slice.offset
  const limit = count === null ? slice.limit : Math.max(0, Math.min(slice.limit, count - slice.offset))
  const steps = [...completeSteps(search, tree, offset), ...denseSteps(search, tree, offset)]
  const leaf = step(steps.length - 1)
  const { source, enter } =
    order.column === null
      ? blocksSource(
          search,
          sql`${access.counts.node} >= (SELECT least >> ${integerOf(TREES.id.complete[0])} FROM ${leaf})`,
        )
      : {
          source: fromIndex(table, indexOn(access, order.column, false)),
          enter: sql`${order.column} >= (SELECT least FROM ${leaf})`,
        }
  const ordered = order.column === null ? sql`${access.counts.node}, ${table.id}` : orderBy(search, order.descending)
  const named = steps.map((query, i) => sql`${step(i)} AS (${query})`)
  return sql`WITH ${sql.join(named, sql`, `)} SELECT ${listedColumns(search, limit)}
    FROM ${source} ${table.joins ?? sql``} WHERE ${all([enter, visible])} ORDER BY ${ordered}
    LIMIT ${limit} OFFSET max(0, ${offset} - coalesce((SELECT before FROM ${leaf}), 0))`
}

/**
 * Locates the row in complete nodes, one size after the other. A step returns the least value of the node, its rows,
 * and the rows before it. It names the step above only once, because SQLite computes a step again at each use.
 */
const completeSteps = ({ access, level }: Search, tree: OrderTree, offset: number): SQL[] => {
  const { table, node, visible } = access.counts
  return [...TREES[tree].complete].reverse().map((shift, i, shifts) => {
    const bits = integerOf(shift)
    const children = 2 ** ((shifts[i - 1] ?? shift) - shift)
    const above = i === 0 ? sql`(SELECT 0 AS before)` : step(i - 1)
    const inside = sql`${node} BETWEEN above.least >> ${bits} AND (above.least >> ${bits}) + ${integerOf(children - 1)}`
    return nodeAt(
      sql`SELECT ${node} << ${bits} AS least, ${visible(level)} AS "rows", above.before
        FROM ${above} AS above CROSS JOIN ${table} WHERE ${all([nodesOf(access, tree, shift), i === 0 ? null : inside])}`,
      offset,
    )
  })
}

/**
 * Locates the row in dense nodes, if its complete node has many rows. A node without a stored count has few rows, so
 * the index counts them.
 */
const denseSteps = ({ table, access, level }: Search, tree: OrderTree, offset: number): SQL[] => {
  if (tree === 'id') return []
  const { complete, dense } = TREES[tree]
  return [...dense].reverse().map((shift, i) => {
    const children = 2 ** ((dense[dense.length - i] ?? complete[0]) - shift)
    const parts = numbersTable(Array.from({ length: children }, (_, child) => child))
    const isFew = sql`above."rows" <= ${integerOf(FEW)}`
    const least = sql`(above.least + (part.value << ${integerOf(shift)}))`
    return nodeAt(
      sql`SELECT ${least} AS least, above.before,
          CASE WHEN ${isFew} THEN above."rows" ELSE ${countInNode(table, access, tree, shift, least, level)} END AS "rows"
        FROM ${step(complete.length + i - 1)} AS above CROSS JOIN (${parts}) AS part WHERE part.value = 0 OR NOT ${isFew}`,
      offset,
    )
  })
}

/** Selects the node that contains the row number `offset`, from 0. */
const nodeAt = (nodes: SQL, offset: number): SQL =>
  sql`SELECT * FROM (SELECT least, "rows", before + sum("rows") OVER (ORDER BY least) - "rows" AS before FROM (${nodes}))
    WHERE before <= ${offset} AND "rows" > 0 ORDER BY least DESC LIMIT 1`

const step = (i: number): SQL => sql.raw(`step${i}`)
