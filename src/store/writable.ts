import type { SQL } from 'drizzle-orm'
import type { Schema } from '../base/schema.ts'
import type { Database, Statement } from '../engine/d1/database.ts'
import type { Row } from '../engine/engine.ts'
import type { NamedRows } from '../model/field.ts'
import type { BodyShape, Draft } from './fields.ts'
import type { LoadRecord } from './records.ts'

/**
 * Describes how the items of a list are written. A draft has the members of a record that a body gives. TypeScript
 * compares the parameters of methods less strictly, so a list can say the types of its drafts, records and rows.
 */
export interface Writable extends BodyShape {
  /** The table for whose rows new ids are taken. */
  readonly table: LoadRecord['kind']
  /** The name of an item, if it differs from the name of the table. */
  readonly named?: string
  /** The media types of a body. */
  readonly types: readonly string[]
  /** The parameters of DELETE for an item, with the only value of each. Absent: it has no parameters. */
  readonly removing?: Readonly<{ [parameter: string]: string }>
  readonly examples: { readonly made: object; readonly changed?: object }
  /**
   * Checks fields against each other, the stored record and the writer's level. Returns the faulty field and what to
   * enter, or null.
   */
  faultOf(draft: Draft, stored: Draft | null, level: number): readonly [path: string, message: string] | null
  /** Returns a new record from a draft that has all required members. Its id is not set. */
  complete(draft: Draft, writer: Writer): Draft
  /** Lays a draft over a stored record. The other members stay. */
  merge(stored: Draft, draft: Draft): Draft
  /** Returns the row that a later query will read for a new record. */
  rowOf(record: Draft, writer: Writer): Row
  recordOf(row: Row): Draft
  /** Returns the id of the series that a row or a record belongs to. Absent: a key for some series writes none of them. */
  seriesOf?(item: Row | Draft): number
  /** Finds the stored items that bodies repeat from earlier answers. */
  readonly identity: Identity
  /** Finds records by a name of their own. A draft with the name of a stored record changes that record. */
  readonly keyed?: Keyed
  /**
   * Returns the answer for several records, in their order. `merged` has the numbers of new, changed and unchanged
   * records.
   */
  several(records: readonly Draft[], merged: Readonly<Record<'created' | 'changed' | 'unchanged', number>>): object
  readonly idsSchema: Schema
  /** Returns the last part of the address of a row's item. */
  keyOf(row: Row): string
  /** Tests if the last part of an address is the whole key of an item, not its beginning. Absent: it always is. */
  isWhole?(key: string): boolean
  /** Returns the statements that store new records. `others` replace the stored records with the same ids. */
  add(records: readonly Draft[], writer: Writer, others?: readonly Draft[]): readonly Statement[]
  /** Describes how stored items are changed and deleted. Absent: no item is changed or deleted. */
  readonly items?: {
    /** Returns the statements that change a row. The database refuses them if another write forbids the change. */
    change(row: Row, changes: Draft, writer: Writer): readonly Statement[]
    /** Deletes a row. Returns false if the guards refused it, or a write in the meantime. Absent: no item is deleted. */
    remove?(db: Database, row: Row, removal: Removal): Promise<boolean>
  }
  /** Returns the statements that delete rows by their ids. Absent: rows are only deleted one by one. */
  removeMany?(ids: readonly number[], writer: Writer): readonly Statement[]
}

/** A row that a value names, and that value. */
export interface NamedRow {
  readonly given?: unknown
  readonly id?: number
  /** The uuid of the series that it is, or belongs to. Types have none. */
  readonly uuid?: string
}

/** Finds the stored item that a body repeats from an earlier answer. */
export interface Identity {
  /** The member with the id, uuid or code, for messages. */
  readonly member: string
  /** Returns the id, uuid or code in an item. Returns null without one. */
  nameOf(item: unknown): number | string | null
  /** The rows of the items. A name of an item that the caller does not see names none. */
  readonly rows: NamedRows
  /** Returns the address of an item from such a row. */
  pathOf(row: NamedRow): string
  /** True if stored items cannot be changed. A 409 then does not suggest a change. */
  readonly isFinal?: true
}

interface Keyed {
  /** The member with the name. A body needs all paths of `needed` to name a record, and its name is not empty. */
  readonly path: string
  readonly schema: Schema
  readonly needed: readonly string[]
  /** Returns the name of a record. Returns null without one. */
  nameOf(record: Draft): string | null
  /** Returns conditions for the rows with the names of these records. Each condition is for some of the records. */
  conditions(records: readonly Draft[]): readonly SQL[]
}

/** The level of the writer, and the time of the write in microseconds since 1970. */
export interface Writer {
  readonly level: number
  readonly now: number
}

export interface Removal extends Writer {
  /** Statements that fail the batch if the removal is not allowed. */
  readonly guards: readonly Statement[]
  /** The names of the parameters in the address. */
  readonly asked: ReadonlySet<string>
}
