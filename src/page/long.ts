import { fetchAreaPage } from './area.ts'
import type { Database } from './database.ts'
import { jump, treeOf } from './jump.ts'
import { isSame, recall, remember } from './memory.ts'
import type { Page, PageRequest } from './page.ts'
import { atOneRevision, Moved } from './revision.ts'
import { type Route, route } from './route.ts'
import { type Known, numberOf, pageOf, type Search, type Slice, searchOf, sliceOf } from './search.ts'
import type { Table, Ways } from './table.ts'
import { collect, walk } from './walk.ts'

/** A page of a list too long to be read whole. What is found out of the whole is remembered for the next request. */
export const fetchLongPage = (
  db: Database,
  resource: Table,
  ways: Ways,
  request: PageRequest,
  level: number,
): Promise<Page> =>
  atOneRevision(db, async (read) => {
    const { hint, key } = request
    const inArea = request.conditions.some((condition) => 'area' in condition)
    const search = searchOf(read, resource, ways, request, level, knownOf(request, inArea))
    const found = await (search.area === null
      ? follow(search, await route(search))
      : fetchAreaPage(search, search.area))
    if (hint === null) {
      db.cost.remembered = search.known?.holds(read.state()) === true
      const gap = recall(key)?.finding.gap ?? (found.next ?? found.previous)?.hint?.gap ?? 0
      remember(key, { count: found.count, gap }, read.state())
    }
    return found
  })

/** In an area, what is known only serves where the gap says how far to read. */
const knownOf = ({ hint, key }: PageRequest, inArea: boolean): Known | null => {
  const recalled = hint === null ? recall(key) : null
  const { count, gap = 0 } = hint ?? recalled?.finding ?? {}
  if (count === undefined || (inArea && gap === 0)) return null
  return {
    count,
    gap,
    holds: (state) => (hint === null ? isSame(state, recalled?.state ?? null) : state?.revision === hint.revision),
  }
}

/** Reads the page by a route, and the count, unless one is known that still holds. */
const follow = async (search: Search, { leads, method, where, count }: Route): Promise<Page> => {
  const { page, hint, order, known, read } = search
  const tree = method === 'jump' && hint === null && page !== 1 && page !== 'last' ? treeOf(search) : null
  const turned = tree !== null && order.descending
  const counts = page === 'last' || turned
  const before = known?.count ?? (counts ? numberOf((await read(count))[0]) : 0)
  const slice = sliceOf(search, before)
  const queries =
    tree === null
      ? leads.map((lead) => (method === 'collect' ? collect : walk)(search, lead, where, slice))
      : [jump(search, tree, turned ? fromTheOtherEnd(slice, before) : slice, turned)]
  const answers = await read(...queries, ...(known === null ? [count] : []))
  const found = answers.slice(0, queries.length).flat()
  const rows = turned ? found.reverse() : found
  if (known === null) return pageOf(search, slice, rows, numberOf(answers[queries.length]))
  if (known.holds(read.state())) return pageOf(search, slice, rows, known.count)
  if (counts) throw new Moved()
  return pageOf(search, slice, rows, numberOf((await read(count))[0]))
}

/** The same rows in the opposite order. */
const fromTheOtherEnd = (slice: Slice, count: number): Slice => {
  const end = Math.max(0, count - slice.offset)
  const limit = Math.min(slice.limit, end)
  return { ...slice, offset: end - limit, limit }
}
