import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import type { LonLat } from '../../geometry/bbox.ts'
import { distanceBetween } from '../../geometry/circle.ts'
import type { FieldName, ListName } from '../../question/fields.ts'
import type { Order, Question, RowPosition } from '../../question/question.ts'
import { type All, type Batching, type Page, type Reads, Refused, type Row } from '../engine.ts'
import { BATCH, FIRST_BATCH, MAX_IDS, MAX_TESTED } from '../limits.ts'
import { type Cut, cutOf, holdsIn, rowsOf } from '../shared/cut.ts'
import { firstPlaces, type Placed } from '../shared/nearest.ts'
import { type ListedRow, pageIn, refuseOrder, seriesOf } from '../shared/page.ts'
import { NO_STATE } from '../state.ts'
import { distanceTo, MARGIN } from './area.ts'
import { fieldsOf } from './fields.ts'
import { selectFrom } from './from.ts'
import { type Matches, matchesOf, selectMatches } from './matches.ts'
import { doubtsOf, type Ordering, orderingOf, placeTerms, runsOf } from './order.ts'
import { batchesById, rowsById, selectFirst } from './rows.ts'
import type { Snapshot, Snapshots } from './snapshot.ts'
import { all, double, integer, named } from './sql.ts'
import type { Views } from './views.ts'

/** Reads a page of the rows that the caller sees. */
export const readPage = async (
  snapshot: Snapshot,
  list: ListName,
  question: Question,
  { fields, include = null }: Reads,
): Promise<Page> => {
  const matches = await matchesOf(snapshot, list, question)
  const cut = cutOf(question.slice)
  const { rows, count } = await listed(snapshot, matches, question.order, cut, fields)
  const page = pageIn(cut, rows, { state: snapshot.state() ?? NO_STATE, count, rowsPerMatch: 0 })
  const readSeries = (ids: readonly number[]) => rowsById(snapshot, 'series', include ?? [], ids)
  const included = include === null ? [] : await seriesOf(page.rows, readSeries)
  // The rows of the other lists are few, so the number of a page finds it.
  const hintOf = (hint: string | null) => (list === 'events' ? hint : hint && '')
  return { ...page, next: hintOf(page.next), previous: hintOf(page.previous), included }
}

/** The rows of a cut, and the number of all matches. */
interface Listed {
  readonly rows: readonly ListedRow[]
  readonly count: number
}

/** An index may have these orders of events. In some of them a page is found by its number. */
const INDEXED: readonly unknown[] = ['id', 'series', 'start', 'end', 'duration', 'last_modified', 'value_number']
const FOUND: readonly unknown[] = ['id', 'start', 'end']

const listed = async (
  snapshot: Snapshot,
  matches: Matches,
  order: Order,
  cut: Cut,
  fields: readonly FieldName[],
): Promise<Listed> => {
  const { list } = matches
  const isLarge = list === 'events'
  if (isLarge) refuseOrder(0, FOUND.includes(order.by) ? 0 : cut.skip)
  if (order.by === 'distance') return listedByDistance(snapshot, matches, order, cut, fields)
  const [[counted] = []] = isLarge && !INDEXED.includes(order.by) ? await snapshot.read(matches.count) : []
  refuseOrder(counted?.count ?? 0, 0)
  const read = async (exact: boolean, count: number | null): Promise<Listed> => {
    const ordering = orderingOf(snapshot, list, order, cut.backward, exact)
    const rows = cutQuery(snapshot, matches, ordering, cut, fields)
    if (count !== null) return { rows: (await snapshot.read(rows))[0], count }
    const [found, [all]] = await snapshot.read(rows, matches.count)
    return { rows: found, count: all?.count ?? 0 }
  }
  const known = snapshot.views.hasCounts ? cut.known : null
  // Without an index of starts they are sorted, so they may as well have the order of answers at once.
  const isSorted = isLarge && order.by === 'start' && !snapshot.views.indexes.has('start')
  const found = await read(isSorted, counted?.count ?? known?.count ?? null)
  // An empty page cannot show that the index passed over rows.
  const isPassed = found.rows.length === 0 && cut.after !== null
  const isUnsure = !isSorted && (isPassed || found.rows.some((row) => row.isUnsure === true))
  const isCounted = known === null || holdsIn(known, snapshot.state())
  return isUnsure || !isCounted ? read(isUnsure || isSorted, isCounted ? found.count : null) : found
}

