import { random } from '../bench/events.ts'
import { type Bound, faultOf, faultOfRows, isWrite, MAX_QUERIES, MAX_TIME } from './limits.ts'

/** How often things go wrong, from 0, never, to 1. May be changed at any time. */
export interface Weather {
  /** A call fails, and nothing of it was done. */
  fails: number
  /** A call is refused, as the database has too much to do. */
  overloads: number
  /** A call was done, and its answer was lost. */
  loses: number
  /** A replica takes over another write of the primary before it answers. */
  follows: number
  /** One copy alone that fails each call, never answers, or takes over no write. 0 is the primary. */
  sick: { readonly copy: number; readonly how: Sickness } | null
}

export const SICKNESSES = ['fails', 'stalls', 'lags'] as const
export type Sickness = (typeof SICKNESSES)[number]

/** A D1 database with replicas, as Cloudflare's documentation describes it. */
export interface Platform {
  /** The binding that one invocation of the Worker has: what it may ask is counted. */
  readonly binding: () => D1Database
  readonly weather: Weather
  /** How many writes the primary has stored; a bookmark names one of these states. */
  readonly stored: () => number
  /** Which of these states a bookmark names. Throws for one that is not of this database. */
  readonly stateOf: (bookmark: string) => number
  /** Brings a database that nobody else asks, and that has had the first `from` writes, to the next state. */
  readonly follow: (db: D1Database, from: number) => Promise<void>
  /** Whether no call is at work: each either ended, or will never be answered. */
  readonly isIdle: () => boolean
  /** What a clock says: it stands still but for the moment when something comes in or goes out. */
  readonly now: () => number
  /** Called before each batch that an invocation sends; where it throws, the batch is not done. */
  before: (bound: readonly Bound[]) => Promise<void> | void
}

/** A database, and how many of the primary's writes it has had. */
interface Copy {
  readonly db: D1Database
  at: number
}

/** Errors of D1 after which Cloudflare advises to retry (developers.cloudflare.com/d1/observability/debug-d1/). */
export const TRANSIENT = [
  'Network connection lost.',
  'D1 DB reset because its code was updated.',
  'Internal error while starting up D1 DB storage caused object to be reset.',
  'Internal error in D1 DB storage caused object to be reset.',
  'Cannot resolve D1 DB due to transient issue on remote node.',
]

/** Errors of D1 after which Cloudflare advises to send fewer or smaller queries. */
export const OVERLOAD = [
  'D1 DB is overloaded. Requests queued for too long.',
  'D1 DB is overloaded. Too many requests queued.',
  "D1 DB's isolate exceeded its memory limit and was reset.",
  'D1 DB exceeded its CPU time limit and was reset.',
  'D1 DB storage operation exceeded timeout which caused object to be reset.',
]

/**
 * A D1 over real local databases, all of them migrated and otherwise empty: one that takes the writes, and replicas to
 * which its writes come later. Where it is asked, what fails and how far replicas lag is drawn from the seed.
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
  /** A copy that has had so many writes at least, null for one that waits for them in vain. */
  const copyAt = async (least: number): Promise<Copy | null> => {
    const copy = copies[Math.floor(next() * copies.length)] ?? head
    if (sicknessOf(copy) !== 'lags')
      while (copy.at < Math.min(least, writes.length) || (copy.at < writes.length && next() < weather.follows))
        await follow(copy.db, copy.at++)
    return copy.at < least ? null : copy
  }
  /** The answer, and the state that it is of; null where none ever comes. */
  const ask = async (bound: readonly Bound[], start: number | 'primary'): Promise<[D1Result[], number] | null> => {
    if (next() < weather.fails) throw failure(oneOf(TRANSIENT, next()))
    if (next() < weather.overloads) throw failure(oneOf(OVERLOAD, next()))
    const writing = bound.some(isWrite)
    const copy = writing || start === 'primary' ? head : await copyAt(start)
    if (copy === null || sicknessOf(copy) === 'stalls') return null
    if (sicknessOf(copy) === 'fails') throw failure(oneOf(TRANSIENT, next()))
    // What SQLite would read from its clock, each copy is to store alike.
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

/** What refuses an answer that is there, null for one that may go. */
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

/** Runs one thing after the other, as each database does. */
const queue = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(run: () => Promise<T>): Promise<T> => {
    const result = last.then(run)
    last = result.catch(() => {})
    return result
  }
}

type Call = (bound: readonly Bound[], start: () => number | 'primary') => Promise<[D1Result[], number]>

/** A binding, and its sessions: each sees what it saw before, and the first call goes where it was opened to. */
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

/** Statements are Bound, and what asks for one of them is a batch of one. */
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
