import { type SQL, sql } from 'drizzle-orm'
import { CELL_LEVELS, cellAt, cellIn } from '../../geometry/cell.ts'
import { classifier } from '../../geometry/classify.ts'
import type { Range } from '../db/counts.ts'
import { all } from '../db/sql.ts'
import { byCells, type Path } from '../plan/paths.ts'
import type { Search } from '../search.ts'
import type { Access, Row } from '../table.ts'
import type { Region } from './region.ts'

/** How many rows one query brings at most, as one text of some 25 characters a row: D1 takes 2 MB. */
const AT_ONCE = 50_000
/** How long such a text may get, and how long a number in it with its comma is at most. */
const [MAX_TEXT, NUMBER] = [1_800_000, 18]
/** How many queries are sent in one round trip: their texts are held together. */
export const QUERIES_AT_ONCE = 4
/** How many finest cells are asked for by name in one query. */
const CELLS_AT_ONCE = 20_000
const SIDE = 2 ** CELL_LEVELS

/** How many rows one query brings at most, each with its place and so many extra numbers. */
export const atOnce = ({ length }: readonly SQL[]): number =>
  Math.min(AT_ONCE, Math.floor(MAX_TEXT / (NUMBER * (1 + length))))

/** Is told of rows within: how many, in which finest cell, and where in a list the extra numbers begin that they have. */
export type Found = (rows: number, column: number, row: number, extras: ArrayLike<number>, at: number) => void

/** Takes candidates that may be within. */
export interface Tester {
  /** Takes the answer of `candidatesQuery`: false where there were too many for one, of which none is taken then. */
  readonly take: (rows: readonly Row[]) => boolean
  /** The same of a path through cells: takes what is there, and answers the finest cell to go on from; null where that was all. */
  readonly takeCells: (rows: readonly Row[]) => number | null
  /** Tests rows at one place, a finest cell by its column and row as one number, with the extra numbers from `at` on. */
  readonly test: (place: number, rows: number, extras: ArrayLike<number>, at: number) => void
  /** Asks for the places in finest cells that no edge decides, and tells the rest. */
  readonly finish: () => Promise<void>
}

/**
 * The place where points are tested against an area. Candidates come as finest cells, which the edges of the boundary cell
 * around them decide; only where an edge passes through a finest cell, the points in it are asked for and tested exactly.
 * `found` is told of each number of rows within, with the extra numbers that they have.
 */
export const makeTester = (
  search: Search,
  region: Region,
  path: Path | null,
  where: SQL,
  extras: readonly SQL[],
  found: Found,
): Tester => {
  const { covering, area } = region
  const sideOf = classifier(area, covering)
  const locate = locator(covering)
  const unknown = new Set<number>()
  const test: Tester['test'] = (place, rows, extras, at) => {
    const column = Math.floor(place / SIDE)
    const row = place % SIDE
    const finest = cellIn(column, row)
    const cell = locate(finest)
    const side = typeof cell === 'number' ? sideOf(cell, column, row) : cell
    if (side === 'inside') found(rows, column, row, extras, at)
    else if (side === 'unknown') unknown.add(finest)
  }
  const step = 1 + extras.length
  const testAll = (numbers: Float64Array) => {
    for (let i = 0; i < numbers.length; i += step) {
      const place = numbers[i] as number // below the length
      if (place >= 0) test(place, 1, numbers, i + 1)
    }
  }
  return {
    test,
    take: ([answer]) => {
      if ((answer?.count ?? 0) > atOnce(extras)) return false
      testAll(numbersIn(answer?.list ?? ''))
      return true
    },
    takeCells: ([answer]) => {
      const numbers = numbersIn(answer?.list ?? '')
      if ((answer?.count ?? 0) <= atOnce(extras)) {
        testAll(numbers)
        return null
      }
      // Of the last finest cell there may be more: it is read again, or if there is no other, by its places.
      const last = numbers.at(-step) as number
      const cell = cellIn(Math.floor(last / SIDE), last % SIDE)
      let end = numbers.length
      while (end > 0 && numbers[end - step] === last) end -= step
      testAll(numbers.subarray(0, end))
      if (end > 0) return cell
      unknown.add(cell)
      return cell + 1
    },
    finish: async () => {
      const cells = [...unknown].sort((a, b) => a - b)
      for (let from = 0; from < cells.length; from += CELLS_AT_ONCE) {
        const some = cells.slice(from, from + CELLS_AT_ONCE)
        const [answer = []] = await search.read(exactQuery(search, path, where, extras, some))
        for (const row of answer) {
          const { x, y, place, rows } = row
          if (area.contains(x, y)) found(rows, Math.floor(place / SIDE), place % SIDE, extrasOf(row, extras), 0)
        }
      }
    },
  }
}

