import type { SQL } from 'drizzle-orm'
import type { Cost, Explanation } from '../engine.ts'
import { MAX_SKIPPED, MAX_SORTED, MAX_TESTED, RESERVE } from '../limits.ts'
import { type FoundPage, type ListedRow, pageIn } from '../shared/page.ts'
import { isSame, NO_STATE } from '../state.ts'
import { coverAreas, planAndCover } from './admit.ts'
import type { PointRow } from './columns.ts'
import { countInTree, countQuery, hasStoredCount, orderTreeOf } from './counts.ts'
import type { Database, RowReader } from './database.ts'
import { decideArea, idsIn, withoutArea } from './decideArea.ts'
import { total } from './indexes.ts'
import { decideRows } from './latest.ts'
import { checkOrder, isUnindexed, rowsByDistance, rowsWith } from './order.ts'
import { pageQuery, walkQuery } from './pages.ts'
import { type Plan, planOf } from './plan.ts'
import { ANY, isBounded } from './ranges.ts'
import type { List, PageRequest } from './request.ts'
import { hasAreaToTest, type Search } from './search.ts'
import { type FarPage, farPageOf, seek } from './seek.ts'
import { asCount, numberOf } from './sql.ts'

/** Reads a page of events. */
export const fetchEvents = async (db: Database, request: PageRequest): Promise<FoundPage<ListedRow>> => {
  const { read } = db
  const search = await decideRows(read, request.search, request)
  const reading: Reading = { read, db, request, ...listFor(search, request) }
  const { near } = request.order
  if (near !== undefined) {
    const decided = await withoutArea(read, search)
    notePlan(db, planOf(decided, read.estimates(), null))
    const { rows, count } = await rowsByDistance(read, { ...reading, search: decided }, near)
    return pageOf(reading, rows, count)
  }
  return hasAreaToTest(search) ? readPageInArea(reading) : readPage(reading)
}

/** A page that is being read. */
interface Reading extends List {
  readonly read: RowReader
  readonly db: Database
  readonly request: PageRequest
}

/** Reads a page that SQL alone decides. The count of a valid cursor is not read again. */
const readPage = async (reading: Reading): Promise<FoundPage<ListedRow>> => {
  const { read, db, search, request, order, offset } = reading
  const { plan, cover } = await planAndCover(read, search)
  notePlan(db, plan)
  const counting = countQuery(plan, cover)
  const isSorting = isUnindexed(order) && plan.rows > MAX_SORTED
  if (isSorting && request.cursor === null) checkOrder(reading, numberOf(...(await read(counting))))
  const far = farPageOf(search, request)
  if (far !== null) return readFarPage(reading, far)
  const tree = orderTreeOf(order.column)
  if (tree !== null && request.cursor === null && offset > MAX_SKIPPED && hasStoredCount(search)) {
    // If every row matches, the conditions leave no gaps between the rows of the tree.
    const [matches, all] = await read(counting, asCount(total(search.level)))
    if (numberOf(matches) === numberOf(all)) return readFarPage(reading, { tree, extent: ANY })
  }
  const known = knownOf(request)
  const [rows, counted] = await read(pageQuery(reading, plan, read.estimates()), ...(known === null ? [counting] : []))
  if (counted !== undefined) return pageOf(reading, rows, numberOf(counted))
  if (known !== null && isValid(reading)) return pageOf(reading, rows, known.count)
  return pageOf(reading, rows, numberOf(...(await read(counting))))
}

/**
 * Reads a page that stored counts locate. A descending list is read from its other end, in ascending order. That and a
 * range need the counts first.
 */
const readFarPage = async (reading: Reading, { tree, extent }: FarPage): Promise<FoundPage<ListedRow>> => {
  const { read, search, order, offset, limit } = reading
  const counting = asCount(countInTree(search, tree, [extent]))
  if (!order.descending && !isBounded(extent)) {
    const [rows, counted] = await read(seek(reading, tree, offset, limit), counting)
    return pageOf(reading, rows, numberOf(counted))
  }
  const [least] = extent
  const before = asCount(countInTree(search, tree, least === null ? [] : [[null, least - 1n]]))
  const [below, counted] = await read(before, counting)
  const count = numberOf(counted)
  const skip = numberOf(below) + (order.descending ? Math.max(0, count - offset - limit) : offset)
  const [rows] = await read(seek(reading, tree, skip, Math.max(0, Math.min(limit, count - offset))))
  return pageOf(reading, order.descending ? [...rows].reverse() : rows, count)
}

/** Returns the cursor of a request whose seal is right. */
const knownOf = ({ cursor }: PageRequest) => (cursor?.state ? cursor : null)

