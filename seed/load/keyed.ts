import type { D1Database } from '@cloudflare/workers-types'
import type { FileEvent } from '../read/event.ts'
import { fateOf } from './drafts.ts'
import type { OnFault } from './faults.ts'
import { createNames, type Fate, type NamedRow, nameOf } from './names.ts'
import { readNamed } from './stored.ts'

/** The numbers of events in a load with a key column. */
export interface KeyedTotals {
  readonly created: number
  readonly changed: number
  readonly same: number
}

/** A row that has an external id. */
export interface KeyedRow {
  readonly event: FileEvent
  /** The number of the row among all records. */
  readonly index: number
  readonly place: () => string
  readonly needsPlace: boolean
}

/** Finds stored events by their external ids. */
export interface KeyedCheck {
  readonly add: (row: KeyedRow) => Promise<void> | undefined
  /**
   * Call it after the last row. The keys of `ids` are row numbers, and the values are ids of the events that they
   * change.
   */
  readonly end: () => Promise<KeyedTotals & { readonly ids: ReadonlyMap<number, number> }>
}

interface Listeners {
  /** Receives the number of each row that must not be stored. */
  readonly leave: (index: number) => void
  /** Receives each row that a later row replaces. */
  readonly onMerged: (row: NamedRow) => void
  readonly onFault: OnFault
}

type Pending = KeyedRow & { readonly entry: NamedRow }

const AT_ONCE = 1_000

/** Checks events that their external ids identify. */
export function createKeyedCheck(db: D1Database, { leave, onMerged, onFault }: Listeners): KeyedCheck {
  const names = createNames()
  const ids = new Map<number, number>()
  let pending: Pending[] = []
  const checkPending = async () => {
    const rows = pending.filter(({ event, index }) => names.isLast(event, index))
    pending = []
    const stored = new Map(
      (
        await readNamed(
          db,
          rows.map(({ event }) => event),
        )
      ).map((event) => [nameOf(event), event]),
    )
    for (const { event, index, place, needsPlace, entry } of rows) {
      const storedEvent = stored.get(nameOf(event))
      entry.fate = fateOf(event, storedEvent, needsPlace, (reason) => onFault(reason, place))
      if (storedEvent !== undefined && entry.fate === 'changed') ids.set(index, storedEvent.id)
    }
  }
  return {
    add: (row) => {
      const added = names.add(row.event, row.index)
      if ('fault' in added) {
        leave(row.index)
        onFault(added.fault, row.place)
        return
      }
      if (added.before !== undefined) {
        leave(added.before.index)
        onMerged(added.before)
      }
      pending.push({ ...row, entry: added.entry })
      return pending.length === AT_ONCE ? checkPending() : undefined
    },
    end: async () => {
      await checkPending()
      const count: Record<Fate, number> = { new: 0, changed: 0, same: 0, faulty: 0 }
      for (const { index, fate } of names.entries()) {
        if (fate !== null) count[fate] += 1
        if (fate === 'same' || fate === 'faulty') leave(index)
      }
      return { created: count.new, changed: count.changed, same: count.same, ids }
    },
  }
}
