import { boundedMap, keptFor } from '../base/collections.ts'
import type { SendEnd } from '../base/transfers.ts'
import type { Engine, Reader } from '../engine/engine.ts'
import { formatState, type State } from '../engine/state.ts'
import { answerVersion, type Query, RELATIVE_SECONDS } from './read.ts'
import { BOOKMARK, type RequestContext } from './route.ts'
import { stateSecondsOf } from './validators.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** The answer to all equal requests. `headers` has only the headers that are special to this answer. */
export interface Answer {
  readonly headers: Readonly<Record<string, string>>
  /** A document, a text that a format wrote, bytes, or a stream of all items. No cache keeps a stream. */
  readonly body: object | string | Bytes | ReadableStream<Uint8Array>
  /** The heading of the HTML page, if the answer names one. */
  readonly title?: string
  /** More elements in the head of the HTML page. */
  readonly head?: string
  /** The entity tag of an item, see `itemTag`. Absent: the tag has the state of the data. */
  readonly tag?: string | undefined
  /** Resolves at the end of a stream. */
  readonly sent?: Promise<SendEnd>
}

/**
 * The cost of a read. `low`: each read takes a few milliseconds. `high`: so much that the Worker tries the caches first.
 * If one has an answer, it reads the state of the data, because the answer is valid for one state only. `any`: the last
 * equal request in this isolate tells. `whole`: no cache keeps it.
 */
export type ReadCost = 'low' | 'any' | 'high' | 'whole'

/** A small read has at most so many rows and round trips. */
const FEW_ROWS = 500
const FEW_TRIPS = 2

/** An isolate has 128 MB for everything. */
const MOST_BYTES = 16_000_000
/** A small answer takes its share of the space, so there are never too many. */
const LEAST_BYTES = MOST_BYTES / 4000
/** An answer over this size is read again each time. */
const MAX_BYTES = 1_000_000
const MAX_ASKED = 1024

/**
 * The memory of an isolate about a database: encoded answers, because requests cannot share streams, and whether the
 * answers to the last requests were expensive.
 */
const memoryOf = keptFor((_: Engine) => ({
  answers: boundedMap<Bytes>(MOST_BYTES),
  asked: boundedMap<boolean>(MAX_ASKED),
}))

/** A cache stores an answer for at most a day. The answer has its state of the data, so a stale one is never used. */
const DAY = 86_400 // seconds

/**
 * Returns the cache of a request: the memory of the isolate, then the data centre. Without STATE_SECONDS there is no
 * memory. `key` identifies the request and the level of the caller. Null: no cache serves the request.
 */
export const answerCache = (c: RequestContext, { caller, engine, isRelative }: Query, key: string, cost: ReadCost) => {
  const { headers } = c.req.raw
  const isNear = stateSecondsOf(c.env) > 0
  // A caller with a key or a bookmark may have written, and `If-Match` may name a later state. Others may get the answer
  // of an earlier state.
  const isOpen = isNear && caller.key === null && !headers.has(BOOKMARK) && !headers.has('If-Match')
  if (cost === 'whole' || (cost === 'low' && !isOpen) || answerVersion(c.env) === null || wantsNoCache(headers))
    return null
  const { answers, asked } = memoryOf(engine)
  const wasExpensive = asked.get(key)
  const isExpensive = cost === 'high' || wasExpensive === true
  // A cheap request that comes once does not wait for the data centre.
  const isFar = isExpensive || wasExpensive !== undefined
  // The data centre keeps the last answer. The address has the host of the request, because it accepts no other.
  const address = `${new URL(c.req.url).origin}/kept/${key}`
  const far = once(() => fromCentre(address))
  /** Returns true if a cache may have an expensive answer. It is worth a round trip to read the state first. */
  const mayHave = async (): Promise<boolean> => {
    if (!isExpensive) return false
    c.var.trace.cache = 'miss'
    return (isNear && wasExpensive !== undefined) || (await far()) !== null
  }
  /** Returns the answer for a state of the data. Null: no cache has it. */
  const find = async (state: State): Promise<Answer | null> => {
    c.var.trace.cache = 'miss'
    const name = nameOf(state, key)
    if (name === null) return null
    const near = isNear ? answers.get(name) : undefined
    const kept = near === undefined && isFar ? await far() : null
    const bytes = near ?? (kept?.state === formatState(state) ? kept.bytes : null)
    if (bytes === null) return null
    c.var.trace.cache = near === undefined ? 'hit' : 'isolate'
    if (isNear && near === undefined) keepNear(answers, name, bytes)
    return decodeAnswer(bytes)
  }
  /** Keeps an answer that was just read, and notes its cost for the next equal request. */
  const keep = (reader: Reader, answer: Answer): void => {
    const wasExpensive = reader.cost.rowsRead > FEW_ROWS || reader.cost.roundTrips > FEW_TRIPS
    asked.set(key, wasExpensive)
    const state = reader.isOneState() ? reader.state() : null
    const name = state && nameOf(state, key)
    const bytes = name === null ? null : encodeAnswer(answer)
    if (state === null || name === null || bytes === null || bytes.length > MAX_BYTES) return
    if (isNear && (wasExpensive || isOpen)) keepNear(answers, name, bytes)
    const kept = { state: formatState(state), bytes }
    if (wasExpensive || (isOpen && isFar)) inCentre(c, address, kept, isRelative ? RELATIVE_SECONDS : DAY)
  }
  return { isOpen, mayHave, find, keep }
}

