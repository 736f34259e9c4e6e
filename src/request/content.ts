import { formatCursor, type Seal } from '../engine/conditions/cursor.ts'
import type { Page, PageRequest } from '../engine/conditions/page.ts'
import type { Row } from '../engine/conditions/table.ts'
import { isEvents } from '../engine/events.ts'
import { fetchAll, fetchPage } from '../engine/read.ts'
import type { Database } from '../engine/run/database.ts'
import { batchesOf, rowsById, wholeRows } from '../engine/run/rows.ts'
import { invalidParameters } from '../errors.ts'
import { type Format, HTML_FORMAT, isFlat, isItems, JSON_FORMAT } from '../formats/formats.ts'
import { featureOf } from '../formats/geojson.ts'
import { type Batches, bodyOf, isRead, jsonWriter, type ListHead, type Rows, readFor } from '../formats/items.ts'
import type { Resource } from '../resource.ts'
import type { Answer } from './cache.ts'
import { fileParts, itemsHeaders } from './file.ts'
import { type ListRequest, narrowed } from './page.ts'
import { formatQuery, sealOf } from './query.ts'
import { OF_ONE_PAGE, type Query } from './read.ts'
import type { BatchTiming, RequestContext } from './route.ts'

/** A list that was read. */
export interface Found {
  /** Long rows of the page may lack their texts. */
  readonly page: Page
  readonly rows: Rows
  /** The page refers to these rows. `name` is the value of `include`. */
  readonly included?: { readonly name: string; readonly of: Resource; readonly rows: Rows }
}

/** How a client that reads no rows is served, as HEAD. */
const NO_STREAM: BatchTiming = { inTurn: (read) => read(), batchRows: () => 0 }

/** Reads the items of a list, and writes them in the format of the query. */
export const writeList = async (
  c: RequestContext,
  db: Database,
  list: Resource,
  query: Query,
  request: ListRequest,
): Promise<Answer> => {
  const { caller, format, values } = query
  const reading = request.all && c.req.method !== 'HEAD' ? c.var.admission.openStream(caller) : null
  const shown = listIn(format, list)
  const found = await fetchList(db, shown, narrowed(list, request), reading)
  const isWhole = isRead(found.rows) && isRead(found.included?.rows ?? [])
  if (!isWhole && !isItems(format) && format !== JSON_FORMAT) throw tooLongToShow('page_size')
  c.var.trace.isStream = request.all && found.page.rows.length < found.page.count
  const head = await headOf(found.page, query, request.key, sealOf(c.env))
  const file = isItems(format) && itemsHeaders(format, list, await fileParts(c, db, list, values))
  return { headers: { ...pageHeaders(head), ...file }, ...listBody(query, shown, found, head) }
}

/**
 * Returns a list with the columns that a format needs. The HTML page has events as in GeoJSON, so it reads one shape in
 * every version.
 */
export const listIn = (format: Format, list: Resource): Resource => {
  const isPage = format === HTML_FORMAT && isEvents(list)
  const read = readFor(list, isFlat(format) || isPage)
  return isPage ? { ...read, serialize: (row, links) => featureOf(read, links, row) } : read
}

/**
 * Reads one page or the whole result. A result in one batch has its rows in the page, so its length is known. Without
 * `reading`, as for HEAD, a longer result has no rows.
 */
const fetchList = async (
  db: Database,
  resource: Resource,
  request: ListRequest,
  reading: BatchTiming | null,
): Promise<Found> => {
  if (!request.all) return fetchRows(db, resource, request)
  const { inTurn, batchRows } = reading ?? NO_STREAM
  const { count, batches, first } = await inTurn(async () => {
    const { count, batches } = await fetchAll(db, resource, request, batchRows)
    return { count, batches, first: (await batches.next()).value ?? [] }
  })
  const isWhole = first.length === count
  const rows = isWhole ? first : []
  return {
    page: { count, number: 1, rows, next: null, previous: null },
    rows: isWhole || reading === null ? rows : eachInTurn(first, batches, inTurn),
  }
}

/** Returns the first batch of a list, and reads each later one when a slot is free. */
async function* eachInTurn(first: readonly Row[], batches: Batches, inTurn: BatchTiming['inTurn']): Batches {
  yield first
  for (;;) {
    const { done, value } = await inTurn(() => batches.next())
    if (done) return
    yield value
  }
}

/** A request for a page, or for as many rows from an offset. */
export interface RowsRequest extends PageRequest {
  /** The name of the items to add. Null: none. */
  readonly include: string | null
  /** Rows at the start of the page that the offset skips. The rows after the page replace them. Absent: none. */
  readonly skipped?: number
}

