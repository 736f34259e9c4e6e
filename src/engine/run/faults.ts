import { ApiError, badRequest, beingLoaded, DatabaseFault, notMigrated } from '../../errors.ts'
import { PAUSE } from '../limits.ts'

/**
 * The kind of an error of D1. `transient`: the same query may succeed a moment later. `overload`: the database needs
 * fewer or smaller queries. `ours`: the SQL or the schema is wrong, so no retry helps.
 */
export type FaultKind = 'transient' | 'overload' | 'ours'

/** D1 recommends a retry after these messages (developers.cloudflare.com/d1/observability/debug-d1/). */
const TRANSIENT =
  /Network connection lost|reset because its code was updated|Internal error .*storage|due to transient issue|Invalid bookmark/
const OURS =
  /SQLITE_(ERROR|TOOBIG|MISMATCH|RANGE|CONSTRAINT|NOMEM|AUTH)|constraint failed|D1_TYPE_ERROR|D1_COLUMN_NOTFOUND/

/** Classifies an error by parts of its message, as D1 has no codes. An unknown error counts as overload. */
export const kindOf = (error: unknown): FaultKind => {
  const message = String(error)
  if (error instanceof ApiError || OURS.test(message)) return 'ours'
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

/** Thrown if the database does not answer in time. */
export class Late extends Error {}

/** Waits for an answer, at most so many milliseconds. */
export const inTime = async <T>(promise: Promise<T>, deadline: number): Promise<T> => {
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

/**
 * Receives the rows that a round trip read. Null: an expensive read timed out, so the number is unknown. A late cheap
 * read is not reported as null, because then the database is at fault and not the query.
 */
export type OnRead = (rows: number | null) => void

/** Returns the error for the client after an error of D1 that is not retried. */
export const giveUp = (error: unknown, isCheap: boolean, onRead: OnRead): unknown => {
  if (isLoading(error)) return beingLoaded()
  // A request may have any number of filters by attributes. D1 limits the length and the depth of a statement.
  if (/statement too long|Expression tree is too large/.test(String(error)))
    return badRequest('These filters are too long together. Send fewer or shorter filters.')
  const kind = kindOf(error)
  const isMigrated = !/no such (?:table|column)/.test(String(error))
  if (kind === 'ours' && isMigrated) return error
  log('error', 'given up', error)
  if (!isMigrated) return notMigrated()
  if (kind === 'overload' && !isCheap) onRead(null)
  return new DatabaseFault()
}

/** Logs an error of the database. */
export const log = (level: 'warning' | 'error', what: string, error: unknown): void =>
  console.error(JSON.stringify({ level, message: `database: ${what}`, error: String(error) }))

export const pause = (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, PAUSE.least + Math.random() * (PAUSE.most - PAUSE.least)))
