import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../collections.ts'
import { all, namedColumns, numberOf, numbersTable } from '../../filters/sql.ts'
import { byCells } from '../candidates/paths.ts'
import type { Region } from '../candidates/region.ts'
import { asksOnlyArea } from '../conditions/criteria.ts'
import { orderBy } from '../conditions/order.ts'
import type { Row } from '../conditions/table.ts'
import type { Plan } from '../plan/choose.ts'
import { positionColumns, type Search, type Slice } from '../search.ts'
import { testCells } from './cells.ts'
import type { Read } from './database.ts'
import { sharedColumns } from './long.ts'
import { candidatesQuery, makeTester } from './tester.ts'

/** The most rows of the area that a page may skip in list order. For later pages the database sorts all ids instead. */
const MAX_PASSED = 2000
/**
 * If the plan's path has at most this many rows, they are tested point by point. Otherwise the cells of the area are
 * read.
 */
const MAX_TESTED = 40_000

/**
 * Counts the rows in an area that SQL alone cannot decide. `send` sends the first queries, later ones go one by one.
 */
export const countWithin = async (search: Search, region: Region, plan: Plan, send: Read): Promise<number> => {
  let count = 0
  const onCandidate = (rows: number) => {
    count += rows
  }
  if (!plan.throughCells && plan.narrow.rows <= MAX_TESTED) {
    const tester = makeTester(search, region, plan.narrow, plan.where, [], onCandidate)
    const [answer] = await send(candidatesQuery(search, plan.narrow, plan.where, []))
    if (tester.take(answer)) {
      await tester.finish()
      return count
    }
    return countInCells(search, region, plan, search.read)
  }
  return countInCells(search, region, plan, send)
}

/**
 * Counts rows by cells. The database counts the cells inside the area, or stored counts do if the area is the only
 * filter. The Worker tests the rows in boundary cells.
 */
const countInCells = async (search: Search, region: Region, plan: Plan, send: Read): Promise<number> => {
  let count = 0
  const alone = asksOnlyArea(search.criteria)
  const inside = byCells(search, alone ? region.uncounted : region.covering.interior, region.inside)
  const counting = sql`SELECT count(*) AS count FROM ${inside.source} WHERE ${all([inside.enter, plan.whereInside])}`
  const first = async (...queries: SQL[]) => {
    const [counted, ...answers] = await send(counting, ...queries)
    count += (alone ? region.counted : 0) + numberOf(counted)
    return answers
  }
  const onCandidate = (rows: number) => {
    count += rows
  }
  await testCells(
    search,
    region,
    region.cells.filter(({ isBoundary }) => isBoundary),
    plan.whereNear,
    [],
    onCandidate,
    first,
  )
  return count
}

/** Counts the rows in rectangles if the area is the only filter. SQL decides rectangles exactly. */
export const rectangleCount = (search: Search, region: Region, plan: Plan): SQL => {
  const ranges = [...region.uncounted, ...region.boundary].sort((a, b) => a[0] - b[0])
  const { source, enter } = byCells(search, ranges, 0)
  return sql`SELECT ${sql.raw(String(region.counted))} + (SELECT count(*) FROM ${source} WHERE ${all([enter, plan.whereNear])}) AS count`
}

/**
 * Reads the rows of a slice that lie in the area. It reads in portions, and each portion starts after the last row of
 * the one before. `send` sends the first query.
 */
export const rowsWithin = async (
  search: Search,
  region: Region,
  plan: Plan,
  slice: Slice,
  send: Read,
): Promise<readonly Row[]> => {
  const needed = slice.offset + slice.limit
  if (needed > MAX_PASSED && slice.offset > 0) return rowsFarWithin(search, region, plan, slice, send)
  const { area } = region
  const hits: Row[] = []
  let from = slice.from
  let read = send
  for (let portion = portionSize(region, plan, needed); ; portion = Math.min(2 * portion, MAX_PORTION)) {
    const [rows] = await read(plan.rows({ ...slice, from, offset: 0, limit: portion }))
    for (const row of rows) if (row.placeX !== null && area.contains(row.placeX, row.placeY)) hits.push(row)
    const last = rows.at(-1)
    if (hits.length >= needed || last === undefined || rows.length < portion) return hits.slice(slice.offset, needed)
    from = { value: last.rowAt, id: last.rowId }
    read = search.read
  }
}

const MAX_PORTION = 10_000

/**
 * Estimates how many rows to read to get `needed` rows in the area. It adds a reserve, because a second query costs a
 * round trip.
 */
const portionSize = ({ inside, atBoundary, inBounds }: Region, { throughCells }: Plan, needed: number): number => {
  const within = inside + atBoundary / 2
  const among = throughCells ? Math.min(inBounds, 2 * (inside + atBoundary)) : inBounds
  const part = Math.max(0.1, Math.min(1, within / Math.max(1, among)))
  return Math.min(MAX_PORTION, Math.ceil((1.3 * needed) / part) + 10)
}

/** Reads a slice far from the start. It collects all ids in the area, and the database sorts them. */
const rowsFarWithin = async (
  search: Search,
  region: Region,
  plan: Plan,
  slice: Slice,
  send: Read,
): Promise<readonly Row[]> => {
  const { table, order } = search
  const ids: number[] = []
  await testCells(
    search,
    region,
    region.cells.filter(({ isBoundary }) => isBoundary),
    plan.whereNear,
    [sql`${table.id}`],
    (_rows, _column, _row, extras, offset) => ids.push(at(extras, offset)),
    send,
  )
  const inside = byCells(search, region.covering.interior, region.inside)
  const by = orderBy(order, table.id, slice.backward)
  const within = sql`SELECT ${table.id} AS id FROM ${inside.source} WHERE ${all([inside.enter, plan.whereInside])} UNION ALL ${numbersTable(ids)}`
  const [rows] =
    await search.read(sql`SELECT ${namedColumns(sharedColumns(table, slice.limit))}, ${positionColumns(search)} FROM (
      SELECT id FROM (SELECT ${table.id} AS id FROM (${within}) AS hit CROSS JOIN ${table.table} ON ${table.id} = hit.id ORDER BY ${by} LIMIT -1)
      LIMIT ${slice.limit} OFFSET ${slice.offset}) AS hit
    CROSS JOIN ${table.table} ON ${table.id} = hit.id ${table.joins ?? sql``} ORDER BY ${by}`)
  return rows
}
