import { type SQL, sql } from 'drizzle-orm'
import { eventCounts, events } from '../../../schema/tables.ts'
import { TREES } from '../../../schema/trees.ts'
import type { ValueRange } from '../../base/collections.ts'
import { box } from '../../geometry/box.ts'
import { amountIn, type Block, CELL_LEVELS, cellIn, merged, rangesOf } from '../../geometry/cell.ts'
import type { Selection } from '../../question/question.ts'
import { doubleOfKey, keyOfDouble } from '../../question/range.ts'
import type { Row, TileContent, TileRequest } from '../engine.ts'
import { MAX_TILE_TEXT } from '../limits.ts'
import { planAndCover } from './admit.ts'
import { CELL } from './columns.ts'
import { countIn } from './counts.ts'
import type { Database, RowReader } from './database.ts'
import { decide } from './decide.ts'
import { withoutArea } from './decideArea.ts'
import type { NodeRow } from './estimates.ts'
import { nodesOf, seenIn } from './indexes.ts'
import { matchesOf, type Plan, planOf, planStatement } from './plan.ts'
import { alsoInArea, asksNothing, onlyIn, type Search, searchOf } from './search.ts'
import { all, integerOf, namedColumns, rangesTable } from './sql.ts'
import { type ListTable, tableOf } from './tables.ts'

/**
 * Reads the matching rows in a block that the caller sees. Without filters, stored nodes count large cells.
 */
export const fetchTile = async (db: Database, selection: Selection, request: TileRequest): Promise<TileContent> => {
  const { read } = db
  const { block, most, fields } = request
  const table = tableOf('events', fields)
  const asked = searchOf(table, selection, db.level)
  if (asksNothing(asked) && shiftOf(block) !== null) return everythingIn(read, asked, request)
  const area = boxAround(block)
  // An event outside of the block may be the latest.
  const narrowed = asked.latest === null ? alsoInArea(asked, area) : asked
  const found = await decide(read, narrowed)
  const search = await withoutArea(read, asked.latest === null ? found : alsoInArea(found, area))
  const { plan } = await planAndCover(read, search)
  const few = sql`SELECT id FROM (${idsOf(plan, block)}) LIMIT ${integerOf(most + 1)}`
  const isMany = sql`(SELECT 1 WHERE (SELECT count(*) FROM few) > ${integerOf(most)})`
  const [rows, groups] = await read(
    planStatement(plan, rowsOf(table, few)),
    planStatement(plan, groupsIn(plan, block, isMany), { few }),
  )
  return rows.length <= most ? inOrder(rows) : { cells: new Map(groups.map(cellOf)) }
}

/**
 * Reads all rows in a block. Nodes count its cells, and the database counts the rows in cells that a side cuts. If the
 * nodes have few rows, these are returned instead.
 */
const everythingIn = async (read: RowReader, search: Search, request: TileRequest): Promise<TileContent> => {
  const { block, most } = request
  const cells = rangesOf(block)
  const cellsWith = (amount: ReturnType<typeof amountIn>) =>
    merged(cells.filter((cell) => amountIn(block, cell) === amount))
  const planIn = (ranges: readonly ValueRange[]): Plan => planOf(onlyIn(search, ranges), read.estimates(), null)
  const planOfAll = planIn(merged(cells))
  const isMany = sql`(${countIn(search, 'cell', merged(cells))}) > ${integerOf(most)}`
  const [nodes, groups, few] = await read(
    nodesQuery(block, cellsWith('all'), search.level),
    groupsIn(planIn(cellsWith('some')), block, sql`(SELECT 1 WHERE ${isMany})`),
    rowsOf(search.table, idsOf(planOfAll, block, sql`(SELECT 1 WHERE NOT ${isMany})`)),
  )
  const stored = nodes.filter(({ rows }) => rows > 0).map(({ node, rows }) => [node, rows] as const)
  const counts = new Map([...stored, ...groups.map(cellOf)])
  const count = [...counts.values()].reduce((sum, rows) => sum + rows, 0)
  if (count > most) return { cells: counts }
  // Cells at a side may have many rows outside of the block.
  const rows = few.length > 0 || count === 0 ? few : (await read(rowsOf(search.table, idsOf(planOfAll, block))))[0]
  return inOrder(rows)
}

