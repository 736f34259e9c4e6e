import { sql } from 'drizzle-orm'
import { numberAt } from '../../collections.ts'
import type { Area } from '../../geometry/within.ts'
import type { Steps } from '../../work.ts'
import type { Region } from '../candidates/region.ts'
import type { RowPosition, Slice } from '../conditions/page.ts'
import { pageReadOf } from '../plan/choose.ts'
import type { Plan } from '../plan/plan.ts'
import type { ListedRow } from '../sql/columns.ts'
import { farWithinQuery, pageQuery } from '../sql/pages.ts'
import type { Read } from './database.ts'
import { cellReading, countReading, type Matching } from './matches.ts'
import { type Portion, portionOf, type Reading, readPortions } from './portions.ts'

/** The most rows of the area that a page may skip in list order. For later pages the database sorts all ids instead. */
const MAX_PASSED = 2000
/** The most rows of one portion of a page. */
const MAX_PORTION = 10_000

/** A reading of a page, and the rows of the page after it. */
interface PageReading {
  readonly reading: Reading
  readonly rows: (read: Read) => Promise<readonly ListedRow[]>
}

/** Counts the matches in an area that SQL alone cannot decide. */
export const countWithin = async (read: Read, matching: Matching): Promise<number> => {
  const { count, reading } = counter(matching)
  await readPortions(read, reading)
  return count()
}

/** Reads the rows of a slice that lie in the area. */
export const rowsWithin = async (read: Read, matching: Matching, slice: Slice): Promise<readonly ListedRow[]> => {
  const { reading, rows } = pageReading(matching, slice)
  await readPortions(read, reading)
  return rows(read)
}

/** Counts the matches and reads a slice side by side. */
export const pageWithin = async (read: Read, matching: Matching, slice: Slice) => {
  const { count, reading } = counter(matching)
  const page = pageReading(matching, slice)
  await readPortions(read, reading, page.reading)
  return { count: count(), rows: await page.rows(read) }
}

const counter = (matching: Matching): { readonly count: () => number; readonly reading: Reading } => {
  let count = 0
  const reading = countReading(matching, (rows) => {
    count += rows
  })
  return { count: () => count, reading }
}

const pageReading = (matching: Matching, slice: Slice): PageReading => {
  const { region } = matching.plan
  if (region === null) throw new RangeError('The plan has no area.')
  const needed = slice.offset + slice.limit
  return needed > MAX_PASSED && slice.offset > 0
    ? farReading(matching, region, slice)
    : nearReading(matching, region, slice, needed)
}

/** Returns the rows whose points lie in an area. */
export function* rowsIn(area: Area, rows: readonly ListedRow[]): Steps<ListedRow[]> {
  const inside: ListedRow[] = []
  for (const row of rows) {
    if (row.placeX !== null && row.placeY !== null && area.contains(row.placeX, row.placeY)) inside.push(row)
    yield
  }
  return inside
}

/** Reads portions in list order. Each portion starts after the last row of the one before. */
const nearReading = ({ search, plan }: Matching, region: Region, slice: Slice, needed: number): PageReading => {
  const hits: ListedRow[] = []
  const portion = (from: RowPosition | null, limit: number): Portion => {
    const part = { ...slice, from, limit, offset: 0 }
    return portionOf(pageQuery(search, plan, pageReadOf(search, plan, part), part), function* (rows) {
      hits.push(...(yield* rowsIn(region.area, rows)))
      const last = rows.at(-1)
      if (hits.length >= needed || last === undefined || rows.length < limit) return []
      return [portion({ value: last.rowAt, id: last.rowId }, Math.min(2 * limit, MAX_PORTION))]
    })
  }
  const reading = { portions: [portion(slice.from, portionSize(region, plan, needed))] }
  return { reading, rows: async () => hits.slice(slice.offset, needed) }
}

/**
 * Estimates how many rows to read to get `needed` rows in the area. It adds a reserve, because a second query costs a
 * round trip.
 */
const portionSize = ({ inside, atBoundary, inBounds }: Region, { narrow }: Plan, needed: number): number => {
  const among = narrow.range.path === 'cells' ? Math.min(inBounds, 2 * (inside + atBoundary)) : inBounds
  const part = Math.max(0.1, Math.min(1, (inside + atBoundary / 2) / Math.max(1, among)))
  return Math.min(MAX_PORTION, Math.ceil((1.3 * needed) / part) + 10)
}

/** Reads a slice far from the start. It collects all ids at the boundary, and the database sorts the ids in the area. */
const farReading = ({ search, plan, statistics }: Matching, region: Region, slice: Slice): PageReading => {
  const { table } = search
  const matching = { search, plan, statistics, extras: [sql`${table.id}`] }
  const ids: number[] = []
  const reading = cellReading(matching, region.boundary, (_rows, _cell, extras, offset) => {
    ids.push(numberAt(extras, offset))
  })
  const rows = async (read: Read) => {
    const [found] = await read(farWithinQuery(search, plan, region.covering.interior, ids, slice))
    return found
  }
  return { reading, rows }
}
