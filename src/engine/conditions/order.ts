import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { integerOf } from '../../filters/sql.ts'

/**
 * The order of a list: by a column, or by id if `column` is null. Rows with the same value are in ascending order of
 * id.
 */
export interface Order {
  readonly column: SQLWrapper | null
  readonly descending: boolean
}

/** A position in the order. `value` is the value of the order column, or null for an order by id. */
export interface RowPosition {
  readonly value: number | null
  readonly id: number
}

/** Builds ORDER BY, or the reverse order. */
export const orderBy = ({ column, descending }: Order, id: SQLWrapper, backward = false): SQL => {
  const direction = (down: boolean) => sql.raw(down ? 'DESC' : 'ASC')
  if (column === null) return sql`${id} ${direction(descending !== backward)}`
  return sql`${column} ${direction(descending !== backward)}, ${id} ${direction(backward)}`
}

/** Selects the rows after a position, or before it. */
export const beyond = ({ column, descending }: Order, id: SQLWrapper, from: RowPosition, backward: boolean): SQL => {
  const past = (expression: SQLWrapper, value: number, down: boolean, orEqual = '') =>
    sql`${expression} ${sql.raw((down ? '<' : '>') + orEqual)} ${integerOf(value)}`
  if (column === null) return past(id, from.id, descending !== backward)
  const value = from.value ?? 0
  const down = descending !== backward
  // In this form SQLite enters an index on the column at the value.
  return sql`(${past(column, value, down, '=')} AND (${past(column, value, down)} OR ${past(id, from.id, backward)}))`
}

/** Compares two positions in the order, or in the reverse order. Negative: `a` comes first. */
export const compare = ({ column, descending }: Order, backward: boolean, a: RowPosition, b: RowPosition): number => {
  const down = descending !== backward ? -1 : 1
  if (column === null) return down * (a.id - b.id)
  return down * ((a.value ?? 0) - (b.value ?? 0)) || (backward ? -1 : 1) * (a.id - b.id)
}
