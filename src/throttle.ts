import { bodyBytes, bodyLimitOf, readBody } from './body.ts'
import { type Caller, callerOf } from './caller.ts'
import { forgetOldest } from './collections.ts'
import type { Env } from './env.ts'
import { tooDear, tooManyRequests, tooMuchRead, unavailable } from './errors.ts'
import { isWrite, type RequestContext, writes } from './request/route.ts'
import { turn } from './slots.ts'
import { type Client, makeRoom, type Share } from './transfers.ts'

const PERIOD = 60 // seconds, as in wrangler.toml
/** The most clients whose reads an isolate remembers, at about 100 bytes each. */
const MAX_CLIENTS = 5000
/**
 * The price of a cancelled read, as a part of what a client may read in a minute. D1 continues such a read, and never
 * reports how many rows it reads.
 */
const GIVEN_UP = 0.5

/** The number of rows that a client has lately read. `time` says when it was counted, in milliseconds since 1970. */
interface Bucket {
  readonly rows: number
  readonly time: number
}

/** The most requests of one client at a time. Others wait: a database runs one read after another. */
const AT_ONCE = 3
/** Bytes of a large body. An isolate works on one such body at a time, which may take up to 100 of its 128 MB. */
const LARGE = 500_000
/** After so many milliseconds, a request with a large body counts as cancelled. The slowest took a tenth of this. */
const LARGE_GONE = 120_000
/** A stream holds so many bytes: a batch of rows, and the bytes that wait for the client. */
export const STREAM_BYTES = 4_000_000
/** So many bytes of answers may wait for clients. Callers with a key have a part of them for themselves. */
export const WAITING_BYTES = 48_000_000
export const WAITING_FOR_KEYS = 16_000_000
/** The rows that all streams hold together, at about 400 bytes each. More streams have smaller batches. */
export const STREAM_ROWS = 40_000
/** An answer that is sent for so many milliseconds counts as cancelled. */
const SENT_GONE = 3_600_000

/** The most batches of streams that an isolate reads at a time. */
const BATCHES_AT_ONCE = 2

const waiting = makeRoom(WAITING_BYTES, WAITING_FOR_KEYS, SENT_GONE)

/** A leaky bucket for each client, the latest last. It loses rows at the rate that one client may read. */
const buckets = new Map<string, Bucket>()

