import { sql } from 'drizzle-orm'
import type { Download } from '../downloads.ts'
import type { Row } from '../engine/conditions/table.ts'
import { DataChanged } from '../engine/run/connection.ts'
import { ApiError } from '../errors.ts'
import type { Schema } from '../filters/lookups.ts'
import type { Links, Resource } from '../resource.ts'
import { piecesOf, type SendEnd, sendPieces } from '../transfers.ts'

/** The data of a list beside its items. */
export interface ListHead {
  /** The number of items that match. */
  readonly count: number
  /** The addresses of this page and of its neighbours. Null without a neighbour. */
  readonly self: string
  readonly next: string | null
  readonly previous: string | null
}

/**
 * Writes a list as texts: one before the items, one for each item, one between two items, one after the last. Only
 * `after` gets the number of items, because data may change during the transfer.
 */
interface ItemWriter {
  readonly before: string
  readonly each: (row: Row) => string
  readonly between?: string
  readonly after?: (returned: number) => string
}

/** A format that writes items one by one. A list of any length can then be sent while it is read. */
export interface ItemsFormat extends Download {
  /** True for programs that read tables. Items are flat then, and links in them do not repeat `format`. */
  readonly flat?: true
  /** Returns how it writes a list. Without a head it writes one item alone. */
  readonly list: (resource: Resource, links: Links, head: ListHead | null) => ItemWriter
  /** Returns the names of the members that a client can choose. */
  readonly fields: (resource: Resource) => readonly string[]
  /** Returns the schemas of a list and an item by their names: as usual, and with the members that the client chooses. */
  readonly schemas: (resource: Resource) => Readonly<Record<'list' | 'item', Readonly<Record<string, Schema>>>>
}

/** Returns a list with the columns and joins that a format needs. */
export const readFor = (resource: Resource, isFlat: boolean): Resource => {
  const { columns, joins = sql``, flat } = resource
  if (!isFlat || flat === undefined) return resource
  return { ...resource, columns: { ...columns, ...flat.columns }, joins: sql`${joins} ${flat.joins ?? sql``}` }
}

/** Writes items as the last member of a JSON object. `head` has its other members. */
export const jsonWriter = (head: object, member: string, write: (row: Row) => object): ItemWriter => ({
  before: `${JSON.stringify(head).slice(0, -1)},"${member}":[`,
  each: (row) => JSON.stringify(write(row)),
  between: ',',
  after: () => ']}',
})

/** Writes items as one text. `more` is true if other items precede them. */
const writeItems = ({ each, between = '' }: ItemWriter, rows: readonly Row[], more = false): string =>
  rows.length === 0 ? '' : (more ? between : '') + rows.map(each).join(between)

const writeList = (writing: ItemWriter, rows: readonly Row[]): string =>
  writing.before + writeItems(writing, rows) + (writing.after?.(rows.length) ?? '')

/** Writes one item in a format. */
export const writeItem = (format: ItemsFormat, resource: Resource, links: Links, row: Row): string => {
  const { before, each } = format.list(resource, links, null)
  return before + each(row)
}

/** The number of items that are written in one step. */
const CHUNK = 500

export type Batches = AsyncGenerator<readonly Row[], void>
/** The rows of a list, or batches that are read while they are sent. */
export type Rows = readonly Row[] | Batches
type ListPart = readonly [writing: ItemWriter, rows: Rows]

export const isRead = (rows: Rows): rows is readonly Row[] => Array.isArray(rows)

/**
 * Returns lists, one after the other, as a stream of bytes. Reads only as fast as the client takes them. Calls `ended`
 * once at the end.
 */
export const streamOf = (parts: readonly ListPart[], ended: (sent: SendEnd) => void): ReadableStream<Uint8Array> =>
  sendPieces(encoded(parts), (sent, error) => {
    const isKnown = error === undefined || error instanceof ApiError || error instanceof DataChanged
    if (!isKnown) console.error(error)
    ended(sent)
  })

async function* encoded(parts: readonly ListPart[]): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const encoder = new TextEncoder()
  for await (const text of textsOf(parts)) yield* piecesOf(encoder.encode(text))
}

/** Returns lists as a text, or as a stream if one is read in batches. `sent` resolves to the end of the stream. */
export const bodyOf = (
  ...lists: readonly ListPart[]
): { body: string } | { body: ReadableStream<Uint8Array>; sent: Promise<SendEnd> } => {
  const texts = lists.flatMap(([writing, rows]) => (isRead(rows) ? [writeList(writing, rows)] : []))
  if (texts.length === lists.length) return { body: texts.join('') }
  const { promise: sent, resolve } = Promise.withResolvers<SendEnd>()
  return { body: streamOf(lists, resolve), sent }
}

async function* textsOf(parts: readonly ListPart[]): AsyncGenerator<string, void> {
  for (const [writing, list] of parts) {
    if (writing.before !== '') yield writing.before
    let returned = 0
    for await (const rows of isRead(list) ? [list] : list) {
      for (let from = 0; from < rows.length; from += CHUNK) {
        const chunk = rows.slice(from, from + CHUNK)
        yield writeItems(writing, chunk, returned > 0)
        returned += chunk.length
      }
    }
    if (writing.after !== undefined) yield writing.after(returned)
  }
}
