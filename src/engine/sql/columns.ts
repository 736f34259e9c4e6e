import { Column, type GetColumnData, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { QueryBuilder } from 'drizzle-orm/sqlite-core'
import { events } from '../../../schema/tables.ts'
import { all, integerOf, namedColumns, numbersTable } from '../../filters/sql.ts'
import { CELL_LEVELS, cellIn } from '../../geometry/cell.ts'
import { isDown, type Order, type PositionValue, type Sorted } from '../conditions/page.ts'
import type { Columns, Row, Table } from '../conditions/table.ts'
import { MAX_BYTES, POSITION_CHARACTERS } from '../limits.ts'

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
  ) as Aliased<Named> // the same names

/**
 * Selects the columns of a read with at most so many rows. Each row has an equal share of MAX_BYTES. The texts of a
 * longer row are null, and `longBytes` is their number of bytes. `wholeRows` then reads that row.
 */
export const sharedColumns = (table: Table, rows: number | SQL): Columns => {
  const texts = Object.entries(table.columns).filter(([, column]) => isText(column))
  if (texts.length === 0) return table.columns
  const bytes = sql.join(
    texts.map(([, column]) => sql`coalesce(octet_length(${column}), 0)`),
    sql` + `,
  )
  const isLong = sql`(${bytes}) > ${integerOf(MAX_BYTES)} / ${typeof rows === 'number' ? integerOf(rows) : rows}`
  const shared = texts.map(([name, column]) => [name, sql`CASE WHEN ${isLong} THEN NULL ELSE ${column} END`])
  return {
    ...table.columns,
    ...Object.fromEntries(shared),
    longBytes: sql`CASE WHEN ${isLong} THEN ${bytes} END`,
  }
}

/** Reads rows by id with all of their columns, in no order. */
export const wholeRowsQuery = (table: Table, ids: readonly number[], level: number): SQL<Row> =>
  rowsQuery(table, table.columns, ids, level)

/** Reads rows by id in no order. They share MAX_BYTES. */
export const sharedRowsQuery = (table: Table, ids: readonly number[], level: number): SQL<Row> =>
  rowsQuery(table, sharedColumns(table, ids.length), ids, level)

const rowsQuery = (table: Table, columns: Columns, ids: readonly number[], level: number): SQL<Row> =>
  sql`SELECT ${namedColumns(columns)} FROM (${numbersTable(ids)}) AS wanted
    CROSS JOIN ${table.table} ON ${table.id} = wanted.value ${table.joins ?? sql``} WHERE ${all([table.visible(level)])}`

const isText = (column: unknown): boolean => column instanceof Column && column.dataType === 'string'

/** A row of a list, with its position in the order. */
export type ListedRow = Row & {
  readonly rowId: number
  readonly rowAt: PositionValue
}

export type RowsQuery = SQL<ListedRow>

/** Selects the columns of a slice with at most this many rows, and their positions. */
export const listedColumns = (sorted: Sorted, rows: number): SQL =>
  sql`${namedColumns(sharedColumns(sorted.table, rows))}, ${positionColumns(sorted)}`

/** Selects the position of a row in the order. */
const positionColumns = ({ table, order }: Sorted): SQL => sql`${table.id} AS "rowId", ${positionOf(order)} AS "rowAt"`

/** Writes the value of a position in the order. */
export const positionOf = ({ column, isText }: Order): SQL =>
  isText && column ? sql`substr(${column}, 1, ${integerOf(POSITION_CHARACTERS)})` : sql`${column ?? sql`NULL`}`

/** Writes the order of a list, or its reverse. `at` and `id` stand for its columns. */
export const orderBy = (order: Order, backward: boolean, id: SQLWrapper, at: SQLWrapper | null = order.column): SQL => {
  const direction = sql.raw(isDown(order, { backward }) ? 'DESC' : 'ASC')
  const nulls = sql.raw(order.nullsLast ? ` NULLS ${backward ? 'FIRST' : 'LAST'}` : '')
  return order.column === null ? sql`${id} ${direction}` : sql`${at} ${direction}${nulls}, ${id} ${direction}`
}

/** Writes the column and row of the cell of a row. Default: its finest cell. geometry/cell.ts has the same formula. */
export const columnsOfCell = (level = CELL_LEVELS): { readonly column: SQL; readonly row: SQL } => {
  const side = 2 ** level
  const last = sql.raw(String(side - 1))
  const part = (value: SQL) => sql`min(CAST(${value} * ${sql.raw(`${side}.0`)} AS INTEGER), ${last})`
  return { column: part(sql`(${events.x} + 180.0) / 360.0`), row: part(sql`(${events.y} + 90.0) / 180.0`) }
}

/** Writes the place of a row: the column of its cell * 2^level + the row. It is -1 without coordinates. */
export const placeColumn = (level: number): SQL => {
  const { column, row } = columnsOfCell(level)
  return sql`coalesce(${column} * ${sql.raw(String(2 ** level))} + ${row}, -1)`
}

/** Returns a function that converts a place to the first finest cell in it. It is negative without coordinates. */
export const cellOfPlace = (level: number): ((place: number) => number) => {
  const side = 2 ** level
  const size = 4 ** (CELL_LEVELS - level)
  return (place) => {
    const column = Math.floor(place / side)
    return place < 0 ? place : cellIn(column, place - column * side) * size
  }
}