/** Loopback, link-local and private addresses (RFC 1918, RFC 4193). No client that comes through Cloudflare has one. */
const LOCAL = /^(127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\.|^0:0:0:0$|^f[cd][0-9a-f]{2}:|^fe80:/

/**
 * Returns the key of a client for the limits: its address, or the first 64 bits of an IPv6 address. Null: the client
 * has no limits.
 */
export const clientOf = (address: string | null): string | null => {
  const plain = (address ?? '').toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
  const client = plain.includes(':') ? networkOf(plain) : plain
  return client === '' || LOCAL.test(client) ? null : client
}

/** Returns the first 64 bits of an IPv6 address, as four groups. */
const networkOf = (address: string): string => {
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  const groups = [...before, ...zeros, ...after].slice(0, 4)
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')
}

/** Throws a 429 for a client that sent too many requests, or read too much in the last minute. */
export const refuseExcess = async (client: string | null, env: Env, now: number): Promise<void> => {
  if (client === null) return
  const { success } = (await env.RATE_LIMITER?.limit({ key: client })) ?? { success: true }
  if (!success) throw tooManyRequests(PERIOD)
  refuseMuchRead(client, env, now)
}

const refuseMuchRead = (client: string, env: Env, now: number): void => {
  const most = rowsOf(env)
  const excess = most === 0 ? 0 : rowsIn(buckets.get(client), most, now) - most
  if (excess > 0) throw tooMuchRead(Math.ceil((excess / most) * PERIOD))
}

/**
 * Waits while the client has AT_ONCE requests running. Throws a 429 if they read too much meanwhile. Returns a function
 * to call when this request ends.
 */
export const takeTurn = (client: string | null, env: Env, clock: () => number): Promise<() => void> =>
  client === null || rowsOf(env) === 0
    ? Promise.resolve(() => {})
    : turn(client, AT_ONCE, clock, () => refuseMuchRead(client, env, clock()))

/** Waits while the isolate works on another large body, of any client. Small bodies do not wait. */
export const takeLargeTurn = (bytes: number, clock: () => number): Promise<() => void> =>
  bytes > LARGE ? turn('large', 1, clock, undefined, LARGE_GONE) : Promise.resolve(() => {})

/** Counts the bytes of an answer until it is sent. Throws a 503 if too many wait. */
export const takeRoom = (client: Client, bytes: number, clock: () => number): Share => {
  const share = waiting(client, clock, bytes)
  if (share.grow(bytes)) return share
  share.end()
  throw unavailable(
    'Too many large answers wait for their clients. Read the ones that you asked for, and try again in a few seconds.',
  )
}

/** Returns how many rows the next batch of a stream may have. */
export const batchRows = ({ total }: Share): number => Math.floor((STREAM_ROWS * STREAM_BYTES) / total())

/** Reads a batch of a stream when few others are being read. So the database can answer other requests in between. */
export const readInTurn = async <T>(read: () => Promise<T>, clock: () => number): Promise<T> => {
  const end = await turn('batches', BATCHES_AT_ONCE, clock)
  try {
    return await read()
  } finally {
    end()
  }
}

/** Adds work to a client's bucket. Its unit is a row. Null: a read was cancelled, and has a fixed price. */
export const charge = (client: string | null, env: Env, units: number | null, now: number): void => {
  const most = rowsOf(env)
  if (client === null || most === 0) return
  const bucket = filled(buckets.get(client), units, most, now)
  buckets.delete(client)
  buckets.set(client, bucket)
  forgetOldest(buckets, MAX_CLIENTS)
}

/** Returns a function that charges the work of a request. It throws a 400 if this request alone fills the bucket. */
export const chargeRequest = (client: string | null, env: Env): ((units: number | null, now: number) => void) => {
  const most = rowsOf(env)
  let own: Bucket | undefined
  return (units, now) => {
    charge(client, env, units, now)
    own = filled(own, units, most, now)
    if (client !== null && most > 0 && own.rows > most) throw tooDear()
  }
}

const filled = (bucket: Bucket | undefined, units: number | null, most: number, now: number): Bucket => ({
  rows: rowsIn(bucket, most, now) + (units ?? GIVEN_UP * most),
  time: now,
})

/** Returns the rows that one client may read in a minute. 0: any number. */
const rowsOf = ({ ROWS_PER_MINUTE }: Env): number => Math.max(0, Number(ROWS_PER_MINUTE) || 0)

/** Returns the rows that are left in a bucket. It has lost `most` in each minute. */
const rowsIn = (bucket: Bucket | undefined, most: number, now: number): number =>
  bucket === undefined ? 0 : Math.max(0, bucket.rows - ((now - bucket.time) / (PERIOD * 1000)) * most)

/**
 * Admits a request. It applies the client's limits, reads the body and waits for a free slot. Limits count by address,
 * so they also slow down a client that guesses keys.
 */
export const throttle = async (c: RequestContext, next: () => Promise<void>): Promise<void> => {
  const client = clientOf(c.req.header('CF-Connecting-IP') ?? null)
  await refuseExcess(client, c.env, Date.now())
  // Writes cost nothing here: they need a key, and a load of many events must not stop.
  const chargeWork = chargeRequest(client, c.env)
  if (!isWrite(c)) c.set('onRead', (units) => chargeWork(units, Date.now()))
  let stream: Share | undefined
  c.set('holdAnswer', ({ key }, bytes) =>
    client === null ? { end: () => {} } : takeRoom(clientWith(client, key), bytes, Date.now),
  )
  c.set('openStream', ({ key }) => {
    const share = stream ?? takeRoom(clientWith(client, key), STREAM_BYTES, Date.now)
    stream = share
    return { inTurn: (read) => readInTurn(read, Date.now), batchRows: () => batchRows(share) }
  })
  const ends: (() => void)[] = []
  try {
    const sender = await senderOf(c, client)
    if (sender !== null) ends.push(await takeBody(c, sender))
    ends.push(await takeTurn(client, c.env, Date.now))
    ends.push(await takeLargeTurn(c.get('body')?.byteLength ?? 0, Date.now))
    await next()
  } finally {
    for (const end of ends) end()
    const sent = c.get('sent')
    if (sent === undefined) stream?.end()
    else c.executionCtx.waitUntil(sent.then(stream?.end))
  }
}

/** The client of a transfer. A key counts by itself, from any address. */
const clientWith = (address: string | null, key: Caller['key']): Client => ({
  name: address === null ? null : (key?.id ?? address),
  hasKey: key !== null,
})

/**
 * Returns the sender of a body, if the address takes one and the caller's key may send it. Null: nobody reads a body.
 * Throws a 401 for a wrong key.
 */
const senderOf = async (c: RequestContext, address: string | null): Promise<Client | null> => {
  const { method } = c.req
  const isTaken = ['POST', 'PUT', 'PATCH'].includes(method) && c.get('route')?.methods.includes(method)
  if (!isTaken) return null
  const { key } = await callerOf(c.req.raw.headers, c.env)
  const mayWrite = key?.write === true
  return isWrite(c) && !mayWrite ? null : { ...clientWith(address, key), hasKey: mayWrite }
}

/** Reads the body. Returns a function that releases its bytes. */
const takeBody = async (c: RequestContext, sender: Client): Promise<() => void> => {
  const limit = bodyLimitOf(c.env, writes(c.req.method, c.req.header('Content-Type') ?? null))
  const share = bodyBytes(sender, Date.now, limit.most)
  try {
    c.set('body', await readBody(c.req.raw, limit, share, Date.now))
  } catch (error) {
    share.end()
    throw error
  }
  return share.end
}