/** Extra numbers as columns of a row, and those of a row. */
export const extraColumns = (extras: readonly SQL[]): SQL =>
  sql.join(extras.map((extra, i) => sql`, ${extra} AS ${sql.raw(`extra${i}`)}`))
export const extrasOf = (row: Row, extras: readonly SQL[]): number[] => extras.map((_, i) => row[`extra${i}`])

const placeOf = (cell: number): number => {
  const { column, row } = cellAt(CELL_LEVELS, cell)
  return column * SIDE + row
}

/** Where a finest cell is: outside of the covering, in a cell wholly inside, or in the boundary cell with this number. */
const locator = ({ interior, boundaryCells }: Region['covering']) => {
  const inside = Float64Array.from(interior.flat())
  const boundary = Float64Array.from(boundaryCells.flatMap(({ range }) => range))
  return (cell: number): number | 'inside' | 'outside' => {
    const at = rangeAt(boundary, cell)
    return at >= 0 ? at : rangeAt(inside, cell) >= 0 ? 'inside' : 'outside'
  }
}

/** The number of the range that holds a value, -1 where none does. */
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

/** The column and the row of a row's finest cell: what geometry/cell.ts makes of x and y, in SQL. */
export const finestColumns = ({ place: { x, y } }: Access): { readonly column: SQL; readonly row: SQL } => {
  const last = sql.raw(String(SIDE - 1))
  const part = (value: SQL) => sql`min(CAST(${value} * ${sql.raw(`${SIDE}.0`)} AS INTEGER), ${last})`
  return { column: part(sql`(${x} + 180.0) / 360.0`), row: part(sql`(${y} + 90.0) / 180.0`) }
}

/** Both as one number. */
export const placeColumn = (access: Access): SQL => {
  const { column, row } = finestColumns(access)
  return sql`(${column} * ${sql.raw(String(SIDE))} + ${row})`
}

/**
 * The rows of a path as one text of numbers, and how many there are: more than are taken where there are too many. Of each
 * its place, -1 where it has none, and the extra numbers.
 */
export const candidatesQuery = ({ access }: Search, path: Path, where: SQL, extras: readonly SQL[]): SQL => {
  const item = sql.raw(['place', ...extras.map((_, i) => `extra${i}`)].join(" || ',' || "))
  return sql`SELECT count(*) AS count, group_concat(${item}) AS list FROM (
    SELECT coalesce(${placeColumn(access)}, -1) AS place${extraColumns(extras)} FROM ${path.source}
    WHERE ${all([path.enter, where])} LIMIT ${atOnce(extras) + 1})`
}

/** The places in some finest cells: by these cells themselves, or of a path. */
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
      cells.map((cell): Range => [cell, cell]),
      cells.length,
    )
  const named = path && sql`${place} IN (SELECT value FROM json_each(${JSON.stringify(cells.map(placeOf))}))`
  const alike = sql.raw(['1', '2', ...extras.map((_, i) => `extra${i}`)].join(', '))
  return sql`SELECT ${x} AS x, ${y} AS y, ${place} AS place, count(*) AS "rows"${extraColumns(extras)} FROM ${by.source}
    WHERE ${all([by.enter, where, named])} GROUP BY ${alike}`
}

/** The whole numbers in a text, separated by commas. */
export const numbersIn = (list: string): Float64Array => {
  if (list === '') return new Float64Array()
  const numbers = new Float64Array(1 + commasIn(list))
  let at = 0
  let value = 0
  let sign = 1
  for (let i = 0; i < list.length; i++) {
    const code = list.charCodeAt(i)
    if (code === COMMA) {
      numbers[at++] = sign * value
      value = 0
      sign = 1
    } else if (code === MINUS) sign = -1
    else value = value * 10 + (code - ZERO)
  }
  numbers[at] = sign * value
  return numbers
}

const commasIn = (list: string): number => {
  let commas = 0
  for (let i = 0; i < list.length; i++) if (list.charCodeAt(i) === COMMA) commas += 1
  return commas
}

const [COMMA, MINUS, ZERO] = [44, 45, 48]
