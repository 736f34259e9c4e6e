import type { SQL } from 'drizzle-orm'
import { IS_COPY } from '../../../schema/tables.ts'
import {
  ApiError,
  badRequest,
  beingLoaded,
  DatabaseFault,
  databaseFull,
  permissionDenied,
  unavailable,
} from '../../base/errors.ts'
import { makeWork, type Work } from '../../base/work.ts'
import { DataChanged, type OnRead, type Reader, type Seen, type Session } from '../engine.ts'
import { CHEAP_DEADLINE, DEADLINE, PAUSE, WRITE_DEADLINE } from '../limits.ts'
import type { State } from '../state.ts'
import { type Answers, connect, Late, type ReadProgress } from './connection.ts'
import type { Estimates } from './estimates.ts'

/** Reads the rows of each query from one snapshot in one round trip. Without queries it reads only the state. */
export type ReadRows = <Queries extends SQL[]>(...queries: Queries) => Promise<Answers<Queries>>

/** Reads rows, and counts the work of the request. */
export type RowReader = ReadRows & {
  readonly work: Work
  /** Returns what the isolate knows about the data, for a plan. The first read of the request renews it if it is old. */
  readonly estimates: () => Estimates
  /** The state that all reads saw. Null: before the first read, or if the data changed between them. */
  readonly state: () => State | null
}

/** A computation starts so many times before it reads on across a write. */
const MAX_ATTEMPTS = 3

/** The database of one request. It sums the costs that D1 reports. */
export interface Database extends Seen, Pick<Reader, 'level' | 'atOneState'> {
  readonly read: RowReader
  /**
   * Runs all statements or none, then reads the rows of each query. It never retries, because a retry might write
   * twice. Returns null if a constraint or guard refused the batch, or if the connection broke. The caller then reads
   * again. Throws a 503 if the database is overloaded or too slow, and a 507 if it is full.
   */
  readonly write: <Queries extends SQL[]>(
    statements: readonly Statement[],
    ...queries: Queries
  ) => Promise<Answers<Queries> | null>
}

/**
 * Opens a D1 database for a request. A request that writes is `primary`: it reads the newest data. It reads from the nearest replica that is as new as the
 * bookmark. A transient error is retried once, at the primary. So is a late cheap read. An expensive read is not retried
 * if it is late, because a second one would double the load.
 */
export const openDatabase = (d1: D1Database, session: Session, primary = false): Database => {
  const { level, cheap = false, onRead = () => {} } = session
  const { attempt, usePrimary, seen, estimates, ...known } = connect(d1, session, primary)
  const ask: ReadRows = async (...queries) => {
    const isCheap = !primary && (cheap || queries.length === 0)
    try {
      return await attempt(queries, [], isCheap ? CHEAP_DEADLINE : DEADLINE)
    } catch (error) {
      const isLate = isCheap && error instanceof Late
      if (!isLate && faultKindOf(error) !== 'transient') throw giveUp(error, isCheap, onRead)
      log('warning', 'tried again', error)
      if (!isLate) await pause()
      // The primary may not know the bookmark, and a replica may lag behind it. So the retry goes to the primary alone.
      usePrimary()
      return await attempt(queries, [], isLate ? DEADLINE - CHEAP_DEADLINE : DEADLINE).catch((again: unknown) => {
        throw giveUp(again, isCheap, onRead)
      })
    }
  }
  const read: ReadRows = async (...queries) => {
    const answers = await ask(...queries)
    if (seen.isStrict && !seen.isOneState) throw new DataChanged()
    return answers
  }
  const write: Database['write'] = async (statements, ...queries) => {
    try {
      return await attempt(queries, statements, WRITE_DEADLINE)
    } catch (error) {
      if (String(error).includes(IS_COPY)) throw permissionDenied(ONLY_A_COPY)
      const isRefused = isRefusal(error)
      if (!isRefused && faultKindOf(error) !== 'transient') throw giveUp(error, true, onRead)
      log('warning', 'refused a write', error)
      if (!isRefused) await pause()
      // Only the first query of a session goes to the primary. A replica may not have the rows that refused the batch
      // yet.
      usePrimary()
      return null
    }
  }
  const state = (): State | null => (seen.isOneState ? known.state() : null)
  return {
    ...known,
    read: Object.assign(read, { work: makeWork(onRead), estimates, state }),
    atOneState: attemptsOn(seen),
    write,
    level,
    isOneState: () => seen.isOneState,
    bookmark: () => seen.bookmark,
  }
}

