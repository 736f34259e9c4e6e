import { fetchAreaPage } from './area.ts'
import type { Database } from './database.ts'
import { jump, treeOf } from './jump.ts'
import type { Page, PageRequest } from './page.ts'
import { type Route, route } from './route.ts'
import { Moved, numberOf, pageOf, type Search, type Slice, searchOf, sliceOf, untilAtRest } from './search.ts'
import type { Table, Ways } from './table.ts'
import { collect, walk } from './walk.ts'

/** A page of a list too long to be read whole. Starts again when the data changes between two round trips. */
export const fetchLongPage = (
  db: Database,
  resource: Table,
  ways: Ways,
  request: PageRequest,
  level: number,
): Promise<Page> =>
  untilAtRest(Moved, async () => {
    const search = searchOf(db, resource, ways, request, level)
    return search.area === null ? follow(search, await route(search)) : fetchAreaPage(search, search.area)
  })

/** Reads the page by a route, and the count, unless the hint of the page before tells one that still holds. */
const follow = async (search: Search, { leads, method, where, count }: Route): Promise<Page> => {
  const { page, hint, order } = search
  const tree = method === 'jump' && hint === null && page !== 1 && page !== 'last' ? treeOf(search) : null
  const turned = tree !== null && order.descending
  const [known] = page === 'last' || turned ? await search.read(count) : []
  const slice = sliceOf(search, numberOf(known))
  const queries =
    tree === null
      ? leads.map((lead) => (method === 'collect' ? collect : walk)(search, lead, where, slice))
      : [jump(search, tree, turned ? fromTheOtherEnd(slice, numberOf(known)) : slice, turned)]
  const answers = await search.read(...queries, ...(hint === null ? [count] : []))
  const found = answers.slice(0, queries.length).flat()
  const rows = turned ? found.reverse() : found
  const counted = answers[queries.length]
  if (counted !== undefined) return pageOf(search, slice, rows, numberOf(counted))
  const holds = hint?.revision === search.read.revision()
  return pageOf(search, slice, rows, holds ? hint.count : numberOf((await search.read(count))[0]))
}

/** The same rows in the opposite order. */
const fromTheOtherEnd = (slice: Slice, count: number): Slice => {
  const end = Math.max(0, count - slice.offset)
  const limit = Math.min(slice.limit, end)
  return { ...slice, offset: end - limit, limit }
}
