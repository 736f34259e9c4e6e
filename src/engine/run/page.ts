import { sql } from 'drizzle-orm'
import { asCount, numberOf, numbersTable } from '../../filters/sql.ts'
import type { Area } from '../../geometry/within.ts'
import { isSame, NO_STATE } from '../../state.ts'
import type { Steps } from '../../work.ts'
import {
  invalidPage,
  lastOf,
  type Page,
  type PageRequest,
  type Slice,
  type Sorted,
  sliceOf,
} from '../conditions/page.ts'
import { ANY, areaToTest, isBounded, type Search, searchOf } from '../conditions/search.ts'
import type { Table } from '../conditions/table.ts'
import { total } from '../events.ts'
import { MAX_SKIPPED, MAX_SORTED, MAX_TESTED, RESERVE } from '../limits.ts'
import type { ListedRow } from '../sql/columns.ts'
import { countInTree, countQuery, hasStoredCount, orderTreeOf } from '../sql/counts.ts'
import { type FarPage, farPageOf, pageQuery, rowsOf, walkQuery } from '../sql/pages.ts'
import { type Cover, planOf } from '../sql/plan.ts'
import { seek } from '../sql/seek.ts'
import { decideArea } from './area.ts'
import { notePlan } from './cost.ts'
import type { Database } from './database.ts'
import { decideRows } from './latest.ts'
import { checkOrder, isUnindexed, rowsByDistance } from './order.ts'
import { coverOf, prepare } from './settle.ts'
import { atOneState, type SnapshotReader } from './snapshot.ts'

/** Reads a page of events. */
export const fetchEvents = (db: Database, table: Table, request: PageRequest, level: number): Promise<Page> =>
  atOneState(db, async (read) => {
    const asked = searchOf(table, request.conditions, level)
    const search = await decideRows(read, asked, request)
    const list = { table, level, order: request.order }
    const reading: Reading = { read, db, search, sorted: list, request, slice: sliceOf(request) }
    const { near } = request.order
    if (near !== undefined) return pageOf(reading, await rowsByDistance(read, search, near, request))
    const area = areaToTest(search)
    return area === null ? readPage(reading) : readPageIn(reading, area)
  })

/** A page that is being read. */
interface Reading {
  readonly read: SnapshotReader
  readonly db: Database
  readonly search: Search
  readonly sorted: Sorted
  readonly request: PageRequest
  readonly slice: Slice
}

/** The rows of a slice, and the number of all matches. */
interface Found {
  readonly rows: readonly ListedRow[]
  readonly count: number
  /** The rows in list order for each match, where an area is tested. */
  readonly rowsPerMatch?: number
}

/** Reads a page that SQL alone decides. The count of a valid cursor is not read again. */
const readPage = async (reading: Reading): Promise<Page> => {
  const { read, db, search, sorted, request, slice } = reading
  const { plan, cover } = await prepare(read, search)
  notePlan(db, plan)
  const counting = countQuery(search, plan, cover)
  const { order } = request
  const isSorting = isUnindexed(order) && plan.rows > MAX_SORTED
  if (isSorting && request.cursor === null) checkOrder(order, slice, numberOf(...(await read(counting))))
  const far = farPageOf(search, request)
  if (far !== null) return readFarPage(reading, far)
  const tree = orderTreeOf(order.column)
  if (tree !== null && request.cursor === null && slice.offset > MAX_SKIPPED && hasStoredCount(search)) {
    // If every row matches, the conditions leave no gaps between the rows of the tree.
    const [matches, all] = await read(counting, asCount(total(search.level)))
    if (numberOf(matches) === numberOf(all)) return readFarPage(reading, { tree, extent: ANY })
  }
  const query = pageQuery(search, plan, sorted, slice, read.statistics())
  const known = request.cursor?.state ? request.cursor : null
  const [rows, counted] = known === null ? await read(query, counting) : [...(await read(query)), null]
  if (counted !== null) return pageOf(reading, { rows, count: numberOf(counted) })
  if (known !== null && isValid(reading)) return pageOf(reading, { rows, count: known.count })
  return pageOf(reading, { rows, count: numberOf(...(await read(counting))) })
}

/**
 * Reads a page that stored counts locate. A descending list is read from its other end, in ascending order. That and a
 * range need the counts first.
 */
const readFarPage = async (reading: Reading, { tree, extent }: FarPage): Promise<Page> => {
  const { read, search, sorted, slice } = reading
  const { offset, limit } = slice
  const { descending } = sorted.order
  const counting = asCount(countInTree(search, tree, [extent]))
  if (!descending && !isBounded(extent)) {
    const [rows, counted] = await read(seek(search, sorted, tree, offset, limit), counting)
    return pageOf(reading, { rows, count: numberOf(counted) })
  }
  const [least] = extent
  const [below, counted] = await read(
    asCount(countInTree(search, tree, least === null ? [] : [[null, least - 1n]])),
    counting,
  )
  const count = numberOf(counted)
  const skip = numberOf(below) + (descending ? Math.max(0, count - offset - limit) : offset)
  const [rows] = await read(seek(search, sorted, tree, skip, Math.max(0, Math.min(limit, count - offset))))
  return pageOf(reading, { rows: descending ? [...rows].reverse() : rows, count })
}