/** Reads a cut of the matches in an order. The rows that are skipped come from the index alone. */
const cutQuery = (
  { views }: Snapshot,
  matches: Matches,
  ordering: Ordering,
  cut: Cut,
  fields: readonly FieldName[],
): SQL<ListedRow> => {
  const { list, condition } = matches
  const { after, skip } = cut
  const limit = rowsOf(cut)
  const source = matches.withFields(ordering.fields)
  // PostgreSQL reads selections with a LIMIT one after the other, and the second one only if the first one is short.
  const runs = runsOf(ordering, after).map(
    (run) => sql`(${selectFrom(source, named({ id: ordering.id, key: run.key }), all([condition, run.condition]))}
      ORDER BY ${run.terms} LIMIT ${integer(skip + limit)})`,
  )
  const hits = sql`SELECT * FROM (${sql.join(runs, sql` UNION ALL `)}) AS runs LIMIT ${integer(limit)} OFFSET ${integer(skip)}`
  const columns = { rowId: sql`hit.id`, rowAt: ordering.shown, isUnsure: sql`(SELECT count > 0 FROM doubts)` }
  const rows = selectFirst(views, list, fields, { from: sql`hit`, columns, names: ordering.fields })
  return sql`WITH hit AS MATERIALIZED (SELECT *, row_number() OVER (ORDER BY ${placeTerms(ordering)}) AS place FROM (${hits}) AS hits),
    doubts AS MATERIALIZED (${doubtsOf(ordering, after)}) ${rows}` as SQL<ListedRow>
}

/** Reads a cut of the matches in the order of the distance from a position. */
const listedByDistance = async (
  snapshot: Snapshot,
  matches: Matches,
  { from: near = [0, 0], descending }: Order,
  cut: Cut,
  fields: readonly FieldName[],
): Promise<Listed> => {
  const [[[counted]], places] = await Promise.all([
    snapshot.read(matches.count),
    placesOf(snapshot, matches, near, cut, descending !== cut.backward),
  ])
  const distances = new Map(places.map(({ id, distance }) => [id, distance]))
  const rows = await rowsById(snapshot, 'events', fields, [...distances.keys()])
  return {
    count: counted?.count ?? 0,
    rows: rows.map((row) => ({ ...row, rowId: Number(row.rowId), rowAt: distances.get(Number(row.rowId)) ?? null })),
  }
}

/** If an index has the order, the ids come in parts of so many. */
const PART = 100_000

/**
 * Counts all matches, reads their ids, and then reads the rows in batches. The count and the first batch are of one moment.
 * Each later batch has a transaction of its own, because a slow client would keep one open. A consistent stream has one
 * transaction.
 */
export const readAll = async (
  { within, hold, renew }: Snapshots,
  list: ListName,
  question: Question,
  { fields }: Reads,
  { consistent, batchRows }: Batching,
): Promise<All> => {
  if (consistent) renew('stream')
  const release = hold()
  const read = <T>(use: (snapshot: Snapshot) => Promise<T>): Promise<T> => {
    if (!consistent) renew('request')
    return within(use)
  }
  const readPart = (from: RowPosition | null, known: number | null) =>
    read((snapshot) => partOf(snapshot, list, question, from, known))
  try {
    const { from } = question.slice
    const first = await readPart(from !== 'end' && 'after' in from ? from.after : null, null)
    return { count: first.count, batches: batches(first) }
  } catch (error) {
    release()
    throw error
  }

  async function* batches(first: Part): AsyncGenerator<readonly Row[], void> {
    let limit = 0
    const nextLimit = () => {
      limit = limit === 0 ? FIRST_BATCH : Math.min(2 * limit, BATCH, Math.max(batchRows(), FIRST_BATCH))
      return limit
    }
    const readRows = async (ids: readonly number[]) => {
      const rows = await read((snapshot) => rowsById(snapshot, list, fields, ids, {}, snapshot.level))
      if (!consistent) release()
      return rows
    }
    try {
      for (let part: Part | null = first; part !== null; part = part.next && (await readPart(part.next, part.count)))
        yield* batchesById(part.ids, nextLimit, readRows)
    } finally {
      release()
    }
  }
}

/** The ids of matches in order. `count` has all matches. `next` is the position of the last id. Null: there are no more. */
interface Part {
  readonly count: number
  readonly ids: Float64Array
  readonly next: RowPosition | null
}

