import type { Database } from '../engine/run/database.ts'
import type { Condition } from '../filters/filter.ts'
import type { StreamEnd } from '../formats/items.ts'
import { formatState, type State } from '../state.ts'
import { fullDigest } from './query.ts'
import { type Asked, answerVersion } from './read.ts'
import type { RequestContext } from './route.ts'
import { wantsNoCache } from './validators.ts'

/** The answer to all equal requests. `headers` has only the headers that are special to this answer. */
export interface Answer {
  readonly headers: Readonly<Record<string, string>>
  /**
   * A document or its JSON, items that a format wrote, bytes, or a stream of all items. The cache never stores a
   * stream.
   */
  readonly body: object | string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
  /** The heading of the HTML page, if the answer names one. */
  readonly title?: string
  /** Resolves at the end of a stream. */
  readonly sent?: Promise<StreamEnd>
}

/** How the edge cache serves a request. */
export interface CacheRules {
  /** Tries the cache before the read, see `worthCaching`. */
  readonly expensive: boolean
  /** Further parts of the identity of the answer. */
  readonly more?: readonly string[]
}

/** A separate cache. The default cache also stores the answers that `fetch` receives. */
const NAME = 'answers'
/** Seconds until an entry expires. Its key contains the state of the data, which makes a stale entry unreachable. */
const SECONDS = 86_400
const MAX_BYTES = 1_000_000
/** A small read has at most so many rows and round trips. It is as fast as a lookup in the cache. */
const FEW_ROWS = 500
const FEW_TRIPS = 2

/**
 * Returns true if the read may be expensive, so that the Worker tries the cache first. That costs a round trip for the
 * state of the data. If false, the cost of the last equal read in this isolate decides.
 */
export const worthCaching = (conditions: readonly Condition[], rows: number): boolean =>
  rows > FEW_ROWS || conditions.length > 1 || !conditions.every(isCounted)

const isCounted = (condition: Condition): boolean =>
  condition.kind === 'span' || condition.kind === 'listed' || namesFewRows(condition)

/** Returns true if a page has few rows and its filters name few rows. Each read of it then takes a few milliseconds. */
export const isCheap = (conditions: readonly Condition[], rows: number): boolean =>
  rows <= FEW_ROWS && conditions.every(namesFewRows)

const namesFewRows = (condition: Condition): boolean => condition.kind === 'entries' && condition.namesFewRows === true

/**
 * Reads through the edge cache. If the cache lacks the answer for this state of the data, `fetch` reads it. The cache
 * then stores an expensive answer. It is not used if the client forbids it, or if the version of the code is unknown.
 */
export const throughCache =
  (
    c: RequestContext,
    { caller: { level }, identity }: Asked,
    { expensive, more = [] }: CacheRules,
    fetch: (db: Database) => Promise<Answer>,
  ) =>
  async (db: Database): Promise<Answer> => {
    if (answerVersion(c.env) === null || wantsNoCache(c.req.raw.headers)) return fetch(db)
    const key = await fullDigest([String(level), ...identity, ...more])
    const { origin } = new URL(c.req.url)
    if (expensive || db.cache.wasExpensive(key)) {
      if (db.state() === null) await db.read()
      const address = addressOf(origin, key, db.state())
      const cached = address === null ? null : await load(address).catch(warn)
      c.set('cacheUse', cached === null ? 'miss' : 'hit')
      if (cached !== null) return cached
    }
    const answer = await fetch(db)
    const { rowsRead, roundTrips } = db.cost
    const isExpensive = rowsRead > FEW_ROWS || roundTrips > FEW_TRIPS
    db.cache.noteCost(key, isExpensive)
    const address = addressOf(origin, key, db.state())
    if (isExpensive && address !== null && db.isOneState()) c.executionCtx.waitUntil(store(address, answer).catch(warn))
    return answer
  }

/**
 * Returns the address of an answer in the cache. It has the host of the request, because the cache accepts no other. It
 * is null if the time of the last write is unknown, because two states may then look equal.
 */
const addressOf = (origin: string, key: string, state: State | null): string | null =>
  state === null || state.changed === 0 ? null : `${origin}/kept/${formatState(state)}/${key}`

const load = async (address: string): Promise<Answer | null> => {
  const cache = await caches.open(NAME)
  const bytes = await (await cache.match(address))?.arrayBuffer()
  return bytes === undefined ? null : parse(new Uint8Array(bytes))
}

const store = async (address: string, answer: Answer): Promise<void> => {
  const bytes = format(answer)
  if (bytes === null || bytes.length > MAX_BYTES) return
  const headers = { 'Content-Type': 'application/octet-stream', 'Cache-Control': `public, max-age=${SECONDS}` }
  const cache = await caches.open(NAME)
  await cache.put(address, new Response(bytes, { headers }))
}

/** Logs an error of the cache. The request continues without it. */
const warn = (error: unknown): null => {
  console.error(JSON.stringify({ level: 'warning', message: 'cache: passed over', error: String(error) }))
  return null
}

/**
 * Encodes an answer as a line of JSON and a body. The line has all else, and says whether the body is bytes. Null for a
 * stream.
 */
const format = ({ body, ...head }: Answer): Uint8Array<ArrayBuffer> | null => {
  if (body instanceof ReadableStream) return null
  const isBytes = body instanceof Uint8Array
  const line = new TextEncoder().encode(`${JSON.stringify({ ...head, isBytes })}\n`)
  const rest = isBytes ? body : new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
  const bytes = new Uint8Array(line.length + rest.length)
  bytes.set(line)
  bytes.set(rest, line.length)
  return bytes
}

const parse = (bytes: Uint8Array<ArrayBuffer>): Answer => {
  const end = bytes.indexOf('\n'.charCodeAt(0))
  const text = (part: Uint8Array) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(part)
  const { isBytes, ...head } = JSON.parse(text(bytes.subarray(0, end)))
  const body = bytes.slice(end + 1)
  return { ...head, body: isBytes ? body : text(body) }
}
