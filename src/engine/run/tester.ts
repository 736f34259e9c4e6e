import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../collections.ts'
import { all } from '../../filters/sql.ts'
import { CELL_LEVELS, cellAt, cellIn } from '../../geometry/cell.ts'
import { classifier } from '../../geometry/classify.ts'
import { byCells, type Path } from '../candidates/paths.ts'
import type { Region } from '../candidates/region.ts'
import type { Access, Row } from '../conditions/table.ts'
import type { Search } from '../search.ts'
import type { ValueRange } from '../sql/counts.ts'
import { numbersIn } from './numbers.ts'

/**
 * The most rows that one query returns. They come as one text of about 25 characters per row, because D1 allows 2 MB.
 */
const MAX_ROWS = 50_000
/** The longest such text, and the longest number in it with its comma. Both are in characters. */
const [MAX_TEXT, MAX_NUMBER] = [1_800_000, 18]
/** The most queries in one round trip. The Worker holds all their answers in memory at once. */
export const MAX_QUERIES = 4
/** The most finest cells that one query lists. */
const MAX_CELLS = 20_000
const SIDE = 2 ** CELL_LEVELS

/** Returns the most rows of one query, given the extra numbers that each row brings. */
export const maxRows = ({ length }: readonly SQL[]): number =>
  Math.min(MAX_ROWS, Math.floor(MAX_TEXT / (MAX_NUMBER * (1 + length))))

/** The extra numbers of rows. */
export type Extras = readonly number[] | Float64Array

/**
 * Receives the number of rows inside the area that lie in one finest cell. Their extra numbers start at `offset` in
 * `extras`.
 */
export type OnCandidate = (rows: number, column: number, row: number, extras: Extras, offset: number) => void

/** Decides which candidates lie in the area, and reports those to its `onCandidate`. */
export interface Tester {
  /**
   * Takes an answer of `candidatesQuery`. Returns false and takes nothing if the query had more rows than it may
   * return.
   */
  readonly take: (rows: readonly Row[]) => boolean
  /**
   * Takes an answer of a path that reads cells in order. Returns the finest cell to continue from, or null at the end.
   */
  readonly takeCells: (rows: readonly Row[]) => number | null
  /** Tests rows in one finest cell. `place` is its column and row as one number: column * 2^26 + row. */
  readonly test: (place: number, rows: number, extras: Extras, offset: number) => void
  /** Reads the exact points of undecided cells, tests them and reports those in the area. */
  readonly finish: () => Promise<void>
}

/**
 * Makes a tester of candidates. A candidate comes as its finest cell. The edges of the boundary cell around it decide
 * most of them. If an edge crosses the finest cell itself, `finish` reads its points and tests them exactly.
 */
export const makeTester = (
  search: Search,
  region: Region,
  path: Path | null,
  where: SQL,
  extras: readonly SQL[],
  onCandidate: OnCandidate,
): Tester => {
  const { area } = region
  const unknown = new Set<number>()
  const test = makeCellTest(region, unknown, onCandidate)
  const step = 1 + extras.length
  return {
    test,
    take: ([answer]) => {
      if ((answer?.count ?? 0) > maxRows(extras)) return false
      testRows(test, numbersIn(answer?.list ?? ''), step)
      return true
    },
    takeCells: ([answer]) => {
      const numbers = numbersIn(answer?.list ?? '')
      if ((answer?.count ?? 0) <= maxRows(extras)) {
        testRows(test, numbers, step)
        return null
      }
      // The answer may lack some rows of its last finest cell, so that cell is read again. If the answer has no other
      // cell, `finish` reads its points.
      const [end, cell] = lastCell(numbers, step)
      testRows(test, numbers.subarray(0, end), step)
      if (end > 0) return cell
      unknown.add(cell)
      return cell + 1
    },
    finish: async () => {
      const cells = [...unknown].sort((a, b) => a - b)
      for (let from = 0; from < cells.length; from += MAX_CELLS) {
        const chunk = cells.slice(from, from + MAX_CELLS)
        const [candidates] = await search.read(exactQuery(search, path, where, extras, chunk))
        for (const row of candidates) {
          const { x, y, place, rows } = row
          if (area.contains(x, y)) onCandidate(rows, Math.floor(place / SIDE), place % SIDE, extrasOf(row, extras), 0)
        }
      }
    },
  }
}

/** Makes the test of rows in one finest cell. It adds a cell that an edge crosses to `unknown`. */
const makeCellTest = ({ covering, area }: Region, unknown: Set<number>, onCandidate: OnCandidate): Tester['test'] => {
  const sideOf = classifier(area, covering)
  const locate = locator(covering)
  return (place, rows, extras, offset) => {
    const column = Math.floor(place / SIDE)
    const row = place % SIDE
    const finest = cellIn(column, row)
    const cell = locate(finest)
    const side = typeof cell === 'number' ? sideOf(cell, column, row) : cell
    if (side === 'inside') onCandidate(rows, column, row, extras, offset)
    else if (side === 'unknown') unknown.add(finest)
  }
}

