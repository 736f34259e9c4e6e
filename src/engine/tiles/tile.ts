import { type SQL, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import type { Condition } from '../../filters/filter.ts'
import { integerOf, namedColumns } from '../../filters/sql.ts'
import { amountIn, type Block, merged, rangesOf } from '../../geometry/cell.ts'
import { asksNothing, type Search, searchOf } from '../conditions/search.ts'
import type { Row, Table } from '../conditions/table.ts'
import { withoutArea } from '../run/area.ts'
import { coverOf } from '../run/cover.ts'
import type { Database } from '../run/database.ts'
import { decideRows } from '../run/latest.ts'
import { settle } from '../run/settle.ts'
import { atOneState, type SnapshotReader } from '../run/snapshot.ts'
import { matchesOf, statement } from '../sql/matches.ts'
import { type Plan, planOf } from '../sql/plan.ts'
import { boxAround, cellsOf, countNodes, groupsOf, isInBlock, nodeShiftOf, nodesQuery } from './counts.ts'

/** A request for the rows in a block of cells. */
export interface TileRequest {
  readonly conditions: readonly Condition[]
  readonly block: Block
  /** Up to this many rows are returned one by one. If there are more, they are counted by cell. */
  readonly most: number
}

/**
 * The matches in a block. They are rows in the order of ids, or the number of rows in each cell, by the number of the
 * cell.
 */
export type TileContent = { readonly rows: readonly Row[] } | { readonly cells: ReadonlyMap<number, number> }

/**
 * Reads the matching rows in a block that a caller of this level sees. Without filters, stored nodes count large cells.
 */
export const fetchTile = (
  db: Database,
  table: Table,
  { conditions, block, most }: TileRequest,
  level: number,
): Promise<TileContent> =>
  atOneState(db, async (read) => {
    const asked = searchOf(table, conditions, level)
    const shift = asksNothing(asked) ? nodeShiftOf(block) : null
    if (shift !== null) return everythingIn(read, db, asked, { block, shift, most })
    const inBox = { kind: 'area', area: boxAround(block) } as const
    // An event outside of the block may be the latest.
    const near = asked.latest === null ? searchOf(table, [...conditions, inBox], level) : asked
    const found = await decideRows(read, db, near)
    const search = asked.latest === null ? found : { ...found, area: inBox.area }
    const statistics = db.statistics()
    const decided = await withoutArea(read, search, statistics)
    const cover = decided.area && (await read.work.run(coverOf(decided.area, statistics)))
    const plan = planOf(decided, statistics, cover)
    await settle(read, decided, plan, statistics)
    const few = sql`SELECT id FROM (${idsOf(plan, block)}) LIMIT ${integerOf(most + 1)}`
    const isMany = sql`(SELECT 1 WHERE (SELECT count(*) FROM few) > ${integerOf(most)})`
    const [rows, groups] = await read(
      statement(plan, rowsOf(table, few)),
      statement(plan, groupsIn(plan, block, isMany), { few }),
    )
    return rows.length <= most ? inOrder(rows) : { cells: cellsOf(groups) }
  })

/** A block whose large cells are counted by nodes of one size. */
interface StoredBlock extends Pick<TileRequest, 'block' | 'most'> {
  readonly shift: number
}

/**
 * Reads all rows in a block. Nodes count its cells, and the database counts the rows in cells that a side cuts. If the
 * nodes have few rows, these are returned instead.
 */
const everythingIn = async (
  read: SnapshotReader,
  db: Database,
  search: Search,
  { block, shift, most }: StoredBlock,
): Promise<TileContent> => {
  const { table, level } = search
  const cells = rangesOf(block)
  const whole = merged(cells.filter((cell) => amountIn(block, cell) === 'all'))
  const cut = merged(cells.filter((cell) => amountIn(block, cell) === 'some'))
  const planIn = (ranges: typeof cells): Plan =>
    planOf({ ...search, decided: { cells: ranges, ids: [] } }, db.statistics(), null)
  const planOfAll = planIn(merged(cells))
  const number = countNodes(shift, merged(cells), level)
  const isFew = sql`(SELECT 1 WHERE ${number} <= ${integerOf(most)})`
  const isMany = sql`(SELECT 1 WHERE ${number} > ${integerOf(most)})`
  const [nodes, groups, few] = await read(
    nodesQuery(block, shift, whole, level),
    groupsIn(planIn(cut), block, isMany),
    rowsOf(table, idsOf(planOfAll, block, isFew)),
  )
  const counts = cellsOf(groups, nodes)
  const count = [...counts.values()].reduce((sum, rows) => sum + rows, 0)
  if (count > most) return { cells: counts }
  // Cells at a side may have many rows outside of the block.
  const rows = few.length > 0 || count === 0 ? few : (await read(rowsOf(table, idsOf(planOfAll, block))))[0]
  return inOrder(rows)
}

const idsOf = (plan: Plan, block: Block, gate: SQL | null = null): SQL =>
  matchesOf(plan, sql`${events.id} AS id`, isInBlock(block), gate)

const groupsIn = (plan: Plan, block: Block, gate: SQL) =>
  groupsOf(block, (columns) => matchesOf(plan, columns, isInBlock(block), gate))

/** A row of a tile, with its id. */
type TileRow = Row & { readonly rowId: number }

const rowsOf = ({ id, table, columns, joins = sql`` }: Table, ids: SQL): SQL<TileRow> =>
  sql`SELECT ${namedColumns(columns)}, ${id} AS "rowId" FROM (${ids}) AS hit CROSS JOIN ${table} ON ${id} = hit.id ${joins}`

const inOrder = (rows: readonly TileRow[]): TileContent => ({ rows: [...rows].sort((a, b) => a.rowId - b.rowId) })
