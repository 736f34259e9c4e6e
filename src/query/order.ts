import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { integerOf } from './db/sql.ts'

/** The order of a list: by a column (null: by the id alone), the id breaking ties, always upward but for an order by id. */
export interface Order {
  readonly column: SQLWrapper | null
  readonly descending: boolean
}

/** Where in the order a page starts or ends: the value of the column, and the id. */
export interface Position {
  readonly value: number | null
  readonly id: number
}

/** ORDER BY, or the order backward. */
export const orderBy = ({ column, descending }: Order, id: SQLWrapper, backward = false): SQL => {
  const direction = (down: boolean) => sql.raw(down ? 'DESC' : 'ASC')
  if (column === null) return sql`${id} ${direction(descending !== backward)}`
  return sql`${column} ${direction(descending !== backward)}, ${id} ${direction(backward)}`
}

/** What comes after a position, or before it. */
export const beyond = ({ column, descending }: Order, id: SQLWrapper, from: Position, backward: boolean): SQL => {
  const past = (of: SQLWrapper, value: number, down: boolean, orEqual = '') =>
    sql`${of} ${sql.raw((down ? '<' : '>') + orEqual)} ${integerOf(value)}`
  if (column === null) return past(id, from.id, descending !== backward)
  const value = from.value ?? 0
  const down = descending !== backward
  // Written so that an index on the column is entered at the value.
  return sql`(${past(column, value, down, '=')} AND (${past(column, value, down)} OR ${past(id, from.id, backward)}))`
}

/** Compares two positions as an order, or the order backward, has them: negative where the first comes first. */
export const compare = ({ column, descending }: Order, backward: boolean, a: Position, b: Position): number => {
  const down = descending !== backward ? -1 : 1
  if (column === null) return down * (a.id - b.id)
  return down * ((a.value ?? 0) - (b.value ?? 0)) || (backward ? -1 : 1) * (a.id - b.id)
}
