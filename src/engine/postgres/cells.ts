import { type SQL, sql } from 'drizzle-orm'
import { CELL_LEVELS, cellIn } from '../../geometry/cell.ts'
import { boundsCounter } from '../shared/summary/bounds.ts'
import { columnAndRow } from './area.ts'
import { fieldsOf } from './fields.ts'
import { type Matches, selectMatches } from './matches.ts'
import type { Snapshot } from './snapshot.ts'
import { FENCE, named } from './sql.ts'

/** A cell of a level, with its rows and their bounds. They are null for rows without a place. */
interface CellRow {
  readonly column: number | null
  readonly row: number | null
  readonly rows: number
}

interface Bounded extends CellRow {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/**
 * Groups rows with `x` and `y` by the cells of a level. PostgreSQL takes a place for the only one of its kind, so it would
 * sort the rows by their cells: 13 s instead of 3 s for 5 million. It knows nothing about the columns behind a fence.
 */
export const cellsOf = (rows: SQL, level: number, more = sql``): SQL<CellRow & { column: number; row: number }> => {
  const { column, row } = columnAndRow(level, sql`x`, sql`y`)
  return sql`SELECT ${column} AS "column", ${row} AS "row", count(*) AS rows${more} FROM (${rows} ${FENCE}) AS placed GROUP BY 1, 2`
}

const BOUNDS = sql`, min(x) AS west, min(y) AS south, max(x) AS east, max(y) AS north`

/** Gives the rows of each cell of a level to a function, with the first finest cell in it. Returns a counter of the bounds. */
export const readPlaces = async (
  { views, each }: Snapshot,
  matches: Matches,
  level: number,
  addCell: (rows: number, cell: number) => void,
): Promise<ReturnType<typeof boundsCounter>> => {
  const places = boundsCounter(level)
  const [x, y] = [fieldsOf(views)('events', 'x').value, fieldsOf(views)('events', 'y').value]
  const size = 2 ** (CELL_LEVELS - level)
  await each(cellsOf(selectMatches(matches, named({ x, y })), level, BOUNDS) as SQL<Bounded>, (cell) => {
    const { column, row, rows, west, south, east, north } = cell
    if (column === null || row === null) return
    addCell(rows, cellIn(column * size, row * size))
    places.add(west, south)
    places.add(east, north)
  })
  return places
}
