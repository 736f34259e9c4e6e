import type { Caller } from '../caller.ts'
import { forgetOldest } from '../collections.ts'
import type { Env } from '../env.ts'
import { isSame, type State } from '../state.ts'
import { dataCentre, inMemory, type Place, warn } from './places.ts'
import { BOOKMARK, type RequestContext } from './route.ts'
import { wantsNoCache } from './validators.ts'

/** A state of the data that a read saw. */
export interface Seen {
  readonly state: State
  /** The time just before the read, in milliseconds since 1970. */
  readonly at: number
}

/** The memory of an isolate about one database. It has plain data, because requests cannot share streams. */
export interface Memory {
  readonly answers: Place
  /** The last requests by their keys, and whether their answer was expensive. */
  readonly asked: Map<string, { readonly isExpensive: boolean }>
  /** The latest state of each access level, and the time when this isolate gave it to the data centre. */
  readonly states: Map<number, { readonly seen: Seen; readonly shared: number }>
  /** The bookmark of a write of this isolate. Null: the nearest copy of the database has the write. */
  written: string | null
  /** The end of the last write of this isolate, in milliseconds since 1970. A read that started earlier may lack it. */
  writtenAt: number
}

/** One memory per database, because a Worker may have several. */
const memories = new WeakMap<D1Database, Memory>()

export const memoryOf = ({ DB }: Env): Memory => {
  const memory = memories.get(DB) ?? {
    answers: inMemory(),
    asked: new Map(),
    states: new Map(),
    written: null,
    writtenAt: 0,
  }
  memories.set(DB, memory)
  return memory
}

const MAX_ASKED = 1024

export const noteCost = ({ asked }: Memory, key: string, isExpensive: boolean): void => {
  asked.delete(key)
  asked.set(key, { isExpensive })
  forgetOldest(asked, MAX_ASKED)
}

/** While the database fails, an answer may show a state that was read so many seconds ago. */
const STALE_SECONDS = 60

/** Returns the milliseconds for which a state is used without a read. 0: each request reads the state. */
const freshness = ({ STATE_SECONDS }: Env): number =>
  1000 * Math.min(STALE_SECONDS, Math.max(0, Number(STATE_SECONDS) || 0))

/** Returns true if the isolate keeps states and answers in its memory. */
export const isRemembering = (env: Env): boolean => freshness(env) > 0

/**
 * Returns true if a caller may get the answer of an earlier state. A caller with a key or a bookmark may have written.
 * `If-Match` may name a later state.
 */
export const takesEarlier = ({ env, req }: RequestContext, { key }: Caller): boolean =>
  isRemembering(env) &&
  key === null &&
  req.header(BOOKMARK) === undefined &&
  req.header('If-Match') === undefined &&
  !wantsNoCache(req.raw.headers)

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
  const bytes = await dataCentre.load(addressOf(c, level)).catch(warn)
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

/** Forgets all states after a write, because it may have changed each of them. `bookmark` is that of the write. */
export const noteWrite = ({ env }: RequestContext, bookmark: string | null): void => {
  const memory = memoryOf(env)
  memory.written = (isRemembering(env) && bookmark) || memory.written
  memory.writtenAt = Date.now()
  memory.states.clear()
}

/** Remembers a state that a request read, and gives it to the data centre if that has none as new. */
export const noteState = (c: RequestContext, level: number, seen: Seen): void => {
  const fresh = freshness(c.env)
  if (fresh === 0) return
  const memory = memoryOf(c.env)
  const before = memory.states.get(level)
  if (!remember(memory, level, seen, fresh)) return
  if (before !== undefined && isSame(before.seen.state, seen.state) && seen.at - before.shared < fresh) return
  memory.states.set(level, { seen, shared: seen.at })
  const text = new TextEncoder().encode(JSON.stringify(seen))
  c.executionCtx.waitUntil(dataCentre.store(addressOf(c, level), new Uint8Array(text), STALE_SECONDS).catch(warn))
}

/** The address of a state in the data centre. It has the host of the request, because the cache accepts no other. */
const addressOf = ({ req }: RequestContext, level: number): string => `${new URL(req.url).origin}/kept/state/${level}`
