import { type SQL, sql } from 'drizzle-orm'
import { TREES } from '../../../schema/counts.ts'
import { countInNode, nodesOf } from '../db/counts.ts'
import { all, each, integerOf } from '../db/sql.ts'
import { sharedColumns } from '../long.ts'
import { orderBy } from '../order.ts'
import { by, indexOn } from '../plan/paths.ts'
import { positionColumns, type Search, type Slice } from '../search.ts'
import { blocks } from './scan.ts'

/** A tree that counts rows in an order of a list. */
export type OrderTree = 'id' | 'start' | 'end'

/** The tree that counts the rows in the order of a search; null where none does. */
export const treeOf = ({ order, access: { time } }: Search): OrderTree | null => {
  if (order.column === null) return 'id'
  return order.column === time.start ? 'start' : order.column === time.end ? 'end' : null
}

/** How many rows of a node are passed rather than looked for in the nodes within it. */
const FEW = 128

/**
 * The rows from a number of visible rows on, of everything that the caller sees, in the order of a tree upward: the
 * node that they are in is found from the largest nodes down to the smallest, and only in it are rows passed. `turned`:
 * the order asked for is downward, and the caller reads it from its end.
 */
export const seek = (search: Search, tree: OrderTree, slice: Slice, turned: boolean): SQL => {
  const { table, access, visible, order } = search
  const steps = [...completeSteps(search, tree, slice.offset), ...denseSteps(search, tree, slice.offset)]
  const leaf = step(steps.length - 1)
  const from =
    tree === 'id'
      ? blocks(search, sql`${access.counts.node} >= (SELECT least >> ${integerOf(TREES.id.complete[0])} FROM ${leaf})`)
      : {
          source: by(search, indexOn(access, order.column ?? table.id, false)),
          enter: sql`${order.column} >= (SELECT least FROM ${leaf})`,
        }
  const ordered = orderBy(order, table.id, turned)
  const named = steps.map((query, i) => sql`${step(i)} AS (${query})`)
  return sql`WITH ${sql.join(named, sql`, `)} SELECT ${sharedColumns(table, slice.limit)}, ${positionColumns(search)}
    FROM ${from.source} ${table.joins ?? sql``} WHERE ${all([from.enter, visible])}
    ORDER BY ${tree === 'id' ? sql`${access.counts.node}, ${table.id}` : ordered}
    LIMIT ${slice.limit} OFFSET max(0, ${slice.offset} - coalesce((SELECT before FROM ${leaf}), 0))`
}

/**
 * From the largest nodes down, of each size: the least value of the node that the row is in, its rows, and those before
 * it. Each names the step above once: SQLite copies a step wherever it is named.
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
 * The same among the dense nodes of a crowded one: of those that are not kept the few rows are counted in the index.
 */
const denseSteps = ({ table, access, level }: Search, tree: OrderTree, offset: number): SQL[] => {
  if (tree === 'id') return []
  const { complete, dense } = TREES[tree]
  return [...dense].reverse().map((shift, i) => {
    const children = 2 ** ((dense[dense.length - i] ?? complete[0]) - shift)
    const parts = each(Array.from({ length: children }, (_, child) => child))
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

/** Of nodes in their order, that in which a number of rows from the first on is reached. */
const nodeAt = (nodes: SQL, offset: number): SQL =>
  sql`SELECT * FROM (SELECT least, "rows", before + sum("rows") OVER (ORDER BY least) - "rows" AS before FROM (${nodes}))
    WHERE before <= ${offset} AND "rows" > 0 ORDER BY least DESC LIMIT 1`

const step = (i: number): SQL => sql.raw(`step${i}`)
