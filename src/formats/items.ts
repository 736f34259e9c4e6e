import { ApiError } from '../base/errors.ts'
import type { Schema } from '../base/schema.ts'
import { piecesOf, type SendEnd, sendPieces } from '../base/transfers.ts'
import { DataChanged, type Row } from '../engine/engine.ts'
import type { Resource } from '../lists/resource.ts'
import type { Links } from '../model/kinds.ts'
import type { Order } from '../question/question.ts'
import type { Download } from './downloads.ts'
import type { ShownView } from './shown.ts'

/** The data of a list beside its items. */
export interface ListHead {
  /** The number of items that match. */
  readonly count: number
  /** The addresses of this page and of its neighbours. Null without a neighbour. */
  readonly self: string
  readonly next: string | null
  readonly previous: string | null
  /** Only a feed has it. */
  readonly feed?: FeedHead
}

/** What a feed tells of itself. */
export interface FeedHead {
  /** It stays, so that a reader knows the feed again. */
  readonly id: string
  /** The id of an item is this text and its number. */
  readonly itemIds: string
  readonly title: string
  readonly author: string
  /** The addresses of the feed and of its page. Null: no address has room for the query. */
  readonly links: { readonly self: string; readonly page: string } | null
  /** The titles of members by their names. */
  readonly titles: ReadonlyMap<string, string>
  readonly rows: readonly Row[]
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
  /** True for a table: each attribute of the events of one series is a column. */
  readonly isTable?: boolean
  /** The order and the number of its items. Absent: the request chooses them, by pages. */
  readonly slice?: { readonly order: Order; readonly limit: number }
  /** Returns how it writes a list. Without a head it writes one item alone. */
  readonly list: (shown: ShownView, links: Links, head: ListHead | null) => ItemWriter
  /** Returns the names of the members that a client can choose. */
  readonly fields: (shown: ShownView) => readonly string[]
  /** Returns the schemas of a list and an item by their names: as usual, and with the members that the client chooses. */
  readonly schemas: (resource: Resource) => Readonly<Record<'list' | 'item', Readonly<Record<string, Schema>>>>
}

/** Writes items as one text. `more` is true if other items precede them. */
const writeItems = (
  { each, between = '' }: Pick<ItemWriter, 'each' | 'between'>,
  rows: readonly Row[],
  more = false,
): string => (rows.length === 0 ? '' : (more ? between : '') + rows.map(each).join(between))

/** Writes one item in a format. */
export const writeItem = (format: ItemsFormat, shown: ShownView, links: Links, row: Row): string => {
  const { before, each } = format.list(shown, links, null)
  return before + each(row)
}

/** The number of items that are written in one step. */
const CHUNK = 500

/** The rows of a list, in batches that are read while they are sent. */
export type Batches = AsyncGenerator<readonly Row[], void>

/** Returns a list as a text. */
export const listText = ({ before, after, ...writing }: ItemWriter, rows: readonly Row[]): string =>
  before + writeItems(writing, rows) + (after?.(rows.length) ?? '')

/** Returns a list as a stream of bytes. Reads only as fast as the client takes them. `sent` resolves to the end. */
export const streamOf = (writing: ItemWriter, batches: Batches) => {
  const { promise: sent, resolve } = Promise.withResolvers<SendEnd>()
  const body: ReadableStream<Uint8Array> = sendPieces(encoded(writing, batches), (end, error) => {
    const isKnown = error === undefined || error instanceof ApiError || error instanceof DataChanged
    if (!isKnown) console.error(error)
    resolve(end)
  })
  return { body, sent }
}

async function* encoded(writing: ItemWriter, batches: Batches): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const encoder = new TextEncoder()
  for await (const text of textsOf(writing, batches)) yield* piecesOf(encoder.encode(text))
}

async function* textsOf(writing: ItemWriter, batches: Batches): AsyncGenerator<string, void> {
  if (writing.before !== '') yield writing.before
  let returned = 0
  for await (const rows of batches) {
    for (let from = 0; from < rows.length; from += CHUNK) {
      const chunk = rows.slice(from, from + CHUNK)
      yield writeItems(writing, chunk, returned > 0)
      returned += chunk.length
    }
  }
  if (writing.after !== undefined) yield writing.after(returned)
}
