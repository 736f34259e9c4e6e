import { unavailable } from '../../errors.ts'
import { isSame, NO_STATE, type State } from '../../state.ts'
import type { Estimates } from '../estimates.ts'
import type { Database, ReadRows } from './database.ts'

/** Reads rows that all belong to one state of the data. */
export type SnapshotReader = Database['read'] & {
  /** Returns what the isolate knows about the data, for a plan. */
  readonly estimates: () => Estimates
  /** The state of the reads so far. Null before the first one. */
  readonly state: () => State | null
}

/** The data changed between two round trips that have to see the same state. */
export class DataChanged extends Error {}

const MAX_ATTEMPTS = 3

/** Runs a search of several reads. It starts again if that throws `DataChanged`. After three attempts it throws a 503. */
export const untilUnchanged = async <T>(search: () => Promise<T>): Promise<T> => {
  for (let attempts = 1; ; attempts++) {
    try {
      return await search()
    } catch (error) {
      if (!(error instanceof DataChanged)) throw error
      if (attempts === MAX_ATTEMPTS) throw unavailable('The data is changing. Try again in a few seconds.')
    }
  }
}

/** Runs a search whose reads all see one state. It starts the search again if the data changes between two reads. */
export const atOneState = <T>(db: Database, search: (read: SnapshotReader) => Promise<T>): Promise<T> =>
  untilUnchanged(() => {
    let state: State | null = null
    const read: ReadRows = async (...queries) => {
      const answers = await db.read(...queries)
      const now = db.state() ?? NO_STATE
      if (state !== null && !isSame(state, now)) throw new DataChanged()
      state = now
      return answers
    }
    return search(Object.assign(read, { work: db.read.work, estimates: db.estimates, state: () => state }))
  })

/** Returns a reader for the state of the last read. It throws if the data has changed since. */
export const atItsState = (db: Database): ReadRows => {
  const state = db.state()
  return async (...queries) => {
    const answers = await db.read(...queries)
    if (!isSame(state, db.state())) throw new DataChanged('The data changed while it was sent.')
    return answers
  }
}