/** Reads the ids of the matches after a position. `known`: their number, if an earlier part has counted them. */
const partOf = async (
  snapshot: Snapshot,
  list: ListName,
  question: Question,
  from: RowPosition | null,
  known: number | null,
): Promise<Part> => {
  const { order } = question
  const matches = await matchesOf(snapshot, list, question)
  const count = known ?? at(at(await snapshot.read(matches.count), 0), 0).count
  const isIndexed = hasIndex(snapshot.views, order)
  const isWalked = isIndexed || order.by === 'id'
  if (count > MAX_IDS && !isWalked) throw new Refused('order', TOO_MANY)
  if (order.by === 'distance') {
    const whole = { after: from, skip: 0, take: Number.POSITIVE_INFINITY, backward: false, known: null }
    const places = await placesOf(snapshot, matches, order.from ?? [0, 0], whole, order.descending)
    return { count, ids: Float64Array.from(places, ({ id }) => id), next: null }
  }
  const ordering = orderingOf(snapshot, list, order, false, true)
  const source = matches.withFields(ordering.fields)
  const columns = named({ id: ordering.id, value: isWalked ? ordering.shown : sql`NULL` })
  const ids = new Float64Array(Math.min(count, isIndexed ? PART : MAX_IDS))
  let found = 0
  let last: RowPosition | null = null
  for (const { condition, terms } of runsOf(ordering, from)) {
    const rows = selectFrom(source, columns, all([matches.condition, condition]))
    const query = sql<RowPosition>`${rows} ORDER BY ${terms} LIMIT ${integer(ids.length - found)}`
    await snapshot.each(query, (row) => {
      ids[found] = row.id
      found += 1
      last = row
    })
  }
  const isFull = isWalked && found === ids.length && found < count
  return { count, ids: ids.subarray(0, found), next: isFull ? last : null }
}

const TOO_MANY = `More than ${MAX_IDS.toLocaleString('en')} items match, too many to download in this order. Order them by id, or add a filter.`

/** Tests if an index has exactly the order of answers. They show times in milliseconds. */
const hasIndex = (views: Views, { by }: Order): boolean =>
  (by === 'id' || (by === 'start' && !fieldsOf(views)('events', by).isFine)) && views.indexes.has(by)

interface PlaceRow {
  readonly id: number
  readonly x: number
  readonly y: number
}

/**
 * Returns a cut of the matches in the order of the distance from a position. The Worker has the exact distances. An infinite
 * cut takes all of them.
 */
const placesOf = async (
  { batches, work }: Snapshot,
  matches: Matches,
  near: LonLat,
  cut: Cut,
  isDown: boolean,
): Promise<readonly Placed[]> => {
  const places = firstPlaces(cut, isDown)
  for await (const rows of batches(candidates(matches, near, cut, isDown), () => MAX_TESTED))
    await work.run(
      (function* () {
        for (const { id, x, y } of rows) {
          places.add({ id, distance: distanceBetween(near, [x, y]) })
          yield
        }
      })(),
    )
  return places.found()
}

/** Selects the places that may be in a cut, by the distances of PostGIS and their margin. */
const candidates = (matches: Matches, near: LonLat, cut: Cut, isDown: boolean): SQL<PlaceRow> => {
  const { after, skip } = cut
  const end = skip + rowsOf(cut)
  const sign = isDown ? -1 : 1
  const key = sql`${integer(sign)} * ${distanceTo(near)}`
  const places = selectMatches(matches, sql`e.id AS id, ST_X(e.geometry) AS x, ST_Y(e.geometry) AS y, ${key} AS key`)
  const start = typeof after?.value === 'number' ? sign * after.value : null
  const isPast = start === null ? sql`true` : sql`key > ${double(start + MARGIN)}`
  const lastOf = (count: number) =>
    sql`(SELECT key FROM places WHERE ${isPast} ORDER BY key LIMIT 1 OFFSET ${integer(count - 1)})`
  const isIn = all([
    start === null ? null : sql`key >= ${double(start - MARGIN)}`,
    Number.isFinite(end) ? sql`key <= coalesce(${lastOf(end)} + ${double(MARGIN)}, 'infinity')` : null,
  ])
  return sql`WITH places AS (${places}) SELECT id, x, y FROM places WHERE ${isIn}`
}
