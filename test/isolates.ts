import { env } from 'cloudflare:workers'
import type { Env } from '../src/env.ts'
import { apiKeys, KEPT, type Options, sendToEdge } from './service.ts'

type Batch = (real: () => Promise<D1Result[]>, from: string) => Promise<D1Result[]>

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
  const isolate = (answers: Batch = (real) => real()): Isolate => {
    const seen: Isolate['seen'] = { sessions: [], trips: 0 }
    const withSession = (from: string) => {
      const session = env.DB.withSession(from)
      seen.sessions.push(from)
      const batch = (statements: D1PreparedStatement[]) => {
        seen.trips += 1
        return answers(() => session.batch(statements), from)
      }
      return { prepare: (text: string) => session.prepare(text), batch, getBookmark: () => session.getBookmark() }
    }
    const DB = { withSession } as unknown as D1Database
    const vars = { ...KEPT, DB, STATE_SECONDS: '1' }
    const ask = async (path: string, options: Options = {}) =>
      sendToEdge(`${host}${path}`, { ...options, vars: { ...vars, API_KEYS: await apiKeys(), ...options.vars } })
    return { ask, host, vars, seen }
  }
  return { isolate }
}