/** Returns true if the count of the cursor holds in the state that was read. */
const isValid = ({ read, request: { cursor, countOfCursor = false } }: Reading): boolean =>
  countOfCursor || isSame(read.state(), cursor?.state ?? null)

/**
 * Reads a page in an area whose points the Worker tests. If rows in list order probably fill the page, they are tested
 * in the first round trip. Otherwise the matches are sorted in the second one.
 */
const readPageIn = async (reading: Reading, area: Area): Promise<Page> => {
  const { read, db, search, sorted, request, slice } = reading
  const known = request.cursor?.state ? request.cursor : null
  const cover = await coverOf(read, area)
  const walk = walkOf(reading, area, cover)
  if (known !== null && walk !== null && known.rowsPerMatch > 0) {
    const [rows] = await read(walk.query)
    const ids = await read.work.run(walk.idsIn(rows))
    if (ids !== null && isValid(reading)) return pageOf(reading, { ...known, rows: await listed(reading, ids) })
  }
  const queries = walk === null ? [] : [walk.query]
  const { beside, ...decided } = await decideArea(read, search, area, cover, queries)
  const { count, total } = decided
  const [walked] = beside
  const rowsPerMatch = rowsPerMatchOf(request, total, count)
  const ids = walk === null || walked === undefined ? null : await read.work.run(walk.idsIn(walked))
  if (ids !== null) return pageOf(reading, { count, rowsPerMatch, rows: await listed(reading, ids) })
  checkOrder(request.order, slice, count)
  const plan = planOf(decided.search, read.statistics(), null)
  notePlan(db, plan)
  const [rows] = await read(pageQuery(decided.search, plan, sorted, slice, read.statistics()))
  return pageOf(reading, { rows, count, rowsPerMatch })
}

/** Prepares to test rows in list order. Null: they probably do not fill the page. */
const walkOf = ({ read, search, sorted, request, slice }: Reading, area: Area, cover: Cover) => {
  const statistics = read.statistics()
  const { offset, limit } = slice
  const needed = offset + limit
  if (needed > MAX_SKIPPED && offset > 0) return null
  const plan = planOf(search, statistics, cover)
  const hinted = request.cursor?.state ? rowsToWalk(request.pageSize, request.cursor.rowsPerMatch) : 0
  const most = hinted || Math.ceil(RESERVE * needed * (statistics.total / Math.max(1, plan.matches)))
  if (most > MAX_TESTED || most > plan.rows) return null
  const query = walkQuery(search, plan, sorted, slice, statistics, Math.max(most, needed))
  if (query === null) return null
  const idsIn = function* (
    rows: readonly { readonly id: number; readonly x: number; readonly y: number }[],
  ): Steps<readonly number[] | null> {
    const ids: number[] = []
    for (const { id, x, y } of rows) {
      if (x !== null && area.contains(x, y)) ids.push(id)
      if (ids.length === needed) return ids.slice(offset)
      yield
    }
    return null
  }
  return { query, idsIn }
}

/** Returns how many rows to read for a page. */
const rowsToWalk = (size: number, rows: number): number => (rows === 0 ? 0 : 2 * (size + 1) * rows + 20)

/**
 * Estimates the rows in list order for each match. Returns 0 if a walk would pass too many rows before the next page.
 */
const rowsPerMatchOf = ({ pageSize }: PageRequest, total: number, count: number): number => {
  const rows = Math.ceil(total / Math.max(1, count))
  return rowsToWalk(pageSize, rows) <= Math.max(200, count) ? rows : 0
}

/** Reads the rows with some ids in the order of the list. */
const listed = async ({ read, sorted, slice }: Reading, ids: readonly number[]): Promise<readonly ListedRow[]> => {
  if (ids.length === 0) return []
  const [rows] = await read(rowsOf(sorted, sql`SELECT value AS id FROM (${numbersTable(ids)})`, slice))
  return rows
}

/** Builds the page from the rows of a slice. */
const pageOf = ({ read, request, slice }: Reading, { rows, count, rowsPerMatch = 0 }: Found): Page => {
  const { cursor, pageSize: size, page } = request
  checkOrder(request.order, slice, count)
  const number = page === 'last' ? lastOf(count, size) : page
  if (cursor === null && number > 1 && rows.length === 0) throw invalidPage()
  // The last page is read backward, so it may have rows of the page before.
  const own = page === 'last' ? rows.slice(0, Math.max(1, count - (number - 1) * size)) : rows.slice(0, size)
  const pageRows = slice.backward ? [...own].reverse() : own
  const more = cursor?.backward === true || (page !== 'last' && rows.length > size)
  const state = read.state() ?? NO_STATE
  const linkFrom = (row: ListedRow | undefined, backward: boolean) =>
    row === undefined
      ? {}
      : { cursor: { backward, from: { value: row.rowAt, id: row.rowId }, state, count, rowsPerMatch } }
  return {
    count,
    number,
    rows: pageRows,
    next: more ? linkFrom(pageRows.at(-1), false) : null,
    previous: number === 1 ? null : number === 2 ? {} : linkFrom(pageRows[0], true),
  }
}
