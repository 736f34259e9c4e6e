import type { SQL, SQLWrapper } from 'drizzle-orm'

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
  /** The state of a row: a text that each write of the row changes. Absent: rows have no state of their own. */
  readonly state?: SQL
  /** Selects the rows that an access level sees. Null: all rows. `single`: the query reads only one row. */
  readonly visible: (level: number, single?: boolean) => SQL | null
}

/** A row of an answer, by the names in `columns`. Each resource has its own row type. */
export type Row = Readonly<Record<string, unknown>>
