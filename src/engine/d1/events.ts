import { type SQL, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { numberAt } from '../../base/collections.ts'
import type { LonLat } from '../../geometry/bbox.ts'
import { distanceBetween } from '../../geometry/circle.ts'
import type { Page } from '../engine.ts'
import { LOOK_UP, MAX_SKIPPED, MAX_SORTED, MAX_TESTED, RESERVE } from '../limits.ts'
import { holdsIn, rowsOf } from '../shared/cut.ts'
import { firstPlaces } from '../shared/nearest.ts'
import { type ListedRow, pageIn, refuseOrder } from '../shared/page.ts'
import { NO_STATE } from '../state.ts'
import { coverAreas, planAndCover } from './admit.ts'
import { isDown, type PointRow } from './columns.ts'
import { countInTree, countQuery, hasStoredCount, orderTreeOf } from './counts.ts'
import type { Database, RowReader } from './database.ts'
import { decide } from './decide.ts'
import { decideArea, idsIn, withoutArea } from './decideArea.ts'
import { indexOf, total } from './indexes.ts'
import { eachMatch } from './matches.ts'
import { everyRow, listedRows, pageQuery, type Run, runsOf, walkQuery } from './pages.ts'
import { type Plan, planOf } from './plan.ts'
import { ANY, isBounded } from './ranges.ts'
import { asksNothing, hasAreaToTest, type List } from './search.ts'
import { type FarPage, farPageOf, seek } from './seek.ts'
import { asCount, numberOf, numbersTable } from './sql.ts'
import type { ColumnOrder } from './tables.ts'

/** Reads a page of events. */
export const fetchEvents = async (db: Database, asked: List): Promise<Page> => {
  const { read } = db
  const runs = asksNothing(asked.search) && asked.order.near === undefined ? runsOf(asked, ANY) : null
  if (runs !== null) return readEvery(db, asked, runs)
  const list = { ...asked, search: await decide(read, asked.search, asked) }
  const { near } = list.order
  if (near === undefined) return hasAreaToTest(list.search) ? readPageInArea(db, list) : readPage(db, list)
  const search = await withoutArea(read, list.search)
  notePlan(db, planOf(search, read.estimates(), null))
  const { rows, count } = await rowsByDistance(read, { ...list, search }, near)
  return pageOf(db, list, rows, count)
}

/** Reads a page of all rows in the order of an index. Stored counts find it by its number. */
const readEvery = async (db: Database, list: List, runs: readonly Run[]): Promise<Page> => {
  const { search, order, after, skip } = list
  const { total: matches } = db.read.estimates()
  const rows = LOOK_UP * matches
  db.cost.plan = 'all'
  if (db.explanation !== null) db.explanation.plan = { path: 'all', rows, matches, paths: [{ path: 'all', rows }] }
  const tree = orderTreeOf(order.column)
  if (tree !== null && after === null && skip > 0) return readFarPage(db, list, { tree, extent: ANY })
  return readCounted(db, list, everyRow(list, runs, search.visible), asCount(total(search.level)))
}

/** Reads a page that SQL alone decides. */
const readPage = async (db: Database, list: List): Promise<Page> => {
  const { read } = db
  const { search, order, after, skip } = list
  const { plan, cover } = await planAndCover(read, search)
  notePlan(db, plan)
  const counting = countQuery(plan, cover)
  const isSorting = isUnindexed(order) && plan.rows > MAX_SORTED
  if (isSorting && after === null) checkOrder(list, numberOf(...(await read(counting))))
  const far = farPageOf(list)
  if (far !== null) return readFarPage(db, list, far)
  const tree = orderTreeOf(order.column)
  if (tree !== null && skip > MAX_SKIPPED && hasStoredCount(search)) {
    // If every row matches, the conditions leave no gaps between the rows of the tree.
    const [matches, all] = await read(counting, asCount(total(search.level)))
    if (numberOf(matches) === numberOf(all)) return readFarPage(db, list, { tree, extent: ANY })
  }
  return readCounted(db, list, pageQuery(list, plan, read.estimates()), counting)
}

/** Reads rows, and the count of all matches. The count of a valid hint is not read again. */
const readCounted = async (
  db: Database,
  list: List,
  query: SQL<ListedRow>,
  counting: SQL<{ readonly count: number }>,
): Promise<Page> => {
  const { read } = db
  const { known } = list
  const [rows, counted] = await read(query, ...(known === null ? [counting] : []))
  if (counted !== undefined) return pageOf(db, list, rows, numberOf(counted))
  if (known !== null && holdsIn(known, read.state())) return pageOf(db, list, rows, known.count)
  return pageOf(db, list, rows, numberOf(...(await read(counting))))
}

/**
 * Reads a page that stored counts locate. A descending list is read from its other end, in ascending order. That and a
 * range need the counts first.
 */
const readFarPage = async (db: Database, list: List, { tree, extent }: FarPage): Promise<Page> => {
  const { read } = db
  const { search, order, skip } = list
  const limit = rowsOf(list)
  const counting = asCount(countInTree(search, tree, [extent]))
  if (!order.descending && !isBounded(extent)) {
    const [rows, counted] = await read(seek(list, tree, skip, limit), counting)
    return pageOf(db, list, rows, numberOf(counted))
  }
  const [least] = extent
  const before = asCount(countInTree(search, tree, least === null ? [] : [[null, least - 1n]]))
  const [below, counted] = await read(before, counting)
  const count = numberOf(counted)
  const first = numberOf(below) + (order.descending ? Math.max(0, count - skip - limit) : skip)
  const [rows] = await read(seek(list, tree, first, Math.max(0, Math.min(limit, count - skip))))
  return pageOf(db, list, order.descending ? [...rows].reverse() : rows, count)
}

/**
 * Reads a page in an area whose points the Worker tests. If rows in list order probably fill the page, they are tested
 * in the first round trip. Otherwise the matches are sorted in the second one.
 */
const readPageInArea = async (db: Database, list: List): Promise<Page> => {
  const { read } = db
  const { search, skip, known } = list
  const cover = await coverAreas(read, search)
  const planned = planOf(search, read.estimates(), cover)
  notePlan(db, planned)
  const walk = walkOf(read, list, planned)
  const needed = skip + rowsOf(list)
  const listed = async (points: readonly PointRow[]): Promise<readonly ListedRow[] | null> => {
    const ids = await read.work.run(idsIn(search, points))
    if (ids.length < needed) return null
    const rows = await rowsWith(read, list, ids.slice(skip, needed))
    return rows.length < needed - skip ? null : rows
  }
  if (known !== null && walk !== null && known.rowsPerMatch > 0) {
    const [points] = await read(walk)
    const rows = holdsIn(known, read.state()) ? await listed(points) : null
    if (rows !== null) return pageOf(db, list, rows, known.count, known.rowsPerMatch)
  }
  const { beside, count, ...decided } = await decideArea(read, search, cover, planned, walk === null ? [] : [walk])
  const rowsPerMatch = rowsPerMatchOf(list, decided.total, count)
  const walked = walk && (await listed(beside))
  if (walked !== null) return pageOf(db, list, walked, count, rowsPerMatch)
  checkOrder(list, count)
  const plan = planOf(decided.search, read.estimates(), null)
  notePlan(db, plan)
  const [rows] = await read(pageQuery({ ...list, search: decided.search }, plan, read.estimates()))
  return pageOf(db, list, rows, count, rowsPerMatch)
}

/** Reads rows in list order, with their points. Null: they probably do not fill the page. */
const walkOf = (read: RowReader, list: List, plan: Plan): SQL<PointRow> | null => {
  const { skip, take, known } = list
  const estimates = read.estimates()
  const needed = skip + rowsOf(list)
  if (needed > MAX_SKIPPED && skip > 0) return null
  const hinted = rowsToWalk(take, known?.rowsPerMatch ?? 0)
  const most = hinted || Math.ceil(RESERVE * needed * (estimates.total / Math.max(1, plan.matches)))
  if (most > MAX_TESTED || most > plan.rows) return null
  return walkQuery(list, plan, estimates, Math.max(most, needed))
}

/** Returns how many rows a walk to a page reads. A hint has `rows`, those for each match, only if they are few. */
const rowsToWalk = (size: number, rows: number): number => (rows === 0 ? 0 : 2 * (size + 1) * rows + 20)

/**
 * Estimates the rows in list order for each match. Returns 0 if a walk would pass too many rows before the next page.
 */
const rowsPerMatchOf = ({ take }: List, total: number, count: number): number => {
  const rows = Math.ceil(total / Math.max(1, count))
  return rowsToWalk(take, rows) <= Math.max(200, count) ? rows : 0
}

/** Builds the page from its rows. `rowsPerMatch`: the rows in list order for each match, where an area is tested. */
const pageOf = ({ read }: Database, list: List, rows: readonly ListedRow[], count: number, rowsPerMatch = 0): Page => {
  checkOrder(list, count)
  const { search, isBatch } = list
  const known = { state: read.state() ?? NO_STATE, count, rowsPerMatch }
  return pageIn(list, rows, known, { isBatch, isPart: search.isPart })
}

/** Notes how a page is read, for the log and for the client. */
const notePlan = ({ cost, explanation }: Database, { paths, rows, matches }: Plan): void => {
  const path = paths.map(({ name }) => name).join(' or ')
  cost.plan = path
  if (explanation === null) return
  const each = paths.map(({ name, rows }) => ({ path: name, rows: Math.round(rows) }))
  explanation.plan = { path, rows: Math.round(rows), matches: Math.round(matches), paths: each }
}

/** Returns true if no index has the order of a list. */
export const isUnindexed = ({ column }: ColumnOrder): boolean => column !== null && indexOf(column) === null

/** Throws Refused if a page in this order would sort or skip too many rows. The order of ids has no limit. */
export const checkOrder = ({ order, skip }: List, count: number): void => {
  // Stored counts find a far page in the order of a tree.
  const isFound = order.near === undefined && orderTreeOf(order.column) !== null
  refuseOrder(isUnindexed(order) ? count : 0, isFound ? 0 : skip)
}

/**
 * Reads a part of a list in the order of the distance from a position. SQL decides its search. It reads the coordinates
 * of all matches, keeps the places of the part, and then reads its rows.
 */
export const rowsByDistance = async (
  read: RowReader,
  list: List,
  near: LonLat,
): Promise<{ readonly rows: readonly ListedRow[]; readonly count: number }> => {
  checkOrder(list, 0)
  const columns = [sql`${events.id}`, sql`${events.x}`, sql`${events.y}`]
  const places = firstPlaces(list, isDown(list))
  let count = 0
  await eachMatch(read, list.search, columns, (numbers, offset) => {
    count += 1
    const place = [numberAt(numbers, offset + 1), numberAt(numbers, offset + 2)] as const
    places.add({ id: numberAt(numbers, offset), distance: distanceBetween(near, place) })
  })
  // An event that moves between two reads may be found twice.
  const chosen = new Map(places.found().map(({ id, distance }) => [id, distance]))
  const unordered = await rowsWith(read, list, [...chosen.keys()])
  const rows = new Map(unordered.map((row) => [row.rowId, row]))
  const listed = Array.from(chosen, ([id, distance]) => ({
    ...(rows.get(id) ?? { rowId: id, isGone: true }),
    rowAt: distance,
  }))
  return { rows: listed, count }
}

/** Reads the rows with some ids in the order of a list. Rows that are deleted or hidden meanwhile are left out. */
export const rowsWith = async (read: RowReader, list: List, ids: readonly number[]): Promise<readonly ListedRow[]> => {
  if (ids.length === 0) return []
  const [rows] = await read(
    listedRows(list, sql`SELECT value AS id FROM (${numbersTable(ids)})`, list.search.visible ?? undefined),
  )
  return rows
}
