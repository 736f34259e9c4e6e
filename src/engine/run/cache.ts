import { type BoundedMap, boundedMap } from '../../collections.ts'
import type { State } from '../../state.ts'
import type { Statistics } from '../estimates.ts'

/** What an isolate remembers about a database, as one access level sees it. */
export interface Cache {
  /** Maps the uuid of a series to its state, and to the state of the level then. Null: the level does not see it. */
  readonly series: BoundedMap<{ readonly ofLevel: State; readonly state: State | null }>
  /** Statistics and the time of their read, in milliseconds since 1970. Null at first. */
  statistics: { readonly at: number; readonly statistics: Statistics } | null
}

/** The most series of each level whose state is in memory. */
const MAX_SERIES = 1024

/** The caches of each database by level, because a Worker may have several databases. */
const caches = new WeakMap<D1Database, Map<number, Cache>>()

/** Returns the cache of a database for an access level. */
export const cacheOf = (d1: D1Database, level: number): Cache => {
  const ofLevels = caches.get(d1) ?? new Map<number, Cache>()
  caches.set(d1, ofLevels)
  const cache = ofLevels.get(level) ?? { series: boundedMap(MAX_SERIES), statistics: null }
  ofLevels.set(level, cache)
  return cache
}
