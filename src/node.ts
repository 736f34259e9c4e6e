import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import { scheduler } from 'node:timers/promises'
import { constants, createGzip } from 'node:zlib'
import { getRequestListener } from '@hono/node-server'
import { serve } from './app.ts'
import { boundedMap } from './base/collections.ts'
import type { Deadlines } from './engine/postgres/connection.ts'
import { postgresEngine } from './engine/postgres/engine.ts'
import { poolTo } from './engine/postgres/pool.ts'
import type { Env } from './http/env.ts'
import { qualityIn } from './http/offer.ts'

export { DEADLINES } from './engine/postgres/connection.ts'

export interface NodeOptions {
  /** The address of a database of PostgreSQL, which the service only reads. */
  readonly database: string
  readonly deadlines: Deadlines
  /** The variables of wrangler.toml. */
  readonly variables: Partial<Env>
  /** The most requests of one client in a period of seconds. */
  readonly limits: { readonly limit: number; readonly period: number }
  /** Takes a line of the log. */
  readonly log: (line: string) => void
}

/** Opens the Worker in this process. */
export const open = ({ database, deadlines, variables, limits, log }: NodeOptions) => {
  addPlatform()
  const door = poolTo(database, deadlines)
  const engine = postgresEngine(door)
  const worker = serve(() => engine)
  // All processes on one database know each other's hints.
  const SECRET = createHash('sha256').update(database).digest('hex')
  const env = { SECRET, RATE_LIMITER: limiterOf(limits), LOG: log, ...variables } as Env // there is no D1 database
  const listener = getRequestListener(
    async (request) => compressed(request, await worker.fetch(request, env, CONTEXT)),
    { overrideGlobalObjects: false },
  )
  return {
    answer: (
      incoming: IncomingMessage,
      outgoing: ServerResponse,
      { isSecure }: { readonly isSecure: boolean },
    ): void => {
      // The scheme of the addresses in an answer comes from the address of the request.
      if (isSecure) incoming.url = `https://${incoming.headers.host}${incoming.url}`
      listener(incoming, outgoing)
    },
    connections: door.connections,
    close: door.close,
  }
}

/** The process lives on after an answer. */
const CONTEXT = {
  waitUntil: (work: Promise<unknown>) => {
    work.catch((error) => console.error(error))
  },
  passThroughOnException: () => {},
} as unknown as ExecutionContext

/** The rate limiter of Cloudflare, for one process. */
const limiterOf = ({ limit, period }: NodeOptions['limits']): RateLimit => {
  let [ends, counts] = [0, new Map<string, number>()]
  return {
    limit: async ({ key }) => {
      const now = Date.now()
      if (now >= ends) [ends, counts] = [now + 1000 * period, new Map()]
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      return { success: count <= limit }
    },
  }
}

/** The most bytes that the cache keeps. */
const CACHE_BYTES = 64_000_000

/** The cache of a data centre, for one process. */
const makeCache = () => {
  const kept = boundedMap<{ readonly bytes: ArrayBuffer; readonly headers: Headers }>(CACHE_BYTES)
  return {
    match: async (address: string) => {
      const found = kept.get(address)
      return found && new Response(found.bytes, { headers: found.headers })
    },
    put: async (address: string, response: Response) => {
      const bytes = await response.arrayBuffer()
      kept.set(address, { bytes, headers: response.headers }, address.length + bytes.byteLength)
    },
  }
}

/** A stream of a known length. Node sends the bytes in chunks. */
function FixedLengthStream(): TransformStream {
  return new TransformStream()
}

/** Adds what the Workers of Cloudflare have, and Node lacks. */
export const addPlatform = (): void => {
  const cache = makeCache()
  Object.assign(globalThis, { caches: { open: async () => cache }, FixedLengthStream, scheduler })
  Object.assign(crypto.subtle, { timingSafeEqual })
}

/** Cloudflare compresses these types by itself. The Worker marks the others. */
const COMPRESSED = /^(application\/([\w.-]+\+)?json|text\/html)\b/

/**
 * Compresses a body that the Worker has marked, or that Cloudflare would compress. It sends each part at once, because a
 * stream may pause before the next one.
 */
export const compressed = (request: Request, response: Response): Response => {
  const { body, headers } = response
  const isMarked = headers.has('Content-Encoding')
  if (body === null || !(isMarked || isOfType(request, response))) return response
  const own = new Headers(headers)
  own.delete('Content-Length')
  own.set('Content-Encoding', 'gzip')
  if (!isMarked) {
    own.append('Vary', 'Accept-Encoding')
    const tag = headers.get('ETag')
    // The compressed bytes are others.
    if (tag?.startsWith('"')) own.set('ETag', `W/${tag}`)
  }
  const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH })
  // An error of the body breaks the answer off.
  pipeline(Readable.fromWeb(body as unknown as NodeStream), gzip, () => {})
  return new Response(Readable.toWeb(gzip) as unknown as BodyInit, { status: response.status, headers: own })
}

const isOfType = ({ method, headers: asked }: Request, { status, headers }: Response): boolean =>
  status === 200 &&
  method !== 'HEAD' &&
  COMPRESSED.test(headers.get('Content-Type') ?? '') &&
  qualityIn(asked.get('Accept-Encoding') ?? '', ['gzip', '*']) > 0
