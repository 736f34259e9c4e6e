import { type SQL, sql } from 'drizzle-orm'
import { eventCounts, events } from '../../../schema/tables.ts'
import { numberAt } from '../../collections.ts'
import { asCount, integerOf, numberOf, rangesTable } from '../../filters/sql.ts'
import { CELL_LEVELS, cellAt, cellBounds } from '../../geometry/cell.ts'
import type { Area } from '../../geometry/within.ts'
import type { Steps } from '../../work.ts'
import { areaToTest, asksOnlyArea, type Search, type ValueRange } from '../conditions/search.ts'
import { type CellNodeRow, FINE_SHIFTS, type Statistics } from '../estimates.ts'
import { nodesOf, seenIn, total } from '../events.ts'
import { MAX_NODES, MAX_TESTED } from '../limits.ts'
import { countIn } from '../sql/counts.ts'
import { cellOfPlace, placeColumn } from '../sql/lists.ts'
import { cellsPath, listPath } from '../sql/paths.ts'
import { type Cover, matchesOf, type Plan, planFor, planOf, statement } from '../sql/plan.ts'
import { whereOf } from '../sql/where.ts'
import type { Read } from './database.ts'
import { eachMatch } from './matches.ts'
import { coverOf, settle } from './settle.ts'

/** A row whose point the Worker tests. */
interface PointRow {
  readonly id: number
  readonly x: number
  readonly y: number
}

/** A search without an area to test, the number of its matches, and of all rows that the caller sees. */
export interface Decided {
  readonly search: Search
  readonly count: number
  readonly total: number
}

/**
 * Replaces an area by the cells inside it, and by the ids of the matches in the other cells, whose points it tests. If
 * another path has few rows, it tests all of these instead, and all matches are ids. Answers `beside` in the same round
 * trip. Throws a 400 if the database would test the other conditions for too long.
 */
export const decideArea = async <R>(
  read: Read,
  search: Search,
  area: Area,
  cover: Cover,
  statistics: Statistics,
  beside: readonly SQL<R>[] = [],
): Promise<Decided & { readonly beside: readonly (readonly R[])[] }> => {
  // All rows of the path are tested, also those that are only counted.
  await settle(read, search, planOf(search, statistics, cover), statistics)
  const plan = await settle(read, search, planOfPoints(search, statistics, cover), statistics)
  const points = sql<PointRow>`SELECT * FROM (${matchesOf(plan, POINT)}) LIMIT ${integerOf(MAX_TESTED + 1)}`
  const [rows, [counted], nodes, ...others] = await read(
    statement(plan, points),
    statement(plan, countInside(search, cover, plan)),
    nodesIn(search, cover.covering.boundary),
    ...beside,
  )
  const answers = others as unknown as readonly (readonly R[])[] // the queries declare their rows
  const { inside = null, total: all = 0 } = counted ?? {}
  const ids: number[] = []
  if (rows.length > MAX_TESTED)
    return { ...(await decideFinely(read, search, area, statistics, nodes)), total: all, beside: answers }
  await read.work.run(test(area, rows, ids))
  const cells = inside === null ? [] : cover.covering.interior
  return { search: decidedBy(search, cells, ids), count: (inside ?? 0) + ids.length, total: all, beside: answers }
}

/** Decides the area of a search, if the Worker has to test it. */
export const withoutArea = async (read: Read, search: Search, statistics: Statistics): Promise<Search> => {
  const area = areaToTest(search)
  if (area === null) return search
  const cover = await read.work.run(coverOf(area, statistics))
  return (await decideArea(read, search, area, cover, statistics)).search
}

const POINT = sql`${events.id} AS id, ${events.x} AS x, ${events.y} AS y`

const decidedBy = (search: Search, cells: readonly ValueRange[], ids: readonly number[]): Search => ({
  ...search,
  area: null,
  decided: { cells, ids },
})

/** Plans to read the points: those of a path with few rows, or else those in the cells at the boundary. */
const planOfPoints = (search: Search, statistics: Statistics, { covering, inside, atBoundary }: Cover): Plan => {
  const most = Math.min(MAX_TESTED, inside + atBoundary)
  const boundary = cellsPath(covering.boundary, most)
  return planFor(search, statistics, null, boundary)
}

