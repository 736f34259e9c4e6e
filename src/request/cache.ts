import type { Caller } from '../caller.ts'
import type { Database } from '../engine/run/database.ts'
import type { Condition } from '../filters/filter.ts'
import { formatState, type State } from '../state.ts'
import { isRemembering, memoryOf, noteCost, type Seen, takesEarlier } from './memory.ts'
import { type Answer, dataCentre, decodeAnswer, encodeAnswer, type Place, warn } from './places.ts'
import { answerVersion } from './read.ts'
import type { RequestContext } from './route.ts'
import { stateOf, wantsNoCache } from './validators.ts'

/** How the caches serve a request. */
export interface CacheRules {
  /** Tries the caches before the read, see `worthCaching`. */
  readonly expensive: boolean
  /** Every read takes a few milliseconds, see `isCheap`. */
  readonly cheap: boolean
  /** Seconds until an entry expires. By default it is a day. */
  readonly seconds?: number
}

/** Seconds until an entry expires. Its key contains the state of the data, which makes a stale entry unreachable. */
const SECONDS = 86_400
const MAX_BYTES = 1_000_000
/** A small read has at most so many rows and round trips. */
const FEW_ROWS = 500
const FEW_TRIPS = 2

/**
 * Returns true if the read may be expensive, so that the Worker tries the caches first. That costs a round trip for the
 * state of the data. If false, the cost of the last equal read in this isolate decides.
 */
export const worthCaching = (conditions: readonly Condition[], rows: number): boolean =>
  rows > FEW_ROWS || conditions.length > 1 || !conditions.every(isCounted)

const isCounted = (condition: Condition): boolean => condition.kind === 'range' || namesFew(condition)

/** Returns true if a page has few rows and its filters name few rows. Each read of it then takes a few milliseconds. */
export const isCheap = (conditions: readonly Condition[], rows: number): boolean =>
  rows <= FEW_ROWS && conditions.every(namesFew)

const namesFew = (condition: Condition): boolean => condition.kind === 'entries' && condition.few === true

/** An answer and the state of the data that it shows. */
export interface FoundAnswer {
  readonly answer: Answer
  /** Null: the answer has no rows, and nothing was read. */
  readonly state: State | null
  /** The state was current at this time or later. Milliseconds since 1970. */
  readonly at: number
}

/** The caches of the answers to a request. */
export interface AnswerCache {
  /** The caller may get the answer of an earlier state. */
  readonly takesEarlier: boolean
  /** Returns the answer for a state of the data. Null: no cache has it. */
  readonly find: (seen: Seen) => Promise<FoundAnswer | null>
  /** Finds the answer for the current state, or else reads it and stores it. `seen`: no cache has it for this state. */
  readonly read: (db: Database, seen: Seen | null) => Promise<FoundAnswer>
}

/** A request whose answer is cached. */
interface Cached {
  readonly c: RequestContext
  /** Identifies the request and the level of the caller. */
  readonly key: string
  readonly takesEarlier: boolean
  readonly isExpensive: boolean
  readonly seconds: number
  /** The caches, the nearest one first. */
  readonly places: readonly Place[]
  readonly fetch: (db: Database) => Promise<FoundAnswer>
}

/**
 * Returns the caches of the answers to a request: the memory of the isolate, then the data centre. Without
 * STATE_SECONDS there is no memory. Nothing is cached if the client forbids it, or if the version of the code is
 * unknown.
 */
export const answerCache = (
  c: RequestContext,
  caller: Caller,
  key: string,
  rules: CacheRules | null,
  fetchAnswer: (db: Database) => Promise<Answer>,
): AnswerCache => {
  const isOff = answerVersion(c.env) === null || wantsNoCache(c.req.raw.headers)
  const isEarlier = !isOff && takesEarlier(c, caller)
  const fetch = async (db: Database): Promise<FoundAnswer> => {
    const at = Date.now()
    return { answer: await fetchAnswer(db), state: db.state(), at }
  }
  if (isOff || rules === null || (rules.cheap && !isEarlier))
    return { takesEarlier: isEarlier, find: async () => null, read: fetch }
  const { answers, asked } = memoryOf(c.env)
  const before = asked.get(key)
  const isExpensive = rules.expensive || before?.isExpensive === true
  // A cheap request that comes once does not wait for the data centre.
  const places = [...(isRemembering(c.env) ? [answers] : []), ...(isExpensive || before ? [dataCentre] : [])]
  const { seconds = SECONDS } = rules
  const cached: Cached = { c, key, takesEarlier: isEarlier, isExpensive, seconds, places, fetch }
  return {
    takesEarlier: isEarlier,
    find: (seen) => find(cached, seen),
    read: (db, seen) => (isExpensive ? readExpensive(cached, db, seen) : compute(cached, db)),
  }
}

const find = async (cached: Cached, { state, at }: Seen): Promise<FoundAnswer | null> => {
  const { c, places, seconds } = cached
  const address = addressOf(cached, state)
  const answer = address === null ? null : await load(c, places, address, seconds)
  if (answer === null) c.set('cacheUse', 'miss')
  return answer && { answer, state, at }
}

/** Reads an answer, and stores it. Notes its cost for the next equal request. */
const compute = async (cached: Cached, db: Database): Promise<FoundAnswer> => {
  const { c, key, takesEarlier, places, seconds, fetch } = cached
  const found = await fetch(db)
  const { rowsRead, roundTrips } = db.cost
  const isExpensive = rowsRead > FEW_ROWS || roundTrips > FEW_TRIPS
  noteCost(memoryOf(c.env), key, isExpensive)
  const address = found.state && db.isOneState() ? addressOf(cached, found.state) : null
  const stores = isExpensive ? [...new Set([...places, dataCentre])] : takesEarlier ? places : []
  if (address !== null) store(c, stores, address, found.answer, seconds)
  return found
}

/** Finds the answer for the current state, or else computes it. */
const readExpensive = async (cached: Cached, db: Database, seen: Seen | null): Promise<FoundAnswer> => {
  if (seen !== null) return compute(cached, db)
  const at = Date.now()
  if (db.state() === null) await db.read()
  return (await find(cached, { state: stateOf(db), at })) ?? compute(cached, db)
}

/**
 * Returns the address of an answer in the caches. It has the host of the request, because the data centre accepts no
 * other. It is null if the time of the last write is unknown, because two states may then look equal.
 */
const addressOf = ({ c, key }: Cached, state: State): string | null =>
  state.changed === 0 ? null : `${new URL(c.req.url).origin}/kept/${formatState(state)}/${key}`

const load = async (
  c: RequestContext,
  places: readonly Place[],
  address: string,
  seconds: number,
): Promise<Answer | null> => {
  for (const [i, place] of places.entries()) {
    const bytes = await place.load(address).catch(warn)
    if (bytes === null) continue
    c.set('cacheUse', place === dataCentre ? 'hit' : 'isolate')
    for (const nearer of places.slice(0, i)) await nearer.store(address, bytes, seconds)
    return decodeAnswer(bytes)
  }
  return null
}

const store = (c: RequestContext, places: readonly Place[], address: string, answer: Answer, seconds: number): void => {
  const bytes = places.length > 0 ? encodeAnswer(answer) : null
  if (bytes === null || bytes.length > MAX_BYTES) return
  for (const place of places) c.executionCtx.waitUntil(place.store(address, bytes, seconds).catch(warn))
}
