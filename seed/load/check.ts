import type { D1Database } from '@cloudflare/workers-types'
import { sql } from 'drizzle-orm'
import { textOf } from '../../schema/sql.ts'
import { events } from '../../schema/tables.ts'
import type { EventRecord, LoadRecord } from '../../src/store/records.ts'
import { type DraftRecord, type FileEvent, NO_ID } from '../read/event.ts'
import { type Bits, createBits } from './bits.ts'
import { differing } from './drafts.ts'
import { createFaults, type OnFault } from './faults.ts'
import { createIds, type Ids } from './ids.ts'
import { createKeyedCheck } from './keyed.ts'
import { NAMELESS, type NamedRow } from './names.ts'
import { readEvents, readShort } from './stored.ts'

/** The number of records of each kind. */
export type Totals = Record<LoadRecord['kind'], number>

export const noTotals = (): Totals => ({ observation_type: 0, event_series: 0, event: 0 })

/** The result of a check. */
export interface Checked {
  /** Says for each record, in order, whether the load stores it. */
  readonly selected: Bits
  readonly totals: Totals
  /** The numbers of records that the database has with the same content. */
  readonly stored: Totals
  /** The reasons why records cannot be stored. Each kind of fault has its first examples with their places. */
  readonly faults: readonly string[]
  readonly faultCount: number
  /**
   * The number of stored events that the load changes. The keys of `ids` are record numbers, and the values are ids of
   * these events.
   */
  readonly changed: number
  readonly ids: ReadonlyMap<number, number>
}

/** Checks records one after the other. */
export interface Check {
  /** Checks a record. `place` is called only for a fault. `needsPlace`: a new event without a position is a fault. */
  readonly record: (record: DraftRecord, place: () => string, needsPlace?: boolean) => Promise<void> | undefined
  /** Adds an item of a file that cannot be read as a record. */
  readonly fault: (reason: string, place: () => string) => void
  /** Adds a record that must not be stored and is not a fault, such as a duplicate. */
  readonly leaveOut: () => void
  /** Call it after the last record. */
  readonly end: () => Promise<Checked>
}

type Holder = { readonly record: LoadRecord; readonly place: (() => string) | null }
type Holders = Map<number | string, Holder>
/** The records that have each id or uuid. */
type Known = { readonly types: Holders; readonly series: Holders; readonly uuids: Holders; readonly ids: Ids }
type Pending = { readonly index: number; readonly record: FileEvent; readonly place: () => string }
/** The fault of a record, or null. `same`: the database has the record with the same content. */
type Verdict = { readonly fault: string } | 'same' | null

const IDS_AT_ONCE = 5_000

const EXTENT = textOf(sql`SELECT min(${events.id}) AS first, max(${events.id}) AS last FROM ${events}`)

/**
 * Creates a check. Ids and uuids must be unique. Series and types must come before the records that name them. Stored
 * records are skipped. `onMerged` receives each row that a later row replaces. Null: no key column identifies events.
 */
