import type { EventRecord } from '../../src/store/records.ts'
import { type DraftRecord, type FileEvent, NO_ID } from '../read/event.ts'
import { differing, judgeNamed } from './drafts.ts'
import { createFaults, type OnFault } from './faults.ts'
import { createNames, createNumbers, type KeyedRow, nameOf } from './names.ts'
import { noTotals, type Target, taken, type Verdict } from './target.ts'

interface Row<R extends DraftRecord = FileEvent> {
  readonly record: R
  /** The number of the row among all records. */
  readonly index: number
  readonly place: () => string
  /** True: a new event without a position is a fault. */
  readonly needsPlace: boolean
}

interface CheckOptions {
  readonly isNamed: boolean
  /** False: the ids of the file mean nothing to the target. */
  readonly byId: boolean
  /** True: the events name series of their own. */
  readonly hasSeries: boolean
  /** Receives each row that a later row with its external id replaces. */
  readonly onMerged: (row: KeyedRow, key: string) => void
  readonly onFault: OnFault | undefined
  /** Receives each event that is new or changes a stored one. */
  readonly onStored: (event: FileEvent, place: () => string) => void
}

/** The number of events that are looked up at once. */
const AT_ONCE = 1_000

/** Checks the records of files against a target, and selects the records to store. */
export class Check {
  readonly selected = createNumbers()
  readonly totals = noTotals()
  /** Counts the records that the target has with the same content. */
  readonly stored = noTotals()
  /** The ids of the stored events that rows change, by the numbers of these rows. */
  readonly storedIds = new Map<number, number>()
  readonly faults: ReturnType<typeof createFaults>
  readonly #target: Target
  readonly #options: CheckOptions
  readonly #ids = createNumbers()
  readonly #names = createNames()
  /** The external ids on earlier lines, by series. One million need some 100 MB. */
  readonly #externalIds = new Map<number, Set<string>>()
  #items = 0
  #pending: Row[] = []

  constructor(target: Target, options: CheckOptions) {
    this.#target = target
    this.#options = options
    this.faults = createFaults(options.onFault)
  }

  /** Checks a record. `place` is called only for a fault. Call `lookUp` after the last record. */
  add(record: DraftRecord, place: () => string, needsPlace: boolean): Promise<void> | undefined {
    const row = { index: this.#items++, place, needsPlace }
    const isEvent = record.kind === 'event'
    const verdict = isEvent ? this.#judge({ ...row, record }) : this.#target.check(record, place)
    if (verdict !== null) this.#settle(verdict, { ...row, record })
    else if (isEvent && this.#pending.push({ ...row, record }) === AT_ONCE) return this.lookUp()
    return undefined
  }

  /** Adds an item that must not be stored: a duplicate, or one that cannot be read as a record, with the reason. */
  leaveOut(place: () => string, fault?: string): void {
    this.#items += 1
    if (fault !== undefined) this.faults.add(fault, place)
  }

  /** Compares the events that wait for it with the target. */
  async lookUp(): Promise<void> {
    const { isNamed } = this.#options
    const keyOf = isNamed ? nameOf : ({ id }: Pick<FileEvent, 'id'>) => id
    const rows = this.#pending.filter(({ record, index }) => !isNamed || this.#names.lastOf(record)?.index === index)
    const events = rows.map(({ record }) => record)
    this.#pending = []
    if (rows.length === 0) return
    const found = new Map((await this.#target.find(events, isNamed)).map((event) => [keyOf(event), event]))
    for (const row of rows) {
      const { record, needsPlace } = row
      const other = found.get(keyOf(record))
      const verdict = isNamed ? judgeNamed(record, other, needsPlace) : judgeNumbered(this.#target, record, other)
      this.#settle(verdict, row, other?.id)
    }
  }

  /** Judges an event. Null: it is looked up later. */
  #judge({ record, index }: Row): Verdict | null {
    const { isNamed, byId, hasSeries } = this.#options
    const fault = hasSeries ? this.#target.seriesFault(record.series) : null
    if (fault !== null) return { fault }
    if (isNamed) {
      const added = this.#names.add(record, index)
      if ('fault' in added) return { fault: added.fault }
      if (added.before !== undefined) this.#replace(added.before, String(record.external_id))
    } else if (this.#target.keepsIds && !this.#isFirst(record))
      return {
        fault: `"external_id" is ${JSON.stringify(record.external_id)}, as on an earlier line of its series: enter another one, or leave the line out`,
      }
    else if (record.id === NO_ID || !byId) return 'new'
    else if (this.#target.keepsIds && !this.#ids.add(record.id))
      return taken(`event id ${record.id}`, 'on an earlier line')
    return this.#target.mayHave(record, isNamed) ? null : 'new'
  }

  /** Notes the external id of an event. Returns false if an earlier event of its series has it. */
  #isFirst({ series, external_id }: FileEvent): boolean {
    if (external_id === null || external_id === undefined) return true
    const ids = this.#externalIds.get(series) ?? new Set()
    this.#externalIds.set(series, ids)
    const before = ids.size
    return ids.add(external_id).size > before
  }

  #settle(verdict: Verdict, { record, index, place }: Row<DraftRecord>, storedId?: number): void {
    if (typeof verdict === 'object') this.faults.add(verdict.fault, place)
    else if (verdict === 'same') this.stored[record.kind] += 1
    else if (verdict === 'new') this.totals[record.kind] += 1
    else if (storedId !== undefined) this.storedIds.set(index, storedId)
    if (verdict === 'new' || verdict === 'changed') {
      this.selected.add(index)
      if (record.kind === 'event') this.#options.onStored(record, place)
    }
    const entry = this.#options.isNamed && record.kind === 'event' ? this.#names.lastOf(record) : undefined
    if (entry?.index === index) entry.verdict = verdict
  }

  /** Takes back the verdict about a row, because a later row replaces it. */
  #replace(row: KeyedRow, key: string): void {
    if (row.verdict === 'same') this.stored.event -= 1
    if (row.verdict === 'new') this.totals.event -= 1
    this.storedIds.delete(row.index)
    this.selected.delete(row.index)
    this.#options.onMerged(row, key)
  }
}

function judgeNumbered(target: Target, event: FileEvent, other: EventRecord | undefined): Verdict {
  if (other === undefined) return 'new'
  const field = differing(event, other)
  return field === undefined ? 'same' : target.judgeOther(event, other, field)
}
