import { type SQL, sql } from 'drizzle-orm'
import { TREES } from '../../../schema/counts.ts'
import { all, integerOf, namedColumns, numbersTable } from '../../filters/sql.ts'
import { fromIndex, indexOn } from '../candidates/paths.ts'
import { orderBy } from '../conditions/order.ts'
import { sharedColumns } from '../run/long.ts'
import { positionColumns, type Search, type Slice } from '../search.ts'
import { countInNode, nodesOf } from './counts.ts'
import { blocks } from './scan.ts'

/** A tree of counts that has the order of a list. */
export type OrderTree = 'id' | 'start' | 'end'

/** Returns the tree with the order of the search, or null if there is none. */
export const treeOf = ({ order, access: { time } }: Search): OrderTree | null => {
  if (order.column === null) return 'id'
  return order.column === time.start ? 'start' : order.column === time.end ? 'end' : null
}

/** In a node with at most this many rows, seek scans the rows and does not look at smaller nodes. */
const FEW = 128

/**
 * Reads a slice of all visible rows, in ascending order of a tree. Stored counts locate the node with its first row,
 * from the largest nodes down to the smallest. It then scans the rows of that node only. `reversed`: the list is
 * descending, and the caller converted the slice.
 */
export const seek = (search: Search, tree: OrderTree, slice: Slice, reversed: boolean): SQL => {
  const { table, access, visible, order } = search
  const steps = [...completeSteps(search, tree, slice.offset), ...denseSteps(search, tree, slice.offset)]
  const leaf = step(steps.length - 1)
  const from =
    tree === 'id'
      ? blocks(search, sql`${access.counts.node} >= (SELECT least >> ${integerOf(TREES.id.complete[0])} FROM ${leaf})`)
      : {
          source: fromIndex(search, indexOn(access, order.column ?? table.id, false)),
          enter: sql`${order.column} >= (SELECT least FROM ${leaf})`,
        }
  const ordered = orderBy(order, table.id, reversed)
  const named = steps.map((query, i) => sql`${step(i)} AS (${query})`)
  return sql`WITH ${sql.join(named, sql`, `)} SELECT ${namedColumns(sharedColumns(table, slice.limit))}, ${positionColumns(search)}
    FROM ${from.source} ${table.joins ?? sql``} WHERE ${all([from.enter, visible])}
    ORDER BY ${tree === 'id' ? sql`${access.counts.node}, ${table.id}` : ordered}
    LIMIT ${slice.limit} OFFSET max(0, ${slice.offset} - coalesce((SELECT before FROM ${leaf}), 0))`
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
