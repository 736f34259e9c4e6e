import type { D1Database } from '@cloudflare/workers-types'
import type { EventRecord } from '../../src/store/records.ts'
import { differing, readNamed } from './stored.ts'

/** What becomes of an event that is known by its external id. */
type Fate = 'new' | 'changed' | 'same'

interface Known {
  readonly at: number
  /** Null once it was looked for. */
  event: EventRecord | null
  fate: Fate | null
  /** A later one has the same external id. */
  passed: boolean
}

/** What came of looking for events by their external ids. */
export interface KeyedTotals {
  readonly created: number
  readonly changed: number
  readonly same: number
}

/** Looks for events by what their source calls them: of several with one name the last counts. */
export interface KeyedCheck {
  /** An event that has an external id, and its place among all that is looked at. */
  readonly add: (event: EventRecord, at: number) => Promise<void> | undefined
  /** To be called after the last: the ids of those that are changed, by their places; `leave` is told of what is not stored. */
  readonly end: (leave: (at: number) => void) => Promise<KeyedTotals & { readonly ids: ReadonlyMap<number, number> }>
}

const AT_ONCE = 1_000

/** A check of a load in which events are known by their external ids. */
export function createKeyedCheck(db: D1Database): KeyedCheck {
  const known = new Map<string, Known>()
  const ids = new Map<number, number>()
  const left: number[] = []
  let asked: Known[] = []
  const look = async () => {
    const wanted = asked.flatMap(({ event, passed }) => (event === null || passed ? [] : [event]))
    const there = new Map((await readNamed(db, wanted)).map((event) => [nameOf(event), event]))
    for (const each of asked) {
      const { event, at } = each
      each.event = null
      if (event === null || each.passed) continue
      const stored = there.get(nameOf(event))
      each.fate = stored === undefined ? 'new' : differing({ ...event, id: stored.id }, stored) ? 'changed' : 'same'
      if (stored !== undefined && each.fate === 'changed') ids.set(at, stored.id)
    }
    asked = []
  }
  return {
    add: (event, at) => {
      const name = nameOf(event)
      const before = known.get(name)
      if (before !== undefined) {
        before.passed = true
        left.push(before.at)
      }
      const each: Known = { at, event, fate: null, passed: false }
      known.set(name, each)
      asked.push(each)
      return asked.length === AT_ONCE ? look() : undefined
    },
    end: async (leave) => {
      await look()
      for (const at of left) leave(at)
      const count = { new: 0, changed: 0, same: 0 }
      for (const { at, fate } of known.values()) {
        if (fate !== null) count[fate] += 1
        if (fate === 'same') leave(at)
      }
      return { created: count.new, changed: count.changed, same: count.same, ids }
    },
  }
}

/** What is wrong with an event that has no external id. */
export const NAMELESS = 'there is nothing in the column of --key: put what the source calls the event'

/** What tells events apart. */
export const nameOf = ({ series, external_id }: EventRecord): string => `${series} ${external_id}`
