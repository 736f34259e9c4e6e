import type { Condition } from '../filters/filter.ts'
import type { Database } from '../query/db/d1.ts'
import { formatState, type State } from '../state.ts'
import { fullDigest } from './query.ts'

/** What is answered to everyone who asks the same: its own headers, and its body. */
export interface Content {
  readonly headers: Readonly<Record<string, string>>
  /** A document or its JSON, items as their format writes them, bytes, or a stream of all items, which is never kept. */
  readonly body: object | string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
  /** The heading of a page for people, where the answer names it. */
  readonly title?: string
}

/** Whether the cache of the data centre served a request: `none`, where it was not asked. */
export type Kept = 'hit' | 'miss' | 'none'

/** A request whose answer may be kept. */
export interface Keepable {
  /** Scheme, host and port that the request came to: the cache looks for no other host. */
  readonly origin: string
  /** Of the caller. */
  readonly level: number
  /** All else that its answer depends on, but for the data. */
  readonly identity: readonly (string | Uint8Array)[]
  /** Has a promise run on after the answer is sent. */
  readonly later: (promise: Promise<void>) => void
  readonly tell: (kept: Kept) => void
}

/** A cache of its own: the default one also holds what `fetch` reads. */
const NAME = 'answers'
/** Keys go out of date by themselves, entries after this. */
const SECONDS = 86_400
const MAX_BYTES = 1_000_000
/** Rows that are read in one round trip as quickly as the state of the data and the cache are looked at. */
const FEW_ROWS = 500
const FEW_TRIPS = 2

/**
 * Whether to look into the cache before anything is read. One condition that has counts may be cheap or not: then the cost
 * of the last answer in this isolate decides, as a look costs a round trip.
 */
export const mayBeDear = (conditions: readonly Condition[], rows: number): boolean =>
  rows > FEW_ROWS || conditions.length > 1 || !conditions.every(isCounted)

const isCounted = (condition: Condition): boolean => 'column' in condition || namesFewRows(condition)

/** Returns true if each read of a first page takes a few milliseconds: it has few rows, and its filters name few rows. */
export const isCheap = (conditions: readonly Condition[], rows: number): boolean =>
  rows <= FEW_ROWS && conditions.every(namesFewRows)

const namesFewRows = (condition: Condition): boolean => 'dictionary' in condition && condition.few === true

/**
 * Reads through the cache of the data centre: answers what it has for the same request and state of the data, or else what
 * `fetch` reads. Stores an answer that was dear. `isDear`: see `mayBeDear`. Null: uses no cache.
 */
export const throughCache =
  (keepable: Keepable | null, isDear: boolean, fetch: (db: Database) => Promise<Content>) =>
  async (db: Database): Promise<Content> => {
    if (keepable === null) return fetch(db)
    const key = await fullDigest([String(keepable.level), ...keepable.identity])
    if (isDear || db.cache.isDear(key)) {
      if (db.state() === null) await db.read()
      const address = addressOf(keepable, key, db.state())
      const kept = address === null ? null : await recall(address)
      keepable.tell(kept === null ? 'miss' : 'hit')
      if (kept !== null) return kept
    }
    const content = await fetch(db)
    const { rowsRead, roundTrips } = db.cost
    const wasDear = rowsRead > FEW_ROWS || roundTrips > FEW_TRIPS
    db.cache.noteCost(key, wasDear)
    const address = addressOf(keepable, key, db.state())
    if (wasDear && address !== null && db.isOneState()) keepable.later(keep(address, content))
    return content
  }

/** Where the answer to a request of data in this state is kept; null where that cannot be told from others. */
const addressOf = ({ origin }: Keepable, key: string, state: State | null): string | null =>
  state === null || state.changed === 0 ? null : `${origin}/kept/${formatState(state)}/${key}`

const recall = async (address: string): Promise<Content | null> => {
  try {
    const cache = await caches.open(NAME)
    const bytes = await (await cache.match(address))?.arrayBuffer()
    return bytes === undefined ? null : parse(new Uint8Array(bytes))
  } catch (error) {
    warn(error)
    return null
  }
}

const keep = async (address: string, content: Content): Promise<void> => {
  try {
    const bytes = format(content)
    if (bytes === null || bytes.length > MAX_BYTES) return
    const headers = { 'Content-Type': 'application/octet-stream', 'Cache-Control': `public, max-age=${SECONDS}` }
    const cache = await caches.open(NAME)
    await cache.put(address, new Response(bytes, { headers }))
  } catch (error) {
    warn(error)
  }
}

/** A line of JSON with all but the body, and whether that is bytes; then the body. Null for a stream. */
const format = ({ body, ...head }: Content): Uint8Array<ArrayBuffer> | null => {
  if (body instanceof ReadableStream) return null
  const isBytes = body instanceof Uint8Array
  const line = new TextEncoder().encode(`${JSON.stringify({ ...head, isBytes })}\n`)
  const rest = isBytes ? body : new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
  const bytes = new Uint8Array(line.length + rest.length)
  bytes.set(line)
  bytes.set(rest, line.length)
  return bytes
}

const parse = (bytes: Uint8Array<ArrayBuffer>): Content => {
  const end = bytes.indexOf(LINE_FEED)
  const text = (part: Uint8Array) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(part)
  const { isBytes, ...head } = JSON.parse(text(bytes.subarray(0, end)))
  const body = bytes.slice(end + 1)
  return { ...head, body: isBytes ? body : text(body) }
}
const LINE_FEED = 10

const warn = (error: unknown): void =>
  console.error(JSON.stringify({ level: 'warning', message: 'cache: passed over', error: String(error) }))
