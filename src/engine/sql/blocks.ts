import { type SQL, sql } from 'drizzle-orm'
import { eventCounts, events } from '../../../schema/tables.ts'
import { TREES } from '../../../schema/trees.ts'
import { all, type ColumnRange, integer, integerOf, within } from '../../filters/sql.ts'
import type { Search } from '../conditions/search.ts'
import { seenIn, through } from '../events.ts'
import { nodesOf } from './counts.ts'

const [BLOCK] = TREES.id.complete

/** Reads the table in blocks of ids, and skips blocks without visible rows. `near` limits the blocks. */
export const blocks = (
  { level }: Pick<Search, 'level'>,
  [least, greatest]: ColumnRange,
  near: SQL | null = null,
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
    enter: all([nodesOf('id', BLOCK), sql`${seenIn(level)} > 0`, nodes, near, inside]),
  }
}
