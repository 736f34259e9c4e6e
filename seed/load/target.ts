import type { Metadata } from '../../src/model/types.ts'
import type { EventRecord, LoadRecord, ObservationTypeRecord, SeriesRecord } from '../../src/store/records.ts'
import type { DraftRecord, FileEvent } from '../read/event.ts'

export type Counts = Record<LoadRecord['kind'], number>

export const noTotals = (): Counts => ({ observation_type: 0, event_series: 0, event: 0 })

/** The result of comparing a record with the target. `same`: the target has the record with the same content. */
export type Verdict = { readonly fault: string } | 'same' | 'new' | 'changed'

/** A record of the second pass, which the target stores. */
export interface Selected {
  readonly record: DraftRecord
  /** The SHA-256 of the file. Null for a record that the options make. */
  readonly digest: string | null
  /** The number of the record in its file, from 1. */
  readonly number: number
  readonly place: () => string
  /** The id of the stored event that the record changes. Null for a new record. */
  readonly storedId: number | null
}

export interface LoadPlan {
  readonly totals: Counts
  readonly storedIds: ReadonlySet<number>
  readonly needsIds: boolean
  /** True: external ids identify the events. */
  readonly isNamed: boolean
  readonly signal: AbortSignal | undefined
}

/** The numbers of records that a target added, changed, or had already. */
export interface LoadCounts {
  readonly totals: Counts
  readonly changed: number
  readonly unchanged: number
}

/** What identifies a stored event. */
export type StoredName = Pick<EventRecord, 'id' | 'external_id'>

/** A load stores records in a target: a database or a service. */
export interface Target {
  readonly types: readonly ObservationTypeRecord[]
  readonly series: readonly SeriesRecord[]
  /** True: events keep the ids of their files. False: the target gives new ids. */
  readonly keepsIds: boolean
  /** Checks a type or a series. Later records may name it. */
  readonly check: (record: ObservationTypeRecord | SeriesRecord, place: () => string) => Verdict
  /** Returns the fault of an event that names a series of its own. Null: the series may exist. */
  readonly seriesFault: (series: number) => string | null
  /** Returns false if the target surely has no event with this id. */
  readonly mayHave: (event: FileEvent) => boolean
  /** Passes all events of a series to `add`. Returns false, and passes none, if there are more than `most`. */
  readonly readAll: (series: number, most: number, add: (event: EventRecord) => unknown) => Promise<boolean>
  /** Finds stored events by their ids, or by their series and external ids. */
  readonly find: (events: readonly FileEvent[], isNamed: boolean) => Promise<readonly EventRecord[]>
  /** Judges an event that differs from the stored event with its id in this field. */
  readonly judgeOther: (event: FileEvent, stored: EventRecord, field: string) => Verdict
  /** Returns how many records of a file earlier loads stored. The file has no ids, and its digest identifies it. */
  readonly passed: (digest: string) => Promise<number>
  readonly store: (records: AsyncIterable<Selected>, plan: LoadPlan) => Promise<LoadCounts>
  /** Deletes events of a series. */
  readonly remove: (series: number, events: readonly StoredName[]) => Promise<void>
  /** Returns the address of the events of a series, or of all series. */
  readonly addressOf: (series: SeriesRecord | undefined) => string
  /** Changes the description of a series after its events are stored. */
  readonly describe: (series: SeriesRecord, change: (metadata: Metadata) => Metadata) => Promise<void>
}

/** The fault of a record whose key is taken, such as `event id 3`. */
export const taken = (key: string, holder: string) => ({
  fault: `${key} exists already ${holder}: enter another one, or leave the line out`,
})
