import { makeBudget, type Share } from './budget.ts'
import type { Env } from './env.ts'
import { tooManyRequests, tooMuchRead, unavailable } from './errors.ts'
import { forgetOldest, turn } from './turns.ts'

const PERIOD = 60 // seconds, as in wrangler.toml
/** Of how many clients an isolate knows what they read: some 100 bytes each. */
const MAX_CLIENTS = 5000
/** The price of a read that was given up, in rows: D1 goes on with it, and tells nobody how much it reads. */
const GIVEN_UP = 1_000_000

/** What a client read lately, in rows of the database, and when that was true, in milliseconds since 1970. */
interface Bucket {
  readonly rows: number
  readonly at: number
}

/** How many requests of one client an isolate works at: a database answers one after the other anyway. Others wait. */
const AT_ONCE = 3
/** Bytes of a large body. An isolate works at one of these at a time: it may take up to 100 MB of its 128. */
const LARGE = 500_000
/** A request with a large body that runs for so many milliseconds was cancelled. The slowest took a tenth of them. */
const LARGE_GONE = 120_000
/** An isolate sends so many streams to one client at a time, and to all clients. Each holds a batch of rows, some 7 MB. */
const CLIENT_STREAMS = 4
const ALL_STREAMS = 20
/** A stream that runs for so many milliseconds was cancelled. */
const STREAM_GONE = 3_600_000

/** An isolate reads so many batches of streams at a time. */
const BATCHES_AT_ONCE = 2

const streams = makeBudget(CLIENT_STREAMS, ALL_STREAMS, STREAM_GONE)

/** The clients of the last minutes, the latest last. In time their rows flow out, as many a minute as one may read. */
const buckets = new Map<string, Bucket>()

/** Addresses that no client of Cloudflare has: this machine, and networks of one's own. */
const LOCAL = /^(127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\.|^0:0:0:0$|^f[cd][0-9a-f]{2}:|^fe80:/

/** What tells a client from others: its address, of IPv6 the first 64 bits; null where it is not limited. */
export const clientOf = (address: string | null): string | null => {
  const plain = (address ?? '').toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
  const client = plain.includes(':') ? networkOf(plain) : plain
  return client === '' || LOCAL.test(client) ? null : client
}

/** The first 64 bits of an address of IPv6, as four groups. */
const networkOf = (address: string): string => {
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  const groups = [...before, ...zeros, ...after].slice(0, 4)
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')
}

/** Throws a 429 for a client that asked too often, or read too much in the last minute. */
export const refuseExcess = async (client: string | null, env: Env, now: number): Promise<void> => {
  if (client === null) return
  const { success } = (await env.RATE_LIMITER?.limit({ key: client })) ?? { success: true }
  if (!success) throw tooManyRequests(PERIOD)
  refuseMuchRead(client, env, now)
}

const refuseMuchRead = (client: string, env: Env, now: number): void => {
  const most = rowsOf(env)
  const excess = most === 0 ? 0 : rowsAt(client, most, now) - most
  if (excess > 0) throw tooMuchRead(Math.ceil((excess / most) * PERIOD))
}

/**
 * Waits until it is the turn of a request, where its client sent many at once; what they have read by then counts. Answers
 * what is to be called when the request ends.
 */
export const takeTurn = (client: string | null, env: Env, clock: () => number): Promise<() => void> =>
  client === null || rowsOf(env) === 0
    ? Promise.resolve(() => {})
    : turn(client, AT_ONCE, clock, () => refuseMuchRead(client, env, clock()))

/** Waits until no other large body is worked at, whoever sent it. Small ones do not wait. */
export const takeLargeTurn = (bytes: number, clock: () => number): Promise<() => void> =>
  bytes > LARGE ? turn('large', 1, clock, undefined, LARGE_GONE) : Promise.resolve(() => {})

/** Counts a stream until it ends. Throws a 503 for one too many. */
export const takeStream = (client: string | null, now: number): Share => {
  const share = streams(client, now)
  if (share.grow(1)) return share
  share.end()
  throw unavailable(
    `One client downloads at most ${CLIENT_STREAMS} whole results at a time, and the service sends ${ALL_STREAMS}. Try again in a few seconds.`,
  )
}

/** Reads a batch of a stream in its turn, so that the database answers others in between. */
export const readInTurn = async <T>(read: () => Promise<T>, clock: () => number): Promise<T> => {
  const end = await turn('batches', BATCHES_AT_ONCE, clock)
  try {
    return await read()
  } finally {
    end()
  }
}

/** Adds the rows of one round trip to a client's bucket. Null: the read was given up, and has a fixed price. */
export const charge = (client: string | null, env: Env, rows: number | null, now: number): void => {
  const most = rowsOf(env)
  if (client === null || most === 0) return
  const price = rows ?? Math.min(GIVEN_UP, most)
  const bucket = { rows: rowsAt(client, most, now) + price, at: now }
  buckets.delete(client)
  buckets.set(client, bucket)
  forgetOldest(buckets, MAX_CLIENTS)
}

/** How many rows one client may read in a minute; 0: as many as it likes. */
const rowsOf = ({ ROWS_PER_MINUTE }: Env): number => Math.max(0, Number(ROWS_PER_MINUTE) || 0)

const rowsAt = (client: string, most: number, now: number): number => {
  const { rows, at } = buckets.get(client) ?? { rows: 0, at: now }
  return Math.max(0, rows - ((now - at) / (PERIOD * 1000)) * most)
}
