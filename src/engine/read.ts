import { sql } from 'drizzle-orm'
import { invalidParameters } from '../errors.ts'
import { NO_STATE } from '../state.ts'
import type { RowPosition } from './conditions/cursor.ts'
import { invalidPage, lastOf, type Page, type PageRequest } from './conditions/page.ts'
import { searchOf } from './conditions/search.ts'
import type { Row, Table } from './conditions/table.ts'
import { numberOf } from './d1/sql.ts'
import { isEvents } from './events.ts'
import { BATCH, BATCHES_BY_DISTANCE, FIRST_BATCH, MAX_QUERIES, QUERIES_A_BATCH } from './limits.ts'
import { DataChanged } from './run/connection.ts'
import type { Database } from './run/database.ts'
import { fetchEvents } from './run/events.ts'
import { wholeRows } from './run/rows.ts'
import { decideTexts } from './run/texts.ts'
import { orderBy, select, sharedColumns } from './sql/columns.ts'
import { whereOf } from './sql/where.ts'

/** Reads the requested page of the rows that the caller sees. Throws notFound for a page after the last one. */
export const fetchPage = (db: Database, resource: Table, request: PageRequest): Promise<Page> =>
  isEvents(resource) ? fetchEvents(db, resource, request) : fetchSmallPage(db, resource, request)

/** All matching rows, in batches that are read one after the other. */
interface All {
  readonly count: number
  readonly batches: AsyncGenerator<readonly Row[], void>
}

/** A request for all matching rows, or for those after a position. */
export interface AllRequest extends PageRequest {
  readonly after: RowPosition | null
  /**
   * True: all rows belong to one state, and the stream breaks off if the data changes. False: rows that exist
   * throughout are sent exactly once, and no row is sent twice.
   */
  readonly consistent: boolean
}

/**
 * Reads the first batch of all matching rows and prepares the others. If a later batch fails, the stream breaks off
 * with an error. `batchRows` returns the most rows of the next batch. A batch has more only if the batches of the
 * request would not suffice otherwise. Throws a 400 if there are too many rows for one request.
 */
export const fetchAll = async (
  db: Database,
  table: Table,
  request: AllRequest,
  batchRows: () => number = () => BATCH,
): Promise<All> => {
  const { after, consistent } = request
  // Each batch of a small table would read the whole table, so there is only one batch.
  let pageSize = isEvents(table) ? FIRST_BATCH : BATCH
  const base = { ...request, page: 1, cursor: null, pageSize: after === null ? pageSize : 1 }
  const first = await fetchPage(db, table, base)
  checkCount(first.count, request)
  const least = Math.ceil(first.count / mostBatches(request))
  const state = db.read.state() ?? NO_STATE
  const fetchNext = async (page: number, cursor: PageRequest['cursor']) => {
    if (isEvents(table)) pageSize = Math.min(2 * pageSize, BATCH, Math.max(batchRows(), least))
    return fetchPage(db, table, { ...base, page, cursor, pageSize, countOfCursor: true })
  }
  const start = { backward: false, state, count: first.count, rowsPerMatch: 0 }
  const from = after === null ? first : await fetchNext(2, { ...start, from: after })
  async function* batches() {
    let { cursor } = from.next ?? {}
    for (let page = from; ; ) {
      for await (const rows of wholeRows(db.read, table, page.rows, db.level)) {
        if (consistent && db.read.state() === null) throw new DataChanged('The data changed while it was sent.')
        yield rows
      }
      if (page.next === null) return
      // If all rows of a page are gone, it has no cursor of its own.
      cursor = page.next.cursor ?? cursor
      page = await fetchNext(page.number + 1, cursor ?? null)
    }
  }
  return { count: first.count, batches: batches() }
}

/** Returns how many batches a request may read. */
const mostBatches = ({ conditions, order }: PageRequest): number => {
  if (order.near !== undefined) return BATCHES_BY_DISTANCE
  const inArea = conditions.some(({ kind }) => kind === 'area') ? QUERIES_A_BATCH : 0
  return Math.floor(MAX_QUERIES / (QUERIES_A_BATCH + inArea + conditions.length))
}

const checkCount = (count: number, request: PageRequest): void => {
  const most = BATCH * mostBatches(request)
  if (count <= most) return
  const [matched, taken] = [count, most].map((number) => number.toLocaleString('en'))
  throw invalidParameters({
    page_size: [`${matched} items match, and all can send at most ${taken}. Add a filter, or enter a number.`],
  })
}

/** Reads a page of a small table. It counts and sorts the table for every page. */
const fetchSmallPage = async (db: Database, resource: Table, request: PageRequest): Promise<Page> => {
  const { read } = db
  const { order, page, pageSize: size } = request
  const where = whereOf(await decideTexts(read, searchOf(resource, request.conditions, db.level)))
  const counting = sql<{ count: number }>`SELECT count(*) AS count FROM ${resource.table} WHERE ${where}`
  const rowsOf = (number: number) =>
    sql<Row>`${select(resource, sharedColumns(resource, size))} WHERE ${where}
      ORDER BY ${orderBy(order, false, resource.id)} LIMIT ${size} OFFSET ${(number - 1) * size}`
  const known = page === 'last' ? numberOf(...(await read(counting))) : null
  const number = page === 'last' ? lastOf(known ?? 0, size) : page
  const [rows, counted = []] = await read(rowsOf(number), ...(known === null ? [counting] : []))
  const count = known ?? numberOf(counted)
  const last = lastOf(count, size)
  if (number > last) throw invalidPage()
  return { count, number, rows, next: number < last ? {} : null, previous: number > 1 ? {} : null }
}