/** Returns a function that runs a computation on one state of the data. */
const attemptsOn =
  (seen: ReadProgress): Database['atOneState'] =>
  async (compute) => {
    for (let attempts = 1; ; attempts++) {
      Object.assign(seen, { first: null, isOneState: true, isStrict: attempts < MAX_ATTEMPTS })
      try {
        return await compute()
      } catch (error) {
        if (!(error instanceof DataChanged)) throw error
        // Only a client that asks for one moment gets here.
        if (attempts === MAX_ATTEMPTS) throw unavailable(TOO_MANY_WRITES)
      } finally {
        seen.isStrict = false
      }
    }
  }

const ONLY_A_COPY = 'This service is a copy of another one, and takes no writes. Write to the service that it follows.'

const TOO_MANY_WRITES =
  'The data changes too often to send one moment of it. Leave consistent out, or try again in a few seconds.'

/**
 * The kind of an error of D1. `transient`: the same query may succeed a moment later. `overload`: the database needs
 * fewer or smaller queries. `full`: it stores nothing more. `ours`: the SQL or the schema is wrong, so no retry helps.
 */
type FaultKind = 'transient' | 'overload' | 'full' | 'ours'

/** D1 recommends a retry after these messages (developers.cloudflare.com/d1/observability/debug-d1/). */
const TRANSIENT =
  /Network connection lost|reset because its code was updated|Internal error .*storage|due to transient issue|Invalid bookmark/
const OURS =
  /SQLITE_(ERROR|TOOBIG|MISMATCH|RANGE|CONSTRAINT|NOMEM|AUTH)|constraint failed|D1_TYPE_ERROR|D1_COLUMN_NOTFOUND/

/** A database has its greatest size, or an account has, or a disk is full. */
const FULL = /Exceeded maximum (?:DB size|account storage)|maximum account storage limit|SQLITE_FULL|disk is full/i

/** Classifies an error by parts of its message, as D1 has no codes. An unknown error counts as overload. */
export const faultKindOf = (error: unknown): FaultKind => {
  const message = String(error)
  if (error instanceof ApiError || OURS.test(message)) return 'ours'
  if (FULL.test(message)) return 'full'
  return TRANSIENT.test(message) ? 'transient' : 'overload'
}

/** Returns true if a constraint or a guard refused a batch. The guard is `json('')`, see src/store/statement.ts. */
export const isRefusal = (error: unknown): boolean =>
  /SQLITE_CONSTRAINT|constraint failed|malformed JSON/.test(String(error))

/**
 * Returns true during a bulk load. The load drops the indexes of the events (seed/load/indexes.ts), and every plan
 * names its index.
 */
export const isLoading = (error: unknown): boolean => /no such index/.test(String(error))

/** Returns the error for the client after an error of D1 that is not retried. */
const giveUp = (error: unknown, isCheap: boolean, onRead: OnRead): unknown => {
  if (isLoading(error)) return beingLoaded()
  // Lookups without case replace each letter. D1 limits the length and the depth of a statement.
  if (/statement too long|Expression tree is too large/.test(String(error)))
    return badRequest('These filters are too long together. Send fewer or shorter filters.')
  const kind = faultKindOf(error)
  const isMigrated = !/no such (?:table|column)/.test(String(error))
  if (kind === 'ours' && isMigrated) return error
  log('error', kind === 'full' ? 'full' : 'given up', error)
  if (!isMigrated) return notMigrated()
  // Only a write needs room.
  if (kind === 'full') return databaseFull()
  if (kind === 'overload' && !isCheap) onRead(null)
  return new DatabaseFault()
}

/** Logs an error of the database. */
const log = (level: 'warning' | 'error', what: string, error: unknown): void =>
  console.error(JSON.stringify({ level, message: `database: ${what}`, error: String(error) }))

const pause = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, PAUSE.least + Math.random() * (PAUSE.most - PAUSE.least)))

const notMigrated = () =>
  unavailable(
    'The database lacks tables or columns of this version. Its operator must apply the migrations: npm run wrangler -- d1 migrations apply DB --remote',
  )

/** An SQL statement with its parameters. They are texts, because D1 binds every number as a double. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly string[]
}
