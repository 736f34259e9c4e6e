import type { SQL } from 'drizzle-orm'
import type { Schema } from '../filters/lookups.ts'
import type { Database, Statement } from '../query/db/d1.ts'
import type { Row } from '../query/table.ts'
import type { Draft, Shape } from './fields.ts'
import type { Numbered } from './statement.ts'

/** How the items of a list are written: what sets its writing apart from that of others. A draft is a record in part. */
export interface Writable<Record extends object = Draft, Stored = Row> extends Shape<Record> {
  /** The table that new ids are taken for. */
  readonly table: Numbered
  /** The name of what is written, where it is not that of the table. */
  readonly named?: string
  /** Its items are made and deleted, but not changed; absent: they are. */
  readonly unchanging?: true
  /** Media types of a body. */
  readonly types: readonly string[]
  /** A body may be a FeatureCollection; absent: it may not. */
  readonly ofFeatures?: boolean
  /** Parameters of the address with which an item is deleted, and the value that each takes; absent: none. */
  readonly removing?: Readonly<{ [parameter: string]: string }>
  /** Bodies that may be sent: of an item to make, and of a change. */
  readonly examples: { readonly made: object; readonly changed: object }
  /** Checks fields against each other and against the writer's level: the faulty field and what to enter, or null. */
  faultOf(draft: Partial<Record>, level: number): readonly [path: string, message: string] | null
  /** A whole record of a draft that has all that is required, and a new id. */
  complete(draft: Partial<Record>, id: number, writer: Writer): Record
  /** A new record as the row that will be read of it. */
  rowOf(record: Record, writer: Writer): Stored
  /** A row as the record that it was stored from. */
  recordOf(row: Stored): Record
  /** How records are known by a name of their own: one that is posted takes the place of that with the same name; absent: not. */
  readonly keyed?: Keyed<Record>
  /** What is told of several records, in their order, and how many of them are new, are changed or are as they were. */
  several(records: readonly Record[], merged: Numbers): object
  /** The schema of that. */
  readonly told: Schema
  /** The last part of the address of a row's item. */
  keyOf(row: Stored): string
  /** Whether the last part of an address names an item wholly, not by a beginning; absent: it always does. */
  isWhole?(key: string): boolean
  /** The statements that store new records, and others in the place of those with the same id. */
  add(records: readonly Record[], writer: Writer, others?: readonly Record[]): readonly Statement[]
  /** The statements that change a row; refused where something written meanwhile forbids it. */
  change(row: Stored, changes: Partial<Record>, writer: Writer): readonly Statement[]
  /** The statements that delete several rows; absent: they are deleted one by one only. */
  removeMany?(rows: readonly { readonly id: number; readonly series: number }[], writer: Writer): readonly Statement[]
  /** Deletes a row. False where the guards, or something that was written meanwhile, refused it. */
  remove(db: Database, row: Stored, removal: Removal): Promise<boolean>
}

export interface Keyed<Record extends object = Draft> {
  /** Where the name stands. */
  readonly path: string
  /** The name, null where a record has none. */
  nameOf(record: Record): string | null
  /** What holds of rows that have the name of one of these records: queries, each of some of them. */
  conditions(records: readonly Record[]): readonly SQL[]
}

export interface Numbers {
  readonly created: number
  readonly changed: number
  readonly unchanged: number
}

/** Who writes, and when, in microseconds since 1970. */
export interface Writer {
  readonly level: number
  readonly now: number
}

export interface Removal extends Writer {
  /** Statements that fail the batch where it is not to be. */
  readonly guards: readonly Statement[]
  /** The parameters of the address. */
  readonly asked: ReadonlySet<string>
}