/** Returns a function that asks the first time, and then returns the same answer. */
const once = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let asked: Promise<T> | undefined
  return () => {
    asked ??= ask()
    return asked
  }
}

/** Names a state and a request. Null: without the time of the last write, two states may look equal. */
const nameOf = (state: State, key: string): string | null =>
  state.changed === 0 ? null : `${formatState(state)}/${key}`

const keepNear = (answers: ReturnType<typeof memoryOf>['answers'], name: string, bytes: Bytes): void =>
  answers.set(name, bytes, Math.max(LEAST_BYTES, name.length + bytes.length))

/** An answer, and its state of the data. */
interface Kept {
  readonly state: string
  readonly bytes: Bytes
}

/** The cache of the data centre, which all its isolates share. The default cache also stores the answers of `fetch`. */
const NAME = 'answers'

/** The header of a cached answer with its state. */
const STATE = 'X-State'

/** Returns what the data centre has at an address. Null: nothing. It keeps nothing on workers.dev. */
const fromCentre = async (address: string): Promise<Kept | null> => {
  try {
    const response = await (await caches.open(NAME)).match(address)
    const state = response?.headers.get(STATE) ?? null
    return response === undefined || state === null
      ? null
      : { state, bytes: new Uint8Array(await response.arrayBuffer()) }
  } catch (error) {
    return warn(error)
  }
}

/** Stores an answer in the data centre after it is sent. */
const inCentre = (c: RequestContext, address: string, { state, bytes }: Kept, seconds: number): void => {
  const control = `public, max-age=${seconds}`
  const headers = { 'Content-Type': 'application/octet-stream', 'Cache-Control': control, [STATE]: state }
  const store = async () => (await caches.open(NAME)).put(address, new Response(bytes, { headers }))
  c.executionCtx.waitUntil(store().catch(warn))
}

/** Logs an error of the data centre. The request continues without it. */
const warn = (error: unknown): null => {
  console.error(JSON.stringify({ level: 'warning', message: 'cache: passed over', error: String(error) }))
  return null
}

/** Encodes an answer as a line of JSON and a body. The line has all else, and the kind of the body. Null for a stream. */
const encodeAnswer = ({ body, ...head }: Answer): Bytes | null => {
  if (body instanceof ReadableStream) return null
  const isBytes = body instanceof Uint8Array
  const line = new TextEncoder().encode(`${JSON.stringify({ ...head, kind: isBytes ? 'bytes' : typeof body })}\n`)
  const rest = isBytes ? body : new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
  const bytes = new Uint8Array(line.length + rest.length)
  bytes.set(line)
  bytes.set(rest, line.length)
  return bytes
}

const decodeAnswer = (bytes: Bytes): Answer => {
  const end = bytes.indexOf('\n'.charCodeAt(0))
  const text = (part: Uint8Array) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(part)
  const { kind, ...head } = JSON.parse(text(bytes.subarray(0, end)))
  const body = bytes.slice(end + 1)
  if (kind === 'bytes') return { ...head, body }
  return { ...head, body: kind === 'string' ? text(body) : documentIn(text(body)) }
}

/**
 * Parses a document. A number such as 5.0 stays as it was written, because it tells QGIS a column of decimals. So does one
 * with more digits than a double.
 */
const documentIn = (text: string): object =>
  /\d\.0[,}\]]|\d[\d.]{15}/.test(text) ? JSON.parse(text, asWritten) : JSON.parse(text)

const asWritten = (_: string, value: unknown, { source }: { readonly source?: string } = {}): unknown =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? JSON.rawJSON(source) : value

/** Returns true if the client wants an answer from no cache (RFC 9111, 5.2.1.4). */
const wantsNoCache = (headers: Headers): boolean => /(^|,)\s*no-cache\s*(,|$)/i.test(headers.get('Cache-Control') ?? '')
