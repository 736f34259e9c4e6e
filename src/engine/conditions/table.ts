import type { SQL, SQLWrapper } from 'drizzle-orm'
import type { TreeName } from '../../../schema/trees.ts'

/** Columns or expressions by their names in an answer. */
export type Columns = Readonly<Record<string, SQLWrapper>>

/** A table that the lists read in pages. */
export interface Table {
  /** The table, and its primary key. Lists are sorted by this key by default. */
  readonly table: SQLWrapper
  readonly id: SQLWrapper
  /** The columns to read, and the joins for them. No join may change the number of rows. */
  readonly columns: Columns
  readonly joins?: SQL
  /** Selects the rows that an access level sees. Null: all rows. `single`: the query reads only one row. */
  readonly visible: (level: number, single?: boolean) => SQL | null
  /** Indexes and counts of a large table. Absent: the table is read completely. */
  readonly access?: Access
}

/** The indexes and counts of a large table. */
export interface Access {
  readonly indexes: readonly Index[]
  readonly time: TimeColumns
  readonly place: PlaceColumns
  /** The columns that filters use. Every covering index has all of them. */
  readonly filtered: readonly SQLWrapper[]
  readonly counts: CountColumns
  /** A caller sees all rows with the same value of this column, or none of them. */
  readonly owner: SQLWrapper
  /** Columns that have an index but no stored counts. The planner counts their rows in the index, up to a limit. */
  readonly lookedUp: readonly SQLWrapper[]
}

/** An index. Rows with one value of `on` are in the order of `second`. */
export interface Index {
  readonly name: string
  readonly on: SQLWrapper
  readonly second: SQLWrapper
  /**
   * The index has all columns that filters use. The database can count, test and sort rows without reading the table.
   */
  readonly covering: boolean
  /**
   * Selects all values of `on` under the name `value`, if they are few. Then a filter on `second` alone can use the
   * index.
   */
  readonly values?: SQL
}

/** Finds an index by its first column. Throws if there is none. */
export const indexOn = (access: Access, on: SQLWrapper, covering: boolean): Index => {
  const index = indexIn(access, on, covering)
  if (index === null) throw new RangeError('The table has no such index.')
  return index
}

/** Finds an index by its first column. Null: there is none. */
export const indexIn = ({ indexes }: Access, on: SQLWrapper, covering: boolean): Index | null =>
  indexes.find((index) => index.on === on && index.covering === covering) ?? null

/** The times of a row in milliseconds since 1970. No row ends before it starts. */
export interface TimeColumns {
  readonly start: SQLWrapper
  readonly end: SQLWrapper
  /**
   * `duration` is the expression end minus start, for covering indexes. `durationColumn` is a column with the same
   * value.
   */
  readonly duration: SQLWrapper
  readonly durationColumn: SQLWrapper
  /** The class of a duration: it is below 2^class milliseconds. The last class has no limit. */
  readonly durationClass: SQLWrapper
  readonly classes: readonly number[]
}

/** Longitude and latitude, null without coordinates, and the finest cell, see geometry/cell.ts. */
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
  /** Tests if a row has a value of a tree in a range, through the index of the tree. */
  readonly hasValue: (tree: TreeName, first: SQLWrapper, last: SQLWrapper) => SQL
  /** The rows of a node that an access level sees. */
  readonly visible: (level: number) => SQL
}

/** A row of an answer, by the names in `columns`. Each resource has its own row type. */
export type Row = Readonly<Record<string, unknown>>
