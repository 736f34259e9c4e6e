import { random } from '../bench/events.ts'
import { type Bound, faultOf, faultOfRows, isWrite, MAX_QUERIES, MAX_TIME } from './limits.ts'

/** The probabilities of failures, from 0 to 1. A test may change them at any time. */
export interface Weather {
  /** A call fails before it changes anything. */
  fails: number
  /** The database refuses a call, because it is overloaded. */
  overloads: number
  /** A call succeeds, but its answer is lost. */
  loses: number
  /** A replica applies another write of the primary before it answers. */
  follows: number
  /** A single faulty copy. It fails each call, never answers, or applies no writes. Copy 0 is the primary. */
  sick: { readonly copy: number; readonly how: Sickness } | null
}

export const SICKNESSES = ['fails', 'stalls', 'lags'] as const
export type Sickness = (typeof SICKNESSES)[number]

/** A model of a D1 database with replicas, after the documentation of Cloudflare. */
export interface Platform {
  /** Creates the binding for one invocation of the Worker. It counts the queries of that invocation. */
  readonly binding: () => D1Database
  readonly weather: Weather
  /** The number of writes that the primary has stored. It is also the number of its state. A bookmark names a state. */
  readonly stored: () => number
  /** Returns the state that a bookmark names. Throws if the bookmark is from another database. */
  readonly stateOf: (bookmark: string) => number
  /** Applies the next write to a separate database that has had the first `from` writes. */
  readonly follow: (db: D1Database, from: number) => Promise<void>
  /** Returns true if no call is active. A call that will never be answered is not active. */
  readonly isIdle: () => boolean
  /** Returns the time in milliseconds. It changes only when a call ends, as at Cloudflare. */
  readonly now: () => number
  /** Runs before each batch of an invocation. If it throws, the batch is not run. */
  before: (bound: readonly Bound[]) => Promise<void> | void
}

/** A database and the number of writes that it has. */
interface Copy {
  readonly db: D1Database
  at: number
}

/** Errors of D1. Cloudflare advises to retry after them (developers.cloudflare.com/d1/observability/debug-d1/). */
export const TRANSIENT = [
  'Network connection lost.',
  'D1 DB reset because its code was updated.',
  'Internal error while starting up D1 DB storage caused object to be reset.',
  'Internal error in D1 DB storage caused object to be reset.',
  'Cannot resolve D1 DB due to transient issue on remote node.',
]

/** Errors of D1. Cloudflare advises to send fewer or smaller queries after them. */
export const OVERLOAD = [
  'D1 DB is overloaded. Requests queued for too long.',
  'D1 DB is overloaded. Too many requests queued.',
  "D1 DB's isolate exceeded its memory limit and was reset.",
  'D1 DB exceeded its CPU time limit and was reset.',
  'D1 DB storage operation exceeded timeout which caused object to be reset.',
]

/**
 * Creates a D1 from real local databases, which must be migrated and empty. One is the primary. The others are replicas
 * that get its writes later. The seed determines the replicas, the failures and the delays.
 */
export const createPlatform = (primary: D1Database, replicas: readonly D1Database[], seed: number): Platform => {
  const next = random(seed)
  const writes: (readonly Bound[])[] = []
  const [head, ...copies]: [Copy, ...Copy[]] = [{ db: primary, at: 0 }, ...replicas.map((db) => ({ db, at: 0 }))]
  const weather: Weather = { fails: 0, overloads: 0, loses: 0, follows: 1, sick: null }
  let working = 0
  let clock = Date.now()
  const alone = queue()
  const own = `4c6d-${Math.floor(next() * 2 ** 32)
    .toString(16)
    .padStart(32, '0')}`
  const nameOf = (state: number) => `${state.toString(16).padStart(8, '0')}-00000000-0000${own}`
  const stateOf = (bookmark: string): number => {
    const state = Number.parseInt(bookmark, 16)
    if (nameOf(state) !== bookmark) throw failure('Invalid bookmark.')
    return state
  }
  const follow = (db: D1Database, from: number) => runAll(db, writes[from] ?? []).then(() => {})
  const all = [head, ...copies]
  const sicknessOf = (copy: Copy): Sickness | null =>
    weather.sick !== null && copy === all[weather.sick.copy] ? weather.sick.how : null
  /** Returns a copy that has at least this state, or null if it will never reach the state. */
  const copyAt = async (least: number): Promise<Copy | null> => {
    const copy = copies[Math.floor(next() * copies.length)] ?? head
    if (sicknessOf(copy) !== 'lags')
      while (copy.at < Math.min(least, writes.length) || (copy.at < writes.length && next() < weather.follows))
        await follow(copy.db, copy.at++)
    return copy.at < least ? null : copy
  }
  /** Returns the answer and its state, or null if there will be no answer. */
  const ask = async (bound: readonly Bound[], start: number | 'primary'): Promise<[D1Result[], number] | null> => {
    if (next() < weather.fails) throw failure(oneOf(TRANSIENT, next()))
    if (next() < weather.overloads) throw failure(oneOf(OVERLOAD, next()))
    const writing = bound.some(isWrite)
    const copy = writing || start === 'primary' ? head : await copyAt(start)
    if (copy === null || sicknessOf(copy) === 'stalls') return null
    if (sicknessOf(copy) === 'fails') throw failure(oneOf(TRANSIENT, next()))
    // Replace the clock of SQLite by a constant, so that all copies store the same time.
    const timed = bound.map(({ sql, parameters }) => ({
      sql: sql.replaceAll("unixepoch('subsec')", String(Date.now() / 1000)),
      parameters,
    }))
    const results = await runAll(copy.db, timed)
    if (writing) head.at = writes.push(timed)
    if (next() < weather.loses) throw failure(oneOf(TRANSIENT, next()))
    const refused = refusal(results)
    if (refused !== null) throw failure(refused)
    return [results, copy.at]
  }
  const binding = () => {
    let queries = 0
    const call = async (bound: readonly Bound[], start: () => number | 'primary'): Promise<[D1Result[], number]> => {
      queries += bound.length
      if (queries > MAX_QUERIES) throw failure('Too many queries by single Worker invocation.')
      const fault = bound.map(faultOf).find((reason) => reason !== null)
      if (fault !== undefined) throw failure(fault)
      await platform.before(bound)
      working += 1
      try {
        const answer = await alone(() => ask(bound, start()))
        if (answer !== null) return answer
      } finally {
        working -= 1
        clock = Date.now()
      }
      return NEVER
    }
    return bindingOf(call, stateOf, nameOf)
  }
  const platform: Platform = {
    ...{ binding, weather, stateOf, follow, stored: () => writes.length },
    ...{ isIdle: () => working === 0, now: () => clock, before: () => {} },
  }
  return platform
}

