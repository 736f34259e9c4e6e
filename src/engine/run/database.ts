import { type SQL, sql } from 'drizzle-orm'
import { REVISIONS } from '../../../schema/revisions.ts'
import { revisions } from '../../../schema/tables.ts'
import { at } from '../../collections.ts'
import { namedColumns, textOf } from '../../filters/sql.ts'
import { isSame, type State, stateIn } from '../../state.ts'
import { makeWork, type Work } from '../../work.ts'
import type { Row } from '../conditions/table.ts'
import { type Estimates, rememberedOf, renew, renewalOf } from '../estimates.ts'
import { CHEAP_DEADLINE, DEADLINE, WRITE_DEADLINE } from '../limits.ts'
import { type Cost, type Explanation, noteCost, WHOLE_TABLE } from './cost.ts'
import { giveUp, inTime, isRefusal, kindOf, Late, log, type OnRead, pause } from './faults.ts'

/** An SQL statement with its parameters. They are texts, because D1 binds every number as a double. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly string[]
}

/** The rows of each query. A template may declare the type of its rows. */
export type Answers<Queries extends readonly SQL[]> = { -readonly [I in keyof Queries]: RowsOf<Queries[I]> }

type RowsOf<Query> = (Query extends SQL<infer Declared> ? (unknown extends Declared ? Row : Declared) : Row)[]

/** Reads the rows of each query from one snapshot in one round trip. Without queries it reads only the state. */
export type ReadRows = <Queries extends SQL[]>(...queries: Queries) => Promise<Answers<Queries>>

/** Reads rows, and counts the work of the request. */
export type Read = ReadRows & { readonly work: Work }

/** The database of one request. It sums the costs that D1 reports. */
export interface Database {
  /** The access level of the caller. Its state changes with each write that the caller can see, and with no other. */
  readonly level: number
  readonly read: Read
  /**
   * Runs all statements or none, then reads the rows of each query. It never retries, because a retry might write
   * twice. Returns null if a constraint or guard refused the batch, or if the connection broke. The caller then reads
   * again. Throws a 503 if the database is overloaded or too slow.
   */
  readonly write: <Queries extends SQL[]>(
    statements: readonly Statement[],
    ...queries: Queries
  ) => Promise<Answers<Queries> | null>
  /** The state of the data for a level in the last read, by default for this one. Null before the first read. */
  readonly state: (level?: number) => State | null
  readonly cost: Cost
  /** Null unless the request asked for it. */
  readonly explanation: Explanation | null
  /** Returns true if all reads saw the same state of the data. */
  readonly isOneState: () => boolean
  /** Returns what the isolate knows about the data, for a plan. The first read of the request renews it if it is old. */
  readonly estimates: () => Estimates
  /** A later request that sends this bookmark reads data at least as new. Null before the first read. */
  readonly bookmark: () => string | null
}

/** D1 writes a bookmark as hexadecimal numbers joined by hyphens. */
const BOOKMARK = /^[0-9a-f]{1,32}(-[0-9a-f]{1,64}){1,5}$/i

/** Options for the reads of a request. */
export interface DatabaseOptions {
  /** The bookmark of the client's last request. The database answers with data at least that new. */
  readonly bookmark?: string | null
  /** The request writes, so it has to read the newest data. */
  readonly primary?: boolean
  /** Every read takes a few milliseconds, see `costOf` in src/request/cache.ts. */
  readonly cheap?: boolean
  readonly onRead?: OnRead | undefined
  /** Notes the plan and the statements of each round trip. */
  readonly explain?: boolean
}

/**
 * Opens a D1 database for a request of a caller of this level. It reads from the nearest replica that is as new as the
 * bookmark. A transient error is retried once, at the primary. So is a late cheap read. An expensive read is not retried
 * if it is late, because a second one would double the load.
 */
