import { sql } from 'drizzle-orm'
import type { FieldName, ListName } from '../../question/fields.ts'
import { lastOf, type Question, type RowPosition } from '../../question/question.ts'
import { type All, type Batching, DataChanged, type Page, type Reads, Refused } from '../engine.ts'
import { BATCH, BATCHES_BY_DISTANCE, FIRST_BATCH, MAX_QUERIES, QUERIES_A_BATCH } from '../limits.ts'
import { parseCursor, type SentCursor } from '../shared/cursor.ts'
import { type FoundPage, hintOf } from '../shared/page.ts'
import { tooLong } from '../shared/refused.ts'
import { firstRows, type SharedRow, wholeRows, withTexts } from '../shared/shares.ts'
import { NO_STATE } from '../state.ts'
import { orderTerms, selectShared, withJoins } from './columns.ts'
import type { Database } from './database.ts'
import { decideTexts } from './decideTexts.ts'
import { fetchEvents } from './events.ts'
import type { PageRequest } from './request.ts'
import { rowsById, wholeBy } from './rows.ts'
import { searchOf } from './search.ts'
import { numberOf } from './sql.ts'
import type { ListTable } from './table.ts'
import { orderIn, tableOf } from './tables.ts'
import { whereOf } from './where.ts'

/** Reads a page of the rows that the caller sees. */
export const fetchPage = async (
  db: Database,
  list: ListName,
  question: Question,
  { fields, include = null, isWhole = false }: Reads,
): Promise<Page> => {
  const table = tableOf(list, fields)
  const { rows, count, isCut, next, previous } = await findPage(db, requestOf(table, question, db.level))
  if (isCut && isWhole) throw tooLong()
  return {
    rows: await withTexts(wholeBy(db.read, table, db.level), rows),
    count,
    next: hintOf(next),
    previous: hintOf(previous),
    included: include === null ? [] : await seriesOf(db, rows, include),
  }
}

/** Returns the request for a question. */
const requestOf = (table: ListTable, question: Question, level: number): PageRequest => {
  const { order, slice } = question
  const { from, limit } = slice
  const search = searchOf(table, question, level)
  const request = { search, order: orderIn(table.list, order), limit, offset: 0, isEnd: from === 'end', cursor: null }
  if (from === 'end') return request
  // The matches after a position are counted again.
  if ('after' in from) return { ...request, cursor: startAt(from.after) }
  const { offset, hint = null } = from
  return { ...request, offset, cursor: hint && parseCursor(hint) }
}

/** Returns the start of a slice after a position. Its count and its state are unknown. */
const startAt = (from: RowPosition): SentCursor => ({
  backward: false,
  from,
  state: null,
  count: 0,
  rowsPerMatch: 0,
})

/** Reads each series of some events once, in the order of their ids. */
const seriesOf = async (db: Database, events: readonly SharedRow[], fields: readonly FieldName[]) => {
  const ids = [...new Set(events.map(({ series }) => Number(series)))].sort((a, b) => a - b)
  const table = tableOf('series', fields)
  const rows = await rowsById(db.read, table, ids, db.level)
  if (firstRows(rows).length < rows.length) throw tooLong()
  return withTexts(wholeBy(db.read, table, db.level), rows)
}

/** Only the events are too many to be read as a whole. */
const findPage = (db: Database, request: PageRequest): Promise<FoundPage<SharedRow>> =>
  request.search.table.list === 'events' ? fetchEvents(db, request) : fetchSmallPage(db, request)

/**
 * Reads the first batch of all matching rows and prepares the others. If a later batch fails, the stream breaks off
 * with an error. A batch has more rows than `batchRows` only if the batches of the request would not suffice otherwise.
 * Throws Refused if there are too many rows for one request.
 */
export const fetchAll = async (
  db: Database,
  list: ListName,
  question: Question,
  { fields }: Reads,
  { consistent, batchRows }: Batching,
): Promise<All> => {
  const table = tableOf(list, fields)
  const asked = requestOf(table, question, db.level)
  const small = list !== 'events'
  // Each batch of a small table would read the whole table, so there is only one batch.
  let limit = small ? BATCH : FIRST_BATCH
  const base = { ...asked, cursor: null, limit: asked.cursor === null ? limit : 1, isBatch: true }
  const first = await findPage(db, base)
  const { count } = first
  const most = mostBatches(question, asked)
  if (count > BATCH * most) throw tooMany(count, BATCH * most)
  const least = Math.ceil(count / most)
  const state = db.read.state() ?? NO_STATE
  const fetchNext = async (offset: number, cursor: PageRequest['cursor']) => {
    if (!small) limit = Math.min(2 * limit, BATCH, Math.max(batchRows(), least))
    return findPage(db, { ...base, offset, cursor, limit })
  }
  const from = asked.cursor === null ? first : await fetchNext(0, { ...asked.cursor, state, count })
  async function* batches() {
    let { cursor } = from.next ?? {}
    let offset = 0
    for (let page = from; ; ) {
      for await (const rows of wholeRows(wholeBy(db.read, table, db.level), page.rows)) {
        if (consistent && db.read.state() === null) throw new DataChanged('The data changed while it was sent.')
        yield rows
      }
      if (page.next === null) return
      // If all rows of a page are gone, it has no cursor of its own.
      cursor = page.next.cursor ?? cursor
      offset += page.rows.length
      page = await fetchNext(offset, cursor ?? null)
    }
  }
  return { count, batches: batches() }
}

/** Returns how many batches a request may read. */
const mostBatches = ({ where }: Question, { order, search }: PageRequest): number => {
  if (order.near !== undefined) return BATCHES_BY_DISTANCE
  const inArea = search.areas.length > 0 ? QUERIES_A_BATCH : 0
  const conditions = where.kind === 'all' ? where.of.length : 1
  return Math.floor(MAX_QUERIES / (QUERIES_A_BATCH + inArea + conditions))
}

const tooMany = (count: number, most: number): Refused => {
  const [matched, taken] = [count, most].map((number) => number.toLocaleString('en'))
  return new Refused(
    'slice',
    `${matched} items match, and all can send at most ${taken}. Add a filter, or enter a number.`,
  )
}

/** Reads a page of a small table. It counts and sorts the table for every page. */
const fetchSmallPage = async (db: Database, request: PageRequest): Promise<FoundPage<SharedRow>> => {
  const { read } = db
  const { search, order, limit, isBatch = false, isEnd } = request
  const { table } = search
  const where = whereOf(await decideTexts(read, search))
  const counting = sql<{ count: number }>`SELECT count(*) AS count FROM ${table.table} WHERE ${where}`
  const known = isEnd ? numberOf(...(await read(counting))) : null
  const offset = known === null ? request.offset : (lastOf(known, limit) - 1) * limit
  const rest = sql`FROM ${withJoins(table)} WHERE ${where}
    ORDER BY ${orderTerms(order, false, table.id)} LIMIT ${limit} OFFSET ${offset}`
  const [rows, counted = []] = await read(
    selectShared(table.columns, limit, rest),
    ...(known === null ? [counting] : []),
  )
  const count = known ?? numberOf(counted)
  const own = isBatch ? rows : firstRows(rows)
  return {
    count,
    rows: own,
    isCut: own.length < rows.length,
    next: offset + own.length < count ? {} : null,
    previous: offset > 0 ? {} : null,
  }
}
