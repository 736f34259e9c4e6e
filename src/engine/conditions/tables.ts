import { Column, eq, type SQL, sql } from 'drizzle-orm'
import { eventSeries, events } from '../../../schema/tables.ts'
import type { FieldName, ListName } from '../../question/fields.ts'
import type { Order as Asked } from '../../question/question.ts'
import { visible, visibleSeries } from '../d1/dictionaries.ts'
import { joinedTo, ownColumn, storedField, TABLES } from '../d1/fields.ts'
import type { Order, Table } from './table.ts'

/** The rows of each list that a level sees, and the state of a row. */
const LISTS: Readonly<Record<ListName, Pick<Table, 'visible' | 'state'>>> = {
  events: { visible, state: sql`'e' || ${events.lastModified}` },
  // A restored series may reach the same revision, but not at the same time.
  series: { visible: visibleSeries, state: sql`'s' || ${eventSeries.revision} || '.' || ${eventSeries.changed}` },
  types: { visible: () => null },
}

/** Returns the table of a list, with the columns of some fields and the joins that these need. */
export const tableOf = (list: ListName, fields: readonly FieldName[]): Table => {
  const stored = fields.map((name) => ({ name, field: storedField(list, name) }))
  const columns = stored.map(({ name, field }) => [name, joinedTo(field) ? field.column : ownColumn(field)] as const)
  const joins = new Map(
    stored.flatMap(({ field }): [unknown, SQL][] => {
      const { table, id, key } = joinedTo(field) ?? {}
      return id === undefined ? [] : [[key, sql`LEFT JOIN ${table} ON ${id} = ${key}`]]
    }),
  )
  return {
    ...LISTS[list],
    list,
    table: TABLES[list],
    id: TABLES[list].id,
    columns: Object.fromEntries(columns),
    joins: sql.join([...joins.values()], sql` `),
  }
}

/** Returns the column of an order. */
export const orderIn = (list: ListName, { by, from, descending, nulls }: Asked): Order => {
  if (by === 'id') return { column: null, descending }
  if (by === 'distance') return { column: null, descending, ...(from && { near: from }) }
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