const NEVER = new Promise<never>(() => {})

/** Returns the limit of D1 that an answer exceeds, or null. */
const refusal = (results: readonly D1Result[]): string | null => {
  const took = results.reduce((sum, { meta }) => sum + meta.duration, 0)
  return took > MAX_TIME ? 'D1 DB exceeded its CPU time limit and was reset.' : faultOfRows(results.map(rowsOf))
}

const rowsOf = ({ results }: D1Result): object[] => results as object[]

const failure = (reason: string): Error => new Error(`D1_ERROR: ${reason}`)

const oneOf = (texts: readonly string[], at: number): string => texts[Math.floor(at * texts.length)] ?? ''

const runAll = (db: D1Database, bound: readonly Bound[]): Promise<D1Result[]> =>
  bound.length === 0
    ? Promise.resolve([])
    : db.batch(bound.map(({ sql, parameters }) => db.prepare(sql).bind(...parameters)))

/** Creates a queue that runs one call at a time, as each database does. */
const queue = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(run: () => Promise<T>): Promise<T> => {
    const result = last.then(run)
    last = result.catch(() => {})
    return result
  }
}

type Call = (bound: readonly Bound[], start: () => number | 'primary') => Promise<[D1Result[], number]>

/**
 * Creates a binding with sessions. A session never sees an older state than before. Its constraint decides where its
 * first call goes.
 */
const bindingOf = (
  call: Call,
  stateOf: (bookmark: string) => number,
  nameOf: (state: number) => string,
): D1Database => {
  const open = (constraint: string): D1DatabaseSession => {
    let seen: number | null = null
    const start = (): number | 'primary' => {
      if (seen !== null) return seen
      if (constraint === 'first-primary') return 'primary'
      return constraint === 'first-unconstrained' ? 0 : stateOf(constraint)
    }
    const send = async (bound: readonly Bound[]): Promise<D1Result[]> => {
      const [results, state] = await call(bound, start)
      seen = Math.max(seen ?? 0, state)
      return results
    }
    const given = constraint.startsWith('first-') ? null : constraint
    return sessionOf(send, () => (seen === null ? given : nameOf(seen)))
  }
  const plain = sessionOf(
    async (bound) => (await call(bound, () => 'primary'))[0],
    () => null,
  )
  return Object.assign(plain, {
    withSession: (constraint?: string) => open(constraint ?? 'first-unconstrained'),
    exec: () => Promise.reject(failure('exec is for maintenance.')),
    dump: () => Promise.reject(failure('dump is no more.')),
  }) as unknown as D1Database
}

/** Creates a session. It sends a single statement as a batch. */
const sessionOf = (
  send: (bound: readonly Bound[]) => Promise<D1Result[]>,
  getBookmark: () => string | null,
): D1DatabaseSession => {
  const prepare = (sql: string, parameters: readonly unknown[] = []): object => {
    const all = async () => (await send([{ sql, parameters }]))[0]
    const rows = async () => ((await all())?.results ?? []) as Record<string, unknown>[]
    return {
      ...{ sql, parameters, all, run: all },
      bind: (...values: unknown[]) => prepare(sql, values),
      raw: async () => (await rows()).map((row) => Object.values(row)),
      first: async (column?: string) => {
        const [row = null] = await rows()
        return row === null || column === undefined ? row : row[column]
      },
    }
  }
  return {
    prepare: (sql: string) => prepare(sql),
    batch: (statements: unknown[]) => send(statements as Bound[]),
    getBookmark,
  } as unknown as D1DatabaseSession
}
