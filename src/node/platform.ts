import { timingSafeEqual } from 'node:crypto'
import { scheduler } from 'node:timers/promises'
import { boundedMap } from '../base/collections.ts'

/** An answer that the cache keeps. */
interface Kept {
  readonly bytes: ArrayBuffer
  readonly headers: Headers
}

/** The most bytes that the cache keeps. */
const CACHE_BYTES = 64_000_000

/** The cache of a data centre, for one process. */
const makeCache = () => {
  const kept = boundedMap<Kept>(CACHE_BYTES)
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
