import type { Schema } from '../filters/lookups.ts'
import type { Database, Statement } from '../query/db/d1.ts'
import type { Row } from '../query/table.ts'
import type { Shape } from './fields.ts'

/** Of a list, what is written and how: what sets its writing apart from that of others. A draft is a record in part. */
export interface Writable<Record = Row> extends Shape {
  /** The table that new ids are taken for. */
  readonly table: string
  /** Media types of a body. */
  readonly types: readonly string[]
  /** A body may be a FeatureCollection; absent: it may not. */
  readonly ofFeatures?: boolean
  /** Parameters of the address with which an item is deleted, and the value that each takes; absent: none. */
  readonly removing?: Readonly<{ [parameter: string]: string }>
  /** Bodies that may be sent: of an item to make, and of a change. */
  readonly examples: { readonly made: object; readonly changed: object }
  /** The member that is wrong and what to enter, where those of an item do not fit together or its writer, or null. */
  faultOf(draft: Partial<Record>, level: number): readonly [path: string, message: string] | null
  /** A whole record of a draft that has all that is required, and a new id. */
  complete(draft: Partial<Record>, id: number, writer: Writer): Record
  /** A new record as the row that will be read of it. */
  rowOf(record: Record): Row
  /** What is told of several new records, in their order. */
  several(records: readonly Record[]): object
  /** The schema of that. */
  readonly told: Schema
  /** The last part of the address of a row's item. */
  keyOf(row: Row): string
  /** Whether the last part of an address names an item wholly, not by a beginning; absent: it always does. */
  isWhole?(key: string): boolean
  /** The statements that store new records, at an instant in microseconds since 1970. */
  add(records: readonly Record[], now: number): readonly Statement[]
  /** What a row has of the fields that a change is looked at together with. */
  draftOf(row: Row): Row
  /** The statements that change a row; refused where something written meanwhile forbids it. */
  change(row: Row, changes: Partial<Record>, now: number): readonly Statement[]
  /** Deletes a row. False where the guards, or something that was written meanwhile, refused it. */
  remove(db: Database, row: Row, removal: Removal): Promise<boolean>
}

/** Who writes, and when, in microseconds since 1970. */
export interface Writer {
  readonly level: number
  readonly now: number
}

export interface Removal {
  /** Statements that fail the batch where it is not to be. */
  readonly guards: readonly Statement[]
  /** The parameters of the address. */
  readonly asked: ReadonlySet<string>
  readonly now: number
}
