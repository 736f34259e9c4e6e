import { type BoundedMap, boundedMap } from '../../collections.ts'
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

/**
 * Holds data about one database in memory. All requests of an access level share it. Another level may have an equal
 * state with other data.
 */
export interface Cache {
  /** Findings by the key of a request. */
  readonly findings: StateMemory<Finding>
  /** The rows of queries for facts, by their SQL and parameters. */
  readonly rows: StateMemory<readonly Row[]>
  /** The cells of areas, by `regionKey`. */
  readonly regions: StateMemory<Region>
  readonly regionKey: (area: Area) => string
  /** Maps the uuid of a series to its state, and to the state of the level then. Null: the level does not see it. */
  readonly series: BoundedMap<{ readonly ofLevel: State; readonly state: State | null }>
  /** Notes the state that was read last. */
  readonly see: (state: State) => void
  readonly latest: () => State | null
  /** Notes if the data still had the latest state at the first read of a request. */
  readonly noteFirst: (isLatest: boolean) => void
  /** Returns true if a request may assume that the data still has the latest state. */
  readonly mayAssume: () => boolean
  /** Statistics with the state and the time of their read, in milliseconds since 1970. They may be stale. Null at first. */
  statistics: { readonly at: number; readonly state: State | null; readonly statistics: Statistics } | null
}

const MAX_FINDINGS = 1024
/** The most series of each level whose state is in memory. */
const MAX_SERIES = 1024
/** The space of all facts in memory, in units of 100 bytes: their rows, and the texts of their queries. */
const MAX_FACTS = 100_000
/** The most cells of all regions in memory. A cell takes about 1 KB. */
const MAX_CELLS = 20_000
/** If the state was new at the first read of this many requests in a row, the next one assumes no state. */
const MAX_STALE = 2

/** Makes the empty memories of all levels. The sizes of their values are at most `space` in sum. */
const makeMemories = <Value>(space: number): ((level: number) => StateMemory<Value>) => {
  const values = boundedMap<{ readonly value: Value; readonly state: State }>(space)
  return (level) => ({
    recall: (key, state) => {
      const found = key === null ? undefined : values.get(`${level} ${key}`)
      return found !== undefined && isSame(found.state, state) ? found.value : null
    },
    remember: (key, state, value, size) => {
      if (key !== null && state !== null) values.set(`${level} ${key}`, { value, state }, size)
    },
  })
}

/** Makes the empty caches of all levels for one database. They share their space. */
export const makeCaches = (): ((level: number) => Cache) => {
  const memories = {
    findings: makeMemories<Finding>(MAX_FINDINGS),
    rows: makeMemories<readonly Row[]>(MAX_FACTS),
    regions: makeMemories<Region>(MAX_CELLS),
  }
  const areas = new WeakMap<Area, number>()
  let lastArea = 0
  const regionKey = (area: Area): string => {
    const number = areas.get(area) ?? ++lastArea
    areas.set(area, number)
    return String(number)
  }
  const caches = new Map<number, Cache>()
  return (level) => {
    const { findings, rows, regions } = memories
    const known = { findings: findings(level), rows: rows(level), regions: regions(level), regionKey }
    const cache = caches.get(level) ?? {
      ...known,
      series: boundedMap(MAX_SERIES),
      ...makeAssumption(),
      statistics: null,
    }
    caches.set(level, cache)
    return cache
  }
}

/** Notes the latest state, and how often it was stale. */
const makeAssumption = (): Pick<Cache, 'see' | 'latest' | 'noteFirst' | 'mayAssume'> => {
  let latest: State | null = null
  let stale = 0
  return {
    see: (state) => {
      latest = state
    },
    latest: () => latest,
    noteFirst: (isLatest) => {
      stale = isLatest ? 0 : stale + 1
    },
    mayAssume: () => stale < MAX_STALE,
  }
}

/** The caches of each database, because a Worker may have several. */
const caches = new WeakMap<D1Database, (level: number) => Cache>()

/** Returns the cache of a database for an access level. */
export const cacheOf = (d1: D1Database, level: number): Cache => {
  const ofLevels = caches.get(d1) ?? makeCaches()
  caches.set(d1, ofLevels)
  return ofLevels(level)
}
