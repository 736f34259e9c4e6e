import type { Column, GetColumnData, SQL, SQLWrapper } from 'drizzle-orm'
import type { TreeName } from '../../schema/counts.ts'

/** A table of which pages are read. */
export interface Table {
  /** The table whose rows are listed, and its primary key, by which they are ordered unless asked otherwise. */
  readonly table: SQLWrapper
  readonly id: SQLWrapper
  /** What is read of a row, and the joins that this takes. No join changes the number of rows. */
  readonly columns: Readonly<Record<string, SQLWrapper>>
  readonly joins?: SQL
  /** The rows that a caller of this access level sees; null: all, whatever the level. `single`: one row is asked for. */
  readonly visible: (level: number, single?: boolean) => SQL | null
  /** How to find the way in a table too long to be read whole; absent for a small one. */
  readonly access?: Access
}

/** The indexes and counts of a large table. */
export interface Access {
  readonly indexes: readonly Index[]
  readonly time: TimeColumns
  readonly place: PlaceColumns
  /** The columns that filters ask for, which every covering index holds. */
  readonly filtered: readonly SQLWrapper[]
  readonly counts: CountColumns
  /** The column that decides who sees a row: rows of one value of it are all seen by a caller, or none. */
  readonly owner: SQLWrapper
  /** Columns with an index of which no counts are kept: how many rows are asked for is looked up there, up to a limit. */
  readonly lookedUp: readonly SQLWrapper[]
}

/** An index: the rows of one value of `on`, in the order of `second`. */
export interface Index {
  readonly name: string
  readonly on: SQLWrapper
  readonly second: SQLWrapper
  /** It holds all columns that filters ask for: rows are counted, tested and sorted without a look at the table. */
  readonly covering: boolean
  /** A query of all values of `on`, named value, where they are few: so it can be entered by `second` alone. */
  readonly values?: SQL
}

/** When a row begins and ends, in milliseconds since 1970. No row ends before it begins. */
export interface TimeColumns {
  readonly start: SQLWrapper
  readonly end: SQLWrapper
  /** The end less the start, of the columns that covering indexes hold; and the same as a column of its own. */
  readonly duration: SQLWrapper
  readonly durationColumn: SQLWrapper
  /** The class of the duration: less than 2^class milliseconds. The last one has no end. */
  readonly durationClass: SQLWrapper
  readonly classes: readonly number[]
}

/** Where a row is: longitude and latitude, null where it has no place, and its finest cell, see geometry/cell.ts. */
export interface PlaceColumns {
  readonly x: SQLWrapper
  readonly y: SQLWrapper
  readonly cell: SQLWrapper
}

/** The columns of the table of counts, see schema/counts.ts. */
export interface CountColumns {
  readonly table: SQLWrapper
  readonly tree: SQLWrapper
  readonly shift: SQLWrapper
  readonly node: SQLWrapper
  readonly first: SQLWrapper
  /** The columns that the trees are over. */
  readonly values: Readonly<Record<TreeName, SQLWrapper>>
  /** The number of rows in a node that a caller of this level sees. */
  readonly visible: (level: number) => SQL
}

/** A row as the database answers it, by the names of `columns`. Each resource knows its own types. */
// biome-ignore lint/suspicious/noExplicitAny: the database is typed by the columns asked for, once a resource.
export type Row = Record<string, any>

/** A row of these columns: a column of a table by its own type, any other by what its expression says of itself. */
export type RowOf<Columns> = {
  readonly [N in keyof Columns]: Columns[N] extends Column
    ? GetColumnData<Columns[N]>
    : Columns[N] extends SQL<infer Value>
      ? Value
      : unknown
}
