import type { EventRecord, LoadRecord } from '../../src/store/records.ts'
import { type DraftRecord, type FileEvent, NO_ID } from '../read/event.ts'
import { differing, judgeNamed } from './drafts.ts'
import { createFaults, type OnFault } from './faults.ts'
import { createNames, NAMELESS, type NamedRow, nameOf } from './names.ts'
import { createNumbers } from './numbers.ts'
import { noTotals, type Target, taken, type Verdict } from './target.ts'

/** The number of events that are looked up at once. */
const AT_ONCE = 1_000

interface Row {
  readonly event: FileEvent
  /** The number of the row among all records. */
  readonly index: number
  readonly place: () => string
  /** True: a new event without a position is a fault. */
  readonly needsPlace: boolean
  readonly entry: NamedRow | null
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
  const [faults, names, ids, selected] = [createFaults(onFault), createNames(), createNumbers(), createNumbers()]
  const [totals, stored, storedIds] = [noTotals(), noTotals(), new Map<number, number>()] as const
  let [items, pending] = [0, [] as Row[]]

  const judge = (verdict: Verdict, kind: LoadRecord['kind'], index: number, place: () => string): void => {
    if (typeof verdict === 'object') faults.add(verdict.fault, place)
    else if (verdict === 'same') stored[kind] += 1
    else totals[kind] += 1
    if (verdict === 'new' || verdict === 'changed') selected.add(index)
  }
  const lookUp = async (): Promise<void> => {
    const rows = pending.filter(({ event, index, entry }) => entry === null || names.isLast(event, index))
    pending = []
    if (rows.length === 0) return
    const keyOf = isNamed ? nameOf : ({ id }: Pick<FileEvent, 'id'>) => id
    const found = await target.find(
      rows.map(({ event }) => event),
      isNamed,
    )
    const storedEvents = new Map(found.map((event) => [keyOf(event), event]))
    for (const { event, index, place, needsPlace, entry } of rows) {
      const other = storedEvents.get(keyOf(event))
      if (entry === null) {
        judge(judgeNumbered(event, other), 'event', index, place)
        continue
      }
      entry.verdict = judgeNamed(event, other, needsPlace)
      if (typeof entry.verdict === 'object') faults.add(entry.verdict.fault, place)
      entry.storedId = other?.id ?? null
    }
  }
  const judgeNumbered = (event: FileEvent, other: EventRecord | undefined): Verdict => {
    if (other === undefined) return 'new'
    const field = differing(event, other)
    return field === undefined ? 'same' : target.judgeOther(event, other, field)
  }
  const addNamed = (event: FileEvent, index: number, place: () => string): NamedRow | null => {
    const added = names.add(event, index)
    if ('fault' in added) {
      faults.add(added.fault, place)
      return null
    }
    if (added.before !== undefined) {
      selected.delete(added.before.index)
      onMerged(added.before)
    }
    selected.add(index)
    return added.entry
  }
  /** Adds an event. Returns its verdict, or null if it must be looked up or is checked by its name. */
  const verdictOf = (row: Row): Verdict | null => {
    const { event } = row
    const fault =
      (hasSeries ? target.seriesFault(event.series) : null) ?? (isNamed && !event.external_id ? NAMELESS : null)
    if (fault !== null) return { fault }
    if (isNamed) {
      const entry = addNamed(event, row.index, row.place)
      if (entry !== null && target.mayHave(event, true)) pending.push({ ...row, entry })
      return null
    }
    if (event.id === NO_ID || !byId) return 'new'
    if (target.keepsIds && !ids.add(event.id)) return taken('event id', event.id, 'on an earlier line')
    if (!target.mayHave(event, false)) return 'new'
    pending.push(row)
    return null
  }
  return {
    /** Checks a record. `place` is called only for a fault. */
    record: (record: DraftRecord, place: () => string, needsPlace: boolean): Promise<void> | undefined => {
      const index = items++
      const verdict =
        record.kind === 'event'
          ? verdictOf({ event: record, index, place, needsPlace, entry: null })
          : target.check(record, place)
      if (verdict !== null) judge(verdict, record.kind, index, place)
      return pending.length === AT_ONCE ? lookUp() : undefined
    },
    /** Adds an item of a file that cannot be read as a record. */
    fault: (reason: string, place: () => string): void => {
      items += 1
      faults.add(reason, place)
    },
    /** Adds a record that must not be stored and is not a fault, such as a duplicate. */
    leaveOut: (): void => {
      items += 1
    },
    /** Call it after the last record. */
    end: async () => {
      await lookUp()
      for (const { index, verdict, storedId } of names.entries()) {
        if (verdict === null || verdict === 'new') totals.event += 1
        else if (verdict === 'changed' && storedId !== null) storedIds.set(index, storedId)
        else selected.delete(index)
        if (verdict === 'same') stored.event += 1
      }
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
