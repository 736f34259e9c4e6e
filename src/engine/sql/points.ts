import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { all } from '../../filters/sql.ts'
import { CELL_LEVELS, cellAt } from '../../geometry/cell.ts'
import type { Search } from '../conditions/search.ts'
import type { Access } from '../conditions/table.ts'
import type { Source } from './sources.ts'

/**
 * The most rows that one query returns. They come as one text of about 25 characters per row, because D1 allows 2 MB.
 */
const MAX_ROWS = 50_000
/** The longest such text, and the longest number in it with its comma. Both are in characters. */
const [MAX_TEXT, MAX_NUMBER] = [1_800_000, 18]

/** Returns the most rows of one query, given the extra numbers that each row brings. */
export const maxRows = ({ length }: readonly SQL[]): number =>
  Math.min(MAX_ROWS, Math.floor(MAX_TEXT / (MAX_NUMBER * (1 + length))))

/** Writes the column and row of the cell of a row. Default: its finest cell. geometry/cell.ts has the same formula. */
export const columnsOfCell = (
  { place: { x, y } }: Access,
  level = CELL_LEVELS,
): { readonly column: SQL; readonly row: SQL } => {
  const side = 2 ** level
  const last = sql.raw(String(side - 1))
  const part = (value: SQL) => sql`min(CAST(${value} * ${sql.raw(`${side}.0`)} AS INTEGER), ${last})`
  return { column: part(sql`(${x} + 180.0) / 360.0`), row: part(sql`(${y} + 90.0) / 180.0`) }
}

/**
 * Writes the place of a row, for indexes without its cell: the column * 2^level + the row. It is -1 without
 * coordinates.
 */
const placeColumn = (access: Access, level: number): SQL => {
  const { column, row } = columnsOfCell(access, level)
  return sql`coalesce(${column} * ${sql.raw(String(2 ** level))} + ${row}, -1)`
}

/** Writes extra numbers as columns of a query. */
const extraColumns = (extras: readonly SQL[]): SQL =>
  sql.join(extras.map((extra, i) => sql`, ${extra} AS ${sql.raw(`extra${i}`)}`))

const extraNames = (extras: readonly SQL[], first: readonly string[]): readonly string[] => [
  ...first,
  ...extras.map((_, i) => `extra${i}`),
]

/** The rows of a query as one text of numbers. A row is its cell or place, and its extra numbers. */
export interface PlacesRow {
  readonly count: number
  readonly list: string | null
}

/** Reads the finest cells of rows, by the index that has them. See `listOf`. */
export const cellsQuery = ({ access }: Search, path: Source, where: SQL, extras: readonly SQL[]): SQL<PlacesRow> =>
  listOf(access.place.cell, path, where, extras)

/** Reads the places of rows, or -1 without coordinates. See `listOf`. */
export const placesQuery = (
  { access }: Search,
  path: Source,
  where: SQL,
  extras: readonly SQL[],
  level: number,
): SQL<PlacesRow> => listOf(placeColumn(access, level), path, where, extras)

/** Lists the rows of a path. It reads one row more than allowed, to notice a cut answer. */
const listOf = (place: SQLWrapper, { source, enter }: Source, where: SQL, extras: readonly SQL[]): SQL<PlacesRow> => {
  const item = sql.raw(extraNames(extras, ['place']).join(" || ',' || "))
  return sql`SELECT count(*) AS count, group_concat(${item}) AS list FROM (
    SELECT ${place} AS place${extraColumns(extras)} FROM ${source}
    WHERE ${all([enter, where])} LIMIT ${maxRows(extras) + 1})`
}

/** A number of equal rows, with their extra numbers as `extra0` and so on. */
interface EqualRows {
  readonly rows: number
  readonly [extra: `extra${number}`]: number
}

/** A number of equal rows with the same place. */
export interface GroupRow extends EqualRows {
  readonly place: number
}

/** A number of equal rows with the same point. */
export interface PointRow extends EqualRows {
  readonly x: number
  readonly y: number
}

/** Reads the extra numbers of a group of rows. */
export const extrasOf = (row: EqualRows, extras: readonly SQL[]): Float64Array =>
  Float64Array.from(extras, (_, i) => row[`extra${i}`] as number) // extraColumns selects as many

/** Reads places as `placesQuery` does. Equal rows come as one row with their number. */
export const groupedPlacesQuery = (
  { access }: Search,
  { source, enter }: Source,
  where: SQL,
  extras: readonly SQL[],
  level: number,
): SQL<GroupRow> => {
  const groupKeys = sql.raw(extraNames(extras, ['place']).join(', '))
  return sql`SELECT ${groupKeys}, count(*) AS "rows" FROM (
    SELECT ${placeColumn(access, level)} AS place${extraColumns(extras)} FROM ${source} WHERE ${all([enter, where])})
    GROUP BY ${groupKeys}`
}

/** Reads the coordinates of the rows of a path in some finest cells. `isAlong`: the path has rows in other cells too. */
export const exactPlacesQuery = (
  { access }: Search,
  { source, enter }: Source,
  where: SQL,
  extras: readonly SQL[],
  cells: readonly number[],
  isAlong: boolean,
): SQL<PointRow> => {
  const { x, y } = access.place
  const inCells = isAlong
    ? sql`${placeColumn(access, CELL_LEVELS)} IN (SELECT value FROM json_each(${JSON.stringify(cells.map(placeOf))}))`
    : null
  const groupKeys = sql.raw(extraNames(extras, ['1', '2']).join(', '))
  return sql`SELECT ${x} AS x, ${y} AS y, count(*) AS "rows"${extraColumns(extras)} FROM ${source}
    WHERE ${all([enter, where, inCells])} GROUP BY ${groupKeys}`
}

const placeOf = (cell: number): number => {
  const { column, row } = cellAt(CELL_LEVELS, cell)
  return column * 2 ** CELL_LEVELS + row
}

/** Counts the rows of a path. */
export const countOf = ({ source, enter }: Source, where: SQL): SQL<{ readonly count: number }> =>
  sql`SELECT count(*) AS count FROM ${source} WHERE ${all([enter, where])}`
