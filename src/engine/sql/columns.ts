import { Column, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { CELL_LEVELS } from '../../geometry/cell.ts'
import type { RowPosition } from '../conditions/cursor.ts'
import { isDown, type Order } from '../conditions/page.ts'
import type { Columns, Row, Table } from '../conditions/table.ts'
import { integerOf, namedColumns } from '../d1/sql.ts'
import { MAX_BYTES, POSITION_CHARACTERS } from '../limits.ts'

/** The table with its joins. */
export const tableOf = ({ table, joins = sql`` }: Table): SQL => sql`${table} ${joins}`

/** Selects columns of a table. WHERE may follow. */
export const select = (table: Table, columns: Columns = table.columns): SQL<Row> =>
  sql`SELECT ${namedColumns(columns)} FROM ${tableOf(table)}`

/**
 * Selects the columns of a read with at most so many rows. Each row has an equal share of MAX_BYTES. The texts of a
 * longer row are null, and `longBytes` is their number of bytes. `wholeRows` then reads that row.
 */
export const sharedColumns = (table: Table, rows: number): Columns => {
  const texts = Object.entries(table.columns).filter(([, column]) => isText(column))
  if (texts.length === 0) return table.columns
  const bytes = sql.join(
    texts.map(([, column]) => sql`coalesce(octet_length(${column}), 0)`),
    sql` + `,
  )
  const isLong = sql`(${bytes}) > ${integerOf(MAX_BYTES)} / ${integerOf(rows)}`
  const shared = texts.map(([name, column]) => [name, sql`CASE WHEN ${isLong} THEN NULL ELSE ${column} END`])
  return {
    ...table.columns,
    ...Object.fromEntries(shared),
    longBytes: sql`CASE WHEN ${isLong} THEN ${bytes} END`,
  }
}

const isText = (column: unknown): boolean => column instanceof Column && column.dataType === 'string'

/** A row of a list, with its position in the order. A row that is gone has nothing else. */
export type ListedRow = Row & {
  readonly rowId: number
  readonly rowAt: RowPosition['value']
  readonly isGone?: boolean
}

/** Selects the columns of a list with at most this many rows, and their positions. */
export const listedColumns = (table: Table, order: Order, rows: number): SQL =>
  sql`${namedColumns(sharedColumns(table, rows))}, ${table.id} AS "rowId", ${positionOf(order)} AS "rowAt"`

/** Writes the value of a position in the order. */
export const positionOf = ({ column, isText }: Order): SQL =>
  isText && column ? sql`substr(${column}, 1, ${integerOf(POSITION_CHARACTERS)})` : sql`${column ?? sql`NULL`}`

/** Writes the order of a list, or its reverse. `at` and `id` stand for its columns. */
export const orderBy = (order: Order, backward: boolean, id: SQLWrapper, at: SQLWrapper | null = order.column): SQL => {
  const direction = sql.raw(isDown({ order, backward }) ? 'DESC' : 'ASC')
  const nulls = sql.raw(order.nullsLast ? ` NULLS ${backward ? 'FIRST' : 'LAST'}` : '')
  return order.column === null ? sql`${id} ${direction}` : sql`${at} ${direction}${nulls}, ${id} ${direction}`
}

/** A row whose point the Worker tests. */
export interface PointRow {
  readonly id: number
  readonly x: number | null
  readonly y: number
}
export const POINT = sql`${events.id} AS id, ${events.x} AS x, ${events.y} AS y`

/** Writes the column and row of the cell of a row. Default: its finest cell. geometry/cell.ts has the same formula. */
export const columnsOfCell = (level = CELL_LEVELS): { readonly column: SQL; readonly row: SQL } => {
  const side = 2 ** level
  const last = sql.raw(String(side - 1))
  const part = (value: SQL) => sql`min(CAST(${value} * ${sql.raw(`${side}.0`)} AS INTEGER), ${last})`
  return { column: part(sql`(${events.x} + 180.0) / 360.0`), row: part(sql`(${events.y} + 90.0) / 180.0`) }
}
