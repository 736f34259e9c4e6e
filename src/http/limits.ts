import { forgetOldest } from '../base/collections.ts'
import { badRequest, detail } from '../base/errors.ts'
import { hold, type Lease, turn } from '../base/queue.ts'
import { type Client, makeRoom, readBody, type Share, SMALL_LATE } from '../base/transfers.ts'
import { type Caller, clientOf } from './caller.ts'
import type { Env } from './env.ts'
import { callerAt, isWrite, type RequestContext } from './route.ts'

// The bodies of an isolate, which has 128 MB. The work on a body takes 80 MB.
const BODY_BYTES = 20_000_000
const BODY_BYTES_WITHOUT_KEY = 10_000_000
/** The most bytes of one body, for a write and for a query. The variables WRITE_LIMIT and BODY_LIMIT replace them. */
const WRITE_LIMIT = 10_000_000
const BODY_LIMIT = 5_000_000
/** An isolate works on one body over this size at a time. */
const LARGE = 500_000

// The answers of an isolate that wait for their clients. A stream holds a batch of rows, and the bytes that wait.
const WAITING_BYTES = 48_000_000
export const WAITING_WITHOUT_KEY = 32_000_000
export const STREAM_BYTES = 4_000_000
/** A cancelled request never reports the end of its answer, so that counts for at most so many milliseconds. */
const SENT_GONE = 3_600_000
/** The rows that all streams hold together, at about 400 bytes each. More streams have smaller batches. */
export const STREAM_ROWS = 40_000
const BATCHES_AT_ONCE = 2

/** The most requests of one client at a time. Others wait: a database runs one read after another. */
const AT_ONCE = 3
/** The most clients whose reads an isolate remembers, at about 100 bytes each. */
const MAX_CLIENTS = 5000

export const bodies = makeRoom(
  BODY_BYTES,
  BODY_BYTES_WITHOUT_KEY,
  'The service is busy with the bodies of other requests. Try again in a few seconds.',
)
const answers = makeRoom(
  WAITING_BYTES,
  WAITING_WITHOUT_KEY,
  'Too many large answers wait for their clients. Read the ones that you asked for, and try again in a few seconds.',
)

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
const EMPTY: Bucket = { rows: 0, time: 0 }

/** A leaky bucket for each client, the latest last. It loses rows at the rate that one client may read. */
const buckets = new Map<string, Bucket>()

/** Returns the rows that one client may read in a minute. 0: any number. */
const rowsOf = ({ ROWS_PER_MINUTE }: Env): number => Math.max(0, Number(ROWS_PER_MINUTE) || 0)

/** Returns the rows that are left in a bucket. It has lost `most` in each minute. */
const rowsIn = ({ rows, time }: Bucket, most: number, now: number): number =>
  Math.max(0, rows - ((now - time) / (PERIOD * 1000)) * most)

/** Adds work to a bucket. Its unit is a row. Null: a read was cancelled, and has a fixed price. */
const filled = (bucket: Bucket, units: number | null, most: number, now: number): Bucket => ({
  rows: rowsIn(bucket, most, now) + (units ?? GIVEN_UP * most),
  time: now,
})

export const charge = (client: string, env: Env, units: number | null, now: number): void => {
  const most = rowsOf(env)
  if (most === 0) return
  const bucket = filled(buckets.get(client) ?? EMPTY, units, most, now)
  buckets.delete(client)
  buckets.set(client, bucket)
  forgetOldest(buckets, MAX_CLIENTS)
}

/** Returns a function that charges the work of a request. It throws a 400 if this request alone fills the bucket. */
const chargeRequest = (client: string, env: Env): ((units: number | null) => void) => {
  const most = rowsOf(env)
  let own = EMPTY
  return (units) => {
    const now = Date.now()
    charge(client, env, units, now)
    own = filled(own, units, most, now)
    if (most > 0 && own.rows > most) throw badRequest(TOO_DEAR)
  }
}

const TOO_DEAR =
  'This request reads more of the database than one client may read in a minute. Add a filter, or enter a smaller area or fewer geometries.'

const tooMuch = (message: string, seconds: number) => detail(429, message, { 'Retry-After': String(seconds) })

/** Throws a 429 for a client that sent too many requests, or read too much in the last minute. */
export const refuseExcess = async (client: string, env: Env, now: number): Promise<void> => {
  const { success } = (await env.RATE_LIMITER?.limit({ key: client })) ?? { success: true }
  if (!success) throw tooMuch(`Too many requests. Try again in ${PERIOD} seconds.`, PERIOD)
  refuseMuchRead(client, env, now)
}

