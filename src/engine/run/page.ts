import { at } from '../../collections.ts'
import { numberOf } from '../../filters/sql.ts'
import { NO_STATE } from '../../state.ts'
import type { Statistics } from '../candidates/nodes.ts'
import { isRectangular, needsRows } from '../conditions/criteria.ts'
import { invalidPage, lastOf, type Page, type PageRequest, type Slice } from '../conditions/page.ts'
import { hasIndex, type Search, searchOf, sliceOf } from '../conditions/search.ts'
import type { Access, Table } from '../conditions/table.ts'
import { pageReadOf } from '../plan/choose.ts'
import { farPageOf, planEarly, planFarPage, planWalk, rowsPerMatch } from '../plan/early.ts'
import { explain } from '../plan/explain.ts'
import { checkOrder, MAX_SORTED } from '../plan/limits.ts'
import type { Plan } from '../plan/plan.ts'
import type { ListedRow } from '../sql/columns.ts'
import { countBelowQuery, countQuery, storedCountQuery } from '../sql/count.ts'
import { pageAndCountQuery, pageQuery } from '../sql/pages.ts'
import { countWithin, pageWithin, rowsIn, rowsWithin } from './area.ts'
import type { Cache } from './cache.ts'
import type { Database } from './database.ts'
import { countByDifference } from './difference.ts'
import { rowsByDistance } from './distance.ts'
import { readPlan } from './facts.ts'
import { decideRows } from './latest.ts'
import { readRows } from './rows.ts'
import { atOneState, DataChanged, isKnown, type SnapshotReader } from './snapshot.ts'

/** A page of a large table, and the plan that found it. */
export interface PlannedPage extends Page {
  readonly plan: Plan
}

/** Reads a page of a table that is too large to be read completely. It caches the count for the next request. */
export const fetchLargePage = (
  db: Database,
  table: Table,
  access: Access,
  request: PageRequest,
  level: number,
): Promise<PlannedPage> =>
  atOneState(db, async (read) => {
    const { cache } = db
    const latest = cache.latest()
    const asked = searchOf(table, access, level, request, cache.findings.recall(request.key, latest), latest)
    const search = needsRows(asked.criteria) ? await decideRows(read, cache, asked) : asked
    const page = await fetch(read, cache, search)
    db.cost.plan = page.plan.path
    if (db.explanation !== null) db.explanation.plan = explain(page.plan)
    if (request.cursor === null) {
      db.cost.remembered = isKnown(read, search)
      const { rowsPerMatch = 0 } = (page.next ?? page.previous)?.cursor ?? search.known ?? {}
      cache.findings.remember(request.key, read.state(), { count: page.count, rowsPerMatch })
    }
    return page
  })

/** Plans and reads a page. A plan without facts comes first, because facts cost a round trip. */
const fetch = async (read: SnapshotReader, cache: Cache, search: Search): Promise<PlannedPage> => {
  const { near } = search.order
  if (near !== undefined) {
    const { slice, count, total, rows, ...found } = await rowsByDistance(read, cache, search, near)
    return pageOf(read, found.search, found.plan, slice, rows, count, rowsPerMatch(search, total, count))
  }
  const early = planEarly(search)
  if (early !== null) return readPlanned(read, search, early)
  const walk = planWalk(search)
  const walked = walk && (await readWalk(read, search, walk))
  if (walked !== null) return walked
  const far = farPageOf(search)
  if (far === null) return fetchByFacts(read, cache, search)
  const answers = await read.recalled(
    storedCountQuery(search, { of: 'everything' }),
    storedCountQuery(search, far.count),
    countBelowQuery(search, far.tree, far.stretch?.[0] ?? null),
  )
  const [total, count, before] = [numberOf(answers[0]), numberOf(answers[1]), numberOf(answers[2])]
  const counted = { ...search, known: { count, rowsPerMatch: 0 }, knownAt: read.state() }
  const plan = planFarPage(counted, far, { total, count, before })
  return plan === null ? fetchByFacts(read, cache, counted) : readPlanned(read, counted, plan)
}

const fetchByFacts = async (read: SnapshotReader, cache: Cache, asked: Search): Promise<PlannedPage> => {
  const { search, plan, statistics } = await readPlan(read, cache, asked)
  const count = search.difference === null ? null : await countByDifference(read, cache, search, plan)
  if (count !== null)
    return fetchByFacts(read, cache, { ...asked, known: { count, rowsPerMatch: 0 }, knownAt: read.state() })
  return plan.region === null || isRectangular(plan.region.area)
    ? readPlanned(read, search, plan)
    : readWithin(read, search, plan, statistics)
}

