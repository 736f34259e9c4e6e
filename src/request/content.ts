import { sql } from 'drizzle-orm'
import { at } from '../collections.ts'
import type { Row } from '../engine/conditions/table.ts'
import { fetchPage } from '../engine/read.ts'
import type { Database } from '../engine/run/database.ts'
import { atItsState, bytesCut, completed, completeShort, MAX_BYTES, sharedColumns } from '../engine/run/long.ts'
import { DataChanged, untilUnchanged } from '../engine/run/snapshot.ts'
import { countAll, fetchAll } from '../engine/stream.ts'
import { invalidParameters } from '../errors.ts'
import { all, among, namedColumns } from '../filters/sql.ts'
import { fileName, type QueryPairs } from '../formats/fileName.ts'
import { type Format, isItems } from '../formats/formats.ts'
import type { ItemsFormat } from '../formats/items.ts'
import { bodyOf, type Streamed, streamed } from '../formats/stream.ts'
import type { Links, Resource } from '../resource.ts'
import { isSame } from '../state.ts'
import { type Addresses, type Beside, envelopeWriting, includedWriting, type PageRows } from './envelope.ts'
import type { ListRequest } from './page.ts'
import type { Values } from './parameters.ts'
import type { BatchTiming } from './timing.ts'

type Batches = AsyncGenerator<readonly Row[], void>

/** A list that was read. */
export interface Found extends PageRows {
  /** Reads the rows while they are sent: of a whole result, and of a page of long texts. */
  readonly rest: Batches | null
  /** Reads included items during sending, if their texts are too long for the memory. Then `beside` lacks them. */
  readonly restBeside?: Beside & { readonly batches: Batches }
  /** The bytes of texts that `rest` and `restBeside` read. */
  readonly bytesLeft?: number
}

/** Reads one page or the whole result. Without `reading`, as for HEAD, it reads only the count of a whole result. */
export const fetchList = async (
  db: Database,
  resource: Resource,
  request: ListRequest,
  level: number,
  reading: BatchTiming | null,
): Promise<Found> => {
  if (!request.all) return fetchWithIncluded(db, resource, request, level)
  const counted = (count: number) => ({ count, number: 1, rows: [], next: null, previous: null })
  if (reading === null) return { page: counted(await countAll(db, resource, request, level)), rest: null }
  const { inTurn, batchRows } = reading
  const { count, batches } = await inTurn(() => fetchAll(db, resource, request, level, batchRows))
  return { page: counted(count), rest: eachInTurn(batches, inTurn) }
}

/** Reads each batch of a list when a slot is free. */
async function* eachInTurn(batches: Batches, inTurn: BatchTiming['inTurn']): Batches {
  for (;;) {
    const { done, value } = await inTurn(() => batches.next())
    if (done) return
    yield value
  }
}

/** Reads a page, and each item that its rows refer to, in one state of the data. */
const fetchWithIncluded = async (
  db: Database,
  resource: Resource,
  request: ListRequest,
  level: number,
): Promise<Found> => {
  const { include } = request
  const included = include === null ? undefined : resource.included?.[include]
  return untilUnchanged(async () => {
    const page = await fetchPage(db, resource, request, level)
    const read = atItsState(db)
    const cut = bytesCut(page.rows)
    const rest = () => completed(read, resource, page.rows, level)
    if (include === null || included === undefined) return { page, rest: cut === 0 ? null : rest(), bytesLeft: cut }
    const state = db.state()
    const { of, referredBy } = included
    const ids = [...new Set(page.rows.map(referredBy))]
    const where = all([among(of.id, ids), of.visible(level)])
    const [found] = await db.read(
      sql`SELECT ${namedColumns(sharedColumns(of, ids.length))} FROM ${of.table} ${of.joins ?? sql``} WHERE ${where} ORDER BY ${of.id}`,
    )
    const rows = await completeShort(db.read, of, found, level)
    if (!isSame(state, db.state())) throw new DataChanged()
    const bytesLeft = cut + bytesCut(rows)
    if (bytesLeft === 0) return { page, rest: null, beside: { name: include, of, rows } }
    const restBeside = { name: include, of, batches: completed(read, of, rows, level) }
    return { page, rest: rest(), restBeside, bytesLeft }
  })
}

/** Returns the headers of a page: its count and its neighbours. Some formats have no other place for them. */
export const pageHeaders = (count: number, { next, previous }: Omit<Addresses, 'self'>): Record<string, string> => {
  const pages = [
    ['next', next],
    ['prev', previous],
  ].flatMap(([relation, address]) => (address === null ? [] : [`<${address}>; rel="${relation}"`]))
  return { 'X-Total-Count': String(count), ...(pages.length > 0 && { Link: pages.join(', ') }) }
}

/** Returns the headers of items in a format: a name for the file. */
export const itemsHeaders = (
  { extension }: ItemsFormat,
  { path }: Resource,
  asked: QueryPairs,
): Record<string, string> => {
  const name = fileName(at(path.split('/'), -2), asked, extension)
  return { 'Content-Disposition': `attachment; filename="${name}"` }
}

/** Returns the filters of a request and its page. They become part of the name of the file. */
export const askedOf = ({ filters }: Pick<Resource, 'filters'>, { bytes }: Values): QueryPairs =>
  [...bytes].flatMap(([name, value]) => {
    const text = new TextDecoder().decode(value)
    return filters.has(name) || (name === 'page' && text !== '1') ? [[name, text] as const] : []
  })

/** Writes the body of a list in its format, or in JSON. A stream also reports its end. */
export const listBody = (
  format: Format,
  resource: Resource,
  links: Links,
  { page, rest, restBeside }: Found,
  addresses: Addresses,
): { body: string } | Streamed => {
  const writing = isItems(format)
    ? format.list(resource, links, { count: page.count, ...addresses })
    : envelopeWriting(resource, page.count, links, addresses)
  if (rest === null || restBeside === undefined) return bodyOf(writing, page.rows, rest)
  const { before, ...included } = includedWriting(restBeside, links)
  return streamed([{ ...writing, after: () => before }, rest], [{ before: '', ...included }, restBeside.batches])
}

/** Makes a 400 for a browser if the page has more text than a Worker can hold. HTML cannot be written in parts. */
export const tooLongToShow = (rows: number, bytes: number, parameter: string) => {
  const most = Math.max(1, Math.floor((rows * MAX_BYTES) / bytes))
  const size = Math.ceil(bytes / 1_000_000)
  return invalidParameters({
    [parameter]: [
      `This page has ${size} MB of text, too much for a browser. Enter at most ${most}, or read it with format=json.`,
    ],
  })
}
