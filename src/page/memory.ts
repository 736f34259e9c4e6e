import type { Covering } from '../geometry/covering.ts'
import type { State } from './database.ts'

/** A covering, and how many rows to expect in its cells. */
export interface Cells {
  readonly covering: Covering
  readonly inside: number
  readonly atBoundary: number
}

/** What was found out of a search: how many rows match, one in how many does, and the cells of its area. */
export interface Finding {
  readonly count?: number
  readonly gap?: number
  readonly cells?: Cells
}

/** A finding, and the state of the data that it is true of. */
interface Dated {
  readonly state: State
  readonly finding: Finding
}

const MAX_FINDINGS = 256

/** What this isolate found out, the latest last. */
const findings = new Map<string, Dated>()
/** The state that was read last: what was found at another one is not worth a look. */
const latest: { state: State | null } = { state: null }

/** Whether two states are one: a database made anew may come to the same revision, but not at the same time. */
export const isSame = (a: State | null, b: State | null): boolean =>
  a !== null && a.revision === b?.revision && a.changed === b.changed

/** Tells of a state that was read. */
export const see = (state: State): void => {
  latest.state = state
}

/** What is known of the search with this key at the state that was read last; null without a key: none is wanted. */
export const recall = (key: string | null): Dated | null => {
  const known = key === null ? undefined : findings.get(key)
  return known !== undefined && isSame(latest.state, known.state) ? known : null
}

/** Adds to what is known of a search at a state, by default the one that was read last. */
export const remember = (key: string | null, finding: Finding, state: State | null = latest.state): void => {
  if (key === null || state === null) return
  const known = findings.get(key)
  findings.delete(key)
  findings.set(key, {
    state,
    finding: isSame(state, known?.state ?? null) ? { ...known?.finding, ...finding } : finding,
  })
  const [oldest] = findings.size > MAX_FINDINGS ? findings.keys() : []
  if (oldest !== undefined) findings.delete(oldest)
}
