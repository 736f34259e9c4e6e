import { sql } from 'drizzle-orm'
import { TREES } from '../../schema/tally.ts'
import type { Extent } from '../filters/lookups.ts'
import type { Weight } from '../geometry/covering.ts'
import { numberOf, type Search, totalQuery } from './search.ts'
import { nodeOf } from './tally.ts'

/**
 * Roughly how many rows there are where: what the choice between plans is made on, as in any database. No answer is taken
 * from it, so that it may be out of date.
 */
export interface Statistics {
  readonly total: number
  /** In finest cells from first to last. */
  readonly inCells: Weight
  /** With a start within an extent. */
  readonly inStart: (extent: Extent) => number
}

const CELL_SHIFT = TREES.cell[1]
const START_SHIFT = TREES.start[2]
const MAX_AGE = 30_000 // milliseconds

/** By level, of which there are four. Kept between requests, as they need it time and again. */
const remembered = new Map<number, { readonly at: number; readonly statistics: Statistics }>()

/** The statistics of what a caller of this level sees; read anew, in one round trip, when they are half a minute old. */
export const statisticsOf = async (search: Search): Promise<Statistics> => {
  const { level, read, ways } = search
  const known = remembered.get(level)
  if (known !== undefined && Date.now() - known.at < MAX_AGE) return known.statistics
  const { table, node, visible } = ways.tallies
  const nodes = (tree: 'cell' | 'start', shift: number) =>
    sql`SELECT ${node} AS node, ${visible(level)} AS "rows" FROM ${table} WHERE ${nodeOf(ways, tree, shift)} ORDER BY ${node}`
  const [total, cells = [], starts = []] = await read(
    totalQuery(search),
    nodes('cell', CELL_SHIFT),
    nodes('start', START_SHIFT),
  )
  const inCells = spread(cells, CELL_SHIFT)
  const inStarts = spread(starts, START_SHIFT)
  const statistics: Statistics = {
    total: numberOf(total),
    inCells: (_level, first, last) => inCells(first, last),
    inStart: ([least, greatest]) => inStarts(Number(least ?? -Infinity), Number(greatest ?? Infinity)),
  }
  remembered.set(level, { at: Date.now(), statistics })
  return statistics
}

/** How many rows to expect from a first to a last value, where nodes hold so many, evenly spread within each. */
const spread = (nodes: readonly { [name: string]: number }[], shift: number) => {
  const size = 2 ** shift
  const at = nodes.map(({ node = 0 }) => node)
  const sums = [0]
  for (const { rows = 0 } of nodes) sums.push((sums.at(-1) ?? 0) + rows)
  /** How many rows have a value below this one. */
  const below = (value: number): number => {
    const node = Math.floor(value / size)
    const i = lowerBound(at, node)
    const part = at[i] === node ? ((sums[i + 1] ?? 0) - (sums[i] ?? 0)) * (value / size - node) : 0
    return (sums[i] ?? 0) + part
  }
  return (first: number, last: number): number => Math.max(0, below(last + 1) - below(first))
}

/** The index of the first number that is not less. */
const lowerBound = (sorted: readonly number[], value: number): number => {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}
