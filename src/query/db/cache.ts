import type { Extent } from '../../filters/lookups.ts'
import type { Weight } from '../../geometry/covering.ts'
import { isSame, type State } from '../../state.ts'

/** Roughly how many rows there are where: estimates that plans follow and no answer does, so that they may be out of date. */
export interface Statistics {
  readonly total: number
  /** In finest cells from first to last. */
  readonly inCells: Weight
  /** With a start within an extent. */
  readonly inStart: (extent: Extent) => number
  /** With an id within an extent. */
  readonly inId: (extent: Extent) => number
  /** With a duration of a class. */
  readonly inClass: (durationClass: number) => number
}

/** What was found out of a search: how many rows match, and how many are looked at in the order for one that does. */
export interface Finding {
  readonly count: number
  /** 0: reading in the order is not the way to a page. */
  readonly rowsPerMatch: number
}

/** What this isolate remembers of a database, so that the next request need not find it out again. */
export interface Cache {
  /** What is known of the search with this key in this state; null where nothing is. */
  readonly recall: (key: string | null, state: State | null) => Finding | null
  readonly remember: (key: string | null, state: State | null, finding: Finding) => void
  /** Tells of a state that was read, and which one was read last: what was found in another is not worth a look. */
  readonly see: (state: State) => void
  readonly latest: () => State | null
  /** Whether the last answer to the request with this key was dear, see src/http/kept.ts. */
  readonly isDear: (key: string) => boolean
  readonly noteCost: (key: string, wasDear: boolean) => void
  /** By level. Plans follow these, no answer does, so that they may be out of date. */
  readonly statistics: Map<string, { readonly at: number; readonly statistics: Statistics }>
}

const MAX_FINDINGS = 1024
const MAX_DEAR = 1024

/** An empty cache, for one database. */
export const makeCache = (): Cache => {
  // The one used last stands last.
  const findings = new Map<string, Finding & { readonly state: State }>()
  const dear = new Set<string>()
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
      const [oldest] = findings.size > MAX_FINDINGS ? findings.keys() : []
      if (oldest !== undefined) findings.delete(oldest)
    },
    see: (state) => {
      latest = state
    },
    latest: () => latest,
    isDear: (key) => dear.has(key),
    noteCost: (key, wasDear) => {
      dear.delete(key)
      if (wasDear) dear.add(key)
      const [oldest] = dear.size > MAX_DEAR ? dear : []
      if (oldest !== undefined) dear.delete(oldest)
    },
    statistics: new Map(),
  }
}
