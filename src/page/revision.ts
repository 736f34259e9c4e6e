import type { SQL } from 'drizzle-orm'
import { unavailable } from '../errors.ts'
import type { Database, State } from './database.ts'
import { see } from './memory.ts'
import type { Row } from './table.ts'

/** Answers queries, all of one revision. */
export interface Read {
  (...queries: SQL[]): Promise<Row[][]>
  /** Of the data that is read; null before the first read. */
  readonly state: () => State | null
}

/** The data changed between two round trips: the search has to start again. */
export class Moved extends Error {}

const MAX_ATTEMPTS = 3

/** What a search finds whose reads fit together: all of one revision. It starts again when the data changes between two of them. */
export const atOneRevision = <T>(db: Database, search: (read: Read) => Promise<T>): Promise<T> =>
  untilAtRest(Moved, () => search(readAtOneRevision(db)))

/** Starts again when the data changes on the way, as a kind of error tells; after three attempts it is a 503. */
export const untilAtRest = async <T>(moved: new () => Error, attempt: () => Promise<T>): Promise<T> => {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof moved)) throw error
      if (attempts === MAX_ATTEMPTS) throw unavailable('The data changes at the moment. Try again in a few seconds.')
    }
  }
}

export const readAtOneRevision = (db: Database): Read => {
  let state: State | null = null
  const read = async (...queries: SQL[]) => {
    const answers = await db.read(...queries)
    const now = db.state() ?? { revision: 0, changed: 0 }
    see(now)
    if (state !== null && state.revision !== now.revision) throw new Moved()
    state = now
    return answers
  }
  return Object.assign(read, { state: () => state })
}
