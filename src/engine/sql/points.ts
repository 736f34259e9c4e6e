import { type SQL, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { CELL_LEVELS, cellIn } from '../../geometry/cell.ts'

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
