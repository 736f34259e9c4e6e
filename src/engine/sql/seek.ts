import { type SQL, sql } from 'drizzle-orm'
import { eventCounts, events } from '../../../schema/tables.ts'
import { TREES } from '../../../schema/trees.ts'
import { all, integerOf } from '../../filters/sql.ts'
import type { Sorted } from '../conditions/page.ts'
import { ANY, type Search } from '../conditions/search.ts'
import { indexOf, nodesOf, seenIn, through } from '../events.ts'
import { listedColumns, type RowsQuery } from './columns.ts'
import { blocks, type OrderTree } from './counts.ts'

/**
 * Reads `take` visible rows after the first `skip` ones, in ascending order of a tree. Stored counts locate the node with
 * the first row, from the largest nodes down to the smallest. It then scans the rows of that node only.
 */
export const seek = (search: Search, sorted: Sorted, tree: OrderTree, skip: number, take: number): RowsQuery => {
  const { table } = sorted
  const steps = stepsTo(search, tree, skip)
  const leaf = step(steps.length - 1)
  const column = tree === 'id' ? null : events[tree]
  const { from, enter } =
    column === null
      ? blocks(search, ANY, sql`${eventCounts.node} >= (SELECT least >> ${integerOf(TREES.id.shifts[0])} FROM ${leaf})`)
      : { from: through(indexOf(column)), enter: sql`${column} >= (SELECT least FROM ${leaf})` }
  const ordered = column === null ? sql`${eventCounts.node}, ${events.id}` : sql`${column}, ${events.id}`
  const named = steps.map((query, i) => sql`${step(i)} AS (${query})`)
  return sql`WITH ${sql.join(named, sql`, `)} SELECT ${listedColumns(sorted, take)} FROM ${from} ${table.joins ?? sql``}
    WHERE ${all([enter, search.visible])} ORDER BY ${ordered} LIMIT ${take}
    OFFSET max(0, ${skip} - coalesce((SELECT before FROM ${leaf}), 0))`
}

/**
 * Locates the row in nodes of one size after the other. A step returns the least value of the node, its rows,
 * and the rows before it. It names the step above only once, because SQLite computes a step again at each use.
 */
const stepsTo = ({ level }: Search, tree: OrderTree, skip: number): SQL[] => {
  const { node } = eventCounts
  return [...TREES[tree].shifts].reverse().map((shift, i, shifts) => {
    const bits = integerOf(shift)
    const children = 2 ** ((shifts[i - 1] ?? shift) - shift)
    const above = i === 0 ? sql`(SELECT 0 AS before)` : step(i - 1)
    const inside = sql`${node} BETWEEN above.least >> ${bits} AND (above.least >> ${bits}) + ${integerOf(children - 1)}`
    return nodeAt(
      sql`SELECT ${node} << ${bits} AS least, ${seenIn(level)} AS "rows", above.before
        FROM ${above} AS above CROSS JOIN ${eventCounts} WHERE ${all([nodesOf(tree, shift), i === 0 ? null : inside])}`,
      skip,
    )
  })
}

/** Selects the node that contains the row number `skip`, from 0. */
const nodeAt = (nodes: SQL, skip: number): SQL =>
  sql`SELECT * FROM (SELECT least, "rows", before + sum("rows") OVER (ORDER BY least) - "rows" AS before FROM (${nodes}))
    WHERE before <= ${skip} AND "rows" > 0 ORDER BY least DESC LIMIT 1`

const step = (i: number): SQL => sql.raw(`step${i}`)
