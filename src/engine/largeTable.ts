import { type SQL, sql } from 'drizzle-orm'
import { at } from '../collections.ts'
import { all, numberOf } from '../filters/sql.ts'
import type { Area } from '../geometry/within.ts'
import { type Facts, factsOf } from './candidates/facts.ts'
import { keysIn } from './candidates/keys.ts'
import { isExact, type Region } from './candidates/region.ts'
import { asksOnlyArea, entriesQuery, groupCondition, otherConditions } from './conditions/criteria.ts'
import type { Page, PageRequest } from './conditions/page.ts'
import type { Access, Row, Table } from './conditions/table.ts'
import { type FarPage, findFarPage, treeOfFar } from './farPage.ts'
import { choose, ofKeys, type Plan } from './plan/choose.ts'
import { countWithin, rectangleCount, rowsWithin } from './run/area.ts'
import type { Database, Read } from './run/database.ts'
import { completeShort } from './run/long.ts'
import { atOneState, DataChanged } from './run/snapshot.ts'
import { isKnown, pageOf, type Search, type Slice, searchOf, sliceOf, totalQuery } from './search.ts'
import { bare, inOrder, readRows, scanInOrder } from './sql/scan.ts'
import { seek } from './sql/seek.ts'

/** Reads a page of a table that is too large to be read completely. It caches the count for the next request. */
export const fetchLargePage = (
  db: Database,
  table: Table,
  access: Access,
  request: PageRequest,
  level: number,
): Promise<Page> =>
  atOneState(db, async (read) => {
    const search = searchOf(db, read, table, access, request, level)
    const found = await fetch(search)
    const page = { ...found, rows: await completeShort(read, table, found.rows, level) }
    if (request.cursor === null) {
      db.cost.remembered = isKnown(search)
      const { rowsPerMatch = 0 } = (page.next ?? page.previous)?.cursor ?? search.known ?? {}
      db.cache.remember(request.key, read.state(), { count: page.count, rowsPerMatch })
    }
    return page
  })

const fetch = async (search: Search): Promise<Page> => {
  const { criteria } = search
  if (asksOnlyArea(criteria) && criteria.area === null) return fetchOfAll(search)
  if (criteria.area !== null && !isExact(criteria.area)) return fetchWithin(search, criteria.area)
  const fewRows = planOfFew(search)
  if (fewRows !== null) return follow(search, fewRows.rows, fewRows.count)
  const far = await findFarPage(search)
  return far === null ? fetchPlanned(search) : fetchFar(search, far)
}

/** Reads a page that SQL alone decides, along the path of the best plan. */
const fetchPlanned = async (search: Search): Promise<Page> => {
  const { criteria } = search
  const facts = await factsOf(search)
  const plan = choose(search, facts)
  const onlyArea = facts.region !== null && asksOnlyArea(criteria)
  const isFirst = search.page === 1 && search.cursor === null
  if (plan.counted !== null && !onlyArea && search.known === null && isFirst) return pageCounted(search, plan.counted)
  return follow(search, plan.rows, onlyArea ? rectangleCount(search, facts.region, plan) : plan.count)
}

/** Reads a page of all rows that the caller sees. Stored counts locate far pages. */
const fetchOfAll = (search: Search): Promise<Page> => {
  const { order } = search
  const tree = treeOfFar(search)
  return tree === null
    ? follow(
        search,
        (slice) => scanInOrder(search, inOrder(search, slice), all([search.visible]), slice),
        totalQuery(search),
      )
    : follow(search, (slice) => seek(search, tree, slice, order.descending), totalQuery(search), order.descending)
}

/** Reads a far page whose count is known. */
const fetchFar = (base: Search, { count, rows }: FarPage): Promise<Page> => {
  const search = { ...base, known: { count, rowsPerMatch: 0 }, knownAt: base.read.state() }
  if (rows === null) return fetchPlanned(search)
  return follow(search, rows, totalQuery(search), search.order.descending)
}

/**
 * Plans a filter that names few rows of one dictionary, such as a uuid. It needs no facts, so one round trip is enough.
 */
const planOfFew = (search: Search): Pick<Plan, 'rows' | 'count'> | null => {
  const { criteria, level } = search
  const { groups, plain, spans, lists, area } = criteria
  const [group] = groups
  if (group?.namesFewRows !== true || group.dictionary.counts === undefined || area !== null) return null
  if (groups.length + plain.length + spans.length + lists.length > 1) return null
  const rows = (slice: Slice) => ofKeys(search, group.dictionary.key, keysIn(group, level), slice)
  if (rows(sliceOf(search, 0)) === null) return null
  const count = sql`SELECT coalesce(sum("rows"), 0) AS count FROM (${entriesQuery(group, level)})`
  return { rows: (slice) => rows(slice) ?? count, count }
}

/** Reads a first page whose rows also bring the total count. */
const pageCounted = async (search: Search, rows: (slice: Slice) => SQL): Promise<Page> => {
  const slice = sliceOf(search, 0)
  const [first] = await search.read(rows(slice))
  return pageOf(search, slice, first, first.length === 0 ? 0 : at(first, 0).total)
}

