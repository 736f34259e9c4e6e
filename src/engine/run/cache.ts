import { boundedMap } from '../../collections.ts'
import type { Area } from '../../geometry/within.ts'
import { isSame, type State } from '../../state.ts'
import type { Statistics } from '../candidates/nodes.ts'
import type { Region } from '../candidates/region.ts'
import type { Finding } from '../conditions/search.ts'
import type { Row } from '../conditions/table.ts'

/** Values that hold in one state of the data. */
export interface StateMemory<Value> {
  /** Returns the value of a key if it holds in this state. Else it returns null. */
  readonly recall: (key: string | null, state: State | null) => Value | null
  /** Stores a value that takes `size` of the space, 1 by default. */
  readonly remember: (key: string | null, state: State | null, value: Value, size?: number) => void
}

/** Holds data about one database in memory. All requests of this isolate share it. */
export interface Cache {
  /** Findings by the key of a request. */
  readonly findings: StateMemory<Finding>
  /** The rows of queries for facts, by their SQL and parameters. */
  readonly rows: StateMemory<readonly Row[]>
  /** The cells of areas, by `regionKey`. */
  readonly regions: StateMemory<Region>
  /** Returns the key of the region of an area for an access level. */
  readonly regionKey: (area: Area, level: number) => string
  /** Notes the state that was read last. */
  readonly see: (state: State) => void
  readonly latest: () => State | null
  /** Notes if the data still had the latest state at the first read of a request. */
  readonly noteFirst: (isLatest: boolean) => void
  /** Returns true if a request may assume that the data still has the latest state. */
  readonly mayAssume: () => boolean
  /** Statistics by access level, with the state and the time of their read in milliseconds since 1970. They may be stale. */
  readonly statistics: Map<
    string,
    { readonly at: number; readonly state: State | null; readonly statistics: Statistics }
  >
}

const MAX_FINDINGS = 1024
/** The space of all facts in memory, in units of 100 bytes: their rows, and the texts of their queries. */
const MAX_FACTS = 100_000
/** The most cells of all regions in memory. A cell takes about 1 KB. */
const MAX_CELLS = 20_000
/** If the state was new at the first read of this many requests in a row, the next one assumes no state. */
const MAX_STALE = 2

/** Makes an empty memory. The sizes of its values are at most `space` in sum. */
export const makeMemory = <Value>(space: number): StateMemory<Value> => {
  const values = boundedMap<{ readonly value: Value; readonly state: State }>(space)
  return {
    recall: (key, state) => {
      const found = key === null ? undefined : values.get(key)
      return found !== undefined && isSame(found.state, state) ? found.value : null
    },
    remember: (key, state, value, size) => {
      if (key !== null && state !== null) values.set(key, { value, state }, size)
    },
  }
}

/** Makes an empty cache for one database. */
export const makeCache = (): Cache => {
  const areas = new WeakMap<Area, number>()
  let lastArea = 0
  let latest: State | null = null
  let stale = 0
  return {
    findings: makeMemory(MAX_FINDINGS),
    rows: makeMemory(MAX_FACTS),
    regions: makeMemory(MAX_CELLS),
    regionKey: (area, level) => {
      const number = areas.get(area) ?? ++lastArea
      areas.set(area, number)
      return `${number} ${level}`
    },
    see: (state) => {
      latest = state
    },
    latest: () => latest,
    noteFirst: (isLatest) => {
      stale = isLatest ? 0 : stale + 1
    },
    mayAssume: () => stale < MAX_STALE,
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