/** Reads the rows of a request, and each item that they refer to. */
export const fetchRows = async (db: Database, resource: Resource, request: RowsRequest): Promise<Found> => {
  const { include: name } = request
  const included = name === null ? undefined : resource.included?.[name]
  const page = await fetchShifted(db, resource, request)
  const rows = await rowsIn(db, resource, page.rows)
  if (name === null || included === undefined) return { page, rows }
  const { of, referredBy } = included
  const ids = [...new Set(page.rows.map(referredBy))].sort((a, b) => a - b)
  const others = await rowsById(db.read, of, ids, db.level)
  return { page, rows, included: { name, of, rows: await rowsIn(db, of, others) } }
}

/** Reads the texts of rows. Batches after the first one are read while they are sent. */
const rowsIn = async (db: Database, resource: Resource, rows: readonly Row[]): Promise<Rows> => {
  const batches = wholeRows(db.read, resource, rows, db.level)
  const first = (await batches.next()).value ?? []
  return batchesOf(rows).length === 1 ? first : eachInTurn(first, batches, NO_STREAM.inTurn)
}

/** Reads a page without its first `skipped` rows, and as many rows of the next page. */
const fetchShifted = async (
  db: Database,
  resource: Resource,
  { skipped = 0, ...request }: RowsRequest,
): Promise<Page> => {
  const first = await fetchPage(db, resource, request)
  if (skipped === 0) return first
  if (first.next === null) return { ...first, rows: first.rows.slice(skipped) }
  const following = { ...request, page: first.number + 1, cursor: first.next.cursor ?? null }
  const second = await fetchPage(db, resource, following)
  const rows = [...first.rows.slice(skipped), ...second.rows.slice(0, skipped)]
  return { ...second, rows, next: second.next !== null || second.rows.length > skipped ? {} : null }
}

/** Returns the count of a page, its address, and those of its neighbours. `key` identifies the request for cursors. */
const headOf = async (
  { count, number, next, previous }: Page,
  { address, linked, pageInBody, hintStart }: Query,
  key: string,
  seal: Seal,
): Promise<ListHead> => {
  const others = linked.filter(({ name }) => !OF_ONE_PAGE.includes(name))
  const addressOf = async (page: number, { cursor }: NonNullable<Page['next']>): Promise<string> => {
    const query = [...others]
    // With a page in the body, each address names its page, so that the client can post the body there.
    if (page > 1 || pageInBody) query.push({ name: 'page', value: String(page) })
    const hint = hintStart + (cursor === undefined ? '' : await formatCursor(cursor, key, page, seal))
    if (hint !== '') query.push({ name: 'hint', value: hint })
    return `${address}${formatQuery(query)}`
  }
  return {
    count,
    self: `${address}${formatQuery(linked)}`,
    next: next && (await addressOf(number + 1, next)),
    previous: previous && (await addressOf(number - 1, previous)),
  }
}

/** Returns the headers of a page: its count and its neighbours. Some formats have no other place for them. */
export const pageHeaders = ({ count, next, previous }: Omit<ListHead, 'self'>): Record<string, string> => {
  const pages = Object.entries({ next, prev: previous }).flatMap(([relation, address]) =>
    address === null ? [] : [`<${address}>; rel="${relation}"`],
  )
  return { 'X-Total-Count': String(count), ...(pages.length > 0 && { Link: pages.join(', ') }) }
}

/**
 * Writes the body of a list in its format, or as the JSON of its envelope (SPEC 2.1). A stream also reports its end. HTML
 * gets the envelope itself.
 */
const listBody = (
  { format, links }: Query,
  resource: Resource,
  { rows, included }: Found,
  head: ListHead,
): ReturnType<typeof bodyOf> | { body: object } => {
  if (isItems(format)) return bodyOf([format.list(resource, links, head), rows])
  const { count, next, previous } = head
  if (format === HTML_FORMAT && isRead(rows)) {
    const others =
      included && isRead(included.rows) ? included.rows.map((row) => included.of.serialize(row, links)) : []
    const results = rows.map((row) => resource.serialize(row, links))
    return { body: { count, next, previous, results, ...(included && { [included.name]: others }) } }
  }
  const results = jsonWriter({ count, next, previous }, 'results', (row) => resource.serialize(row, links))
  if (included === undefined) return bodyOf([results, rows])
  const others = jsonWriter({}, included.name, (row) => included.of.serialize(row, links))
  return bodyOf(
    [{ ...results, after: () => `],"${included.name}":[` }, rows],
    [{ ...others, before: '' }, included.rows],
  )
}

/** Makes a 400 for a page that a browser cannot show. HTML cannot be written in batches. */
export const tooLongToShow = (parameter: string) =>
  invalidParameters({
    [parameter]: [
      'This page has more than 8 MB of text, too much for a browser. Enter a smaller number, or read it with format=json.',
    ],
  })
