import type { EventRecord } from '../../src/model/event.ts'
import type { LoadRecord } from '../../src/store/records.ts'
import { type DraftRecord, type FileEvent, NO_ID } from '../read/event.ts'
import { differing, judgeNamed } from './drafts.ts'
import { createFaults, type OnFault } from './faults.ts'
import { createNames, NAMELESS, type NamedRow, nameOf } from './names.ts'
import { createNumbers } from './numbers.ts'
import { noTotals, type Target, taken, type Verdict } from './target.ts'

interface Row {
  readonly event: FileEvent
  /** The number of the row among all records. */
  readonly index: number
  readonly place: () => string
  /** True: a new event without a position is a fault. */
  readonly needsPlace: boolean
}

interface CheckOptions {
  /** True: external ids identify the events. */
  readonly isNamed: boolean
  /** False: the ids of the file mean nothing to the target. */
  readonly byId: boolean
  /** True: the events name series of their own. */
  readonly hasSeries: boolean
  /** Receives each row that a later row with its external id replaces. */
  readonly onMerged: (row: NamedRow) => void
  readonly onFault: OnFault | undefined
}

/** Creates a check of the records of files against a target. It selects the records to store. */
export function createCheck(target: Target, { isNamed, byId, hasSeries, onMerged, onFault }: CheckOptions) {
  const [faults, ids, selected] = [createFaults(onFault), createNumbers(), createNumbers()]
  const [totals, stored] = [noTotals(), noTotals()]
  let items = 0
  const judge = (verdict: Verdict, kind: LoadRecord['kind'], index: number, place: () => string): void => {
    if (typeof verdict === 'object') faults.add(verdict.fault, place)
    else if (verdict === 'same') stored[kind] += 1
    else totals[kind] += 1
    if (verdict === 'new') selected.add(index)
  }
  const numbered = createQueue(target, false, ({ event, index, place }, other) =>
    judge(judgeNumbered(target, event, other), 'event', index, place),
  )
  const named = createNamed(target, { selected, onMerged, onFault: faults.add })
  /** Judges an event. Null: it is looked up later. */
  const verdictOf = (row: Row): Verdict | null => {
    const { id, series } = row.event
    const fault = hasSeries ? target.seriesFault(series) : null
    if (fault !== null) return { fault }
    if (isNamed) return named.add(row)
    if (id === NO_ID || !byId) return 'new'
    if (target.keepsIds && !ids.add(id)) return taken('event id', id, 'on an earlier line')
    return target.mayHave(row.event, false) ? numbered.add(row) : 'new'
  }
  return {
    /** Checks a record. `place` is called only for a fault. */
    record: (record: DraftRecord, place: () => string, needsPlace: boolean): Promise<void> | undefined => {
      const index = items++
      const isEvent = record.kind === 'event'
      const verdict = isEvent ? verdictOf({ event: record, index, place, needsPlace }) : target.check(record, place)
      if (verdict !== null) judge(verdict, record.kind, index, place)
      return numbered.lookUpIfFull() ?? named.lookUpIfFull()
    },
    /** Adds an item that must not be stored: a duplicate, or one that cannot be read as a record, with the reason. */
    leaveOut: (place: () => string, fault?: string): void => {
      items += 1
      if (fault !== undefined) faults.add(fault, place)
    },
    /** Call it after the last record. */
    end: async () => {
      await numbered.lookUp()
      const { created, unchanged, storedIds } = await named.end()
      totals.event += created
      stored.event += unchanged
      return { selected, totals, stored, storedIds, faults: faults.lines(), faultCount: faults.count() }
    },
  }
}

export type Check = ReturnType<typeof createCheck>
/**
 * The result of a check. `selected` has the numbers of the records to store. `stored` counts records that the target has
 * with the same content. `storedIds` has the ids of the stored events that rows change, by the numbers of these rows.
 */
export type Checked = Awaited<ReturnType<Check['end']>>

/** Compares an event with the stored event that has its id. */
function judgeNumbered(target: Target, event: FileEvent, other: EventRecord | undefined): Verdict {
  if (other === undefined) return 'new'
  const field = differing(event, other)
  return field === undefined ? 'same' : target.judgeOther(event, other, field)
}

/** The number of events that are looked up at once. */
const AT_ONCE = 1_000

/** Collects rows, and finds the stored events with their ids or with their external ids. */
function createQueue<R extends Row>(
  target: Target,
  isNamed: boolean,
  onFound: (row: R, stored: EventRecord | undefined) => void,
  isCurrent: (row: R) => boolean = () => true,
) {
  const keyOf = isNamed ? nameOf : ({ id }: Pick<FileEvent, 'id'>) => id
  let pending: R[] = []
  const lookUp = async (): Promise<void> => {
    const rows = pending.filter(isCurrent)
    const events = rows.map(({ event }) => event)
    pending = []
    if (rows.length === 0) return
    const stored = new Map((await target.find(events, isNamed)).map((event) => [keyOf(event), event]))
    for (const row of rows) onFound(row, stored.get(keyOf(row.event)))
  }
  const add = (row: R): null => {
    pending.push(row)
    return null
  }
  return { add, lookUp, lookUpIfFull: () => (pending.length === AT_ONCE ? lookUp() : undefined) }
}

interface Listeners {
  readonly selected: ReturnType<typeof createNumbers>
  readonly onMerged: (row: NamedRow) => void
  readonly onFault: OnFault
}

/** Checks rows that external ids identify. The last row with an external id counts. */
function createNamed(target: Target, { selected, onMerged, onFault }: Listeners) {
  const names = createNames()
  const queue = createQueue<Row & { readonly entry: NamedRow }>(
    target,
    true,
    ({ event, place, needsPlace, entry }, other) => {
      entry.verdict = judgeNamed(event, other, needsPlace)
      entry.storedId = other?.id ?? null
      if (typeof entry.verdict === 'object') onFault(entry.verdict.fault, place)
    },
    ({ event, index }) => names.isLast(event, index),
  )
  return {
    /** Adds a row. Returns a fault, or null: the row is judged at the end. */
    add: (row: Row): Verdict | null => {
      const { event, index } = row
      const added = event.external_id ? names.add(event, index) : { fault: NAMELESS }
      if ('fault' in added) return { fault: added.fault }
      const { entry, before } = added
      if (before !== undefined) {
        selected.delete(before.index)
        onMerged(before)
      }
      selected.add(index)
      return target.mayHave(event, true) ? queue.add({ ...row, entry }) : null
    },
    lookUpIfFull: queue.lookUpIfFull,
    end: async () => {
      await queue.lookUp()
      const storedIds = new Map<number, number>()
      let [created, unchanged] = [0, 0]
      for (const { index, verdict, storedId } of names.entries()) {
        if (verdict === null || verdict === 'new') created += 1
        else if (verdict === 'changed' && storedId !== null) storedIds.set(index, storedId)
        else selected.delete(index)
        if (verdict === 'same') unchanged += 1
      }
      return { created, unchanged, storedIds }
    },
  }
}
