import { type SQL, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { numberAt, type ValueRange } from '../../base/collections.ts'
import type { Steps } from '../../base/work.ts'
import { allOf, type PreparedArea } from '../../geometry/within.ts'
import { CHUNK, LONGEST_POINT, MAX_LIST, MAX_TESTED } from '../limits.ts'
import { admit, coverAreas } from './admit.ts'
import { cutAt, cutsOf, readChunks } from './chunks.ts'
import { POINT, type PointRow } from './columns.ts'
import { countIn } from './counts.ts'
import type { RowReader } from './database.ts'
import { total } from './indexes.ts'
import { cellsPath } from './paths.ts'
import { type Cover, type ListRow, listQuery, matchesOf, numbersIn, planFor, planOf, planStatement } from './plan.ts'
import { asksOnlyArea, hasAreaToTest, onlyIn, type Search } from './search.ts'
import { integerOf } from './sql.ts'
import { whereOf } from './where.ts'

/** A search without an area to test, and the number of its matches. `total` is the number of all visible rows. */
interface Decided {
  readonly search: Search
  readonly count: number
  readonly total: number
  /** The answer to the query beside. Empty without one. */
  readonly beside: readonly PointRow[]
}

/**
 * Replaces the areas of a search by the cells inside them, and by the ids of the matches in the other cells, whose points
 * it tests. If another path has few rows, it tests all of these instead, and all matches are ids. Answers `beside` in the
 * same round trip. Throws a 400 if the database would test the other conditions for too long.
 */
export const decideArea = async (
  read: RowReader,
  search: Search,
  cover: Cover,
  planned = planOf(search, read.estimates(), cover),
  beside: readonly SQL<PointRow>[] = [],
): Promise<Decided> => {
  // All rows of the path are tested, also those that are only counted.
  await admit(read, planned)
  const { plan, counting } = await planTests(read, search, cover)
  const [rows, [counted], other = []] = await read(
    planStatement(plan, sql<PointRow>`SELECT * FROM (${matchesOf(plan, POINT)}) LIMIT ${integerOf(MAX_TESTED + 1)}`),
    planStatement(plan, counting),
    ...beside,
  )
  const { inside = null, total = 0 } = counted ?? {}
  const cells = inside === null ? [] : cover.interior
  const found =
    rows.length <= MAX_TESTED
      ? { cells, inside: inside ?? 0, ids: await read.work.run(idsIn(search, rows)) }
      : await decideFinely(read, search)
  const decided = onlyIn({ ...search, areas: [] }, found.cells, found.ids)
  return { search: decided, count: found.inside + found.ids.length, total, beside: other }
}

/** Decides the areas of a search, if the Worker has to test points. */
export const withoutArea = async (read: RowReader, search: Search): Promise<Search> =>
  hasAreaToTest(search) ? (await decideArea(read, search, await coverAreas(read, search))).search : search

/**
 * Chooses the rows whose points are tested. The path of cells has only those at the boundary, and `counting` counts the
 * matches inside. Its cost is both, but at most MAX_TESTED: no path with more rows, too many to test at once, may win.
 * Any other path has all matches. All their points are tested, and `inside` is null.
 */
const planTests = async (read: RowReader, search: Search, cover: Cover) => {
  const cells = cellsPath(cover.boundary, Math.min(MAX_TESTED, cover.inside + cover.atBoundary))
  const plan = await admit(read, planFor(search, read.estimates(), null, cells))
  const { paths, best, choice } = plan
  const counted = (inside: SQL, from = sql``) => {
    type Counted = { readonly inside: number | null; readonly total: number }
    return { plan, counting: sql<Counted>`SELECT ${inside} AS inside, ${total(search.level)} AS total ${from}` }
  }
  if (best?.name !== 'cells') return counted(sql`NULL`)
  const count = insideOf(search, cover.interior)
  if (choice === null) return counted(count)
  return counted(sql`CASE WHEN path = ${integerOf(paths.indexOf(best))} THEN ${count} END`, sql`FROM choice`)
}

/** Counts the matches in cells inside the area. Stored counts know them if the area is the only filter. */
const insideOf = (search: Search, cells: readonly ValueRange[]): SQL => {
  if (asksOnlyArea(search)) return countIn(search, 'cell', cells)
  const { from, enter } = cellsPath(cells, 0)
  return sql`(SELECT count(*) FROM ${from} WHERE ${enter} AND ${whereOf({ ...search, areas: [] })})`
}

/** Returns the ids of the rows in the areas of a search. */
export function* idsIn({ areas, orNowhere }: Search, rows: readonly PointRow[]): Steps<number[]> {
  const ids: number[] = []
  for (const { id, x, y } of rows) {
    if (x === null ? orNowhere : areas.every((area) => area.contains(x, y))) ids.push(id)
    yield
  }
  return ids
}

/** Covers the areas with more cells, counts the matches inside, and tests the points at the boundary. */
const decideFinely = async (
  read: RowReader,
  search: Search,
): Promise<{ readonly cells: readonly ValueRange[]; readonly inside: number; readonly ids: readonly number[] }> => {
  const { interior, boundary } = await coverAreas(read, search, true)
  const area = allOf(search.areas)
  const estimates = read.estimates()
  const cuts = cutsOf(boundary, CHUNK * MAX_POINTS, estimates.cells)
  const inCells = (cells: readonly ValueRange[]) => onlyIn({ ...search, areas: [] }, cells)
  const planChunk = (chunk: Search) => planOf(chunk, estimates, null)
  const ids: number[] = []
  let inside = 0
  // The matches in the cells inside are counted in the same round trip.
  const whole = inCells(interior)
  const queryOf = (chunk: Search): SQL<ListRow> =>
    chunk === whole
      ? sql`SELECT 0 AS count, ${insideOf(search, interior)} AS list`
      : listQuery(planChunk(chunk), EXACT_POINT, MAX_POINTS)
  const chunks = [whole, ...cutAt(boundary, cuts).map(inCells)]
  await readChunks(read, chunks, { queryOf, planChunk, most: MAX_POINTS }, function* (list, chunk) {
    if (chunk === whole) inside = Number(list.list)
    else yield* testPoints(area, numbersIn(list), ids)
  })
  return { cells: interior, inside, ids }
}

/** Adds the ids of the points in an area. A point comes as its id and its two coordinates. */
function* testPoints(area: PreparedArea, numbers: Float64Array, ids: number[]): Steps<void> {
  for (let i = 0; i < numbers.length; i += EXACT_POINT.length) {
    if (area.contains(numberAt(numbers, i + 1), numberAt(numbers, i + 2))) ids.push(numberAt(numbers, i))
    yield
  }
}

/** Writes doubles as texts that have all their bits. */
export const EXACT_POINT = [sql`${events.id}`, sql`quote(${events.x})`, sql`quote(${events.y})`]

export const MAX_POINTS = Math.floor(MAX_LIST / LONGEST_POINT)
