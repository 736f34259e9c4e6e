import type { Statistics } from '../estimates.ts'

/** What an isolate remembers about a database, as one access level sees it. */
export interface Cache {
  /** Statistics and the time of their read, in milliseconds since 1970. Null at first. */
  statistics: { readonly at: number; readonly statistics: Statistics } | null
}

/** The caches of each database by level, because a Worker may have several databases. */
const caches = new WeakMap<D1Database, Map<number, Cache>>()

/** Returns the cache of a database for an access level. */
export const cacheOf = (d1: D1Database, level: number): Cache => {
  const ofLevels = caches.get(d1) ?? new Map<number, Cache>()
  caches.set(d1, ofLevels)
  const cache = ofLevels.get(level) ?? { statistics: null }
  ofLevels.set(level, cache)
  return cache
}
