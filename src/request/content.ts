import { formatCursor, type Page, type PageLink, type PageRequest, type Seal } from '../engine/conditions/page.ts'
import type { Row } from '../engine/conditions/table.ts'
import { isEvents } from '../engine/events.ts'
import { fetchAll, fetchPage } from '../engine/read.ts'
import type { Database } from '../engine/run/database.ts'
import { untilUnchanged } from '../engine/run/snapshot.ts'
import { atItsState, rowsById, wholeRows } from '../engine/run/whole.ts'
import { invalidParameters } from '../errors.ts'
import { type Format, HTML_FORMAT, isItems } from '../formats/formats.ts'
import { featureOf } from '../formats/geojson.ts'
import { type Batches, bodyOf, isRead, jsonWriter, type ListHead, type Rows } from '../formats/items.ts'
import type { Links, Resource } from '../resource.ts'
import type { ListRequest } from './page.ts'
import { EXPLAIN, formatQuery, type Parameter } from './query.ts'
import type { BatchTiming } from './route.ts'

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

/**
 * Reads one page or the whole result. A result in one batch has its rows in the page, so its length is known. Without
 * `reading`, as for HEAD, a longer result has no rows.
 */
export const fetchList = async (
  db: Database,
  resource: Resource,
  request: ListRequest,
  level: number,
  reading: BatchTiming | null,
): Promise<Found> => {
  if (!request.all) return fetchRows(db, resource, request, level)
  const { inTurn, batchRows } = reading ?? NO_STREAM
  const { count, batches, first } = await inTurn(() =>
    untilUnchanged(async () => {
      const { count, batches } = await fetchAll(db, resource, request, level, batchRows)
      return { count, batches, first: (await batches.next()).value ?? [] }
    }),
  )
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

/** Reads the rows of a request, and each item that they refer to, in one state of the data. */
export const fetchRows = async (
  db: Database,
  resource: Resource,
  request: RowsRequest,
  level: number,
): Promise<Found> => {
  const { include: name } = request
  const included = name === null ? undefined : resource.included?.[name]
  return untilUnchanged(async () => {
    const page = await fetchShifted(db, resource, request, level)
    const read = atItsState(db)
    const rows = await rowsIn(wholeRows(read, resource, page.rows, level), page.rows.length)
    if (name === null || included === undefined) return { page, rows }
    const { of, referredBy } = included
    const ids = [...new Set(page.rows.map(referredBy))].sort((a, b) => a - b)
    return { page, rows, included: { name, of, rows: await rowsIn(rowsById(read, of, ids, level), ids.length) } }
  })
}

/** Returns rows if the first batch has them all. Otherwise the others are read while they are sent. */
const rowsIn = async (batches: Batches, count: number): Promise<Rows> => {
  const first = (await batches.next()).value ?? []
  return first.length === count ? first : eachInTurn(first, batches, NO_STREAM.inTurn)
}

/** Reads a page without its first `skipped` rows, and as many rows of the next page. */
const fetchShifted = async (
  db: Database,
  resource: Resource,
  { skipped = 0, ...request }: RowsRequest,
  level: number,
): Promise<Page> => {
  const first = await fetchPage(db, resource, request, level)
  if (skipped === 0) return first
  if (first.next === null) return { ...first, rows: first.rows.slice(skipped) }
  const following = { ...request, page: first.number + 1, cursor: first.next.cursor ?? null }
  const second = await fetchPage(db, resource, following, level)
  const rows = [...first.rows.slice(skipped), ...second.rows.slice(0, skipped)]
  return { ...second, rows, next: second.next !== null || second.rows.length > skipped ? {} : null }
}

/** The address of a page, its parameters, and what the addresses of its neighbours need. */
interface PageUrl {
  readonly address: string
  readonly parameters: readonly Parameter[]
  /** The body of a POST names a page. Each address then names its page, so that the client can post the body there. */
  readonly pageInBody: boolean
  /** Identifies the request for which a cursor is valid, see src/engine/conditions/page.ts. */
  readonly requestKey: string
  readonly seal: Seal
}

/** Returns the count of a page, its address, and those of its neighbours. */
export const headOf = async (page: Page, from: PageUrl): Promise<ListHead> => ({
  count: page.count,
  self: `${from.address}${formatQuery(from.parameters)}`,
  next: page.next && (await pageAddress(from, page.number + 1, page.next)),
  previous: page.previous && (await pageAddress(from, page.number - 1, page.previous)),
})

/** The address of another page drops these parameters. */
const OF_ONE_PAGE: readonly string[] = ['page', 'hint', EXPLAIN]

const pageAddress = async (
  { address, parameters, pageInBody, requestKey, seal }: PageUrl,
  number: number,
  { cursor }: PageLink,
): Promise<string> => {
  const query = parameters.filter(({ name }) => !OF_ONE_PAGE.includes(name))
  if (number > 1 || pageInBody) query.push({ name: 'page', value: String(number) })
  if (cursor !== undefined) query.push({ name: 'hint', value: await formatCursor(cursor, requestKey, number, seal) })
  return `${address}${formatQuery(query)}`
}

/** Returns the headers of a page: its count and its neighbours. Some formats have no other place for them. */
export const pageHeaders = ({ count, next, previous }: Omit<ListHead, 'self'>): Record<string, string> => {
  const pages = Object.entries({ next, prev: previous }).flatMap(([relation, address]) =>
    address === null ? [] : [`<${address}>; rel="${relation}"`],
  )
  return { 'X-Total-Count': String(count), ...(pages.length > 0 && { Link: pages.join(', ') }) }
}

/** Returns an item in JSON. The HTML page has events as in GeoJSON, so it reads one shape in every version. */
export const shownItem = (format: Format, resource: Resource, links: Links, row: Row): object =>
  format === HTML_FORMAT && isEvents(resource) ? featureOf(resource, links, row) : resource.serialize(row, links)

/**
 * Writes the body of a list in its format, or as the JSON of its envelope (SPEC 2.1). A stream also reports its end. HTML
 * gets the envelope itself.
 */
export const listBody = (
  format: Format,
  resource: Resource,
  links: Links,
  { rows, included }: Found,
  head: ListHead,
): ReturnType<typeof bodyOf> | { body: object } => {
  if (isItems(format)) return bodyOf([format.list(resource, links, head), rows])
  const { count, next, previous } = head
  if (format === HTML_FORMAT && isRead(rows)) {
    const others =
      included && isRead(included.rows) ? included.rows.map((row) => included.of.serialize(row, links)) : []
    const results = rows.map((row) => shownItem(format, resource, links, row))
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

/** The longest parameter of a statement in an explanation, in characters. A longer one is cut. */
const MAX_PARAMETER = 100

/** Writes the plan of a page, with the statements of each round trip, beside the page. */
export const explained = ({ explanation }: Database, body: object | string): string => {
  if (explanation === null || typeof body !== 'string')
    throw invalidParameters({ explain: ['The texts of this page are too long. Enter a smaller page_size.'] })
  const { plan, trips } = explanation
  const short = (value: unknown) =>
    String(value).length > MAX_PARAMETER ? `${String(value).slice(0, MAX_PARAMETER)}…` : value
  const shown = trips.map((statements) =>
    statements.map(({ sql, parameters, rowsRead, plan }) => ({
      sql: sql.replace(/\s+/g, ' '),
      parameters: parameters.map(short),
      rows_read: rowsRead,
      query_plan: plan,
    })),
  )
  return `{"plan":${JSON.stringify({ ...plan, trips: shown })},"envelope":${body}}`
}

/** Makes a 400 for a page that a browser cannot show. HTML cannot be written in batches. */
export const tooLongToShow = (parameter: string) =>
  invalidParameters({
    [parameter]: [
      'This page has more than 8 MB of text, too much for a browser. Enter a smaller number, or read it with format=json.',
    ],
  })