/**
 * Reads the rows of a page, and counts the matches if no valid count is known. `reversed`: `rows` returns the rows in
 * reverse order.
 */
const follow = async (search: Search, rows: Plan['rows'], counting: SQL, reversed = false): Promise<Page> => {
  const { page, known, read } = search
  const countFirst = page === 'last' || reversed
  const before = known?.count ?? (countFirst ? numberOf(...(await read(counting))) : null)
  const slice = sliceOf(search, before ?? 0)
  const query = rows(reversed ? reversedSlice(slice, before ?? 0) : slice)
  const [found, ...counted] = await read(query, ...(before === null ? [counting] : []))
  const inOrder = reversed ? [...found].reverse() : found
  if (known === null || isKnown(search)) return pageOf(search, slice, inOrder, before ?? numberOf(at(counted, 0)))
  if (countFirst) throw new DataChanged()
  return pageOf(search, slice, inOrder, numberOf(...(await read(counting))))
}

/** Converts a slice to the same rows in reverse order. */
const reversedSlice = (slice: Slice, count: number): Slice => {
  const end = Math.max(0, count - slice.offset)
  const limit = Math.min(slice.limit, end)
  return { ...slice, offset: end - limit, limit }
}

/** Reads a page of an area that SQL alone cannot decide. */
const fetchWithin = async (search: Search, area: Area): Promise<Page> => {
  const continued = await continueWithin(search, area)
  if (continued !== null) return continued
  const facts = await factsOf(search)
  const plan = choose(search, facts)
  const region = facts.region as Region // the request has an area
  const { read, known, page } = search
  if (known !== null || page === 'last') {
    const count = known?.count ?? (await countWithin(search, region, plan, read))
    const slice = sliceOf(search, count)
    const rows = await rowsWithin(search, region, plan, slice, read)
    const holds = known === null || isKnown(search)
    if (!holds && page === 'last') throw new DataChanged()
    const now = holds ? count : await countWithin(search, region, plan, read)
    return pageOf(search, slice, rows, now, rowsPerMatch(search, facts, now))
  }
  const slice = sliceOf(search, 0)
  const [one, other] = inOneTrip(read)
  const [count, rows] = await Promise.all([
    countWithin(search, region, plan, one),
    rowsWithin(search, region, plan, slice, other),
  ])
  return pageOf(search, slice, rows, count, rowsPerMatch(search, facts, count))
}

/** Returns two readers. The first queries of both go in one round trip. */
const inOneTrip = (send: Read): [Read, Read] => {
  const waiting: { queries: readonly SQL[]; answer: (rows: Promise<Row[][]>) => void }[] = []
  const together = (...queries: SQL[]) =>
    new Promise<Row[][]>((resolve) => {
      waiting.push({ queries, answer: resolve })
      if (waiting.length < 2) return
      const [one, other] = waiting
      const both = send(...waiting.flatMap(({ queries }) => queries))
      one?.answer(both.then((answers) => answers.slice(0, one.queries.length)))
      other?.answer(both.then((answers) => answers.slice(one?.queries.length)))
    })
  return [together as Read, together as Read]
}

/**
 * Estimates the rows scanned per match in list order. Returns 0 if a scan would pass too many rows before the next
 * page.
 */
const rowsPerMatch = ({ size }: Search, { statistics: { total } }: Facts, count: number): number => {
  const rows = Math.ceil(total / Math.max(1, count))
  return rowsToRead(size, rows) <= Math.max(200, count) ? rows : 0
}

/** Returns how many rows to read for a page. Matches are not spread evenly, so the expected number is doubled. */
const rowsToRead = (size: number, rows: number): number => 2 * (size + 1) * rows + 20
/** If the count is known, a scan passes at most this many rows on the way to a page. */
const MAX_PASSED = 20_000

/** Continues a scan in list order when the count is known. Returns null if the scan would pass too many rows. */
const continueWithin = async (search: Search, area: Area): Promise<Page | null> => {
  const { known, cursor, page, criteria, visible, size } = search
  if (known === null || known.rowsPerMatch === 0 || (cursor === null && page !== 1)) return null
  if (criteria.groups.some(({ tests }) => tests.length > 0)) return null
  const limit = Math.min(rowsToRead(size, known.rowsPerMatch), MAX_PASSED)
  const slice = { ...sliceOf(search, 0), limit }
  const where = all([visible, ...otherConditions(criteria), ...criteria.groups.map(groupCondition)])
  const path = inOrder(search, slice)
  const [rows] = await search.read(scanInOrder(bare(search), path, where, slice))
  const ids: number[] = []
  for (const row of rows)
    if (ids.length <= size && row.placeX !== null && area.contains(row.placeX, row.placeY)) ids.push(row.rowId)
  if ((ids.length <= size && rows.length === limit) || !isKnown(search)) return null
  return pageOf(search, slice, await readRows(search, ids), known.count, known.rowsPerMatch)
}