/** The matches in the cells inside, and all visible rows. `inside` is null if the points of all matches are tested. */
interface InsideRow {
  readonly inside: number | null
  readonly total: number
}

const countInside = (search: Search, { covering: { interior } }: Cover, { sources, choice }: Plan): SQL<InsideRow> => {
  const last = sources.length - 1
  const all = sql`${total(search.level)} AS total`
  if (sources[last]?.path.name !== 'cells') return sql`SELECT NULL AS inside, ${all}`
  const count = insideOf(search, interior)
  if (choice === null) return sql`SELECT ${count} AS inside, ${all}`
  return sql`SELECT CASE WHEN path = ${integerOf(last)} THEN ${count} END AS inside, ${all} FROM choice`
}

/** Reads the nodes of some cells, the largest ones first. */
const nodesIn = ({ level }: Search, cells: readonly ValueRange[]): SQL<CellNodeRow> => {
  const { shift, node } = eventCounts
  const sizes = JSON.stringify([...FINE_SHIFTS].reverse())
  return sql`SELECT ${shift} AS shift, ${node} AS node, ${seenIn(level)} AS "rows"
    FROM json_each(${sizes}) AS size CROSS JOIN ${rangesTable(cells)} CROSS JOIN ${eventCounts}
    WHERE ${nodesOf('cell', sql`size.value`)} AND ${node} BETWEEN (span.value ->> 0) >> size.value AND (span.value ->> 1) >> size.value
    LIMIT ${integerOf(MAX_NODES)}`
}

/** Counts the matches in cells inside the area. Stored counts know them if the area is the only filter. */
const insideOf = (search: Search, cells: readonly ValueRange[]): SQL =>
  asksOnlyArea(search) ? countIn(search, 'cell', cells) : sql`(${countOfCells(search, cells)})`

const countOfCells = (search: Search, cells: readonly ValueRange[]): SQL => {
  const { from, enter } = cellsPath(cells, 0)
  return sql`SELECT count(*) FROM ${from} WHERE ${enter} AND ${whereOf({ ...search, area: null })}`
}

/** Collects the ids of the rows in an area. */
function* test(area: Area, rows: readonly PointRow[], ids: number[]): Steps<void> {
  for (const { id, x, y } of rows) {
    if (x !== null && area.contains(x, y)) ids.push(id)
    yield
  }
}

/**
 * Covers the area by the nodes at its boundary, and tests the cells of the rows there. If an edge may cross the cell of a
 * row, it tests the point.
 */
const decideFinely = async (
  read: Read,
  search: Search,
  area: Area,
  statistics: Statistics,
  nodes: readonly CellNodeRow[],
): Promise<Omit<Decided, 'total'>> => {
  const { interior, boundary } = (await read.work.run(coverOf(area, statistics, nodes))).covering
  const ids: number[] = []
  const near: number[] = []
  const cellOf = cellOfPlace(CELL_LEVELS)
  const [counted] = await read(asCount(insideOf(search, interior)))
  const atBoundary = decidedBy(search, boundary, [])
  await eachMatch(read, atBoundary, statistics, [placeColumn(CELL_LEVELS), sql`${events.id}`], (_, numbers, offset) => {
    const [west, south, east, north] = cellBounds(cellAt(CELL_LEVELS, cellOf(numberAt(numbers, offset))))
    const [width, height] = [east - west, north - south]
    // The box has a margin, because a cell is computed with rounding.
    if (area.meets([west - width, south - height, east + width, north + height]))
      near.push(numberAt(numbers, offset + 1))
    else if (area.contains((west + east) / 2, (south + north) / 2)) ids.push(numberAt(numbers, offset + 1))
  })
  for (let from = 0; from < near.length; from += MAX_TESTED) {
    const { from: source, enter } = listPath(near.slice(from, from + MAX_TESTED))
    const [rows] = await read(sql<PointRow>`SELECT ${POINT} FROM ${source} WHERE ${enter}`)
    await read.work.run(test(area, rows, ids))
  }
  return { search: decidedBy(search, interior, ids), count: numberOf(counted) + ids.length }
}
