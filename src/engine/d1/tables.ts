import { Column, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { eventSeries, events } from '../../../schema/tables.ts'
import { FIELDS, type FieldName, type ListName } from '../../question/fields.ts'
import type { Order } from '../../question/question.ts'
import { attributeOrder } from './attributes.ts'
import { visible, visibleSeries } from './dictionaries.ts'
import { joinedTo, LIST_TABLES, ownColumn, storedField } from './fields.ts'
import type { ColumnOrder, ListTable } from './table.ts'

/** The rows of each list that a level sees, and the state of a row. */
const LISTS: Readonly<Record<ListName, Pick<ListTable, 'visible' | 'state'>>> = {
  events: { visible, state: sql`'e' || ${events.lastModified}` },
  // A restored series may reach the same revision, but not at the same time.
  series: { visible: visibleSeries, state: sql`'s' || ${eventSeries.revision} || '.' || ${eventSeries.changed}` },
  types: { visible: () => null },
}

/** The column of a field, and the join that it needs. */
interface ReadColumn {
  readonly column: SQLWrapper
  readonly join: SQL | null
}

/** Returns the column of each field of a list. One join serves all fields of a dictionary. */
const columnsOf = (list: ListName): ReadonlyMap<FieldName, ReadColumn> => {
  const joins = new Map<SQLWrapper, SQL>()
  const columns = new Map<FieldName, ReadColumn>()
  for (const name of Object.keys(FIELDS[list]) as FieldName[]) {
    const field = storedField(list, name)
    const dictionary = joinedTo(field)
    if (dictionary === null) columns.set(name, { column: ownColumn(field), join: null })
    else {
      const { table, id, key } = dictionary
      const join = joins.get(key) ?? sql`LEFT JOIN ${table} ON ${id} = ${key}`
      joins.set(key, join)
      columns.set(name, { column: field.column, join })
    }
  }
  return columns
}

const COLUMNS = { events: columnsOf('events'), series: columnsOf('series'), types: columnsOf('types') }

/** Returns the table of a list, with the columns of some fields and the joins that these need. */
export const tableOf = (list: ListName, fields: readonly FieldName[]): ListTable => {
  const columns: Record<string, SQLWrapper> = {}
  const joins = new Set<SQL>()
  for (const name of fields) {
    const { column, join } = COLUMNS[list].get(name) ?? {}
    if (column === undefined) throw new RangeError(`The list of ${list} has no field ${name}.`)
    columns[name] = column
    if (join) joins.add(join)
  }
  const table = LIST_TABLES[list]
  return { ...LISTS[list], list, table, id: table.id, columns, joins: sql.join([...joins], sql` `) }
}

/** Returns an order by its column. */
export const orderIn = (list: ListName, { by, from, descending, nulls }: Order): ColumnOrder => {
  if (by === 'id') return { column: null, descending }
  if (by === 'distance') return { column: null, descending, ...(from && { near: from }) }
  if (typeof by === 'object')
    return { column: attributeOrder(by.attribute), isText: 'mixed', descending, nullsLast: nulls === 'last' }
  // The index has the column, and not the expression that filters use.
  if (list === 'events' && by === 'duration') return { column: events.duration, descending }
  const field = storedField(list, by)
  const { column, kind } = field
  const isText = kind === 'text'
  const { table, id, key } = joinedTo(field) ?? {}
  if (id !== undefined)
    return { column: sql`(SELECT ${column} FROM ${table} WHERE ${eq(id, key)})`, isText, descending }
  const nullsLast = nulls === 'last' && column instanceof Column && !column.notNull
  return { column, isText, descending, nullsLast }
}
