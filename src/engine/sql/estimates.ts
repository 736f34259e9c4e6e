import { type SQL, sql } from 'drizzle-orm'
import { eventCounts, events } from '../../../schema/tables.ts'
import type { TreeName } from '../../../schema/trees.ts'
import { asCount, numberOf } from '../../filters/sql.ts'
import type { Row } from '../conditions/table.ts'
import { type NodeRow, STATISTICS_SHIFTS, type Statistics, spreadOf } from '../estimates.ts'
import { seenIn } from '../events.ts'
import { nodesOf, total } from './counts.ts'

/** Reads the total, the nodes of cells, starts, ids and durations, and the greatest id. */
export const statisticsQueries = (level: number): readonly SQL<Row>[] => {
  const nodes = (tree: TreeName, shift: number): SQL<Row> =>
    sql`SELECT ${eventCounts.node} AS node, ${seenIn(level)} AS "rows" FROM ${eventCounts}
      WHERE ${nodesOf(tree, shift)} ORDER BY ${eventCounts.node}`
  return [
    asCount(total(level)) as SQL<unknown> as SQL<Row>,
    nodes('cell', STATISTICS_SHIFTS.cell),
    nodes('start', STATISTICS_SHIFTS.start),
    nodes('id', STATISTICS_SHIFTS.id),
    nodes('duration', 0),
    sql`SELECT max(${events.id}) AS count FROM ${events}`,
  ]
}

/** Converts the answers of `statisticsQueries`. */
export const statisticsFrom = (answers: readonly (readonly Row[])[]): Statistics => {
  const rowsAt = (i: number) => (answers[i] ?? []) as unknown as readonly (NodeRow & { readonly count: number })[] // as the queries select
  return {
    total: numberOf(rowsAt(0)),
    cells: spreadOf(rowsAt(1), STATISTICS_SHIFTS.cell),
    starts: spreadOf(rowsAt(2), STATISTICS_SHIFTS.start),
    ids: spreadOf(rowsAt(3), STATISTICS_SHIFTS.id, numberOf(rowsAt(5))),
    durations: rowsAt(4),
  }
}
