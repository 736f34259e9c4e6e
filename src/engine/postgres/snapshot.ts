import { type SQL, sql } from 'drizzle-orm'
import { DatabaseFault } from '../../base/errors.ts'
import { makeWork, type Work } from '../../base/work.ts'
import type { Row, Session } from '../engine.ts'
import type { State } from '../state.ts'
import { inspect } from './check.ts'
import type { Door } from './connection.ts'
import { faultOf, ViewsChanged } from './faults.ts'
import { FENCE, literal } from './sql.ts'
import { type Noted, type StateRow, type Transaction, transactionOn } from './transaction.ts'
import { SHAPE, type Views, withoutFaults } from './views.ts'

/** The rows of each query. A template may declare the type of its rows. */
type Answers<Queries extends readonly SQL[]> = { -readonly [I in keyof Queries]: RowsOf<Queries[I]> }
type RowsOf<Query> = (Query extends SQL<infer Declared> ? (unknown extends Declared ? Row : Declared) : Row)[]

/** Reads the rows of each query in one flight. */
export type Read = <Queries extends SQL[]>(...queries: Queries) => Promise<Answers<Queries>>

/** One moment of the data. All its reads see the same rows. */
export interface Snapshot {
  readonly level: number
  readonly views: Views
  /** The state of the data for the caller's level. Null: before the first read, or if the database does not have it. */
  readonly state: () => State | null
  readonly read: Read
  readonly work: Work
  /** Gives each row of a query to a function. Unlike batches, PostgreSQL may read them in several processes. */
  readonly each: <R>(query: SQL<R>, use: (row: R) => void) => Promise<void>
  /** Reads the rows of a query in batches. `rows` returns the most rows of the next one. */
  readonly batches: <R>(query: SQL<R>, rows: () => number) => AsyncGenerator<readonly R[], void>
}

/** The memory of an isolate about a database. */
export interface Memory {
  views: { readonly found: Views; readonly at: number } | null
}

/** The views are read again after so many milliseconds. */
const MAX_AGE = 60_000

/**
 * Reads the state of each level. It has a digest of 52 bits in place of a time. The digest covers the writes in the snapshot and
 * the views. Without counts, one row only tells if the views are the same.
 */
const statesIn = ({ shape, hasCounts }: Views): SQL<StateRow> => {
  const now = sql`(SELECT ${SHAPE} AS shape ${FENCE}) AS now`
  const isSame = sql`now.shape = ${shape} AS "isSame"`
  if (!hasCounts) return sql`SELECT ${isSame} FROM ${now}`
  return sql`SELECT level, revision, ${isSame}, ('x' || left(md5(concat(mark, now.shape)), 13))::bit(52)::bigint AS changed
    FROM event_revision, ${now}`
}

/** Returns the state of a level. */
export const stateIn = ({ states }: Noted, level: number): State | null =>
  states?.find((row) => row.level === level) ?? null

/** The snapshots of a request. */
export interface Snapshots {
  /** Runs reads in one snapshot. Inner calls use that of the outer one, and the outermost ends it. */
  readonly within: <T>(use: (snapshot: Snapshot) => Promise<T>) => Promise<T>
  /** Keeps the snapshot open until the returned function is called. */
  readonly hold: () => () => void
  /** Reads the views again, and their faults. With `reads`, it also reads rows. */
  readonly check: (reads: boolean) => Promise<Views>
  /** Gives the next transaction the time of a request or of a stream. */
  readonly renew: (of: 'request' | 'stream') => void
}

