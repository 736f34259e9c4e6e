import type { SQL, SQLWrapper } from 'drizzle-orm'
import type { Tree } from '../../schema/tally.ts'

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
  /** How to find the way in a table too long to be read whole; absent for a short one. */
  readonly ways?: Ways
}

/** The indexes and kept counts of a long table. */
export interface Ways {
  readonly indexes: readonly Index[]
  /** The index of the cells, which holds x and y too: the prefilter of `geom_within`. */
  readonly place: { readonly x: SQLWrapper; readonly y: SQLWrapper; readonly cell: SQLWrapper; readonly index: string }
  /** The columns whose values are counted in trees, see schema/tally.ts. */
  readonly trees: Readonly<Record<Tree, SQLWrapper>>
  readonly tallies: TallyColumns
}

/** An index of a table: the rows of one value of `on`, in the order of `order` and then of the id. */
export interface Index {
  readonly name: string
  readonly on: SQLWrapper
  readonly order: SQLWrapper
}

/** The columns of the kept counts. */
export interface TallyColumns {
  readonly table: SQLWrapper
  readonly tree: SQLWrapper
  readonly shift: SQLWrapper
  readonly node: SQLWrapper
  /** The number of rows in a node that a caller of this level sees. */
  readonly visible: (level: number) => SQL
}

/** A row as the database answers it, by the names of `columns`. Each resource knows its own types. */
// biome-ignore lint/suspicious/noExplicitAny: the database is typed by the columns asked for, once a resource.
export type Row = Record<string, any>