export const openDatabase = (d1: D1Database, level: number, options: DatabaseOptions = {}): Database => {
  const { cheap = false, primary = false, onRead = () => {} } = options
  const { attempt, usePrimary, seen, ...known } = connect(d1, level, options)
  const read: ReadRows = async (...queries) => {
    const isCheap = !primary && (cheap || queries.length === 0)
    try {
      return await attempt(queries, [], isCheap ? CHEAP_DEADLINE : DEADLINE)
    } catch (error) {
      const isLate = isCheap && error instanceof Late
      if (!isLate && kindOf(error) !== 'transient') throw giveUp(error, isCheap, onRead)
      log('warning', 'tried again', error)
      if (!isLate) await pause()
      // The primary may not know the bookmark, and a replica may lag behind it. So the retry goes to the primary alone.
      usePrimary()
      return await attempt(queries, [], isLate ? DEADLINE - CHEAP_DEADLINE : DEADLINE).catch((again: unknown) => {
        throw giveUp(again, isCheap, onRead)
      })
    }
  }
  const write: Database['write'] = async (statements, ...queries) => {
    try {
      return await attempt(queries, statements, WRITE_DEADLINE)
    } catch (error) {
      const isRefused = isRefusal(error)
      if (!isRefused && kindOf(error) !== 'transient') throw giveUp(error, true, onRead)
      log('warning', 'refused a write', error)
      if (!isRefused) await pause()
      // Only the first query of a session goes to the primary. A replica may not have the rows that refused the batch
      // yet.
      usePrimary()
      return null
    }
  }
  return {
    ...known,
    read: Object.assign(read, { work: makeWork(onRead) }),
    write,
    level,
    isOneState: () => seen.isOneState,
    bookmark: () => seen.bookmark,
  }
}

/** What the reads of a request found so far. `states` is the row of all levels. Null: nothing was read. */
interface Seen {
  states: { readonly row: Row | undefined } | null
  isOneState: boolean
  bookmark: string | null
}

/** Connects a request to D1. `attempt` sends a batch once. */
const connect = (d1: D1Database, level: number, options: DatabaseOptions) => {
  const { bookmark = null, primary = false, onRead = () => {}, explain = false } = options
  const isKnown = bookmark !== null && BOOKMARK.test(bookmark)
  let session = d1.withSession(primary ? 'first-primary' : isKnown ? bookmark : 'first-unconstrained')
  const seen: Seen = { states: null, isOneState: true, bookmark: null }
  const cost: Cost = { plan: null, roundTrips: 0, rowsRead: 0, milliseconds: 0, region: null }
  const explanation: Explanation | null = explain ? { plan: WHOLE_TABLE, trips: [] } : null
  const remembered = rememberedOf(d1, level)
  let isPlanned = false
  const state = (of = level): State | null => seen.states && stateIn(seen.states.row, of)
  const send: Send = (statements, before = '') =>
    session.batch<Row>(statements.map(({ sql, parameters }) => session.prepare(before + sql).bind(...parameters)))
  const attempt = async <Queries extends SQL[]>(
    queries: Queries,
    first: readonly Statement[] = [],
    deadline = DEADLINE,
  ): Promise<Answers<Queries>> => {
    const started = performance.now()
    try {
      const texts = [...first, ...[STATES, ...queries].map((query) => textOf(query))]
      const renewing = isPlanned ? renewalOf(remembered, level) : []
      const all = await inTime(send([...texts, ...renewing.map((query) => textOf(query))]), deadline)
      const results = all.slice(0, texts.length)
      const renewed = all.slice(texts.length).map(({ results }) => results)
      if (renewed.length > 0) renew(remembered, renewed)
      onRead(noteCost(cost, results))
      explanation?.trips.push(await explained(texts, results, send))
      const answered = results.slice(first.length).map(({ results }) => results)
      const [[row], ...answers] = answered as Answers<[typeof STATES, ...Queries]> // in the order of `texts`
      const before = state()
      seen.bookmark = session.getBookmark() ?? null
      seen.states = { row }
      seen.isOneState &&= before === null || isSame(before, state())
      return answers
    } finally {
      cost.roundTrips += 1
      cost.milliseconds += performance.now() - started
    }
  }
  const usePrimary = (): void => {
    session = d1.withSession('first-primary')
  }
  const estimates = (): Estimates => {
    isPlanned = true
    return remembered.estimates
  }
  return { attempt, usePrimary, seen, cost, explanation, state, estimates }
}

/** A statement with its parameters, as `textOf` writes it. */
type Sent = ReturnType<typeof textOf>
type Send = (statements: readonly Sent[], before?: string) => Promise<D1Result<Row>[]>

/** Returns the statements of a round trip, with their rows and the plans of SQLite. */
const explained = async (texts: readonly Sent[], results: readonly D1Result[], send: Send) => {
  const plans = await send(texts, 'EXPLAIN QUERY PLAN ')
  return texts.map((text, i) => ({
    ...text,
    rowsRead: at(results, i).meta.rows_read ?? 0,
    plan: at(plans, i).results.map(({ detail }) => String(detail)),
  }))
}

/** Reads the states of all levels, which are one row. */
const STATES = sql<Row>`SELECT ${namedColumns(
  Object.fromEntries(
    REVISIONS.flatMap(({ level, revision, changed }) => [
      [`revision${level}`, revision],
      [`changed${level}`, changed],
    ]),
  ),
)} FROM ${revisions}`
