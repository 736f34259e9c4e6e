import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../collections.ts'
import type { Condition } from '../../filters/filter.ts'
import { all, namedColumns } from '../../filters/sql.ts'
import { type Block, inBlock, partIn, rangesOf } from '../../geometry/block.ts'
import { CELL_LEVELS } from '../../geometry/cell.ts'
import { merged } from '../../geometry/covering.ts'
import { type Facts, factsOf } from '../candidates/facts.ts'
import { countedIn } from '../candidates/nodes.ts'
import { byCells } from '../candidates/paths.ts'
import type { Region } from '../candidates/region.ts'
import { asksOnlyArea } from '../conditions/criteria.ts'
import type { Access, Row, Table } from '../conditions/table.ts'
import { choose, type Plan } from '../plan/choose.ts'
import { testCells } from '../run/cells.ts'
import type { Database } from '../run/database.ts'
import { eachMatch } from '../run/matches.ts'
import { atOneState } from '../run/snapshot.ts'
import { type Search, searchOf } from '../search.ts'
import type { ValueRange } from '../sql/counts.ts'
import { readRows } from '../sql/scan.ts'
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
    const searchFor = (filters: readonly Condition[]) =>
      searchOf(db, read, table, access, { ...NO_PAGE, conditions: filters }, level)
    const search = searchFor(conditions)
    const { criteria } = search
    if (criteria.area === null && asksOnlyArea(criteria)) return everythingIn(search, block, most)
    const within = searchFor([...conditions, { kind: 'area', area: boxAround(block) }])
    const facts = await factsOf(within)
    const region = facts.region as Region // the request has an area
    const plan = choose(within, facts)
    if (asksOnlyArea(criteria)) return areaIn(within, region, plan, block, most)
    return region.exact ? decidedIn(within, plan, block, most) : testedIn(within, facts, plan, block, most)
  })

const NO_PAGE = { order: { column: null, descending: false }, pageSize: 1, page: 1, cursor: null, key: null } as const

/**
 * Reads all rows in a block. The first round trip returns the rows if they are few. Otherwise nodes count whole cells,
 * and a query counts the cells that a side cuts. If those cells have too many rows, finer nodes count them. A query
 * then counts only the rows along the side.
 */
const everythingIn = async (search: Search, block: Block, most: number): Promise<TileContent> => {
  const cells = rangesOf(block)
  const whole = merged(cells.filter((cell) => partIn(block, cell) === 'all'))
  const cut = cells.filter((cell) => partIn(block, cell) === 'some')
  const few = holdAtMost(search, block, whole, most)
  const cutFew = holdAtMost(search, block, cut, most)
  const [nodes, rows, ...inCut] = await search.read(
    nodesQuery(search, block, whole),
    rowsQuery(search, block, byCells(search, merged(cells), 0), all([few, cutFew, search.visible]), most),
    ...(cut.length > 0
      ? [countQuery(search, block, merged(cut), cutFew), nodesOfAllSizes(search, merged(cut), sql`NOT ${cutFew}`)]
      : []),
  )
  const [groups, finer] = cut.length > 0 ? [at(inCut, 0), at(inCut, 1)] : [[], []]
  const counts = cellCounts(block)
  const left = countNodes(block, whole, nodes, counts)
  // Finer nodes are only read if cut cells have too many rows.
  if (finer.length === 0 && counts.count() <= most && rows.length <= most) return { rows: inOrder(rows) }
  addGroups(block, groups, counts)
  const pieces = countCut(block, cut, finer, counts)
  await countLeft(search, block, [...left, ...pieces.left], counts)
  if (counts.count() > most) return { cells: counts.cells() }
  return { rows: await rowsIn(search, block, [...whole, ...pieces.counted, ...pieces.left], most) }
}

/** Counts the rows in ranges, if there are any. */
const countLeft = async (
  search: Search,
  block: Block,
  ranges: readonly ValueRange[],
  counts: CellCounts,
): Promise<void> => {
  if (ranges.length === 0) return
  const [groups] = await search.read(countQuery(search, block, inSequence(ranges)))
  addGroups(block, groups, counts)
}

