import { sql } from 'drizzle-orm'
import { TREES, type TreeName } from '../../../schema/counts.ts'
import { at, bisect } from '../../collections.ts'
import { asCount, numberOf } from '../../filters/sql.ts'
import type { Row } from '../conditions/table.ts'
import type { Statistics } from '../run/cache.ts'
import { type Search, totalQuery } from '../search.ts'
import { nodesOf } from '../sql/counts.ts'

/** The statistics read nodes of 5.6 by 2.8 degrees, of 25 days and of 32,768 ids, and every class of durations. */
const SHIFTS = {
  cell: TREES.cell.complete[1],
  start: TREES.start.complete[1],
  id: TREES.id.complete[2],
  class: TREES.class.complete[0],
} as const
/** The shift of the nodes of cells in the statistics. */
export const CELL_SHIFT = SHIFTS.cell
const MAX_AGE = 30_000 // milliseconds

/** Returns the statistics for an access level. It reads them in one round trip if they are older than 30 seconds. */
export const statisticsOf = async (search: Search): Promise<Statistics> => {
  const { level, read, access, cache, table: listed } = search
  const key = String(level)
  const known = cache.statistics.get(key)
  if (known !== undefined && Date.now() - known.at < MAX_AGE) return known.statistics
  const { table, node, visible } = access.counts
  const nodes = (tree: TreeName, shift: number) =>
    sql`SELECT ${node} AS node, ${visible(level)} AS "rows" FROM ${table} WHERE ${nodesOf(access, tree, shift)} ORDER BY ${node}`
  const [total, cells, starts, ids, classes, last] = await read(
    totalQuery(search),
    nodes('cell', SHIFTS.cell),
    nodes('start', SHIFTS.start),
    nodes('id', SHIFTS.id),
    nodes('class', SHIFTS.class),
    asCount(sql`(SELECT max(${listed.id}) FROM ${listed.table})`),
  )
  const inCells = spread(cells, SHIFTS.cell)
  const inStarts = spread(starts, SHIFTS.start)
  const inIds = spread(ids, SHIFTS.id, numberOf(last))
  const byClass = new Map(classes.map(({ node, rows }): [number, number] => [node, rows]))
  const statistics: Statistics = {
    total: numberOf(total),
    inCells: (_level, first, last) => inCells(first, last),
    inStart: ([least, greatest]) => inStarts(Number(least ?? -Infinity), Number(greatest ?? Infinity)),
    inId: ([least, greatest]) => inIds(Number(least ?? -Infinity), Number(greatest ?? Infinity)),
    inClass: (durationClass) => byClass.get(durationClass) ?? 0,
  }
  cache.statistics.set(key, { at: Date.now(), statistics })
  return statistics
}

/**
 * Returns a function that estimates the rows in a range of values. It assumes that the rows of a node are spread
 * evenly. `greatest` is the last value in use, if known. It shortens the last node.
 */
const spread = (nodes: readonly Row[], shift: number, greatest = Number.POSITIVE_INFINITY) => {
  const size = 2 ** shift
  const numbers = nodes.map(({ node }): number => node)
  const sums = [0]
  for (const { rows } of nodes) sums.push(at(sums, -1) + rows)
  /** Returns the estimated rows with a value below this one. */
  const below = (value: number): number => {
    const node = Math.floor(value / size)
    const i = bisect(0, numbers.length, (middle) => at(numbers, middle) < node)
    const width = Math.min(size, greatest + 1 - node * size)
    const within = Math.min(1, Math.max(0, (value - node * size) / Math.max(1, width)))
    const part = numbers[i] === node ? (at(sums, i + 1) - at(sums, i)) * within : 0
    return at(sums, i) + part
  }
  return (first: number, last: number): number => Math.max(0, below(last + 1) - below(first))
}
