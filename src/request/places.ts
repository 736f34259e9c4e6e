import { boundedMap } from '../collections.ts'
import type { SendEnd } from '../transfers.ts'

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
  /** The entity tag of an item, see `itemTag`. Absent: the tag has the state of the data. */
  readonly tag?: string | undefined
  /** Resolves at the end of a stream. */
  readonly sent?: Promise<SendEnd>
}

export type Bytes = Uint8Array<ArrayBuffer>

/** A place that keeps bytes by address. It may forget them at any time. */
export interface Place {
  readonly load: (address: string) => Promise<Bytes | null>
  readonly store: (address: string, bytes: Bytes, seconds: number) => Promise<void>
}

/** An isolate has 128 MB for everything. */
const MOST_BYTES = 16_000_000
const MOST_ENTRIES = 4_000

/** Makes a place in the memory of an isolate. When it is full, it drops the entries that were not read for longest. */
export const inMemory = (mostBytes = MOST_BYTES, mostEntries = MOST_ENTRIES): Place => {
  const entries = boundedMap<Bytes>(mostBytes)
  return {
    load: async (address) => entries.get(address) ?? null,
    // A small entry takes its share of the space, so there are never too many.
    store: async (address, bytes) =>
      entries.set(address, bytes, Math.max(Math.floor(mostBytes / mostEntries), address.length + bytes.length)),
  }
}

/** A separate cache. The default cache also stores the answers that `fetch` receives. */
const NAME = 'answers'

/** The cache of the data centre, which all its isolates share. It keeps nothing on workers.dev. */
export const dataCentre: Place = {
  load: async (address) => {
    const cache = await caches.open(NAME)
    const bytes = await (await cache.match(address))?.arrayBuffer()
    return bytes === undefined ? null : new Uint8Array(bytes)
  },
  store: async (address, bytes, seconds) => {
    const headers = { 'Content-Type': 'application/octet-stream', 'Cache-Control': `public, max-age=${seconds}` }
    const cache = await caches.open(NAME)
    await cache.put(address, new Response(bytes, { headers }))
  },
}

/** Logs an error of a place. The request continues without it. */
export const warn = (error: unknown): null => {
  console.error(JSON.stringify({ level: 'warning', message: 'cache: passed over', error: String(error) }))
  return null
}

/**
 * Encodes an answer as a line of JSON and a body. The line has all else, and says whether the body is bytes. Null for a
 * stream.
 */
export const encodeAnswer = ({ body, ...head }: Answer): Bytes | null => {
  if (body instanceof ReadableStream) return null
  const isBytes = body instanceof Uint8Array
  const line = new TextEncoder().encode(`${JSON.stringify({ ...head, isBytes })}\n`)
  const rest = isBytes ? body : new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
  const bytes = new Uint8Array(line.length + rest.length)
  bytes.set(line)
  bytes.set(rest, line.length)
  return bytes
}

export const decodeAnswer = (bytes: Bytes): Answer => {
  const end = bytes.indexOf('\n'.charCodeAt(0))
  const text = (part: Uint8Array) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(part)
  const { isBytes, ...head } = JSON.parse(text(bytes.subarray(0, end)))
  const body = bytes.slice(end + 1)
  return { ...head, body: isBytes ? body : text(body) }
}
