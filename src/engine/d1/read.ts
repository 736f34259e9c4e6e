import { sql } from 'drizzle-orm'
import type { FieldName, ListName } from '../../question/fields.ts'
import { lastOf, type Question } from '../../question/question.ts'
import { type All, type Batching, DataChanged, type Page, type Reads, Refused, type Row } from '../engine.ts'
import { BATCH, BATCHES_BY_DISTANCE, FIRST_BATCH, MAX_QUERIES, QUERIES_A_BATCH } from '../limits.ts'
import { type Cut, cutOf, isLast, parseStart } from '../shared/cut.ts'
import { firstRows, seriesOf } from '../shared/page.ts'
import { orderTerms, selectShared, withJoins } from './columns.ts'
import type { Database } from './database.ts'
import { decide } from './decide.ts'
import { fetchEvents } from './events.ts'
import { rowsById, wholeRows, withTexts } from './rows.ts'
import { type List, searchOf } from './search.ts'
import { numberOf } from './sql.ts'
import { orderIn, tableOf } from './tables.ts'
import { whereOf } from './where.ts'

/** Reads a page of the rows that the caller sees. */
export const fetchPage = async (
  db: Database,
  list: ListName,
  question: Question,
  { fields, include = null }: Reads,
): Promise<Page> => {
  const asked = listOf(db, list, question, fields)
  const page = await findPage(db, asked)
  const rows = await withTexts(db.read, asked.search.table, db.level, page.rows)
  return { ...page, rows, included: include === null ? [] : await includedBy(db, page.rows, include) }
}

/** Returns the part of a list for a question. */
const listOf = ({ level }: Database, list: ListName, question: Question, fields: readonly FieldName[]): List => {
  const search = searchOf(tableOf(list, fields), question, level)
  return { search, order: orderIn(list, question.order), ...cutOf(question.slice) }
}

/** Reads the series of some events, with all texts. */
const includedBy = async ({ read, level }: Database, events: readonly Row[], fields: readonly FieldName[]) => {
  const table = tableOf('series', fields)
  const rows = await seriesOf(events, (ids) => rowsById(read, table, ids, level))
  return withTexts(read, table, level, rows)
}

/** Only the events are too many to be read as a whole. */
const findPage = (db: Database, list: List): Promise<Page> =>
  list.search.table.list === 'events' ? fetchEvents(db, list) : fetchSmallPage(db, list)

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
  const asked = { ...listOf(db, list, question, fields), isBatch: true }
  const small = list !== 'events'
  // Each batch of a small table would read the whole table, so there is only one batch.
  let take = small ? BATCH : FIRST_BATCH
  const isFromStart = asked.after === null
  const first = await findPage(db, { ...asked, after: null, take: isFromStart ? take : 1 })
  const { count } = first
  const most = mostBatches(question, asked)
  if (count > BATCH * most) throw tooMany(count, BATCH * most)
  const least = Math.ceil(count / most)
  const fetchNext = (cut: Cut): Promise<Page> => {
    if (!small) take = Math.min(2 * take, BATCH, Math.max(batchRows(), least))
    // The count holds, even if the data has changed.
    return findPage(db, { ...asked, ...cut, take, known: cut.known && { ...cut.known, state: null } })
  }
  const from = isFromStart ? first : await fetchNext({ ...asked, known: { state: null, count, rowsPerMatch: 0 } })
  async function* batches() {
    let cut: Cut = asked
    for (let page = from; ; page = await fetchNext(cut)) {
      for await (const rows of wholeRows(db.read, asked.search.table, db.level, page.rows)) {
        if (consistent && db.read.state() === null) throw new DataChanged('The data changed while it was sent.')
        yield rows
      }
      if (page.next === null) return
      // If all rows of a page are gone, it has no hint of its own.
      cut = parseStart({ text: page.next, isOwn: true }, take) ?? { ...cut, skip: cut.skip + page.rows.length }
    }
  }
  return { count, batches: batches() }
}

/** Returns how many batches a request may read. */
const mostBatches = ({ where }: Question, { order, search }: List): number => {
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
const fetchSmallPage = async ({ read }: Database, list: List): Promise<Page> => {
  const { search, order, take, isBatch = false } = list
  const { table } = search
  const where = whereOf(await decide(read, search))
  const counting = sql<{ count: number }>`SELECT count(*) AS count FROM ${table.table} WHERE ${where}`
  const known = isLast(list) ? numberOf(...(await read(counting))) : null
  const skip = known === null ? list.skip : (lastOf(known, take) - 1) * take
  const rest = sql`FROM ${withJoins(table)} WHERE ${where}
    ORDER BY ${orderTerms(order, false, table.id)} LIMIT ${take} OFFSET ${skip}`
  const [rows, counted = []] = await read(
    selectShared(table.columns, take, rest),
    ...(known === null ? [counting] : []),
  )
  const count = known ?? numberOf(counted)
  const own = isBatch ? rows : firstRows(rows)
  return {
    count,
    rows: own,
    isCut: own.length < rows.length,
    next: skip + own.length < count ? '' : null,
    previous: skip > 0 ? '' : null,
    included: [],
  }
}