/** Tests rows of a query, each a place and its extra numbers. */
const testRows = (test: Tester['test'], numbers: Float64Array, step: number): void => {
  for (let i = 0; i < numbers.length; i += step) {
    const place = at(numbers, i)
    if (place >= 0) test(place, 1, numbers, i + 1)
  }
}

/** Returns where the rows of the last finest cell start, and that cell. */
const lastCell = (numbers: Float64Array, step: number): [start: number, cell: number] => {
  const last = at(numbers, -step)
  let start = numbers.length
  while (start > 0 && numbers[start - step] === last) start -= step
  return [start, cellIn(Math.floor(last / SIDE), last % SIDE)]
}

/** Writes the extra numbers as columns of a query. `extrasOf` reads them from a row. */
export const extraColumns = (extras: readonly SQL[]): SQL =>
  sql.join(extras.map((extra, i) => sql`, ${extra} AS ${sql.raw(`extra${i}`)}`))
export const extrasOf = (row: Row, extras: readonly SQL[]): number[] => extras.map((_, i) => row[`extra${i}`])

const placeOf = (cell: number): number => {
  const { column, row } = cellAt(CELL_LEVELS, cell)
  return column * SIDE + row
}

/**
 * Locates a finest cell: outside the covering, in a cell inside the area, or in a boundary cell, whose number it
 * returns.
 */
const locator = ({ interior, boundaryCells }: Region['covering']) => {
  const inside = Float64Array.from(interior.flat())
  const boundary = Float64Array.from(boundaryCells.flatMap(({ range }) => range))
  return (cell: number): number | 'inside' | 'outside' => {
    const boundaryCell = rangeAt(boundary, cell)
    return boundaryCell >= 0 ? boundaryCell : rangeAt(inside, cell) >= 0 ? 'inside' : 'outside'
  }
}

/** Finds the range that contains a value by binary search. Returns its number, or -1 if there is none. */
const rangeAt = (ends: Float64Array, value: number): number => {
  let low = 0
  let high = ends.length / 2
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ends[2 * middle + 1] as number) < value) low = middle + 1
    else high = middle
  }
  return low < ends.length / 2 && (ends[2 * low] as number) <= value ? low : -1
}

/** Computes the column and row of the finest cell of a row in SQL. geometry/cell.ts has the same formula. */
export const finestColumns = ({ place: { x, y } }: Access): { readonly column: SQL; readonly row: SQL } => {
  const last = sql.raw(String(SIDE - 1))
  const part = (value: SQL) => sql`min(CAST(${value} * ${sql.raw(`${SIDE}.0`)} AS INTEGER), ${last})`
  return { column: part(sql`(${x} + 180.0) / 360.0`), row: part(sql`(${y} + 90.0) / 180.0`) }
}

/** Returns `place`: the column and row of the finest cell as one number. */
export const placeColumn = (access: Access): SQL => {
  const { column, row } = finestColumns(access)
  return sql`(${column} * ${sql.raw(String(SIDE))} + ${row})`
}

/**
 * Reads the rows of a path as one text of numbers, and counts them. A row is its place, or -1 without coordinates, and
 * its extra numbers. It reads one row more than allowed, to notice a cut answer.
 */
export const candidatesQuery = ({ access }: Search, path: Path, where: SQL, extras: readonly SQL[]): SQL => {
  const item = sql.raw(['place', ...extras.map((_, i) => `extra${i}`)].join(" || ',' || "))
  return sql`SELECT count(*) AS count, group_concat(${item}) AS list FROM (
    SELECT coalesce(${placeColumn(access)}, -1) AS place${extraColumns(extras)} FROM ${path.source}
    WHERE ${all([path.enter, where])} LIMIT ${maxRows(extras) + 1})`
}

/** Reads the coordinates of the rows in some finest cells. Without a path it enters the index with these cells. */
const exactQuery = (
  search: Search,
  path: Path | null,
  where: SQL,
  extras: readonly SQL[],
  cells: readonly number[],
): SQL => {
  const { x, y } = search.access.place
  const place = placeColumn(search.access)
  const by =
    path ??
    byCells(
      search,
      cells.map((cell): ValueRange => [cell, cell]),
      cells.length,
    )
  const inCells = path && sql`${place} IN (SELECT value FROM json_each(${JSON.stringify(cells.map(placeOf))}))`
  const groupKeys = sql.raw(['1', '2', ...extras.map((_, i) => `extra${i}`)].join(', '))
  return sql`SELECT ${x} AS x, ${y} AS y, ${place} AS place, count(*) AS "rows"${extraColumns(extras)} FROM ${by.source}
    WHERE ${all([by.enter, where, inCells])} GROUP BY ${groupKeys}`
}
