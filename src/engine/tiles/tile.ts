import { type SQL, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import type { Condition } from '../../filters/filter.ts'
import { all, integerOf, namedColumns } from '../../filters/sql.ts'
import { amountIn, type Block, merged, rangesOf } from '../../geometry/cell.ts'
import { asksNothing, type Search, searchOf, type ValueRange } from '../conditions/search.ts'
import type { Row, Table } from '../conditions/table.ts'
import { withoutArea } from '../run/area.ts'
import { coverOf } from '../run/cover.ts'
import type { Database } from '../run/database.ts'
import { decideRows } from '../run/latest.ts'
import { settle } from '../run/settle.ts'
import { atOneState, type SnapshotReader } from '../run/snapshot.ts'
import { matchesOf, statement } from '../sql/matches.ts'
import { cellsPath } from '../sql/paths.ts'
import { type Plan, planOf } from '../sql/plan.ts'
import {
  addGroups,
  type CellCounts,
  cellCounts,
  countNodes,
  countQuery,
  type GroupedRow,
  groupsOf,
  holdAtMost,
  isInBlock,
  nodesQuery,
} from './counts.ts'
import { boxAround, countCut, nodesOfAllSizes } from './cuts.ts'

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
 * Reads the matching rows in a block that a caller of this level sees. Without filters, stored counts count them.
 */
export const fetchTile = (
  db: Database,
  table: Table,
  { conditions, block, most }: TileRequest,
  level: number,
): Promise<TileContent> =>
  atOneState(db, async (read) => {
    const asked = searchOf(table, conditions, level)
    if (asksNothing(asked)) return everythingIn(read, asked, block, most)
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
    return matchesIn(read, decided, plan, block, most)
  })

/** Reads the matches in a block. The database counts them by cell if they are too many. */
const matchesIn = async (
  read: SnapshotReader,
  { table }: Search,
  plan: Plan,
  block: Block,
  most: number,
): Promise<TileContent> => {
  const inBlock = isInBlock(block)
  const few = sql`SELECT id FROM (${matchesOf(plan, sql`${events.id} AS id`, inBlock)}) LIMIT ${integerOf(most + 1)}`
  const rows = statement(plan, rowsOf(table, few))
  const isMany = sql`(SELECT 1 WHERE (SELECT count(*) FROM few) > ${integerOf(most)})`
  const groups = groupsOf(block, (columns) => matchesOf(plan, columns, inBlock, isMany))
  const [found, counted] = await read(rows, statement(plan, groups, { few }))
  if (found.length <= most) return { rows: inOrder(found) }
  const counts = cellCounts(block)
  addGroups(block, counted, counts)
  return { cells: counts.cells() }
}

/**
 * Reads all rows in a block. The first round trip returns the rows if they are few. Otherwise nodes count whole cells,
 * and a query counts the cells that a side cuts. If those cells have too many rows, finer nodes count them. A query
 * then counts only the rows along the side.
 */
const everythingIn = async (read: SnapshotReader, search: Search, block: Block, most: number): Promise<TileContent> => {
  const cells = rangesOf(block)
  const whole = merged(cells.filter((cell) => amountIn(block, cell) === 'all'))
  const cut = cells.filter((cell) => amountIn(block, cell) === 'some')
  const few = holdAtMost(search, block, whole, most)
  const cutFew = holdAtMost(search, block, cut, most)
  const [nodes, rows, groups, finer] = await read(
    nodesQuery(search, block, whole),
    rowsQuery(search, block, merged(cells), all([few, cutFew]), most),
    cut.length > 0 ? countQuery(search, block, merged(cut), cutFew) : sql<GroupedRow>`SELECT 1 WHERE 0`,
    nodesOfAllSizes(search, merged(cut), sql`NOT ${cutFew}`),
  )
  const counts = cellCounts(block)
  const left = countNodes(block, whole, nodes, counts)
  // Finer nodes are only read if cut cells have too many rows.
  if (finer.length === 0 && counts.count() <= most && rows.length <= most) return { rows: inOrder(rows) }
  addGroups(block, groups, counts)
  const pieces = countCut(block, cut, finer, counts)
  await countLeft(read, search, block, [...left, ...pieces.left], counts)
  if (counts.count() > most) return { cells: counts.cells() }
  const ranges = inSequence([...whole, ...pieces.counted, ...pieces.left])
  const [found] = await read(rowsQuery(search, block, ranges, null, most))
  return { rows: inOrder(found) }
}

/** Counts the rows in ranges, if there are any. */
const countLeft = async (
  read: SnapshotReader,
  search: Search,
  block: Block,
  ranges: readonly ValueRange[],
  counts: CellCounts,
): Promise<void> => {
  if (ranges.length === 0) return
  const [groups] = await read(countQuery(search, block, inSequence(ranges)))
  addGroups(block, groups, counts)
}

const inSequence = (ranges: readonly ValueRange[]): ValueRange[] => merged([...ranges].sort((a, b) => a[0] - b[0]))

/** A row of a tile, with its id. */
type TileRow = Row & { readonly rowId: number }

/** Reads the rows in some cells of a block. The limit is one more than `most`, to notice if there are too many. */
const rowsQuery = (
  { table, visible }: Search,
  block: Block,
  ranges: readonly ValueRange[],
  more: SQL | null,
  most: number,
): SQL<TileRow> => {
  const { from, enter } = cellsPath(ranges, 0)
  const where = all([enter, visible, isInBlock(block), more])
  return rowsOf(table, sql`SELECT ${events.id} AS id FROM ${from} WHERE ${where} LIMIT ${integerOf(most + 1)}`)
}

const rowsOf = ({ id, table, columns, joins = sql`` }: Table, ids: SQL): SQL<TileRow> =>
  sql`SELECT ${namedColumns(columns)}, ${id} AS "rowId" FROM (${ids}) AS hit CROSS JOIN ${table} ON ${id} = hit.id ${joins}`

const inOrder = (rows: readonly TileRow[]): TileRow[] => [...rows].sort((a, b) => a.rowId - b.rowId)
