import type { SQL } from 'drizzle-orm'
import type { Schema } from '../filters/lookups.ts'
import type { Database, Statement } from '../query/db/d1.ts'
import type { Row } from '../query/table.ts'
import type { Draft, Shape } from './fields.ts'
import type { Numbered } from './statement.ts'

/** Describes how the items of a list are written. `Given` is a draft: the members of a record that a body gives. */
export interface Writable<Record extends object = Draft, Stored = Row, Given extends object = Draft>
  extends Shape<Given> {
  /** The table that new ids are taken for. */
  readonly table: Numbered
  /** The name of what is written, where it is not that of the table. */
  readonly named?: string
  /** Media types of a body. */
  readonly types: readonly string[]
  /** Parameters of the address with which an item is deleted, and the value that each takes; absent: none. */
  readonly removing?: Readonly<{ [parameter: string]: string }>
  /** Bodies that may be sent: of an item to make, and of a change. */
  readonly examples: { readonly made: object; readonly changed?: object }
  /** Checks fields against each other, the stored record and the writer's level: the faulty field and what to enter, or null. */
  faultOf(draft: Given, stored: Record | null, level: number): readonly [path: string, message: string] | null
  /** Makes a new record of a draft that has all that is required. Its id is not set. */
  complete(draft: Given, writer: Writer): Record
  /** Lays a draft over a stored record. The other members stay. */
  merge(stored: Record, draft: Given): Record
  /** A new record as the row that will be read of it. */
  rowOf(record: Record, writer: Writer): Stored
  /** A row as the record that it was stored from. */
  recordOf(row: Stored): Record
  /** Finds the stored items that bodies name as they were read. */
  readonly identity: Identity
  /** Finds records by a name of their own. A draft with the name of a stored record changes that record. */
  readonly keyed?: Keyed
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
  /** Describes how stored items are changed and deleted. Absent: no item is changed or deleted. */
  readonly items?: Items<Record, Stored>
  /** The statements that delete several rows; absent: they are deleted one by one only. */
  removeMany?(rows: readonly { readonly id: number; readonly series: number }[], writer: Writer): readonly Statement[]
}

/** Describes how stored items are changed and deleted. */
export interface Items<Record extends object = Draft, Stored = Row> {
  /** Makes the statements that change a row. The database refuses them if another write forbids the change. */
  change(row: Stored, changes: Partial<Record>, writer: Writer): readonly Statement[]
  /** Deletes a row. False where the guards, or something that was written meanwhile, refused it. */
  remove(db: Database, row: Stored, removal: Removal): Promise<boolean>
}

/** Finds the stored item that a body names because it was read. */
export interface Identity {
  /** The member that says it, for messages. */
  readonly member: string
  /** The id, uuid or code in an item, null without one. */
  nameOf(item: unknown): number | string | null
  /** Finds the visible items with these names, a JSON array. The rows have `given`, and the columns for `pathOf`. */
  query(names: string, level: number): SQL
  /** The address of an item, from the row of such a query. */
  pathOf(row: Row): string
  /** Stored items cannot be changed, so a 409 does not say to do that. */
  readonly isFinal?: true
}

export interface Keyed {
  /** `path` is the path of the name in an item. A body needs all paths of `needed` to name a record. */
  readonly path: string
  readonly needed: readonly string[]
  /** The name, null where a record has none. */
  nameOf(record: Draft): string | null
  /** What holds of rows that have the name of one of these records: queries, each of some of them. */
  conditions(records: readonly Draft[]): readonly SQL[]
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
