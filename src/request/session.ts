import { ACCESS_LEVELS } from '../access.ts'
import type { Caller } from '../caller.ts'
import { keptFor } from '../collections.ts'
import type { DatabaseOptions } from '../engine/run/connection.ts'
import { type Database, openDatabase } from '../engine/run/database.ts'
import { fetchItem } from '../engine/run/rows.ts'
import type { Env } from '../env.ts'
import { notFound } from '../errors.ts'
import type { Resource } from '../resource.ts'
import type { State } from '../state.ts'
import { BOOKMARK, type RequestContext } from './route.ts'
import { stateSecondsOf } from './validators.ts'

export interface Seen {
  readonly state: State
  /** The state was current at this time or later. Milliseconds since 1970. */
  readonly at: number
}

/** The memory of an isolate about a database. */
interface Memory {
  readonly states: Map<number, Seen>
  /** The bookmark of a write of this isolate. Null: the nearest copy of the database has the write. */
  written: string | null
  /** The end of the last write of this isolate, in milliseconds since 1970. A read that started earlier may lack it. */
  writtenAt: number
}

const memoryOf = keptFor((_: D1Database): Memory => ({ states: new Map(), written: null, writtenAt: 0 }))

/** Returns the state of a level that this isolate read less than so many seconds ago. Null: it read none. */
export const recentState = (env: Env, level: number, seconds = stateSecondsOf(env)): Seen | null => {
  const seen = memoryOf(env.DB).states.get(level)
  const age = seen === undefined ? 0 : Date.now() - seen.at
  return seen !== undefined && age >= 0 && age < 1000 * seconds ? seen : null
}

/** Remembers a state that a request read, unless a later one is known. A copy of the database may lag behind another. */
const noteState = (env: Env, level: number, seen: Seen): void => {
  const { states, writtenAt } = memoryOf(env.DB)
  if (seen.at < writtenAt) return
  const known = states.get(level) ?? { state: { revision: -1 }, at: 0 }
  const ahead = seen.state.revision - known.state.revision
  // A restored database has a lower revision, so a low one counts as soon as the known one is stale.
  const isFresh = seen.at >= known.at + (ahead < 0 ? 1000 * stateSecondsOf(env) : 0)
  if (ahead > 0 || isFresh) states.set(level, seen)
}

/** Returns true if a caller may see the cost of a request. The cost can reveal something about hidden rows. */
export const seesCost = ({ env }: RequestContext, level: number): boolean =>
  env.SHOW_COST === 'true' || level >= ACCESS_LEVELS.Hidden

/**
 * Opens a database for one request, and reports the cost and the bookmark at the end. Planning ends here. After a write
 * of this isolate, the next read names its bookmark. A copy that lags behind would otherwise answer with an old state.
 * A bookmark moves with each write, also a hidden one. So only writers and callers with a key get it.
 */
export const withDatabase = async <T>(
  c: RequestContext,
  { level, key }: Caller,
  options: Omit<DatabaseOptions, 'bookmark' | 'onSend' | 'onRead'>,
  use: (db: Database) => Promise<T>,
): Promise<T> => {
  const [planned, at] = [performance.now(), Date.now()]
  const { trace, admission } = c.var
  const memory = memoryOf(c.env.DB)
  const { written } = memory
  const sent = c.req.header(BOOKMARK) ?? null
  const { onSend, onRead } = admission
  const db = openDatabase(c.env.DB, level, { ...options, bookmark: sent ?? written, onSend, onRead })
  try {
    return await use(db)
  } finally {
    const [state, bookmark] = [db.state(), db.bookmark()]
    if (bookmark !== null && (options.primary || key !== null)) c.header(BOOKMARK, bookmark)
    if (options.primary) {
      // The write may have changed the state of each level.
      memory.states.clear()
      memory.writtenAt = Date.now()
      if (stateSecondsOf(c.env) > 0) memory.written = bookmark ?? written
    } else {
      // The copy that answered has the write now.
      if (sent === null && db.cost.roundTrips > 0 && memory.written === written) memory.written = null
      if (state !== null) noteState(c.env, level, { state, at })
    }
    Object.assign(trace, { cost: db.cost, planned, read: performance.now() })
  }
}

/**
 * Returns the list at an address. It may belong to an item of another list: throws a 404 if the caller does not see
 * that item.
 */
export const listUnder = async (c: RequestContext, resource: Resource, db: Database): Promise<Resource> => {
  const { under } = resource
  if (under === undefined) return resource
  const { parent, of } = under
  const row = await fetchItem(db, parent, parent.find(c.req.param(parent.key.name) ?? ''))
  if (row === null) throw notFound()
  return of(row)
}
