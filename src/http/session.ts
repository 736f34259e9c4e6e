import { ACCESS_LEVELS } from '../base/access.ts'
import { keptFor } from '../base/collections.ts'
import { notFound } from '../base/errors.ts'
import { type Database, openDatabase } from '../engine/d1/database.ts'
import { readerOf } from '../engine/d1/engine.ts'
import type { Cost, Engine, FoundItem, Key, Reader, Seen, Session } from '../engine/engine.ts'
import type { State } from '../engine/state.ts'
import type { Owner, Resource } from '../lists/resource.ts'
import type { Links } from '../model/kinds.ts'
import type { FieldName } from '../question/fields.ts'
import type { Caller } from './caller.ts'
import type { Bound } from './env.ts'
import { BOOKMARK, type RequestContext } from './route.ts'
import { stateSecondsOf } from './validators.ts'

export interface SeenState {
  readonly state: State
  /** The state was current at this time or later. Milliseconds since 1970. */
  readonly at: number
}

/** The memory of an isolate about a database. */
interface Memory {
  readonly states: Map<number, SeenState>
  /** The bookmark of a write of this isolate. Null: the nearest copy of the database has the write. */
  written: string | null
  /** The end of the last write of this isolate, in milliseconds since 1970. A read that started earlier may lack it. */
  writtenAt: number
}

const memoryOf = keptFor((_: Engine): Memory => ({ states: new Map(), written: null, writtenAt: 0 }))

/** Returns the state of a level that this isolate read less than so many seconds ago. Null: it read none. */
export const recentState = (env: Bound, level: number, seconds = stateSecondsOf(env)): SeenState | null => {
  const seen = memoryOf(env.ENGINE).states.get(level)
  const age = seen === undefined ? 0 : Date.now() - seen.at
  return seen !== undefined && age >= 0 && age < 1000 * seconds ? seen : null
}

/** Remembers a state that a request read, unless a later one is known. A copy of the database may lag behind another. */
const noteState = (env: Bound, level: number, seen: SeenState): void => {
  const { states, writtenAt } = memoryOf(env.ENGINE)
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
 * Opens the engine for one request, and reports the cost and the bookmark at the end. After a write of this isolate,
 * the next read names its bookmark. A copy that lags behind would otherwise answer with an old state.
 */
export const withReader = async <T>(
  c: RequestContext,
  caller: Caller,
  options: Pick<Session, 'cheap' | 'explain' | 'newest'>,
  use: (reader: Reader) => Promise<T>,
): Promise<T> => {
  const { memory, written, sent, session, end } = begin(c, caller)
  const at = Date.now()
  const reader = c.env.ENGINE.open({ ...session, ...options })
  try {
    return await use(reader)
  } finally {
    const state = reader.state()
    // The copy that answered has the write now.
    if (sent === null && reader.cost.roundTrips > 0 && memory.written === written) memory.written = null
    if (state !== null) noteState(c.env, caller.level, { state, at })
    end(reader, caller.key !== null)
  }
}

/** Opens the database for a request that writes. The next requests of this isolate see the write. */
export const withDatabase = async <T>(
  c: RequestContext,
  caller: Caller,
  use: (db: Database, reader: Reader) => Promise<T>,
): Promise<T> => {
  const { memory, written, session, end } = begin(c, caller)
  const db = openDatabase(c.env.DB, session, true)
  try {
    return await use(db, readerOf(db))
  } finally {
    // The write may have changed the state of each level.
    memory.states.clear()
    memory.writtenAt = Date.now()
    if (stateSecondsOf(c.env) > 0) memory.written = db.bookmark() ?? written
    end(db, true)
  }
}

/** Begins a session. `end` reports it. A bookmark moves with each write, also a hidden one, so few callers get it. */
const begin = (c: RequestContext, { level }: Caller) => {
  const asked = performance.now()
  const { trace, admission } = c.var
  const memory = memoryOf(c.env.ENGINE)
  const { written } = memory
  const sent = c.req.header(BOOKMARK) ?? null
  const { onSend, onRead } = admission
  const end = (seen: Seen, showsBookmark: boolean) => {
    const bookmark = seen.bookmark()
    if (bookmark !== null && showsBookmark) c.header(BOOKMARK, bookmark)
    Object.assign(trace, { cost: withEarlier(seen.cost, trace.cost), asked, read: performance.now() })
  }
  const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work)
  const session = { level, bookmark: sent ?? written, onSend, onRead, signal: c.req.raw.signal, waitUntil }
  return { memory, written, sent, session, end }
}

/** Adds the cost of an earlier session of the same request. */
const withEarlier = (cost: Cost, earlier: Cost | undefined): Cost =>
  earlier === undefined
    ? cost
    : {
        ...cost,
        roundTrips: earlier.roundTrips + cost.roundTrips,
        rowsRead: earlier.rowsRead + cost.rowsRead,
        estimateRows: earlier.estimateRows + cost.estimateRows,
        milliseconds: earlier.milliseconds + cost.milliseconds,
      }

/** Reads an item of a list. Throws a 404 if the caller does not see it. `owner` has the only items of the list. */
export const itemIn = async (
  reader: Pick<Reader, 'item'>,
  { list, find }: Pick<Resource, 'list' | 'find'>,
  named: string,
  fields: readonly FieldName[],
  owner: Owner | null = null,
): Promise<FoundItem> => {
  const key = keyUnder(find(named), owner)
  const item = key && (await reader.item(list, key, { fields }))
  if (item === null) throw notFound()
  return item
}

/** Returns the key of an item in the list of an owner. */
export const keyUnder = (key: Key | null, owner: Owner | null): Key | null =>
  key !== null && owner !== null && 'id' in key ? { ...key, series: owner.id } : key

/**
 * Reads the item of another list that owns the list at an address. Throws a 404 if the caller does not see it. Null: the
 * list has no owner.
 */
export const ownerIn = async (
  c: RequestContext,
  { under }: Resource,
  reader: Pick<Reader, 'item'>,
): Promise<Owner | null> => {
  if (under === undefined) return null
  const { parent } = under
  const { row } = await itemIn(reader, parent, c.req.param(parent.key.name) ?? '', ['id', 'uuid'])
  return row as unknown as Owner // it has both fields
}

/** Returns a path in which the uuid of an owner stands. */
export const pathUnder = (path: string, owner: Owner | null): string =>
  owner === null ? path : path.replace(':uuid', owner.uuid)

/** Returns links with the uuid of an owner in their paths. */
export const linksUnder = (links: Links, owner: Owner | null): Links =>
  owner === null ? links : { to: (path) => links.to(pathUnder(path, owner)) }
