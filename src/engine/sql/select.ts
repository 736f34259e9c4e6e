import { type Column, type GetColumnData, type SQL, sql } from 'drizzle-orm'
import { QueryBuilder } from 'drizzle-orm/sqlite-core'
import type { Columns, Table } from '../conditions/table.ts'

const builder = new QueryBuilder()

/**
 * Starts a query in the query builder of Drizzle. Every column has its name of `columns` in the answer, because D1
 * returns rows by the names of columns.
 */
export const select = <Named extends Columns>(columns: Named) => builder.select(aliased(columns))

/** The table with its joins. */
export const tableOf = ({ table, joins = sql`` }: Table): SQL => sql`${table} ${joins}`

type Aliased<Named> = { [Name in keyof Named]: SQL.Aliased<ValueOf<Named[Name]>> }

/** The values of a column of a table have its type. Those of an expression have the type that it declares. */
type ValueOf<Named> = Named extends Column ? GetColumnData<Named> : Named extends SQL<infer Value> ? Value : unknown

/** The builder removes the table from a column that stands alone, so that joins inside FROM would be ambiguous. */
const aliased = <Named extends Columns>(columns: Named): Aliased<Named> =>
  Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, sql`${sql`${column}`}`.as(name)]),
  ) as Aliased<Named>
