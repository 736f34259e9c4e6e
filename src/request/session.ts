import { ACCESS_LEVELS } from '../access.ts'
import type { Caller } from '../caller.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../engine/run/database.ts'
import type { Env } from '../env.ts'
import { isSame, type State } from '../state.ts'
import { fromCentre, inCentre } from './cache.ts'
import { BOOKMARK, type RequestContext } from './route.ts'
import { STALE_SECONDS, stateSecondsOf } from './validators.ts'

/** A state of the data that a read saw. */
export interface Seen {
  readonly state: State
  /** The state was current at this time or later. Milliseconds since 1970. */
  readonly at: number
}

/** What an isolate knows about the states of a database. */
interface Memory {
  /** The latest state of each access level, and the time when this isolate gave it to the data centre. */
  readonly states: Map<number, { readonly seen: Seen; readonly shared: number }>
  /** The bookmark of a write of this isolate. Null: the nearest copy of the database has the write. */
  written: string | null
  /** The end of the last write of this isolate, in milliseconds since 1970. A read that started earlier may lack it. */
  writtenAt: number
}

/** One memory per database, because a Worker may have several. */
const memories = new WeakMap<D1Database, Memory>()

const memoryOf = ({ DB }: Env): Memory => {
  const memory = memories.get(DB) ?? { states: new Map(), written: null, writtenAt: 0 }
  memories.set(DB, memory)
  return memory
}

/** Returns the milliseconds for which a state is used without a read. 0: each request reads the state. */
const freshness = (env: Env): number => 1000 * stateSecondsOf(env)

/**
 * Returns a state that was read a moment ago. Null: read it from the database. Only a new isolate asks the data centre,
 * because each look-up takes time and an isolate reads few states a second.
 */
export const freshState = (c: RequestContext, level: number): Promise<Seen | null> =>
  stateWithin(c, level, freshness(c.env), !memoryOf(c.env).states.has(level))

/** Returns the latest state while the database fails. Null if it is too old. */
export const staleState = (c: RequestContext, level: number): Promise<Seen | null> =>
  stateWithin(c, level, 1000 * STALE_SECONDS, true)

const stateWithin = async (
  c: RequestContext,
  level: number,
  most: number,
  asksCentre: boolean,
): Promise<Seen | null> => {
  const memory = memoryOf(c.env)
  const known = memory.states.get(level)?.seen
  const isYoung = ({ at }: Seen) => at <= Date.now() && Date.now() - at < most
  if (known !== undefined && isYoung(known)) return known
  // The data centre may not know the last write of this isolate.
  if (!asksCentre || memory.written !== null) return null
  const bytes = await fromCentre(addressOf(c, level))
  const seen: Seen | null = bytes && JSON.parse(new TextDecoder().decode(bytes))
  if (seen === null || !isYoung(seen) || !remember(memory, level, seen, freshness(c.env))) return null
  return seen
}

/** Remembers a state, unless a later one is known. A copy of the database may lag behind another. */
const remember = ({ states, writtenAt }: Memory, level: number, seen: Seen, fresh: number): boolean => {
  if (seen.at < writtenAt) return false
  const { seen: known, shared = 0 } = states.get(level) ?? {}
  const ahead = known === undefined ? 1 : seen.state.revision - known.state.revision
  // A restored database has a lower revision, so a low one counts as soon as the known one is stale.
  const isLater =
    known === undefined || ahead > 0 || (seen.at >= known.at && (ahead === 0 || seen.at - known.at >= fresh))
  if (isLater) states.set(level, { seen, shared })
  return isLater
}

/** Remembers a state that a request read, and gives it to the data centre if that has none as new. */
const noteState = (c: RequestContext, level: number, seen: Seen): void => {
  const fresh = freshness(c.env)
  if (fresh === 0) return
  const memory = memoryOf(c.env)
  const before = memory.states.get(level)
  if (!remember(memory, level, seen, fresh)) return
  if (before !== undefined && isSame(before.seen.state, seen.state) && seen.at - before.shared < fresh) return
  memory.states.set(level, { seen, shared: seen.at })
  inCentre(c, addressOf(c, level), new Uint8Array(new TextEncoder().encode(JSON.stringify(seen))), STALE_SECONDS)
}

/** Forgets all states after a write, because it may have changed each of them. `bookmark` is that of the write. */
const noteWrite = ({ env }: RequestContext, bookmark: string | null): void => {
  const memory = memoryOf(env)
  memory.written = (freshness(env) > 0 && bookmark) || memory.written
  memory.writtenAt = Date.now()
  memory.states.clear()
}

/** The address of a state in the data centre. It has the host of the request, because the cache accepts no other. */
const addressOf = ({ req }: RequestContext, level: number): string => `${new URL(req.url).origin}/kept/state/${level}`

/** Returns true if a caller may see the cost of a request. The cost can reveal something about hidden rows. */
export const seesCost = ({ env }: RequestContext, level: number): boolean =>
  env.SHOW_COST === 'true' || level >= ACCESS_LEVELS.Hidden

/**
 * Opens a database for one request, and reports the cost and the bookmark at the end. Planning ends here. After a write
 * of this isolate, the next read names its bookmark. A copy that lags behind would otherwise answer with an old state.
 * A bookmark moves with each write, also a hidden one. So only writers, and callers with a key or a bookmark, get it.
 */
export const withDatabase = async <T>(
  c: RequestContext,
  { level, key }: Caller,
  options: Omit<DatabaseOptions, 'bookmark' | 'onRead'>,
  use: (db: Database) => Promise<T>,
): Promise<T> => {
  const [planned, at] = [performance.now(), Date.now()]
  const memory = memoryOf(c.env)
  const { written } = memory
  const sent = c.req.header(BOOKMARK) ?? null
  const reading = options.primary ? {} : { bookmark: sent ?? written, onRead: c.get('onRead') }
  const db = openDatabase(c.env.DB, level, { ...options, ...reading })
  try {
    return await use(db)
  } finally {
    const [state, bookmark] = [db.state(), db.bookmark()]
    const isTold = options.primary === true || key !== null || sent !== null
    if (bookmark !== null && isTold) c.header(BOOKMARK, bookmark)
    if (options.primary) noteWrite(c, bookmark)
    // The copy that answered has the write now.
    else if (sent === null && db.cost.roundTrips > 0 && memory.written === written) memory.written = null
    if (state !== null && !options.primary) noteState(c, level, { state, at })
    const { cacheUse = 'none', age } = c.var
    c.set('timing', { cost: db.cost, cacheUse, age, planned, paged: performance.now(), open: seesCost(c, level) })
  }
}