/** Returns true if the count of the cursor holds in the state that was read. */
const isValid = ({ read, request: { cursor, isBatch = false } }: Reading): boolean =>
  isBatch || isSame(read.state(), cursor?.state ?? null)

/**
 * Reads a page in an area whose points the Worker tests. If rows in list order probably fill the page, they are tested
 * in the first round trip. Otherwise the matches are sorted in the second one.
 */
const readPageInArea = async (reading: Reading): Promise<FoundPage<ListedRow>> => {
  const { read, db, search, request, offset, limit } = reading
  const known = knownOf(request)
  const cover = await coverAreas(read, search)
  const planned = planOf(search, read.estimates(), cover)
  notePlan(db, planned)
  const walk = walkOf(reading, planned)
  const needed = offset + limit
  const listed = async (points: readonly PointRow[]): Promise<readonly ListedRow[] | null> => {
    const ids = await read.work.run(idsIn(search, points))
    if (ids.length < needed) return null
    const rows = await rowsWith(read, reading, ids.slice(offset, needed))
    return rows.length < needed - offset ? null : rows
  }
  if (known !== null && walk !== null && known.rowsPerMatch > 0) {
    const [points] = await read(walk)
    const rows = isValid(reading) ? await listed(points) : null
    if (rows !== null) return pageOf(reading, rows, known.count, known.rowsPerMatch)
  }
  const { beside, count, ...decided } = await decideArea(read, search, cover, planned, walk === null ? [] : [walk])
  const rowsPerMatch = rowsPerMatchOf(request, decided.total, count)
  const walked = walk && (await listed(beside))
  if (walked !== null) return pageOf(reading, walked, count, rowsPerMatch)
  checkOrder(reading, count)
  const plan = planOf(decided.search, read.estimates(), null)
  notePlan(db, plan)
  const [rows] = await read(pageQuery({ ...reading, search: decided.search }, plan, read.estimates()))
  return pageOf(reading, rows, count, rowsPerMatch)
}

/** Reads rows in list order, with their points. Null: they probably do not fill the page. */
const walkOf = (reading: Reading, plan: Plan): SQL<PointRow> | null => {
  const { read, request, offset, limit } = reading
  const estimates = read.estimates()
  const needed = offset + limit
  if (needed > MAX_SKIPPED && offset > 0) return null
  const hinted = rowsToWalk(request.limit, knownOf(request)?.rowsPerMatch ?? 0)
  const most = hinted || Math.ceil(RESERVE * needed * (estimates.total / Math.max(1, plan.matches)))
  if (most > MAX_TESTED || most > plan.rows) return null
  return walkQuery(reading, plan, estimates, Math.max(most, needed))
}

/** Returns how many rows a walk to a page reads. A cursor has `rows`, those for each match, only if they are few. */
const rowsToWalk = (size: number, rows: number): number => (rows === 0 ? 0 : 2 * (size + 1) * rows + 20)

/**
 * Estimates the rows in list order for each match. Returns 0 if a walk would pass too many rows before the next page.
 */
const rowsPerMatchOf = ({ limit }: PageRequest, total: number, count: number): number => {
  const rows = Math.ceil(total / Math.max(1, count))
  return rowsToWalk(limit, rows) <= Math.max(200, count) ? rows : 0
}

/** Builds the page from its rows. `rowsPerMatch`: the rows in list order for each match, where an area is tested. */
const pageOf = (
  reading: Reading,
  rows: readonly ListedRow[],
  count: number,
  rowsPerMatch = 0,
): FoundPage<ListedRow> => {
  checkOrder(reading, count)
  const known = { state: reading.read.state() ?? NO_STATE, count, rowsPerMatch }
  return pageIn(reading.request, rows, known, reading.search.isPart)
}

/**
 * Returns the part of a page, with one more row than the page. That row shows if there is a next page. The last page is
 * read backward from the end, where it may have fewer rows than the part.
 */
const listFor = (search: Search, { cursor, order, isEnd, offset, limit }: PageRequest): List => {
  const list = { search, order, backward: false, from: null, offset: 0, limit: limit + 1 }
  if (cursor !== null) return { ...list, backward: cursor.backward, from: cursor.from }
  return isEnd ? { ...list, backward: true, limit } : { ...list, offset }
}

/** Notes how a page is read, for the log and for the client. */
const notePlan = (
  { cost, explanation }: { readonly cost: Cost; readonly explanation: Explanation | null },
  { paths, rows, matches }: Plan,
): void => {
  const path = paths.map(({ name }) => name).join(' or ')
  cost.plan = path
  if (explanation === null) return
  const each = paths.map(({ name, rows }) => ({ path: name, rows: Math.round(rows) }))
  explanation.plan = { path, rows: Math.round(rows), matches: Math.round(matches), paths: each }
}
