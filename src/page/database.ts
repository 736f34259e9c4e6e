import { type SQL, sql } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { revisions } from '../../schema/tables.ts'
import { unavailable } from '../errors.ts'
import type { Row } from './table.ts'

/** Answers queries of one request. Keeps what they cost, in D1's own figures. */
export interface Database {
  /** The rows of each query, all from one snapshot, in one round trip; none: to see the state. */
  readonly read: (...queries: SQL[]) => Promise<Row[][]>
  /** Of the data that was read last; null before anything was read. */
  readonly state: () => State | null
  /** `remembered`: what an earlier request found out served this one. */
  readonly cost: { roundTrips: number; rowsRead: number; milliseconds: number; remembered: boolean }
  /** What a later request sends to see at least what this one saw; null before anything was read. */
  readonly bookmark: () => string | null
}

/** The number that every write raises, and when it last did, in milliseconds since 1970. */
export interface State {
  readonly revision: number
  readonly changed: number
}

const STATE = sql`SELECT ${revisions.revision} AS revision, ${revisions.changed} AS changed FROM ${revisions}`

const dialect = new SQLiteSyncDialect()

/** D1 can stall without an error: a batch that takes longer than this is given up. */
const DEADLINE = 10_000 // milliseconds

/** As D1 makes them: numbers in hexadecimal, joined by hyphens. */
const BOOKMARK = /^[0-9a-f]{1,32}(-[0-9a-f]{1,64}){1,5}$/i

/**
 * A D1 database for one request, read where it is nearest, or where it is as new as the bookmark of a request before. A
 * batch that fails is tried once more, as reading changes nothing; then it is a 503 that says nothing of the query.
 */
export const openDatabase = (d1: D1Database, bookmark: string | null = null): Database => {
  const known = bookmark !== null && BOOKMARK.test(bookmark)
  const session = d1.withSession(known ? bookmark : 'first-unconstrained')
  const cost = { roundTrips: 0, rowsRead: 0, milliseconds: 0, remembered: false }
  let state: State | null = null
  const attempt = async (queries: readonly SQL[]) => {
    const started = performance.now()
    try {
      const statements = [STATE, ...queries].map((query) => statementOf(session, query))
      const [states, ...answers] = await inTime(session.batch<Row>(statements))
      for (const answer of [states, ...answers]) cost.rowsRead += answer?.meta.rows_read ?? 0
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
        return attempt(queries)
      })
    } catch (error) {
      console.error(JSON.stringify({ level: 'error', message: 'database: given up', error: String(error) }))
      throw unavailable()
    }
  }
  return { read, cost, state: () => state, bookmark: () => session.getBookmark() ?? null }
}

const statementOf = (session: D1DatabaseSession, query: SQL): D1PreparedStatement => {
  const { sql, params } = dialect.sqlToQuery(query)
  return session.prepare(sql).bind(...params)
}

class Late extends Error {}

const inTime = async <T>(promise: Promise<T>): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Late(`no answer in ${DEADLINE} ms`)), DEADLINE)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