export const snapshotsOf = (door: Door, memory: Memory, session: Session, noted: Noted): Snapshots => {
  const work = makeWork()
  let until = performance.now() + door.deadlines.request
  const renew: Snapshots['renew'] = (of) => {
    until = performance.now() + door.deadlines[of]
  }
  let open: Transaction | null = null
  const close = () => {
    open?.end()
    open = null
  }
  const hold = heldUntil(close)
  const begin = () => transactionOn(door, until, session, noted)
  const check: Snapshots['check'] = (reads) => checkedViews(begin(), memory, reads)
  /** The first read of a snapshot also reads the state. It is unknown without the counts of grade C. */
  const readIn =
    (views: Views): SendIn =>
    async (queries, use) => {
      const isFirst = open === null
      open ??= begin()
      try {
        return await (isFirst ? withStates(open.send, views, noted) : open.send)(queries, use)
      } catch (error) {
        // The log has no fault of a client that left.
        const fault = session.signal?.aborted ? new DatabaseFault() : faultOf(error)
        if (fault instanceof ViewsChanged) {
          memory.views = null
          // A stream of one moment cannot go on with other views.
          if (isFirst) close()
        }
        throw fault
      }
    }
  const once: Snapshots['within'] = async (use) => {
    const release = hold()
    try {
      const views = recentViews(memory) ?? withoutFaults(await check(false))
      return await use({
        level: session.level,
        views,
        work,
        state: () => stateIn(noted, session.level),
        ...readsOf(readIn(views)),
      })
    } finally {
      release()
    }
  }
  return { within: again(once, () => open === null), hold, check, renew }
}

/** Also reads the state of each level. Throws ViewsChanged if the views in the memory are outdated. */
const withStates =
  (send: SendIn, views: Views, noted: Noted): SendIn =>
  async (queries, use) => {
    const [states = [], ...rows] = await send([statesIn(views), ...queries], use)
    const found = states as unknown as readonly StateRow[] // the rows of the query
    noted.states = views.hasCounts ? found : null
    if (found.every(({ isSame }) => isSame)) return rows
    throw new ViewsChanged()
  }

/** Runs a call again if the views have changed since they were read. If calls nest, the outermost one runs again. */
const again = (once: Snapshots['within'], isClosed: () => boolean): Snapshots['within'] => {
  let depth = 0
  return async (use) => {
    depth += 1
    try {
      return await once(use)
    } catch (error) {
      if (depth === 1 && isClosed() && error instanceof ViewsChanged) return await once(use)
      throw error
    } finally {
      depth -= 1
    }
  }
}

/** Returns the views that were read lately. Undefined: there are none. */
const recentViews = ({ views }: Memory): Views | undefined =>
  views !== null && Date.now() - views.at < MAX_AGE ? views.found : undefined

/** Reads the views in a transaction of their own. Views without faults stay in the memory. */
const checkedViews = async ({ send, end }: Transaction, memory: Memory, reads: boolean): Promise<Views> => {
  try {
    const found = await inspect(send, reads)
    memory.views = found.faults.length === 0 ? { found, at: Date.now() } : null
    return found
  } catch (error) {
    throw faultOf(error)
  } finally {
    end()
  }
}

/** Returns a function that holds something. When all holders have released it, it ends. */
const heldUntil = (end: () => void): Snapshots['hold'] => {
  const holders = new Set<object>()
  return () => {
    const holder = {}
    holders.add(holder)
    return () => {
      holders.delete(holder)
      if (holders.size === 0) end()
    }
  }
}

/** Sends queries in one flight. `use` receives each row of the last one. */
type SendIn = (queries: readonly SQL[], use?: (row: Row) => void) => Promise<Row[][]>

const readsOf = (send: SendIn): Pick<Snapshot, 'read' | 'each' | 'batches'> => ({
  read: ((...queries) => send(queries)) as Read, // the answers have the order of the queries
  each: async (query, use) => {
    await send([query], use as (row: Row) => void) // the rows of the query
  },
  batches: (query, rows) => batchesOf(send, query, rows) as never, // the rows of the query
})

let cursors = 0

async function* batchesOf(send: SendIn, query: SQL, rows: () => number): AsyncGenerator<readonly Row[], void> {
  cursors += 1
  const name = sql.identifier(`rows${cursors}`)
  const fetchOf = (most: number) => sql`FETCH ${literal(Math.max(1, Math.floor(most)))} FROM ${name}`
  let most = rows()
  let [, batch = []] = await send([sql`DECLARE ${name} NO SCROLL CURSOR FOR ${query}`, fetchOf(most)])
  while (batch.length > 0) {
    yield batch
    if (batch.length < most) return
    most = rows()
    ;[batch = []] = await send([fetchOf(most)])
  }
}
