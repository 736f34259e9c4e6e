import { type SQL, sql } from 'drizzle-orm'
import { eventCounts } from '../../../schema/tables.ts'
import { TREES } from '../../../schema/trees.ts'
import { all, rangesTable } from '../../filters/sql.ts'
import { box } from '../../geometry/box.ts'
import { amountIn, type Block, CELL_LEVELS } from '../../geometry/cell.ts'
import type { Search, ValueRange } from '../conditions/search.ts'
import { CELL_SHIFTS, type CellNodeRow } from '../estimates.ts'
import { seenIn } from '../events.ts'
import { FEW } from '../limits.ts'
import type { CellCounts } from './counts.ts'

const [FINEST_COMPLETE] = TREES.cell.complete

/** Rows per node. The outer key is the shift, the inner key is the node number. */
type RowsByNode = ReadonlyMap<number, ReadonlyMap<number, number>>

const nodesFrom = (rows: readonly CellNodeRow[]): RowsByNode => {
  const nodes = new Map<number, Map<number, number>>(CELL_SHIFTS.map((shift) => [shift, new Map()]))
  for (const { shift, node, rows: held } of rows) nodes.get(shift)?.set(node, held)
  return nodes
}

/** Reads the nodes of all sizes in some cells, with their visible rows, if `condition` holds. */
export const nodesOfAllSizes = ({ level }: Search, cells: readonly ValueRange[], condition: SQL): SQL<CellNodeRow> => {
  const { tree, shift, node, first } = eventCounts
  return sql`SELECT ${shift} AS shift, ${node} AS node, ${seenIn(level)} AS "rows"
    FROM ${rangesTable(cells)} CROSS JOIN ${eventCounts} INDEXED BY event_count_by_first
    WHERE ${all([sql`${tree} = 'cell'`, sql`${first} BETWEEN span.value ->> 0 AND span.value ->> 1`, condition])}`
}

/**
 * The parts of cells that have rows of a block. Nodes counted the rows in `counted`, and a query has to count those in
 * `left`.
 */
interface Pieces {
  readonly counted: readonly ValueRange[]
  readonly left: readonly ValueRange[]
}

/**
 * Counts the cells that a side of the block cuts. Nodes count the parts inside the block. Ranges along the side remain
 * for a query.
 */
export const countCut = (
  block: Block,
  cells: readonly ValueRange[],
  rows: readonly CellNodeRow[],
  counts: CellCounts,
): Pieces => {
  if (rows.length === 0) return { counted: [], left: [] }
  const nodes = nodesFrom(rows)
  const counted: ValueRange[] = []
  const left: ValueRange[] = []
  const take = (range: ValueRange): void => {
    const part = amountIn(block, range)
    if (part === 'none') return
    const shift = Math.round(Math.log2(range[1] - range[0] + 1))
    const rowsInNode = CELL_SHIFTS.some((stored) => stored === shift) ? rowsIn(nodes, shift, range[0]) : MANY
    if (rowsInNode === 0) return
    if (rowsInNode === null || (part === 'some' && (rowsInNode <= FEW || shift === CELL_SHIFTS[0]))) left.push(range)
    else if (part === 'all' && rowsInNode !== MANY) {
      counted.push(range)
      counts.add(rowsInNode, range[0])
    } else quartersOf(range).forEach(take)
  }
  cells.forEach(take)
  return { counted, left }
}

/** An unknown number of rows. The table of counts has no nodes of this size, but it has nodes for the quarters. */
const MANY = Number.POSITIVE_INFINITY

/** Returns the rows in a node. Returns null if the table of counts lacks this node, because it has few rows. */
const rowsIn = (nodes: RowsByNode, shift: number, first: number): number | null =>
  nodes.get(shift)?.get(first / 2 ** shift) ?? (shift < FINEST_COMPLETE ? null : 0)

const quartersOf = ([first, last]: ValueRange): ValueRange[] => {
  const size = (last - first + 1) / 4
  return [0, 1, 2, 3].map((i): ValueRange => [first + i * size, first + (i + 1) * size - 1])
}

/**
 * Sides of a box lie this many finest cells outside. A side between two cells would make both of them boundary cells,
 * see geometry/covering.ts.
 */
const ASIDE = 2.5

/** Returns a box around the places in a block. Latitudes that cut the block are sides of the box. */
export const boxAround = ({ west, south, east, north, from, below }: Block) => {
  const [width, height] = [360 / 2 ** CELL_LEVELS, 180 / 2 ** CELL_LEVELS]
  return box([
    Math.max(-180, (west - ASIDE) * width - 180),
    from ?? Math.max(-90, (south - ASIDE) * height - 90),
    Math.min(180, (east + 1 + ASIDE) * width - 180),
    below === null ? Math.min(90, (north + 1 + ASIDE) * height - 90) : numberBelow(below),
  ])
}

/** Returns the greatest double that is less than the value. */
const numberBelow = (value: number): number => {
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, value)
  bits.setBigInt64(0, bits.getBigInt64(0) + (value > 0 ? -1n : 1n))
  return bits.getFloat64(0)
}
