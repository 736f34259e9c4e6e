import { env } from 'cloudflare:workers'
import type { Env } from '../src/http/env.ts'
import { apiKeys, KEPT, type Options, sendToEdge } from './service.ts'

/** Answers a batch of a session, which began with `from`. `real` asks the database. */
type Batch = (
  real: () => Promise<D1Result[]>,
  from: string,
  statements: readonly D1PreparedStatement[],
) => Promise<D1Result[]>

/** A database whose batches a test answers. It notes the first argument of each session, and counts the round trips. */
export const watchedDatabase = (answer: Batch = (real) => real()) => {
  const seen = { sessions: [] as string[], trips: 0 }
  const withSession = (from: string) => {
    seen.sessions.push(from)
    const session = env.DB.withSession(from)
    return {
      prepare: (text: string) => session.prepare(text),
      batch: (statements: D1PreparedStatement[]) => {
        seen.trips += 1
        return answer(() => session.batch(statements), from, statements)
      },
      getBookmark: () => session.getBookmark(),
    }
  }
  return { seen, DB: { withSession } as unknown as D1Database }
}

export const databaseWith = (answer: Batch): D1Database => watchedDatabase(answer).DB

/** A database that counts the rows that it reads, and the round trips. */
export const countingDatabase = () => {
  const cost = { rows: 0, trips: 0 }
  const DB = databaseWith(async (real) => {
    const answers = await real()
    cost.trips += 1
    for (const { meta } of answers) cost.rows += meta.rows_read
    return answers
  })
  return { cost, DB }
}

/** A database whose reads report that they took so many milliseconds. */
export const databaseTaking = (milliseconds: number): D1Database =>
  databaseWith(async (real) =>
    (await real()).map((each) => ({ ...each, meta: { ...each.meta, duration: milliseconds } })),
  )

/** A database that no request can reach. */
export const UNREACHABLE = databaseWith(() => Promise.reject(new Error('D1_ERROR: Network connection lost.')))

/** A data centre of its own: its isolates share a cache. */
export interface DataCentre {
  /** Starts an isolate. `answers` replaces the answers of its database. */
  readonly isolate: (answers?: Batch) => Isolate
}

export interface Isolate {
  /** Sends a request with STATE_SECONDS=1, and waits until its answer is stored. */
  readonly ask: (path: string, options?: Options) => Promise<Response>
  readonly host: string
  readonly vars: Partial<Env> & { readonly DB: D1Database }
  /** The first argument of each session, and the number of round trips. A test may empty both. */
  readonly seen: { sessions: string[]; trips: number }
}

let centres = 0

/** Opens a data centre with an empty cache: another host has other entries. */
export const openDataCentre = (): DataCentre => {
  centres += 1
  const host = `http://centre-${centres}-${crypto.randomUUID()}.test`
  const isolate = (answers?: Batch): Isolate => {
    const { seen, DB } = watchedDatabase(answers)
    const vars = { ...KEPT, DB, STATE_SECONDS: '1' }
    const ask = async (path: string, options: Options = {}) =>
      sendToEdge(`${host}${path}`, { ...options, vars: { ...vars, API_KEYS: await apiKeys(), ...options.vars } })
    return { ask, host, vars, seen }
  }
  return { isolate }
}
