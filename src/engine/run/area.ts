import { type SQL, sql } from 'drizzle-orm'
import { eventCounts, events } from '../../../schema/tables.ts'
import { chunksOf, numberAt } from '../../collections.ts'
import { asCount, integerOf, numberOf, rangesTable } from '../../filters/sql.ts'
import { CELL_LEVELS, cellAt, cellBounds } from '../../geometry/cell.ts'
import type { Area } from '../../geometry/within.ts'
import type { Steps } from '../../work.ts'
import { areaToTest, asksOnlyArea, type Search, type ValueRange } from '../conditions/search.ts'
import { type CellNodeRow, FINE_SHIFTS } from '../estimates.ts'
import { nodesOf, seenIn } from '../events.ts'
import { MAX_AT_ONCE, MAX_NODES, MAX_TESTED } from '../limits.ts'
import { cellOfPlace, placeColumn } from '../sql/columns.ts'
import { countIn } from '../sql/counts.ts'
import { cellsPath, listPath } from '../sql/paths.ts'
import { type Cover, matchesOf, type Plan, planFor, planOf, statement } from '../sql/plan.ts'
import { whereOf } from '../sql/where.ts'
import { eachMatch } from './matches.ts'
import { coverOf, settle } from './settle.ts'
import type { SnapshotReader } from './snapshot.ts'

/** A row whose point the Worker tests. */
interface PointRow {
  readonly id: number
  readonly x: number
  readonly y: number
}

/** A search without an area to test, and the number of its matches. */
interface Decided {
  readonly search: Search
  readonly count: number
}

/**
 * Replaces an area by the cells inside it, and by the ids of the matches in the other cells, whose points it tests. If
 * another path has few rows, it tests all of these instead, and all matches are ids. Answers `beside` in the same round
 * trip. Throws a 400 if the database would test the other conditions for too long.
 */
export const decideArea = async <R>(
  read: SnapshotReader,
  search: Search,
  area: Area,
  cover: Cover,
  beside: readonly SQL<R>[] = [],
): Promise<Decided & { readonly beside: readonly (readonly R[])[] }> => {
  const { interior, boundary } = cover.covering
  // All rows of the path are tested, also those that are only counted.
  await settle(read, search, planOf(search, read.statistics(), cover))
  const fewest = cellsPath(boundary, Math.min(MAX_TESTED, cover.inside + cover.atBoundary))
  const plan = await settle(read, search, planFor(search, read.statistics(), null, fewest))
  const [rows, [counted], nodes, ...others] = await read(
    statement(plan, sql<PointRow>`SELECT * FROM (${matchesOf(plan, POINT)}) LIMIT ${integerOf(MAX_TESTED + 1)}`),
    statement(plan, countInside(search, interior, plan)),
    nodesIn(search, boundary),
    ...beside,
  )
  const answers = others as unknown as readonly (readonly R[])[] // the queries declare their rows
  if (rows.length > MAX_TESTED) return { ...(await decideFinely(read, search, area, nodes)), beside: answers }
  const ids: number[] = []
  await read.work.run(test(area, rows, ids))
  const inside = counted?.inside ?? null
  const cells = inside === null ? [] : interior
  return { search: decidedBy(search, cells, ids), count: (inside ?? 0) + ids.length, beside: answers }
}

/** Decides the area of a search, if the Worker has to test it. */
export const withoutArea = async (read: SnapshotReader, search: Search): Promise<Search> => {
  const area = areaToTest(search)
  return area === null ? search : (await decideArea(read, search, area, await coverOf(read, area))).search
}

const POINT = sql`${events.id} AS id, ${events.x} AS x, ${events.y} AS y`

const decidedBy = (search: Search, cells: readonly ValueRange[], ids: readonly number[]): Search => ({
  ...search,
  area: null,
  decided: { cells, ids },
})

/** Counts the matches in the cells inside. The count is null if the points of all matches are tested. */
const countInside = (
  search: Search,
  interior: readonly ValueRange[],
  { sources, choice }: Plan,
): SQL<{ readonly inside: number | null }> => {
  const last = sources.length - 1
  if (sources[last]?.path.name !== 'cells') return sql`SELECT NULL AS inside`
  const count = insideOf(search, interior)
  if (choice === null) return sql`SELECT ${count} AS inside`
  return sql`SELECT CASE WHEN path = ${integerOf(last)} THEN ${count} END AS inside FROM choice`
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
const insideOf = (search: Search, cells: readonly ValueRange[]): SQL => {
  if (asksOnlyArea(search)) return countIn(search, 'cell', cells)
  const { from, enter } = cellsPath(cells, 0)
  return sql`(SELECT count(*) FROM ${from} WHERE ${enter} AND ${whereOf({ ...search, area: null })})`
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
  read: SnapshotReader,
  search: Search,
  area: Area,
  nodes: readonly CellNodeRow[],
): Promise<Decided> => {
  const { interior, boundary } = (await coverOf(read, area, nodes)).covering
  const ids: number[] = []
  const near: number[] = []
  const cellOf = cellOfPlace(CELL_LEVELS)
  const columns = [placeColumn(CELL_LEVELS), sql`${events.id}`]
  await eachMatch(read, decidedBy(search, boundary, []), columns, (_, numbers, offset) => {
    const id = numberAt(numbers, offset + 1)
    const [west, south, east, north] = cellBounds(cellAt(CELL_LEVELS, cellOf(numberAt(numbers, offset))))
    const [width, height] = [east - west, north - south]
    // The box has a margin, because a cell is computed with rounding.
    if (area.meets([west - width, south - height, east + width, north + height])) near.push(id)
    else if (area.contains((west + east) / 2, (south + north) / 2)) ids.push(id)
  })
  const [first = [], ...others] = chunksOf(chunksOf(near, MAX_TESTED).map(pointsOf), MAX_AT_ONCE)
  const [counted, ...points] = await read(asCount(insideOf(search, interior)), ...first)
  for (const rows of points) await read.work.run(test(area, rows, ids))
  for (const queries of others) for (const rows of await read(...queries)) await read.work.run(test(area, rows, ids))
  return { search: decidedBy(search, interior, ids), count: numberOf(counted) + ids.length }
}

/** Reads the points of rows by id. */
const pointsOf = (ids: readonly number[]): SQL<PointRow> => {
  const { from, enter } = listPath(ids)
  return sql`SELECT ${POINT} FROM ${from} WHERE ${enter}`
}
