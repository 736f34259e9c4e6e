import { Column, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { eventSeries, events } from '../../../schema/tables.ts'
import type { LonLat } from '../../geometry/bbox.ts'
import type { FieldName, ListName } from '../../question/fields.ts'
import type { Order } from '../../question/question.ts'
import { storedOf } from '../stored.ts'
import { attributeOrder } from './attributes.ts'
import { visible, visibleSeries } from './dictionaries.ts'
import { LIST_TABLES, storedField } from './fields.ts'

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

/** The rows of each list that a level sees, and the state of a row. */
const LISTS: Readonly<Record<ListName, Pick<ListTable, 'visible' | 'state'>>> = {
  events: { visible, state: sql`'e' || ${events.lastModified}` },
  // A restored series may reach the same revision, but not at the same time.
  series: { visible: visibleSeries, state: sql`'s' || ${eventSeries.revision} || '.' || ${eventSeries.changed}` },
  types: { visible: () => null },
}

/** Returns the table of a list with some fields. One join serves all fields of a dictionary. */
export const tableOf = (list: ListName, fields: readonly FieldName[]): ListTable => {
  const columns: Record<string, SQLWrapper> = {}
  const joins = new Map<SQLWrapper, SQL>()
  for (const name of fields) {
    const { column, own, joined } = storedField(list, name)
    columns[name] = joined === null ? own : column
    if (joined === null) continue
    const { table, id, key } = joined
    joins.set(key, sql`LEFT JOIN ${table} ON ${id} = ${key}`)
  }
  const table = LIST_TABLES[list]
  return { ...LISTS[list], list, table, id: table.id, columns, joins: sql.join([...joins.values()], sql` `) }
}

/** Returns an order by its column. */
export const orderIn = (list: ListName, { by, from, descending, nulls }: Order): ColumnOrder => {
  if (by === 'id') return { column: null, descending }
  if (by === 'distance') return { column: null, descending, ...(from && { near: from }) }
  if (typeof by === 'object')
    return { column: attributeOrder(by.attribute), isText: 'mixed', descending, nullsLast: nulls === 'last' }
  const { d1 } = storedOf(list, by)
  // The index has the column, and not the expression that filters use.
  if (d1.generated !== undefined) return { column: d1, descending }
  const { kind, column, own, joined } = storedField(list, by)
  const isText = kind === 'text'
  const found = joined && sql`(SELECT ${column} FROM ${joined.table} WHERE ${joined.id} = ${joined.key})`
  const isWhole = d1.notNull && own instanceof Column && own.notNull
  return { column: found ?? own, isText, descending, nullsLast: nulls === 'last' && !isWhole }
}
