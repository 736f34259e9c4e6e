import { at } from '../../collections.ts'
import { unavailable } from '../../errors.ts'
import { keyOf } from '../../filters/sql.ts'
import { isSame, NO_STATE, type State } from '../../state.ts'
import type { Search } from '../conditions/search.ts'
import type { Row } from '../conditions/table.ts'
import type { StateMemory } from './cache.ts'
import type { Answers, Database, Read, ReadRows } from './database.ts'

/** Reads rows that all belong to one state of the data. */
export type SnapshotReader = Read & {
  /** The state that was read or assumed. Null before the first read. */
  readonly state: () => State | null
  /**
   * Returns the value of a memory. If nothing was read yet, it assumes that the data has the latest state. The next read
   * checks this. If the assumption is stale, the search starts again and reads everything.
   */
  readonly recall: <Value>(memory: StateMemory<Value>, key: string | null) => Value | null
  /** Returns true if the search has this state, or assumes it from now on. */
  readonly assumes: (wanted: State | null) => boolean
  /** Reads as the reader does, but takes rows from memory that were read in the same state. */
  readonly recalled: Read
}

/** Returns true if the known count is valid for the data that was read. */
export const isKnown = (read: SnapshotReader, { known, knownAt, trusted }: Search): boolean =>
  known !== null && (trusted || isSame(read.state(), knownAt))

/** The data changed between two round trips that have to see the same state. */
export class DataChanged extends Error {}

/** The data changed since the values in memory were read. */
class StaleAssumption extends DataChanged {}

const MAX_ATTEMPTS = 3

/**
 * Runs a search of several reads. It starts the search again if that throws `DataChanged`. After three attempts it
 * throws a 503. A stale assumption is no attempt.
 */
export const untilUnchanged = async <T>(search: (isLast: boolean) => Promise<T>): Promise<T> => {
  for (let attempts = 1; ; attempts++) {
    try {
      return await search(attempts === MAX_ATTEMPTS)
    } catch (error) {
      if (!(error instanceof DataChanged)) throw error
      if (attempts === MAX_ATTEMPTS) throw unavailable('The data is changing. Try again in a few seconds.')
      if (error instanceof StaleAssumption) attempts--
    }
  }
}

/**
 * Runs a search whose reads all see one state. It starts the search again if the data changes between two reads. The
 * first attempt may assume the latest state.
 */
export const atOneState = <T>(db: Database, search: (read: SnapshotReader) => Promise<T>): Promise<T> => {
  let isFirst = true
  return untilUnchanged(async () => {
    const { read, isVerified } = readAtOneState(db, isFirst)
    isFirst = false
    const found = await search(read)
    if (!isVerified()) await read()
    return found
  })
}

/** The space that rows take in memory, in units of 100 bytes. */
const sizeOf = (rows: readonly Row[]): number =>
  rows.reduce((sum, row) => sum + Object.values(row).reduce<number>((size, value) => size + textSize(value), 1), 1)

const textSize = (value: unknown): number => (typeof value === 'string' ? value.length / 100 : 0)

const readAtOneState = (db: Database, isFirst: boolean) => {
  const { cache } = db
  const latest = cache.latest()
  let state: State | null = null
  let isVerified = false
  const read: ReadRows = async (...queries) => {
    const answers = await db.read(...queries)
    const now = db.state() ?? NO_STATE
    if (isFirst && !isVerified && latest !== null) cache.noteFirst(isSame(latest, now))
    cache.see(now)
    if (state !== null && !isSame(state, now)) throw isVerified ? new DataChanged() : new StaleAssumption()
    ;[state, isVerified] = [now, true]
    return answers
  }
  const possible = () => state ?? (isFirst && cache.mayAssume() ? latest : null)
  const assumes = (wanted: State | null): boolean => {
    if (!isSame(wanted, possible())) return false
    state = wanted
    return true
  }
  const recall: SnapshotReader['recall'] = (memory, key) => {
    const assumed = possible()
    const found = memory.recall(key, assumed)
    if (found !== null) state = assumed
    return found
  }
  const recalled: ReadRows = async <Queries extends Parameters<ReadRows>>(...queries: Queries) => {
    const keys = queries.map(keyOf)
    const found = new Map(keys.map((key) => [key, recall(cache.rows, key)]))
    const missing = keys.flatMap((key, i) => (found.get(key) === null ? [{ key, query: at(queries, i) }] : []))
    const answers = missing.length === 0 ? [] : await read(...missing.map(({ query }) => query))
    for (const [i, rows] of answers.entries()) {
      const { key } = at(missing, i)
      cache.rows.remember(key, state, rows, textSize(key) + sizeOf(rows))
      found.set(key, rows)
    }
    return keys.map((key) => found.get(key)) as Answers<Queries> // in the order of the queries
  }
  const { work } = db.read
  return {
    read: Object.assign(read, {
      work,
      state: () => state,
      assumes,
      recall,
      recalled: Object.assign(recalled, { work }),
    }),
    isVerified: () => isVerified || state === null,
  }
}