const refuseMuchRead = (client: string, env: Env, now: number): void => {
  const most = rowsOf(env)
  const excess = rowsIn(buckets.get(client) ?? EMPTY, most, now) - most
  if (most === 0 || excess <= 0) return
  const seconds = Math.ceil((excess / most) * PERIOD)
  throw tooMuch(
    `Your requests of the last minute read more of the database than one client may read. Try again in ${seconds} seconds. To read less, add a filter, or enter a smaller area or a lower page.`,
    seconds,
  )
}

const END = (): void => {}

/** Waits while the client has AT_ONCE requests running. Throws a 429 if they read too much meanwhile. */
export const takeTurn = async (lease: Lease, client: string | null, env: Env): Promise<() => void> =>
  client === null ? END : turn(lease, client, AT_ONCE, () => refuseMuchRead(client, env, Date.now()))

/** Waits while the isolate works on another large body, of any client. Small bodies do not wait. */
export const takeLargeTurn = async (lease: Lease, bytes: number): Promise<() => void> =>
  bytes > LARGE ? turn(lease, 'large', 1) : END

/** Reads a batch of a stream when few others are being read. So the database can answer other requests in between. */
export const readInTurn = async <T>(lease: Lease, read: () => Promise<T>): Promise<T> => {
  const end = await turn(lease, 'batches', BATCHES_AT_ONCE)
  return read().finally(end)
}

/** Counts the bytes of an answer until it is sent. Throws a 503 if too many wait. */
const holdAnswer = (client: Client, bytes: number): Share => {
  const share = answers(client, { until: Date.now() + SENT_GONE })
  share.grow(bytes)
  return share
}

/** The client of a transfer. A key counts by itself, from any address. */
const clientWith = (address: string | null, { key }: Caller): Client => ({
  name: address === null ? null : (key?.id ?? address),
  hasKey: key !== null,
})

/**
 * Reads the body, if the address takes one and the caller's key may send it. Otherwise nobody reads it. Returns a
 * function that releases its bytes. Throws a 401 for a wrong key.
 */
const takeBody = async (c: RequestContext, lease: Lease, address: string | null): Promise<() => void> => {
  const { method } = c.req
  if (!['POST', 'PUT', 'PATCH'].includes(method) || !c.var.route?.methods.includes(method)) return END
  const caller = await callerAt(c)
  const mayWrite = caller.key?.write === true
  if (isWrite(c) && !mayWrite) return END
  const [most, advice] = isWrite(c)
    ? [Number(c.env.WRITE_LIMIT) || WRITE_LIMIT, 'Send fewer items, and the rest in another request.']
    : [Number(c.env.BODY_LIMIT) || BODY_LIMIT, 'Send a shorter query, such as a simpler geometry.']
  const share = bodies({ ...clientWith(address, caller), hasKey: mayWrite }, lease)
  const grow = (bytes: number) => {
    hold(lease, SMALL_LATE)
    share.grow(bytes)
  }
  try {
    c.var.admission.body = await readBody(c.req.raw, most, advice, grow)
    return share.end
  } catch (error) {
    share.end()
    throw error
  }
}

/**
 * Admits a request. It applies the client's limits, reads the body and waits for a free slot. Limits count by address,
 * so they also slow down a client that guesses keys.
 */
export const limit = async (c: RequestContext, next: () => Promise<void>): Promise<void> => {
  const client = clientOf(c.req.header('CF-Connecting-IP') ?? null)
  if (client !== null) await refuseExcess(client, c.env, Date.now())
  let stream: Share | undefined
  // A body may begin late.
  const lease = { until: Date.now() + SMALL_LATE }
  // Writes cost nothing here: they need a key, and a load of many events must not stop.
  const pay = client === null || isWrite(c) ? END : chargeRequest(client, c.env)
  c.set('admission', {
    // The statement of a client that left runs on, so it holds its turn meanwhile.
    onSend: (deadline) => hold(lease, deadline),
    onRead: (units) => {
      hold(lease)
      pay(units)
    },
    hold: (caller, bytes) => (client === null ? { end: END } : holdAnswer(clientWith(client, caller), bytes)),
    openStream: (caller) => {
      stream ??= holdAnswer(clientWith(client, caller), STREAM_BYTES)
      const { total } = stream
      return {
        inTurn: (read) => readInTurn(lease, read),
        batchRows: () => Math.floor((STREAM_ROWS * STREAM_BYTES) / total()),
      }
    },
  })
  const ends: (() => void)[] = []
  try {
    ends.push(await takeBody(c, lease, client))
    ends.push(await takeTurn(lease, client, c.env))
    ends.push(await takeLargeTurn(lease, c.var.admission.body?.byteLength ?? 0))
    await next()
  } finally {
    for (const end of ends) end()
    const { sent } = c.var.trace
    if (sent === undefined) stream?.end()
    else c.executionCtx.waitUntil(sent.then(stream?.end))
  }
}
