import { type SQL, sql } from 'drizzle-orm'
import { eventCounts, events } from '../../../schema/tables.ts'
import { TREES } from '../../../schema/trees.ts'
import type { ListedRow } from '../shared/page.ts'
import { selectListed } from './columns.ts'
import { type OrderTree, orderTreeOf } from './counts.ts'
import { indexOf, nodesOf, seenIn, through } from './indexes.ts'
import { ANY } from './ranges.ts'
import { asksOnlyOrder, type List, type Search } from './search.ts'
import { all, type ColumnRange, integer, integerOf, within } from './sql.ts'

const [BLOCK] = TREES.id.shifts

/** Reads the table in blocks of ids, and skips blocks without visible rows. `more` is a further condition on them. */
export const blocks = (
  { level }: Search,
  [least, greatest]: ColumnRange,
  more: SQL | null = null,
): { readonly from: SQL; readonly enter: SQL | null } => {
  const { node } = eventCounts
  const first = sql`${node} * ${integerOf(2 ** BLOCK)}`
  const last = sql`${first} + ${integerOf(2 ** BLOCK - 1)}`
  // One bound at each end: SQLite enters an index with only one.
  const inside = sql`${events.id} BETWEEN ${least === null ? first : sql`max(${first}, ${integer(least)})`}
    AND ${greatest === null ? last : sql`min(${last}, ${integer(greatest)})`}`
  const nodes = within(node, [least && least >> BigInt(BLOCK), greatest && greatest >> BigInt(BLOCK)])
  return {
    from: sql`${eventCounts} CROSS JOIN ${through(null)}`,
    enter: all([nodesOf('id', BLOCK), sql`${seenIn(level)} > 0`, nodes, more, inside]),
  }
}

/** A page whose place stored counts locate: the tree with the order of the list, and the values of all matches. */
export interface FarPage {
  readonly tree: OrderTree
  readonly extent: ColumnRange
}

/** Returns how to find a page by its number. Null: it is the first or last one, or other rows stand between the matches. */
export const farPageOf = ({ search, order: { column }, after, skip }: List): FarPage | null => {
  const tree = orderTreeOf(column)
  if (tree === null || after !== null || skip === 0) return null
  const [extent, ...others] = search.ranges.get(column ?? events.id) ?? [ANY]
  return extent !== undefined && others.length === 0 && asksOnlyOrder(search, column) ? { tree, extent } : null
}

/**
 * Reads `take` visible rows after the first `skip` ones, in ascending order of a tree. Stored counts locate the node with
 * the first row, from the largest nodes down to the smallest. It then scans the rows of that node only.
 */
export const seek = (list: List, tree: OrderTree, skip: number, take: number): SQL<ListedRow> => {
  const { search } = list
  const steps = stepsTo(search, tree, skip)
  const leaf = step(steps.length - 1)
  const column = tree === 'id' ? null : events[tree]
  const { from, enter } =
    column === null
      ? blocks(search, ANY, sql`${eventCounts.node} >= (SELECT least >> ${integerOf(TREES.id.shifts[0])} FROM ${leaf})`)
      : { from: through(indexOf(column)), enter: sql`${column} >= (SELECT least FROM ${leaf})` }
  const named = steps.map((query, i) => sql`${step(i)} AS (${query})`)
  const rest = sql`WHERE ${all([enter, search.visible])} ORDER BY ${column ?? eventCounts.node}, ${events.id} LIMIT ${take}
    OFFSET max(0, ${skip} - coalesce((SELECT before FROM ${leaf}), 0))`
  return sql`WITH ${sql.join(named, sql`, `)} ${selectListed(list, take, from, rest)}`
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
    const nodes = sql`SELECT ${node} << ${bits} AS least, ${seenIn(level)} AS "rows", above.before
      FROM ${above} AS above CROSS JOIN ${eventCounts} WHERE ${all([nodesOf(tree, shift), i === 0 ? null : inside])}`
    return sql`SELECT * FROM (SELECT least, "rows", before + sum("rows") OVER (ORDER BY least) - "rows" AS before FROM (${nodes}))
      WHERE before <= ${skip} AND "rows" > 0 ORDER BY least DESC LIMIT 1`
  })
}

const step = (i: number): SQL => sql.raw(`step${i}`)
