import { type SQL, sql } from 'drizzle-orm'
import { CELL_LEVELS } from '../../geometry/cell.ts'
import { ifPresent } from './sql.ts'

/**
 * Writes the column and the row of the cell of a point at a level, as src/geometry/cell.ts does. They are null without a
 * point: GREATEST and LEAST leave nulls out.
 */
export const columnAndRow = (
  level: number,
  x = sql`ST_X(e.geometry)`,
  y = sql`ST_Y(e.geometry)`,
): { readonly column: SQL; readonly row: SQL } => {
  const side = sql`${String(2 ** level)}::float8`
  const part = (value: SQL) =>
    ifPresent(value, sql`least(floor(least(greatest(${value}, 0), 1) * ${side}), ${side} - 1)::bigint`)
  return {
    column: part(sql`((${x} + 180) / 360)`),
    row: part(sql`((${y} + 90) / 180)`),
  }
}

/** Writes the cell of the coordinates `x` and `y` as one number: the row is in the last 26 bits, and the column before them. */
export const cellIn = (level: number): SQL => {
  const { column, row } = columnAndRow(level, sql`x`, sql`y`)
  return sql`(${column} * ${String(2 ** CELL_LEVELS)}::bigint + ${row})`
}