export async function createCheck(
  db: D1Database,
  onMerged: ((row: NamedRow) => void) | null = null,
  onFault?: OnFault,
): Promise<Check> {
  const known = await readKnown(db)
  const extent = await db.prepare(EXTENT).first<Record<string, number | null>>()
  const [first, last] = [extent?.first ?? 1, extent?.last ?? 0]
  const [selected, totals, stored, faults] = [createBits(), noTotals(), noTotals(), createFaults(onFault)]
  const leave = (index: number) => selected.set(index, false)
  const keyed = onMerged === null ? null : createKeyedCheck(db, { leave, onMerged, onFault: faults.add })
  let pending: Pending[] = []
  const judge = (verdict: Verdict, kind: LoadRecord['kind'], place: () => string): boolean => {
    if (verdict === 'same') stored[kind] += 1
    else if (verdict === null) totals[kind] += 1
    else faults.add(verdict.fault, place)
    return verdict === null
  }
  const checkPending = async () => {
    if (pending.length === 0) return
    const ids = pending.map(({ record }) => record.id)
    const storedEvents = new Map((await readEvents(db, ids)).map((event) => [event.id, event]))
    for (const { index, record, place } of pending) {
      const storedEvent = storedEvents.get(record.id)
      const verdict =
        storedEvent === undefined
          ? null
          : verdictOf('event id', record.id, record, { record: storedEvent, place: null })
      selected.set(index, judge(verdict, 'event', place))
    }
    pending = []
  }
  const addKeyed = (event: FileEvent, place: () => string, needsPlace: boolean) => {
    const fault = namedFault(event, known)
    selected.push(fault === null)
    if (fault === null) return keyed?.add({ event, index: selected.length() - 1, place, needsPlace })
    faults.add(fault, place)
    return undefined
  }
  return {
    record: (record, place, needsPlace = false) => {
      if (keyed !== null && record.kind === 'event') return addKeyed(record, place, needsPlace)
      const verdict = record.kind === 'event' ? eventVerdict(record, known) : otherVerdict(record, place, known)
      const mayBeStored = record.kind === 'event' && verdict === null && record.id >= first && record.id <= last
      selected.push(!mayBeStored && judge(verdict, record.kind, place))
      if (mayBeStored) pending.push({ index: selected.length() - 1, record, place })
      return pending.length === IDS_AT_ONCE ? checkPending() : undefined
    },
    fault: (reason, place) => {
      selected.push(false)
      faults.add(reason, place)
    },
    leaveOut: () => selected.push(false),
    end: async () => {
      await checkPending()
      const keyedTotals = await keyed?.end()
      totals.event += keyedTotals?.created ?? 0
      stored.event += keyedTotals?.same ?? 0
      const report = { faults: faults.lines(), faultCount: faults.count() }
      return {
        selected,
        totals,
        stored,
        ...report,
        changed: keyedTotals?.changed ?? 0,
        ids: keyedTotals?.ids ?? new Map(),
      }
    },
  }
}

async function readKnown(db: D1Database): Promise<Known> {
  const { types, series } = await readShort(db)
  const holderOf = (record: LoadRecord): Holder => ({ record, place: null })
  return {
    types: new Map(types.map((record) => [record.id, holderOf(record)])),
    series: new Map(series.map((record) => [record.id, holderOf(record)])),
    uuids: new Map(series.map((record) => [record.uuid, holderOf(record)])),
    ids: createIds(),
  }
}

function otherVerdict(record: Exclude<LoadRecord, EventRecord>, place: () => string, known: Known): Verdict {
  const holder: Holder = { record, place }
  if (record.kind === 'observation_type') {
    const existing = known.types.get(record.id)
    if (existing !== undefined) return verdictOf('observation type id', record.id, record, existing)
    known.types.set(record.id, holder)
    return null
  }
  if (!known.types.has(record.observation_type)) return absent('observation type', record.observation_type)
  const existing = known.series.get(record.id)
  if (existing !== undefined) return verdictOf('event series id', record.id, record, existing)
  const twin = known.uuids.get(record.uuid)
  if (twin !== undefined) return verdictOf('event series uuid', record.uuid, record, twin)
  known.series.set(record.id, holder)
  known.uuids.set(record.uuid, holder)
  return null
}

function eventVerdict({ id, series }: FileEvent, known: Known): Verdict {
  if (!known.series.has(series)) return absent('event series', series)
  return id === NO_ID || known.ids.add(id) ? null : taken('event id', id, 'on an earlier line')
}

/** Returns the fault of an event that its external id identifies, or null. */
function namedFault({ series, external_id }: FileEvent, known: Known): string | null {
  if (!known.series.has(series)) return absent('event series', series).fault
  return external_id ? null : NAMELESS
}

/**
 * Compares a record with the record that has its id or uuid. Two records of files are always a fault. A stored record
 * is a fault if its content differs.
 */
function verdictOf(
  label: string,
  key: number | string,
  record: DraftRecord,
  { record: other, place }: Holder,
): Verdict {
  if (place !== null) return taken(label, key, `at ${place()}`)
  const field = differing(record, other)
  return field === undefined ? 'same' : taken(label, key, `in the database, with another "${field}"`)
}

const taken = (label: string, key: number | string, holder: string) => ({
  fault: `${label} ${key} exists already ${holder}: enter another one, or leave the line out`,
})

const absent = (label: string, id: number) => ({
  fault: `there is no ${label} ${id} in the database or on an earlier line: add it, or enter the id of an existing one`,
})
