import type { EventRecord } from '../../src/store/records.ts'
import { type DraftRecord, type FileEvent, NO_ID } from '../read/event.ts'
import { differing } from './drafts.ts'
import { createFaults, type OnFault } from './faults.ts'
import { createNames, createNumbers, type KeyedRow, nameOf } from './names.ts'
import { idIn, judgeNamed, readUnnamed, sketchOf, type Unnamed } from './sketch.ts'
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
  /** The events of a series are read at once if there are no more. Otherwise each row with an external id is looked up. */
  readonly most: number
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
  /** The external ids of faulty rows. */
  readonly faultyKeys = new Set<string>()
  /** The place of the first faulty row without an external id that can be read. */
  keylessAt: string | null = null
  /** The stored events of series that no row named yet. Null: the series has too many. */
  readonly unnamed = new Map<number, Unnamed | null>()
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
    const isUnread = this.#options.isNamed && record.kind === 'event' && !this.unnamed.has(record.series)
    return isUnread ? this.read(record.series).then(() => this.#add(record, row)) : this.#add(record, row)
  }

  /** Reads the stored events of a series. */
  async read(series: number): Promise<void> {
    this.unnamed.set(series, await readUnnamed(this.#target, series, this.#options.most))
  }

  #add(record: DraftRecord, row: Omit<Row, 'record'>): Promise<void> | undefined {
    const isEvent = record.kind === 'event'
    const verdict = isEvent ? this.#judge({ ...row, record }) : this.#target.check(record, row.place)
    if (verdict !== null) this.#settle(verdict, { ...row, record })
    else if (isEvent && this.#pending.push({ ...row, record }) === AT_ONCE) return this.lookUp()
    return undefined
  }

  /** Adds an item that must not be stored: a duplicate, or one that cannot be read as a record, with the reason. */
  leaveOut(place: () => string, fault?: string, key?: string | null): void {
    this.#items += 1
    if (fault !== undefined) this.#addFault(fault, place, key)
  }

  #addFault(fault: string, place: () => string, key: string | null | undefined): void {
    this.faults.add(fault, place)
    if (key) this.faultyKeys.add(key)
    else this.keylessAt ??= place()
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
      const other = found.get(keyOf(row.record))
      const entry = isNamed ? this.#names.lastOf(row.record) : undefined
      if (entry !== undefined) entry.sketch = other && sketchOf(other)
      const verdict = entry
        ? judgeNamed(row.record, entry.sketch, row.needsPlace)
        : judgeNumbered(this.#target, row.record, other)
      this.#settle(verdict, row)
    }
  }

  /** Judges an event. Null: it is looked up later. */
  #judge(row: Row): Verdict | null {
    const { record } = row
    const { isNamed, byId, hasSeries } = this.#options
    const fault = hasSeries ? this.#target.seriesFault(record.series) : null
    if (fault !== null) return { fault }
    if (isNamed) return this.#judgeNamed(row)
    if (this.#target.keepsIds && !this.#isFirst(record))
      return {
        fault: `"external_id" is ${JSON.stringify(record.external_id)}, as on an earlier line of its series: enter another one, or leave the line out`,
      }
    if (record.id === NO_ID || !byId) return 'new'
    if (this.#target.keepsIds && !this.#ids.add(record.id)) return taken(`event id ${record.id}`, 'on an earlier line')
    return this.#target.mayHave(record) ? null : 'new'
  }

  /** Judges an event by its external id. Null: it is looked up later. */
  #judgeNamed({ record, index, needsPlace }: Row): Verdict | null {
    const added = this.#names.add(record, index)
    if ('fault' in added) return { fault: added.fault }
    const key = String(record.external_id)
    if (added.before !== undefined) this.#replace(added.before, key)
    const unnamed = this.unnamed.get(record.series)
    if (!unnamed) return null
    added.entry.sketch ??= unnamed.left.get(key)
    unnamed.left.delete(key)
    return judgeNamed(record, added.entry.sketch, needsPlace)
  }

  /** Notes the external id of an event. Returns false if an earlier event of its series has it. */
  #isFirst({ series, external_id }: FileEvent): boolean {
    if (external_id === null || external_id === undefined) return true
    const ids = this.#externalIds.get(series) ?? new Set()
    this.#externalIds.set(series, ids)
    const before = ids.size
    return ids.add(external_id).size > before
  }

  #settle(verdict: Verdict, { record, index, place }: Row<DraftRecord>): void {
    const event = record.kind === 'event' ? record : undefined
    const entry = this.#options.isNamed && event ? this.#names.lastOf(event) : undefined
    if (typeof verdict === 'object') this.#addFault(verdict.fault, place, event?.external_id)
    else if (verdict === 'same') this.stored[record.kind] += 1
    else if (verdict === 'new') this.totals[record.kind] += 1
    else if (entry?.sketch !== undefined) this.storedIds.set(index, idIn(entry.sketch))
    if (verdict === 'new' || verdict === 'changed') {
      this.selected.add(index)
      if (event) this.#options.onStored(event, place)
    }
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
