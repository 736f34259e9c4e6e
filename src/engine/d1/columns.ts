import { Column, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { CELL_LEVELS } from '../../geometry/cell.ts'
import type { Row } from '../engine.ts'
import { MAX_BYTES, POSITION_CHARACTERS } from '../limits.ts'
import type { ListedRow } from '../shared/page.ts'
import type { List } from './search.ts'
import { integerOf, namedColumns } from './sql.ts'
import type { ColumnOrder, Columns, ListTable } from './tables.ts'

/** The table with its joins. */
export const withJoins = ({ table, joins }: ListTable): SQL => sql`${table} ${joins}`

/** Selects columns of a table. WHERE may follow. */
export const select = (table: ListTable, columns: Columns = table.columns): SQL<Row> =>
  sql`SELECT ${namedColumns(columns)} FROM ${withJoins(table)}`

/**
 * Selects columns of at most so many rows, and the bytes of the texts of each. A row with more than its share of MAX_BYTES
 * is long: its texts are null, and `withTexts` reads them. A sum of bytes in SQL would read each row twice more, and D1
 * bills rows. `rest` is the statement from FROM to LIMIT.
 */
export const selectShared = (columns: Columns, rows: number, rest: SQL): SQL<Row> => {
  const lengths = Object.values(columns)
    .filter(isTextColumn)
    .map((column) => sql`coalesce(octet_length(${column}), 0)`)
  const bytes = sql.join([sql`0`, ...lengths], sql` + `)
  const isLong = sql`bytes > ${integerOf(MAX_BYTES)} / ${integerOf(rows)}`
  const shown = Object.entries(columns).map(([name, column]) => {
    const value = sql.identifier(name)
    return isTextColumn(column) ? sql`iif(${isLong}, NULL, ${value}) AS ${value}` : sql`${value}`
  })
  // SQLite does not merge two queries with limits, so it adds the bytes of a row once.
  return sql`SELECT ${sql.join(shown, sql`, `)}, bytes, ${isLong} AS "isLong"
    FROM (SELECT ${namedColumns(columns)}, ${bytes} AS bytes ${rest}) LIMIT -1`
}

/** Leaves out rows after so many bytes of text. The first row is always read. */
export const fitting = <R>(rows: SQL, most: number): SQL<R> =>
  sql`SELECT * FROM (SELECT *, sum(bytes) OVER (ORDER BY id) AS total FROM (${rows})) WHERE total - bytes < ${integerOf(most)} OR bytes IS NULL`

const isTextColumn = (column: unknown): boolean => column instanceof Column && column.dataType === 'string'

/**
 * Selects the columns and positions of at most so many rows of a list. `from` has its table without joins, and `rest` ends
 * with LIMIT.
 */
export const selectListed = (
  { search: { table }, order }: List,
  limit: number,
  from: SQL,
  rest: SQL,
): SQL<ListedRow> => {
  const columns = { ...table.columns, rowId: table.id, rowAt: positionOf(order) }
  return selectShared(columns, limit, sql`FROM ${from} ${table.joins} ${rest}`) as SQL<ListedRow> // with both columns
}

/** Writes the value of a position in the order. */
export const positionOf = ({ column, isText }: ColumnOrder): SQL => {
  if (column === null) return sql`NULL`
  if (!isText) return sql`${column}`
  const start = sql`substr(${column}, 1, ${integerOf(POSITION_CHARACTERS)})`
  return isText === 'mixed' ? sql`iif(typeof(${column}) = 'text', ${start}, ${column})` : start
}

/** Returns true if the values of the list go down. */
export const isDown = ({ order, backward }: Pick<List, 'order' | 'backward'>): boolean => order.descending !== backward

/** Writes the order of a list, or its reverse. `at` and `id` stand for its columns. */
export const orderTerms = (
  order: ColumnOrder,
  backward: boolean,
  id: SQLWrapper,
  at: SQLWrapper | null = order.column,
): SQL => {
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

const SIDE = 2 ** CELL_LEVELS
const part = (value: SQL) => sql`min(CAST(${value} * ${sql.raw(`${SIDE}.0`)} AS INTEGER), ${sql.raw(String(SIDE - 1))})`

/** The column and the row of the finest cell of a row. geometry/cell.ts has the same formula. */
export const CELL = { column: part(sql`(${events.x} + 180.0) / 360.0`), row: part(sql`(${events.y} + 90.0) / 180.0`) }
