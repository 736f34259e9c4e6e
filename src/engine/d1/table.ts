import type { SQL, SQLWrapper } from 'drizzle-orm'
import type { LonLat } from '../../geometry/bbox.ts'
import type { ListName } from '../../question/fields.ts'

/** Columns or expressions by their names in an answer. */
export type Columns = Readonly<Record<string, SQLWrapper>>

/** The table of a list, with the columns to read. */
export interface ListTable {
  readonly list: ListName
  /** The table, and its primary key. Lists are sorted by this key by default. */
  readonly table: SQLWrapper
  readonly id: SQLWrapper
  /** The columns to read, and the joins for them. No join may change the number of rows. */
  readonly columns: Columns
  readonly joins: SQL
  /** The state of a row: a text that each write of the row changes. Absent: rows have no state of their own. */
  readonly state?: SQL
  /** Selects the rows that an access level sees. Null: all rows. `single`: the query reads only one row. */
  readonly visible: (level: number, single?: boolean) => SQL | null
}

/** A column or an expression that sorts a list, and then the id. Null: the id alone. */
export interface ColumnOrder {
  readonly column: SQLWrapper | null
  readonly descending: boolean
  /** Texts are in the order of code points. A mixed column also has numbers, which come before the texts. */
  readonly isText?: boolean | 'mixed'
  /** Rows without a value are at the end in both directions. By default, null is the least value. */
  readonly nullsLast?: boolean
  /** Sorts by the distance from this longitude and latitude. `column` is then null. Absent: it sorts by `column`. */
  readonly near?: LonLat
}
