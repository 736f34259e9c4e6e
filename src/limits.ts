import { type Caller, callerOf, clientOf } from './caller.ts'
import { forgetOldest } from './collections.ts'
import type { Env } from './env.ts'
import { tooDear, tooLarge, tooManyRequests, tooMuchRead, unavailable } from './errors.ts'
import { turn } from './queue.ts'
import { isWrite, type RequestContext, writes } from './request/route.ts'
import { type Client, makeRoom, readBody, type Share } from './transfers.ts'

// The bodies of an isolate, which has 128 MB. The work on a body takes 80 MB.
const BODY_BYTES = 20_000_000
const BODY_BYTES_FOR_KEYS = 10_000_000
const BODY_GONE = 120_000
/** The most bytes of one body, for a write and for a query. The variables WRITE_LIMIT and BODY_LIMIT replace them. */
const WRITE_LIMIT = 10_000_000
const BODY_LIMIT = 5_000_000
/** An isolate works on one body over this size at a time. */
const LARGE = 500_000

// The answers of an isolate that wait for their clients. A stream holds a batch of rows, and the bytes that wait.
export const WAITING_BYTES = 48_000_000
export const WAITING_FOR_KEYS = 16_000_000
export const STREAM_BYTES = 4_000_000
const SENT_GONE = 3_600_000
/** The rows that all streams hold together, at about 400 bytes each. More streams have smaller batches. */
export const STREAM_ROWS = 40_000
/** The most batches of streams that an isolate reads at a time. */
const BATCHES_AT_ONCE = 2

/** The most requests of one client at a time. Others wait: a database runs one read after another. */
const AT_ONCE = 3
/** The most clients whose reads an isolate remembers, at about 100 bytes each. */
const MAX_CLIENTS = 5000

export const bodyBytes = makeRoom(BODY_BYTES, BODY_BYTES_FOR_KEYS, BODY_GONE)
const waiting = makeRoom(WAITING_BYTES, WAITING_FOR_KEYS, SENT_GONE)

const PERIOD = 60 // seconds, as in wrangler.toml
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

/** A leaky bucket for each client, the latest last. It loses rows at the rate that one client may read. */
const buckets = new Map<string, Bucket>()

/** Returns the rows that one client may read in a minute. 0: any number. */
const rowsOf = ({ ROWS_PER_MINUTE }: Env): number => Math.max(0, Number(ROWS_PER_MINUTE) || 0)

/** Returns the rows that are left in a bucket. It has lost `most` in each minute. */
const rowsIn = (bucket: Bucket | undefined, most: number, now: number): number =>
  bucket === undefined ? 0 : Math.max(0, bucket.rows - ((now - bucket.time) / (PERIOD * 1000)) * most)

const filled = (bucket: Bucket | undefined, units: number | null, most: number, now: number): Bucket => ({
  rows: rowsIn(bucket, most, now) + (units ?? GIVEN_UP * most),
  time: now,
})

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
const chargeRequest = (client: string | null, env: Env): ((units: number | null) => void) => {
  const most = rowsOf(env)
  let own: Bucket | undefined
  return (units) => {
    const now = Date.now()
    charge(client, env, units, now)
    own = filled(own, units, most, now)
    if (client !== null && most > 0 && own.rows > most) throw tooDear()
  }
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

/** Waits while the client has AT_ONCE requests running. Throws a 429 if they read too much meanwhile. */
export const takeTurn = (client: string | null, env: Env, clock: () => number): Promise<() => void> =>
  client === null || rowsOf(env) === 0
    ? Promise.resolve(() => {})
    : turn(client, AT_ONCE, clock, () => refuseMuchRead(client, env, clock()))

/** Waits while the isolate works on another large body, of any client. Small bodies do not wait. */
export const takeLargeTurn = (bytes: number, clock: () => number): Promise<() => void> =>
  bytes > LARGE ? turn('large', 1, clock, undefined, BODY_GONE) : Promise.resolve(() => {})

/** Reads a batch of a stream when few others are being read. So the database can answer other requests in between. */
export const readInTurn = async <T>(read: () => Promise<T>, clock: () => number): Promise<T> => {
  const end = await turn('batches', BATCHES_AT_ONCE, clock)
  try {
    return await read()
  } finally {
    end()
  }
}

/** Counts the bytes of an answer until it is sent. Throws a 503 if too many wait. */
const takeRoom = (address: string | null, { key }: Caller, bytes: number): Share => {
  const share = waiting(clientWith(address, key), Date.now, bytes)
  if (share.grow(bytes)) return share
  share.end()
  throw unavailable(
    'Too many large answers wait for their clients. Read the ones that you asked for, and try again in a few seconds.',
  )
}

/** The client of a transfer. A key counts by itself, from any address. */
const clientWith = (address: string | null, key: Caller['key']): Client => ({
  name: address === null ? null : (key?.id ?? address),
  hasKey: key !== null,
})

/**
 * Reads the body, if the address takes one and the caller's key may send it. Otherwise nobody reads it. Returns a
 * function that releases its bytes. Throws a 401 for a wrong key.
 */
const takeBody = async (c: RequestContext, address: string | null): Promise<() => void> => {
  const { method } = c.req
  const isTaken = ['POST', 'PUT', 'PATCH'].includes(method) && c.get('route')?.methods.includes(method)
  const caller = isTaken ? await callerOf(c.req.raw.headers, c.env) : null
  const mayWrite = caller?.key?.write === true
  if (caller === null || (isWrite(c) && !mayWrite)) return () => {}
  const [most, advice] = writes(method, c.req.header('Content-Type') ?? null)
    ? [Number(c.env.WRITE_LIMIT) || WRITE_LIMIT, 'Send fewer items, and the rest in another request.']
    : [Number(c.env.BODY_LIMIT) || BODY_LIMIT, 'Send a shorter query, such as a simpler geometry.']
  const refuse = (): never => {
    throw tooLarge(`The body has more than ${most} bytes. ${advice}`)
  }
  const share = bodyBytes({ ...clientWith(address, caller.key), hasKey: mayWrite }, Date.now, most)
  try {
    c.set('body', await readBody(c.req.raw, { most, refuse }, share, Date.now))
  } catch (error) {
    share.end()
    throw error
  }
  return share.end
}

/**
 * Admits a request. It applies the client's limits, reads the body and waits for a free slot. Limits count by address,
 * so they also slow down a client that guesses keys.
 */
export const limit = async (c: RequestContext, next: () => Promise<void>): Promise<void> => {
  const client = clientOf(c.req.header('CF-Connecting-IP') ?? null)
  await refuseExcess(client, c.env, Date.now())
  // Writes cost nothing here: they need a key, and a load of many events must not stop.
  if (!isWrite(c)) c.set('onRead', chargeRequest(client, c.env))
  let stream: Share | undefined
  c.set('holdAnswer', (caller, bytes) => (client === null ? { end: () => {} } : takeRoom(client, caller, bytes)))
  c.set('openStream', (caller) => {
    const share = stream ?? takeRoom(client, caller, STREAM_BYTES)
    stream = share
    return {
      inTurn: (read) => readInTurn(read, Date.now),
      batchRows: () => Math.floor((STREAM_ROWS * STREAM_BYTES) / share.total()),
    }
  })
  const ends: (() => void)[] = []
  try {
    ends.push(await takeBody(c, client))
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
