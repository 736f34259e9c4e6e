import { sql } from 'drizzle-orm'
import type { Area } from '../geometry/within.ts'
import { fetchAreaPage } from './area.ts'
import { checkWork, MAX_QUERIES, tooMuch } from './effort.ts'
import type { Position } from './order.ts'
import type { Page } from './page.ts'
import { conditionsBeyond, resolve } from './resolve.ts'
import type { Search, Slice } from './search.ts'
import { all } from './sql.ts'
import type { Row } from './table.ts'
import { EVERYTHING, readRows, walk } from './walk.ts'

/** How many ids of rows within an area are held at a time; of more, the whole list is passed instead. */
const MAX_HELD = 50_000
/** How many rows are read in full at a time. */
const BATCH = 10_000
/** How many places are tested at a time. */
const PASSED = 20_000

/** Every row within an area, in order, in batches; the first page, of any size, tells how many there are. */
export const everyWithin = (
  search: Search,
  area: Area,
  first: Page,
  most = MAX_HELD,
): AsyncGenerator<readonly Row[], void> =>
  first.count <= most ? held(search, area, first.count) : passed(search, area, first)

/** Few: which rows they are is found out once, as for one large page. */
async function* held(search: Search, area: Area, count: number): AsyncGenerator<readonly Row[], void> {
  const { id } = search.resource
  const bare = { ...search, resource: { ...search.resource, columns: { id }, joins: sql`` }, size: Math.max(1, count) }
  const { rows } = await fetchAreaPage(bare, area)
  const ids = rows.map((row): number => row.rowId)
  for (let from = 0; from < ids.length; from += BATCH) yield await readRows(search, ids.slice(from, from + BATCH))
}

/** Many: the list is passed in its order, and each place tested that lies in the bbox of the area. */
async function* passed(search: Search, area: Area, first: Page): AsyncGenerator<readonly Row[], void> {
  const walking = { ...search, hint: first.next?.hint ?? null }
  const resolved = await resolve(walking)
  checkPassed(area, resolved.statistics.total)
  const where = all([conditionsBeyond(resolved, EVERYTHING), inBounds(search, area)])
  let from: Position | null = null
  for (;;) {
    const slice: Slice = { backward: false, from, offset: 0, limit: PASSED }
    const [rows = []]: Row[][] = await search.read(walk(walking, EVERYTHING, where, slice))
    const hits = rows.filter(({ placeX, placeY }) => placeX !== null && area.contains(placeX, placeY))
    yield await readRows(
      search,
      hits.map(({ rowId }) => rowId),
    )
    const last = rows.at(-1)
    if (last === undefined || rows.length < PASSED) return
    from = { value: last.rowAt, id: last.rowId }
  }
}

/** Throws a 400 where there is too much to be passed and tested in one request. */
const checkPassed = (area: Area, total: number): void => {
  const most = PASSED * Math.floor(MAX_QUERIES / 4)
  if (total > most) throw tooMuch(`all within a large area is found by looking at ${most.toLocaleString('en')} at most`)
  checkWork(area, total)
}

const inBounds = ({ ways: { place } }: Search, { bbox, turns }: Area) => {
  if (bbox === null || turns.length > 1) return null
  const [west, south, east, north] = bbox
  return sql`${place.x} BETWEEN ${west} AND ${east} AND ${place.y} BETWEEN ${south} AND ${north}`
}
