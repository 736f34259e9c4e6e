import { type SQL, sql } from 'drizzle-orm'
import { CELL_LEVELS } from '../../geometry/cell.ts'

/** Writes the column and the row of the cell of a point at a level, as src/geometry/cell.ts does. */
export const columnAndRow = (level: number): { readonly column: SQL; readonly row: SQL } => {
  const side = sql`${String(2 ** level)}::float8`
  const part = (value: SQL) => sql`least(greatest(floor(${value} * ${side}), 0), ${side} - 1)::bigint`
  return {
    column: part(sql`((ST_X(e.geometry) + 180) / 360)`),
    row: part(sql`((ST_Y(e.geometry) + 90) / 180)`),
  }
}

/** Writes the cell of a point at a level as one number: the row is in the last 26 bits, and the column before them. */
export const cellIn = (level: number): SQL => {
  const { column, row } = columnAndRow(level)
  return sql`(${column} * ${String(2 ** CELL_LEVELS)}::bigint + ${row})`
}
