import { forgetOldest } from '../../collections.ts'
import { isSame, type State } from '../../state.ts'
import type { Statistics } from '../candidates/nodes.ts'
import type { Finding } from '../conditions/search.ts'

/** Holds data about one database in memory. All requests of this isolate share it. */
export interface Cache {
  /** Returns the finding for a key if it was made in this state. Else it returns null. */
  readonly recall: (key: string | null, state: State | null) => Finding | null
  readonly remember: (key: string | null, state: State | null, finding: Finding) => void
  /** Notes the state that was read last. Findings of other states are stale. */
  readonly see: (state: State) => void
  readonly latest: () => State | null
  /** Statistics by access level, with the time in milliseconds since 1970 when they were read. They may be stale. */
  readonly statistics: Map<string, { readonly at: number; readonly statistics: Statistics }>
}

const MAX_FINDINGS = 1024

/** Makes an empty cache for one database. */
export const makeCache = (): Cache => {
  // A Map iterates in insertion order. A new finding is inserted last, so the first one is the oldest.
  const findings = new Map<string, Finding & { readonly state: State }>()
  let latest: State | null = null
  return {
    recall: (key, state) => {
      const found = key === null ? undefined : findings.get(key)
      return found !== undefined && isSame(found.state, state) ? found : null
    },
    remember: (key, state, finding) => {
      if (key === null || state === null) return
      findings.delete(key)
      findings.set(key, { ...finding, state })
      forgetOldest(findings, MAX_FINDINGS)
    },
    see: (state) => {
      latest = state
    },
    latest: () => latest,
    statistics: new Map(),
  }
}

/** One cache per database, because a Worker may have several. */
const caches = new WeakMap<D1Database, Cache>()

/** Returns the cache of a database. */
export const cacheOf = (d1: D1Database): Cache => {
  const cache = caches.get(d1) ?? makeCache()
  caches.set(d1, cache)
  return cache
}