const idsOf = (plan: Plan, block: Block, gate: SQL | null = null): SQL =>
  matchesOf(plan, sql`${events.id} AS id`, isInBlock(block), gate)

/** A row of a tile, with its id. */
type TileRow = Row & { readonly rowId: number }

/** Writes the start of a value, which is enough for a map. */
const START = { value: sql`substr(${events.value}, 1, ${integerOf(MAX_TILE_TEXT)})` }

const rowsOf = ({ id, table, columns, joins }: ListTable, ids: SQL): SQL<TileRow> =>
  sql`SELECT ${namedColumns({ ...columns, ...('value' in columns && START) })}, ${id} AS "rowId" FROM (${ids}) AS hit CROSS JOIN ${table} ON ${id} = hit.id ${joins}`

const inOrder = (rows: readonly TileRow[]): TileContent => ({ rows: [...rows].sort((a, b) => a.rowId - b.rowId) })

/** Returns the size of the stored nodes that count the cells of a block. Null: its cells are smaller than all nodes. */
const shiftOf = ({ level }: Block): number | null =>
  TREES.cell.shifts.findLast((stored) => stored <= 2 * (CELL_LEVELS - level)) ?? null

/** Reads the visible rows in each cell of a block, by stored nodes. The ranges consist of whole cells. */
const nodesQuery = (block: Block, ranges: readonly ValueRange[], level: number): SQL<NodeRow> => {
  const shift = shiftOf(block) ?? 0
  const nodes = ranges.map(([first, last]) => [first / 2 ** shift, (last + 1) / 2 ** shift - 1])
  const cell = sql`${eventCounts.node} >> ${integerOf(2 * (CELL_LEVELS - block.level) - shift)}`
  return sql`SELECT ${cell} AS node, sum(${seenIn(level)}) AS "rows" FROM ${rangesTable(nodes)} CROSS JOIN ${eventCounts}
    WHERE ${nodesOf('cell', shift)} AND ${eventCounts.node} BETWEEN span.value ->> 0 AND span.value ->> 1 GROUP BY 1`
}

/** Tests in SQL if a row is in a block. */
const isInBlock = ({ west, south, east, north, from, below }: Block): SQL => {
  const { column, row } = CELL
  const { y } = events
  return all([
    sql`${column} BETWEEN ${integerOf(west)} AND ${integerOf(east)}`,
    from === null ? sql`${row} >= ${integerOf(south)}` : sql`${y} >= ${from}`,
    below === null ? sql`${row} <= ${integerOf(north)}` : sql`${y} < ${below}`,
  ])
}

/** The number of rows in a cell at the level of a block. */
interface GroupedRow {
  readonly column: number
  readonly row: number
  readonly rows: number
}

/** Counts the matches in a block by its cells. */
const groupsIn = (plan: Plan, block: Block, gate: SQL): SQL<GroupedRow> => {
  const { column, row } = CELL
  const shift = integerOf(CELL_LEVELS - block.level)
  const columns = sql`${column} >> ${shift} AS "column", ${row} >> ${shift} AS "row"`
  const rows = matchesOf(plan, columns, isInBlock(block), gate)
  return sql`SELECT "column", "row", count(*) AS "rows" FROM (${rows}) GROUP BY 1, 2`
}

const cellOf = ({ column, row, rows }: GroupedRow) => [cellIn(column, row), rows] as const

/**
 * Sides of a box lie this many finest cells outside. A side between two cells would make both of them boundary cells,
 * see geometry/covering.ts.
 */
const ASIDE = 2.5

/** Returns a box around the places in a block. Latitudes that cut the block are sides of the box. */
const boxAround = ({ west, south, east, north, from, below }: Block) => {
  const [width, height] = [360 / 2 ** CELL_LEVELS, 180 / 2 ** CELL_LEVELS]
  return box([
    Math.max(-180, (west - ASIDE) * width - 180),
    from ?? Math.max(-90, (south - ASIDE) * height - 90),
    Math.min(180, (east + 1 + ASIDE) * width - 180),
    below === null ? Math.min(90, (north + 1 + ASIDE) * height - 90) : doubleOfKey(keyOfDouble(below) - 1n),
  ])
}
