import { type SQL, sql } from 'drizzle-orm'
import type { Covering, Range } from '../geometry/covering.ts'
import type { Area } from '../geometry/within.ts'
import { chunkOf, fill, isAlone, MAX_PASSED, MAX_SHIPPED, tooMuch } from './effort.ts'
import { beyond, orderBy } from './order.ts'
import type { Page } from './page.ts'
import { conditionsBeside, conditionsBeyond, type Resolved } from './resolve.ts'
import { asCount, numberOf, pageOf, positionColumns, type Search, type Slice, sliceOf } from './search.ts'
import { all, columnsOf, each, spans } from './sql.ts'
import type { Row } from './table.ts'
import { countIn } from './tally.ts'
import { EVERYTHING, readRows, walk } from './walk.ts'

/** How many places are tested where there are more rows than that: as JSON they are one parameter of D1. */
const MAX_PLACES = 45_000

/** Counts by the cells, tests the boundary, and reads the page in its order; where that leads too far, through the cells. */
export const fetchByCells = async (
  search: Search,
  area: Area,
  cells: Covering,
  resolved: Resolved,
  gap: number,
): Promise<Page> => {
  const { ways, resource, level, visible, page } = search
  const where = conditionsBeside(resolved, EVERYTHING)
  const interior = isAlone(search)
    ? asCount(countIn(resource, ways, 'cell', ways.place.index, cells.interior, level, visible))
    : sql`SELECT count(*) AS count FROM ${inCells(search, cells.interior, where)}`
  const boundary = inCells(search, cells.boundary, where)
  const limit = Math.min(chunkOf(search, gap), MAX_PASSED)
  const near = { ...sliceOf(search, 0), limit }
  const walks = page === 1 || search.hint !== null
  const [counted, candidates = [], rows = []] = await search.read(
    interior,
    candidatesIn(search, boundary),
    ...(walks ? [walk(search, EVERYTHING, conditionsBeyond(resolved, EVERYTHING), near)] : []),
  )
  const hits = await hitsOf(search, area, candidates, boundary)
  const count = numberOf(counted) + hits.count
  const filled = walks ? fill(search, area, rows, limit) : null
  if (filled !== null) return pageOf(search, near, await readRows(search, filled.ids), count, filled.gap)
  const slice = sliceOf(search, count)
  const ids = sql`SELECT ${resource.id} FROM ${inCells(search, cells.interior, where)} UNION ALL ${hits.ids}`
  const [found = []] = await search.read(rowsAmong(search, ids, slice))
  return pageOf(search, slice, found, count)
}

/** The rows in ranges of cells that a condition leaves, as what a SELECT is from. */
export const inCells = ({ resource, ways: { place } }: Search, ranges: readonly Range[], where: SQL): SQL =>
  sql`${spans(ranges)} CROSS JOIN ${resource.table} INDEXED BY ${sql.identifier(place.index)}
    WHERE ${place.cell} BETWEEN span.value ->> 0 AND span.value ->> 1 AND ${where}`

/** What is tested of the rows at the boundary; one too many tells that they are. */
export const candidatesIn = (search: Search, boundary: SQL): SQL =>
  sql`SELECT ${positionColumns(search)} FROM ${boundary} LIMIT ${MAX_SHIPPED + 1}`

/** How many of the rows in cells at the boundary are within, and a query of their ids. */
export interface Hits {
  readonly count: number
  readonly ids: SQL
}

/** The hits among candidates. Where these are too many to bring, as when many lie at one place, each place is tested once. */
export const hitsOf = async (search: Search, area: Area, candidates: readonly Row[], boundary: SQL): Promise<Hits> => {
  const { x, y, cell } = search.ways.place
  const { id } = search.resource
  if (candidates.length <= MAX_SHIPPED) {
    const hits = candidates.filter(({ placeX, placeY }) => area.contains(placeX, placeY))
    return { count: hits.length, ids: each(hits.map((row): number => row.rowId)) }
  }
  const [places = []] = await search.read(
    sql`SELECT ${x} AS x, ${y} AS y, ${cell} AS cell, count(*) AS count FROM ${boundary} GROUP BY ${cell}, ${x}, ${y} LIMIT ${MAX_PLACES + 1}`,
  )
  if (places.length > MAX_PLACES) throw tooMuch(`there are events at more than ${MAX_PLACES} places near its edges`)
  const within = places.filter((place) => area.contains(place.x, place.y))
  const listed = JSON.stringify(within.map((place) => [place.x, place.y]))
  return {
    count: within.reduce((sum, place) => sum + place.count, 0),
    ids: sql`SELECT ${id} FROM ${boundary} AND (${x}, ${y}) IN (SELECT place.value ->> 0, place.value ->> 1 FROM json_each(${listed}) AS place)`,
  }
}

/** The rows of a slice among these ids. */
const rowsAmong = (search: Search, ids: SQL, slice: Slice): SQL => {
  const { resource, order } = search
  const { id, table, joins = sql`` } = resource
  const by = orderBy(order, id, slice.backward)
  const past = slice.from && beyond(order, id, slice.from, slice.backward)
  return sql`SELECT ${columnsOf(resource)}, ${positionColumns(search)}
    FROM (SELECT ${id} AS id FROM ${table} WHERE ${all([sql`${id} IN (${ids})`, past])}
      ORDER BY ${by} LIMIT ${slice.limit} OFFSET ${slice.offset}) AS hit
    CROSS JOIN ${table} ON ${id} = hit.id ${joins} ORDER BY ${by}`
}