const rowsIn = async (
  search: Search,
  block: Block,
  ranges: readonly ValueRange[],
  most: number,
): Promise<readonly Row[]> => {
  const [rows] = await search.read(
    rowsQuery(search, block, byCells(search, inSequence(ranges), 0), all([search.visible]), most),
  )
  return inOrder(rows)
}

const inSequence = (ranges: readonly ValueRange[]): ValueRange[] => merged([...ranges].sort((a, b) => a[0] - b[0]))

/**
 * Reads a block if the area is the only filter. Stored counts count the cells inside the area. The rows of other cells
 * are tested.
 */
const areaIn = async (search: Search, region: Region, plan: Plan, block: Block, most: number): Promise<TileContent> => {
  const cells = region.cells.filter(({ range }) => partIn(block, range) !== 'none')
  const isInterior = ({ range, isBoundary }: (typeof cells)[number]) => !isBoundary && partIn(block, range) === 'all'
  const interior = cells.filter(isInterior).map(({ range }) => range)
  // The region has already read the nodes of cells up to the size of a cell of the block.
  const isSmall = ([first, last]: ValueRange) => last - first < 4 ** (CELL_LEVELS - block.level)
  const ranges = merged(interior.filter((range) => !isSmall(range)))
  const small = countedIn(region.nodes, interior.filter(isSmall))
  const counts = cellCounts(block)
  const ids: number[] = []
  let nodes: readonly Row[] = []
  for (const [first, rows] of small.counted) counts.addAt(rows, first)
  await testCells(
    search,
    region,
    cells.filter((cell) => !isInterior(cell)),
    plan.whereNear,
    [sql`${search.table.id}`],
    (rows, column, row, extras, offset) => {
      if (!inBlock(block, column, row)) return
      counts.add(rows, column, row)
      ids.push(at(extras, offset))
    },
    async (...queries) => {
      const [first, ...answers] = await search.read(nodesQuery(search, block, ranges), ...queries)
      nodes = first
      return answers
    },
  )
  const left = [...countNodes(block, ranges, nodes, counts), ...small.uncounted]
  if (counts.count() <= most) {
    const rows = await rowsIn(search, block, interior, most)
    if (rows.length + ids.length <= most) return { rows: inOrder([...rows, ...(await readRows(search, ids))]) }
  }
  await countLeft(search, block, left, counts)
  return { cells: counts.cells() }
}

/** Reads a block if SQL alone decides the filters. It returns the rows, or their groups if there are too many. */
const decidedIn = async (search: Search, { narrow, where }: Plan, block: Block, most: number): Promise<TileContent> => {
  const [rows] = await search.read(rowsQuery(search, block, narrow, where, most))
  if (rows.length <= most) return { rows: inOrder(rows) }
  const counts = cellCounts(block)
  const [groups] = await search.read(groupedQuery(search, block, narrow.source, all([narrow.enter, where])))
  addGroups(block, groups, counts)
  return { cells: counts.cells() }
}

/** Reads a block if the Worker has to test coordinates. It reads each match once. */
const testedIn = async (search: Search, facts: Facts, plan: Plan, block: Block, most: number): Promise<TileContent> => {
  const counts = cellCounts(block)
  const ids: number[] = []
  await eachMatch(search, facts, plan, [sql`${search.table.id}`], (rows, column, row, extras, offset) => {
    if (column === null || row === null || !inBlock(block, column, row)) return
    counts.add(rows, column, row)
    if (ids.length <= most) ids.push(at(extras, offset))
  })
  if (counts.count() > most) return { cells: counts.cells() }
  return { rows: inOrder(await readRows(search, ids)) }
}

/** Reads the rows of a path in a block. The limit is one more than `most`, to notice if there are too many. */
const rowsQuery = (
  search: Search,
  block: Block,
  { source, enter }: { readonly source: SQL; readonly enter: SQL | null },
  where: SQL,
  most: number,
): SQL =>
  sql`SELECT ${namedColumns(search.table.columns)}, ${search.table.id} AS "rowId" FROM ${source} ${search.table.joins ?? sql``}
    WHERE ${all([enter, where, isInBlock(search, block)])} LIMIT ${most + 1}`

const inOrder = (rows: readonly Row[]): Row[] => [...rows].sort((a, b) => a.rowId - b.rowId)
