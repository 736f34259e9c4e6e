import { ACCESS_LEVELS } from '../access.ts'
import type { Caller } from '../caller.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../engine/run/database.ts'
import { DatabaseFault } from '../errors.ts'
import type { State } from '../state.ts'
import type { AnswerCache, FoundAnswer } from './cache.ts'
import { freshState, memoryOf, noteState, noteWrite, type Seen, staleState } from './memory.ts'
import { BOOKMARK, type RequestContext } from './route.ts'
import { stateOf } from './validators.ts'

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

/** An answer, or null if the client has it. */
type Outcome = Omit<FoundAnswer, 'answer' | 'state'> & {
  readonly answer: FoundAnswer['answer'] | null
  readonly state: State
  /** The database failed, so the state may have passed. */
  readonly isStale: boolean
}

/** The preconditions that count before the answer is read. */
interface EarlyCheck {
  /** The answer has an entity tag, which needs the state of the data. */
  readonly isTagged: boolean
  readonly hasFirst: boolean
  /** Returns true if the client has the answer for a state that was read at a time. */
  readonly isHeld: (state: State, at: number) => boolean
}

/**
 * Finds the answer to a request: in a cache if the state of the data was read a moment ago, or else in the database. If
 * that fails, an answer of the last minute is better than none.
 */
export const readAnswer = async (
  c: RequestContext,
  db: Database,
  caches: AnswerCache,
  check: EarlyCheck,
): Promise<Outcome> => {
  const { takesEarlier } = caches
  const seen = takesEarlier ? await freshState(c, db.level) : null
  const known = seen && (await findAt(seen, caches, check))
  if (known !== null) return known
  try {
    return await readCurrent(db, seen, caches, check)
  } catch (error) {
    const stale = takesEarlier && error instanceof DatabaseFault ? await staleState(c, db.level) : null
    // The state may have passed, so the client cannot hear that its answer is current.
    const found = stale && (await findAt(stale, caches, { ...check, isHeld: () => false }))
    if (stale === null || found === null) throw error
    c.set('age', Math.floor((Date.now() - stale.at) / 1000))
    c.header('Age', String(c.var.age))
    return { ...found, isStale: true }
  }
}

/** Finds the answer for an earlier state without the database. */
const findAt = async (seen: Seen, caches: AnswerCache, { isHeld }: EarlyCheck): Promise<Outcome | null> => {
  const { state, at } = seen
  const found = isHeld(state, at) ? { answer: null } : await caches.find(seen)
  return found && { answer: found.answer, state, at, isStale: false }
}

const readCurrent = async (
  db: Database,
  seen: Seen | null,
  caches: AnswerCache,
  { isTagged, hasFirst, isHeld }: EarlyCheck,
): Promise<Outcome> => {
  const started = Date.now()
  // This check costs one row.
  if (hasFirst && seen === null) {
    await db.read()
    if (isHeld(stateOf(db), started)) return { answer: null, state: stateOf(db), at: started, isStale: false }
  }
  const { answer, state, at } = await caches.read(db, seen)
  if (isTagged && state === null) await db.read()
  return { answer, state: state ?? stateOf(db), at, isStale: false }
}
