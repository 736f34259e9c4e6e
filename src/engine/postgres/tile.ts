import { type SQL, sql } from 'drizzle-orm'
import { type Block, CELL_LEVELS, cellIn } from '../../geometry/cell.ts'
import type { Selection } from '../../question/question.ts'
import type { Row, TileContent, TileRequest } from '../engine.ts'
import { MAX_TILE_TEXT } from '../limits.ts'
import { columnAndRow, envelope } from './area.ts'
import { cellsOf } from './cells.ts'
import { fieldsOf } from './fields.ts'
import { type Matches, matchesOf, selectMatches } from './matches.ts'
import { batchesById, rowsById } from './rows.ts'
import type { Snapshot } from './snapshot.ts'
import { all, double, integer, literal } from './sql.ts'

/** Reads the matching rows in a block, or counts them by cell if they are many. */
export const readTile = async (
  snapshot: Snapshot,
  selection: Selection,
  { block, most, fields }: TileRequest,
): Promise<TileContent> => {
  const asked = await matchesOf(snapshot, 'events', selection)
  const condition = all([asked.condition, isInBlock(block)])
  const matches = { ...asked, condition, scanned: { source: asked.withFields([]), condition } }
  const few = sql`${selectMatches(matches, sql`e.id AS id`)} LIMIT ${integer(most + 1)}`
  const [found] = await snapshot.read(sql<{ readonly id: number }>`SELECT id FROM (${few}) AS hit ORDER BY id`)
  if (found.length > most) return { cells: await countCells(snapshot, matches, block) }
  const ids = Float64Array.from(found, ({ id }) => id)
  const others = fields.filter((name) => name !== 'value')
  const start = sql`left(${fieldsOf(snapshot.views)('events', 'value').shown}, ${literal(MAX_TILE_TEXT)})`
  const cut = others.length < fields.length ? { value: start } : {}
  const rows: Row[] = []
  const rowsOf = (some: readonly number[]) => rowsById(snapshot, 'events', others, some, cut)
  for await (const batch of batchesById(ids, () => most, rowsOf)) rows.push(...batch)
  return { rows }
}

const COORDINATES = sql`ST_X(e.geometry) AS x, ST_Y(e.geometry) AS y`

/** Counts the matches in each cell of the block's level. */
const countCells = async (
  snapshot: Snapshot,
  matches: Matches,
  { level }: Block,
): Promise<ReadonlyMap<number, number>> => {
  const [groups] = await snapshot.read(cellsOf(selectMatches(matches, COORDINATES), level))
  const counts = groups.map(({ column, row, rows }) => [cellIn(Number(column), Number(row)), rows] as const)
  return new Map(counts.sort(([a], [b]) => a - b))
}

/** Tests if a point is in a block. The box around it enters the index. */
const isInBlock = ({ west, south, east, north, from, below }: Block): SQL => {
  const { column, row } = columnAndRow(CELL_LEVELS)
  const y = sql`ST_Y(e.geometry)`
  const [width, height] = [360 / 2 ** CELL_LEVELS, 180 / 2 ** CELL_LEVELS]
  // A place beyond the world is in an outermost cell.
  const side = (cell: number, last: number, size: number, start: number, beyond: number) =>
    cell === last ? beyond : cell * size + start
  const last = 2 ** CELL_LEVELS - 1
  const box = [
    side(west, 0, width, -180, -1000) - width,
    side(south, 0, height, -90, -1000) - height,
    side(east, last, width, -180, 1000) + 2 * width,
    side(north, last, height, -90, 1000) + 2 * height,
  ] as const
  return all([
    sql`e.geometry && ${envelope(box)}`,
    sql`${column} BETWEEN ${integer(west)} AND ${integer(east)}`,
    from === null ? sql`${row} >= ${integer(south)}` : sql`${y} >= ${double(from)}`,
    below === null ? sql`${row} <= ${integer(north)}` : sql`${y} < ${double(below)}`,
  ])
}