/** Reads a page that SQL alone decides, and counts the matches if no valid count is known. */
const readPlanned = async (read: SnapshotReader, search: Search, plan: Plan): Promise<PlannedPage> => {
  const { page, known } = search
  if (plan.count.by === 'the same scan') {
    const slice = sliceOf(search, 0)
    const [rows] = await read(pageAndCountQuery(search, plan, slice))
    return pageOf(read, search, plan, slice, rows, rows[0]?.total ?? 0)
  }
  // Seek reads in ascending order. It reads the slice of a descending list from the end, which needs the count.
  const isReversed = search.order.descending && pageReadOf(search, plan, sliceOf(search, 0)).read === 'seek'
  const countFirst = page === 'last' || isReversed || (!hasIndex(search) && plan.narrow.rows > MAX_SORTED)
  const count = async () => numberOf(...(await read.recalled(countQuery(search, plan))))
  const before = known?.count ?? (countFirst ? await count() : null)
  const slice = limitedSliceOf(search, before ?? 0)
  const asked = isReversed ? reversedSlice(slice, before ?? 0) : slice
  const query = pageQuery(search, plan, pageReadOf(search, plan, asked), asked)
  const [found, ...counted] = await read(query, ...(before === null ? [countQuery(search, plan)] : []))
  const rows = isReversed ? [...found].reverse() : found
  const answer = (matches: number) => pageOf(read, search, plan, slice, rows, matches)
  if (known === null || isKnown(read, search)) return answer(before ?? numberOf(at(counted, 0)))
  if (countFirst) throw new DataChanged()
  return answer(await count())
}

const limitedSliceOf = (search: Search, count: number): Slice => {
  const slice = sliceOf(search, count)
  if (search.order.asked) checkOrder(search, slice, count)
  return slice
}

/** Converts a slice to the same rows in reverse order. */
const reversedSlice = (slice: Slice, count: number): Slice => {
  const end = Math.max(0, count - slice.offset)
  const limit = Math.min(slice.limit, end)
  return { ...slice, offset: end - limit, limit }
}

/** Reads a page of an area that SQL alone cannot decide. */
const readWithin = async (
  read: SnapshotReader,
  search: Search,
  plan: Plan,
  statistics: Statistics,
): Promise<PlannedPage> => {
  const matching = { search, plan, statistics, extras: [] }
  const answer = (slice: Slice, rows: readonly ListedRow[], count: number) =>
    pageOf(read, search, plan, slice, rows, count, rowsPerMatch(search, statistics.total, count))
  const { known, page } = search
  if (known === null && page !== 'last' && hasIndex(search)) {
    const slice = sliceOf(search, 0)
    const { count, rows } = await pageWithin(read, matching, slice)
    return answer(slice, rows, count)
  }
  const count = known?.count ?? (await countWithin(read, matching))
  const slice = limitedSliceOf(search, count)
  const rows = await rowsWithin(read, matching, slice)
  if (known === null || isKnown(read, search)) return answer(slice, rows, count)
  if (page === 'last') throw new DataChanged()
  return answer(slice, rows, await countWithin(read, matching))
}

/** Walks in list order to the end of the page. Returns null if the walk did not reach it, or the data has changed. */
const readWalk = async (read: SnapshotReader, search: Search, plan: Plan): Promise<PlannedPage | null> => {
  const { known, size, criteria } = search
  const slice = sliceOf(search, 0)
  const [rows] = await read(pageQuery(search, plan, pageReadOf(search, plan, slice), slice))
  const inside = criteria.area === null ? rows : await read.work.run(rowsIn(criteria.area, rows))
  const hits = inside.slice(0, size + 1)
  const isCut = plan.page?.read === 'walk' && rows.length === plan.page.limit
  if (known === null || (hits.length <= size && isCut) || !isKnown(read, search)) return null
  const found = await readRows(
    read,
    search,
    hits.map(({ rowId }) => rowId),
  )
  return pageOf(read, search, plan, slice, found, known.count, known.rowsPerMatch)
}

/** Builds the page from the rows of a slice. */
const pageOf = (
  read: SnapshotReader,
  search: Search,
  plan: Plan,
  slice: Slice,
  rows: readonly ListedRow[],
  count: number,
  rowsPerMatch = 0,
): PlannedPage => {
  const { cursor, size } = search
  if (search.order.asked) checkOrder(search, slice, count)
  const number = search.page === 'last' ? lastOf(count, size) : search.page
  if (cursor === null && number > 1 && rows.length === 0) throw invalidPage()
  const pageRows = slice.backward ? rows.slice(0, size).reverse() : rows.slice(0, size)
  const more = cursor?.backward === true || (search.page !== 'last' && rows.length > size)
  const state = read.state() ?? NO_STATE
  const linkFrom = (row: ListedRow | undefined, backward: boolean) =>
    row === undefined
      ? {}
      : { cursor: { backward, from: { value: row.rowAt, id: row.rowId }, state, count, rowsPerMatch } }
  return {
    count,
    number,
    rows: pageRows,
    next: more ? linkFrom(pageRows.at(-1), false) : null,
    previous: number === 1 ? null : number === 2 ? {} : linkFrom(pageRows[0], true),
    plan: { ...plan, page: pageReadOf(search, plan, slice) },
  }
}
