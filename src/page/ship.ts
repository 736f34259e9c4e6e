import { type SQL, sql } from 'drizzle-orm'
import type { Covering } from '../geometry/covering.ts'
import type { Area } from '../geometry/within.ts'
import { compare, type Position } from './order.ts'
import type { Page } from './page.ts'
import { pageOf, positionColumns, type Search, sliceOf } from './search.ts'
import { all, spans } from './sql.ts'
import { entered, type Lead, readRows } from './walk.ts'

/**
 * Brings all candidates here, by a lead or from cells, tests those that cells do not decide, and so has the count and the
 * order of all; only the rows of the page are then read in full. Null where there are more than `most`. `gapOf` tells how to read on.
 */
export const ship = async (
  search: Search,
  area: Area,
  by: Lead | Covering,
  where: SQL,
  most: number,
  gapOf: (candidates: number, hits: number) => number,
): Promise<Page | null> => {
  const query = 'boundary' in by ? inCells(search, by, where) : onLead(search, by, where)
  const [candidates = []] = await search.read(sql`${query} LIMIT ${most + 1}`)
  if (candidates.length > most) return null
  const hits = candidates.filter(({ inside, placeX, placeY }) => inside === 1 || area.contains(placeX, placeY))
  const slice = sliceOf(search, hits.length)
  const inOrder = (a: Position, b: Position) => compare(search.order, slice.backward, a, b)
  const ordered = hits
    .map((row): Position => ({ value: row.rowAt, id: row.rowId }))
    .filter((position) => slice.from === null || inOrder(position, slice.from) > 0)
    .sort(inOrder)
  const wanted = ordered.slice(slice.offset, slice.offset + slice.limit)
  const rows = await readRows(
    search,
    wanted.map(({ id }) => id),
  )
  return pageOf(search, slice, rows, hits.length, gapOf(candidates.length, hits.length))
}

/** What is tested of the rows that a lead leads to. */
export const onLead = (search: Search, lead: Lead, where: SQL): SQL => {
  const from = entered(search, lead)
  return sql`SELECT ${positionColumns(search)} FROM ${from.table}
    WHERE ${all([from.where, where, sql`${search.ways.place.x} IS NOT NULL`])}`
}

/** The third number of a range says whether its cells are wholly inside. */
const inCells = (search: Search, { interior, boundary }: Covering, where: SQL): SQL => {
  const { cell, index } = search.ways.place
  const ranges = [...interior.map((range) => [...range, 1]), ...boundary.map((range) => [...range, 0])]
  return sql`SELECT ${positionColumns(search)}, span.value ->> 2 AS inside
    FROM ${spans(ranges)} CROSS JOIN ${search.resource.table} INDEXED BY ${sql.identifier(index)}
    WHERE ${cell} BETWEEN span.value ->> 0 AND span.value ->> 1 AND ${where}`
}
