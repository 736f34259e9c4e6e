import { type SQL, sql } from 'drizzle-orm'
import { type Block, partIn } from '../../geometry/block.ts'
import { FINEST_COMPLETE, type Nodes, nodesFrom, SHIFTS } from '../area/nodes.ts'
import type { Range } from '../db/counts.ts'
import { all, spans } from '../db/sql.ts'
import type { Search } from '../search.ts'
import type { Row } from '../table.ts'
import type { CellCounts } from './counts.ts'

/** Nodes with at most this many rows are not split. The query reads their rows instead. */
const FEW = 64

/** Reads nodes of all sizes in some cells, with the number of visible rows in each, if `condition` holds. */
export const nodesOfAllSizes = ({ access, level }: Search, cells: readonly Range[], condition: SQL): SQL => {
  const { table, tree, shift, node, first, visible } = access.counts
  return sql`SELECT ${shift} AS shift, ${node} AS node, ${visible(level)} AS "rows"
    FROM ${spans(cells)} CROSS JOIN ${table} INDEXED BY event_count_by_first
    WHERE ${all([sql`${tree} = 'cell'`, sql`${first} BETWEEN span.value ->> 0 AND span.value ->> 1`, condition])}`
}

/** Parts of cells that have rows of a block. */
interface Pieces {
  readonly counted: readonly Range[]
  readonly left: readonly Range[]
}

/**
 * Counts cells that a side of the block cuts. It counts the nodes inside, and leaves ranges along the side to a query.
 */
export const countCut = (block: Block, cells: readonly Range[], rows: readonly Row[], counts: CellCounts): Pieces => {
  if (rows.length === 0) return { counted: [], left: [] }
  const nodes = nodesFrom(rows)
  const counted: Range[] = []
  const left: Range[] = []
  const take = (range: Range): void => {
    const part = partIn(block, range)
    if (part === 'none') return
    const shift = Math.round(Math.log2(range[1] - range[0] + 1))
    const held = SHIFTS.some((kept) => kept === shift) ? rowsIn(nodes, shift, range[0]) : MANY
    if (held === 0) return
    if (held === null || (part === 'some' && (held <= FEW || shift === SHIFTS[0]))) left.push(range)
    else if (part === 'all' && held !== MANY) {
      counted.push(range)
      counts.addAt(held, range[0])
    } else quartersOf(range).forEach(take)
  }
  cells.forEach(take)
  return { counted, left }
}

/** Stands for an unknown number of rows: the quarters of the range are smaller nodes. */
const MANY = Number.POSITIVE_INFINITY

/** Returns the rows in a node. It is null if the database has no such node, because there are so few rows. */
const rowsIn = (nodes: Nodes, shift: number, first: number): number | null =>
  nodes.get(shift)?.get(first / 2 ** shift) ?? (shift < FINEST_COMPLETE ? null : 0)

const quartersOf = ([first, last]: Range): Range[] => {
  const size = (last - first + 1) / 4
  return [0, 1, 2, 3].map((i): Range => [first + i * size, first + (i + 1) * size - 1])
}
