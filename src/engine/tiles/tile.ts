import { type SQL, sql } from 'drizzle-orm'
import { numberAt } from '../../collections.ts'
import type { Condition } from '../../filters/filter.ts'
import { all, namedColumns } from '../../filters/sql.ts'
import { amountIn, type Block, CELL_LEVELS, cellAt, inBlock, merged, rangesOf } from '../../geometry/cell.ts'
import { countedIn } from '../candidates/nodes.ts'
import type { Region, WeighedCell } from '../candidates/region.ts'
import { asksOnlyArea, isRectangular, needsRows, type ValueRange } from '../conditions/criteria.ts'
import { type Search, searchOf } from '../conditions/search.ts'
import type { Access, Row, Table } from '../conditions/table.ts'
import type { Database } from '../run/database.ts'
import { readPlan } from '../run/facts.ts'
import { decideRows } from '../run/latest.ts'
import { cellReading, type Matching, matchReading } from '../run/matches.ts'
import { collecting, readPortions } from '../run/portions.ts'
import { readRows } from '../run/rows.ts'
import { atOneState, type SnapshotReader } from '../run/snapshot.ts'
import { cellsSource, type Source, sourceOf } from '../sql/sources.ts'
import { whereOf } from '../sql/where.ts'
import {
  addGroups,
  type CellCounts,
  cellCounts,
  countNodes,
  countQuery,
  groupedQuery,
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
 * Reads the matching rows in a block that a caller of this level sees. Requests without filters, or with an area alone,
 * use the stored counts. Other requests read the rows.
 */
export const fetchTile = (
  db: Database,
  table: Table,
  access: Access,
  { conditions, block, most }: TileRequest,
  level: number,
): Promise<TileContent> =>
  atOneState(db, async (read) => {
    const search = searchOf(table, access, level, { conditions })
    const { criteria } = search
    if (criteria.area === null && asksOnlyArea(criteria)) return everythingIn(read, search, block, most)
    // An event outside of the block may be the latest.
    const base = criteria.latest === null ? conditions : (await decideRows(read, db.cache, search)).criteria.lists
    const area = { kind: 'area', area: boxAround(block) } as const
    const asked = searchOf(table, access, level, { conditions: [...base, area] })
    const within = needsRows(asked.criteria) ? await decideRows(read, db.cache, asked) : asked
    const { plan, statistics, ...facts } = await readPlan(read, db.cache, within)
    const { region } = plan
    const matching = { search: facts.search, plan, statistics, extras: [sql`${table.id}`] }
    if (region !== null && asksOnlyArea(criteria)) return areaIn(read, matching, region, block, most)
    return region === null || isRectangular(region.area)
      ? decidedIn(read, matching, block, most)
      : testedIn(read, matching, block, most)
  })

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
  const path = cellsSource(search.table, search.access, merged(cells))
  const nodes = collecting(nodesQuery(search, block, whole))
  const found = collecting(rowsQuery(search, block, path, all([few, cutFew, search.visible]), most))
  const groups = collecting(countQuery(search, block, merged(cut), cutFew))
  const finer = collecting(nodesOfAllSizes(search, merged(cut), sql`NOT ${cutFew}`))
  const inCut = { portions: cut.length > 0 ? [groups.portion, finer.portion] : [] }
  await readPortions(read, { portions: [nodes.portion, found.portion] }, inCut)
  const { rows } = found
  const counts = cellCounts(block)
  const left = countNodes(block, whole, nodes.rows, counts)
  // Finer nodes are only read if cut cells have too many rows.
  if (finer.rows.length === 0 && counts.count() <= most && rows.length <= most) return { rows: inOrder(rows) }
  addGroups(block, groups.rows, counts)
  const pieces = countCut(block, cut, finer.rows, counts)
  await countLeft(read, search, block, [...left, ...pieces.left], counts)
  if (counts.count() > most) return { cells: counts.cells() }
  return { rows: await rowsIn(read, search, block, [...whole, ...pieces.counted, ...pieces.left], most) }
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

const rowsIn = async (
  read: SnapshotReader,
  search: Search,
  block: Block,
  ranges: readonly ValueRange[],
  most: number,
): Promise<readonly TileRow[]> => {
  const [rows] = await read(
    rowsQuery(search, block, cellsSource(search.table, search.access, inSequence(ranges)), all([search.visible]), most),
  )
  return inOrder(rows)
}

const inSequence = (ranges: readonly ValueRange[]): ValueRange[] => merged([...ranges].sort((a, b) => a[0] - b[0]))

/** Reads a block if the area is the only filter. Stored counts count the cells inside it, and tests the other rows. */
const areaIn = async (
  read: SnapshotReader,
  matching: Matching,
  region: Region,
  block: Block,
  most: number,
): Promise<TileContent> => {
  const { search } = matching
  const touches = ({ range }: WeighedCell) => amountIn(block, range) !== 'none'
  const isWhole = ({ range }: WeighedCell) => amountIn(block, range) === 'all'
  const interior = region.interior.filter(isWhole).map(({ range }) => range)
  // The region has already read the nodes of cells up to the size of a cell of the block.
  const isSmall = ([first, last]: ValueRange) => last - first < 4 ** (CELL_LEVELS - block.level)
  const ranges = merged(interior.filter((range) => !isSmall(range)))
  const small = countedIn(region.nodes, interior.filter(isSmall))
  const counts = cellCounts(block)
  const ids: number[] = []
  for (const [first, rows] of small.counted) counts.add(rows, first)
  const tested = region.cells.filter((cell) => touches(cell) && !(isWhole(cell) && region.interior.includes(cell)))
  const testing = cellReading(matching, tested, (rows, cell, extras, offset) => {
    if (!isIn(block, cell)) return
    counts.add(rows, cell)
    ids.push(numberAt(extras, offset))
  })
  const nodes = collecting(nodesQuery(search, block, ranges))
  await readPortions(read, { portions: [nodes.portion] }, testing)
  const left = [...countNodes(block, ranges, nodes.rows, counts), ...small.uncounted]
  if (counts.count() <= most) {
    const rows = await rowsIn(read, search, block, interior, most)
    if (rows.length + ids.length <= most) return { rows: inOrder([...rows, ...(await readRows(read, search, ids))]) }
  }
  await countLeft(read, search, block, left, counts)
  return { cells: counts.cells() }
}

/** Reads a block if SQL alone decides the filters. It returns the rows, or their groups if there are too many. */
const decidedIn = async (
  read: SnapshotReader,
  { search, plan }: Matching,
  block: Block,
  most: number,
): Promise<TileContent> => {
  const path = sourceOf(search, plan.narrow)
  const where = whereOf(search, plan, plan.narrow.entries)
  const [rows] = await read(rowsQuery(search, block, path, where, most))
  if (rows.length <= most) return { rows: inOrder(rows) }
  const counts = cellCounts(block)
  const [groups] = await read(groupedQuery(search, block, path.source, all([path.enter, where])))
  addGroups(block, groups, counts)
  return { cells: counts.cells() }
}

/** Reads a block if the Worker has to test coordinates. It reads each match once. */
const testedIn = async (read: SnapshotReader, matching: Matching, block: Block, most: number): Promise<TileContent> => {
  const counts = cellCounts(block)
  const ids: number[] = []
  const reading = matchReading(matching, (rows, cell, extras, offset) => {
    if (!isIn(block, cell)) return
    counts.add(rows, cell)
    if (ids.length <= most) ids.push(numberAt(extras, offset))
  })
  await readPortions(read, reading)
  if (counts.count() > most) return { cells: counts.cells() }
  return { rows: inOrder(await readRows(read, matching.search, ids)) }
}

/** Returns true if a finest cell lies in a block. The cell is -1 for rows without coordinates. */
const isIn = (block: Block, cell: number): boolean => {
  const { column, row } = cellAt(CELL_LEVELS, cell)
  return cell >= 0 && inBlock(block, column, row)
}

/** A row of a tile, with its id. */
type TileRow = Row & { readonly rowId: number }

/** Reads the rows of a path in a block. The limit is one more than `most`, to notice if there are too many. */
const rowsQuery = (search: Search, block: Block, { source, enter }: Source, where: SQL, most: number): SQL<TileRow> =>
  sql`SELECT ${namedColumns(search.table.columns)}, ${search.table.id} AS "rowId" FROM ${source} ${search.table.joins ?? sql``}
    WHERE ${all([enter, where, isInBlock(search, block)])} LIMIT ${most + 1}`

const inOrder = (rows: readonly TileRow[]): TileRow[] => [...rows].sort((a, b) => a.rowId - b.rowId)
