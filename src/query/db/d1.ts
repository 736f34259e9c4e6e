import { type SQL, sql } from 'drizzle-orm'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { revisions } from '../../../schema/tables.ts'
import { unavailable } from '../../errors.ts'
import type { State } from '../../state.ts'
import type { Row } from '../table.ts'
import { type Cache, makeCache } from './cache.ts'

/** An SQL statement and its parameters: texts, as D1 takes every number for a fraction. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly string[]
}

/** Answers queries of one request. Keeps what they cost, in D1's own figures. */
export interface Database {
  /** The rows of each query, all from one snapshot, in one round trip; none: to see the state. */
  readonly read: (...queries: SQL[]) => Promise<Row[][]>
  /**
   * Runs statements, all or none, and answers the rows of each query after them. Tried once, as a repeat might write twice:
   * null where the database refused it, so that the caller can look why; a 503 where it does not answer in time.
   */
  readonly write: (statements: readonly Statement[], ...queries: SQL[]) => Promise<Row[][] | null>
  /** Of the data that was read last; null before anything was read. */
  readonly state: () => State | null
  /** `remembered`: what an earlier request found out served this one. `region`: where the last read was answered, null locally. */
  readonly cost: {
    roundTrips: number
    rowsRead: number
    milliseconds: number
    remembered: boolean
    region: string | null
  }
  /** What this isolate remembers of the database. */
  readonly cache: Cache
  /** What a later request sends to see at least what this one saw; null before anything was read. */
  readonly bookmark: () => string | null
}

/** Receives the rows that a round trip read. Null: the read was given up, so nobody knows how many. */
export type OnRead = (rows: number | null) => void

const STATE = sql`SELECT ${revisions.revision} AS revision, ${revisions.changed} AS changed FROM ${revisions}`

/** Writes queries as SQL. */
const DIALECT = new SQLiteAsyncDialect()

/** D1 can stall without an error: a batch that takes longer than this is given up. D1 gives a statement 30 seconds. */
const DEADLINE = 10_000 // milliseconds
const WRITE_DEADLINE = 30_000

/** As D1 makes them: numbers in hexadecimal, joined by hyphens. */
const BOOKMARK = /^[0-9a-f]{1,32}(-[0-9a-f]{1,64}){1,5}$/i

/**
 * A D1 database for one request, read where it is nearest, or where it is as new as the bookmark of a request before. A
 * batch that fails is tried once more, as reading changes nothing; then it is a 503 that says nothing of the query.
 * `primary`: for a request that writes, which has to look at the newest.
 */
export const openDatabase = (
  d1: D1Database,
  bookmark: string | null = null,
  primary = false,
  onRead: OnRead = () => {},
): Database => {
  const known = bookmark !== null && BOOKMARK.test(bookmark)
  let session = d1.withSession(primary ? 'first-primary' : known ? bookmark : 'first-unconstrained')
  let seen: string | null = null
  const cost: Database['cost'] = { roundTrips: 0, rowsRead: 0, milliseconds: 0, remembered: false, region: null }
  let state: State | null = null
  const attempt = async (queries: readonly SQL[], first: readonly Statement[] = [], deadline = DEADLINE) => {
    const started = performance.now()
    try {
      const statements = [...first, ...[STATE, ...queries].map((query) => textOf(query))].map(({ sql, parameters }) =>
        session.prepare(sql).bind(...parameters),
      )
      const results = await inTime(session.batch<Row>(statements), deadline)
      const rows = results.reduce((sum, { meta }) => sum + (meta.rows_read ?? 0), 0)
      cost.rowsRead += rows
      onRead(rows)
      cost.region = regionOf(results.at(-1)?.meta)
      seen = session.getBookmark() ?? null
      const [states, ...answers] = results.slice(first.length)
      state = { revision: states?.results[0]?.revision ?? 0, changed: states?.results[0]?.changed ?? 0 }
      return answers.map(({ results }) => results)
    } finally {
      cost.roundTrips += 1
      cost.milliseconds += performance.now() - started
    }
  }
  const read = async (...queries: SQL[]) => {
    try {
      return await attempt(queries).catch((error: unknown) => {
        if (error instanceof Late) throw error
        console.error(JSON.stringify({ level: 'warning', message: 'database: tried again', error: String(error) }))
        // Elsewhere, and without a bookmark that it may not know: the primary is at least as new.
        session = d1.withSession('first-primary')
        return attempt(queries)
      })
    } catch (error) {
      onRead(null)
      console.error(JSON.stringify({ level: 'error', message: 'database: given up', error: String(error) }))
      throw unavailable()
    }
  }
  const write = async (statements: readonly Statement[], ...queries: SQL[]) => {
    try {
      return await attempt(queries, statements, WRITE_DEADLINE)
    } catch (error) {
      console.error(JSON.stringify({ level: 'warning', message: 'database: refused a write', error: String(error) }))
      if (error instanceof Late) throw unavailable()
      // Only the first query of a session is bound to the primary, and what refused the batch may stand there alone.
      session = d1.withSession('first-primary')
      return null
    }
  }
  return { read, write, cost, cache: cacheOf(d1), state: () => state, bookmark: () => seen }
}

/** The region of a database that answered, and whether it is the primary. */
const regionOf = (meta: D1Meta | undefined): string | null => {
  if (meta?.served_by_region === undefined) return null
  return meta.served_by_primary ? `${meta.served_by_region} primary` : meta.served_by_region
}

/** By database, as a Worker may have several. */
const caches = new WeakMap<D1Database, Cache>()

const cacheOf = (d1: D1Database): Cache => {
  const cache = caches.get(d1) ?? makeCache()
  caches.set(d1, cache)
  return cache
}

const textOf = (query: SQL): { sql: string; parameters: readonly unknown[] } => {
  const { sql, params } = DIALECT.sqlToQuery(query)
  return { sql, parameters: params }
}

class Late extends Error {}

const inTime = async <T>(promise: Promise<T>, deadline: number): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Late(`no answer in ${deadline} ms`)), deadline)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
