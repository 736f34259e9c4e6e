import type { SQL } from 'drizzle-orm'
import { numberAt } from '../../collections.ts'
import { CELL_LEVELS, cellOf, merged } from '../../geometry/cell.ts'
import type { Steps } from '../../work.ts'
import type { NodeRow, Statistics } from '../candidates/nodes.ts'
import type { Region, WeighedCell } from '../candidates/region.ts'
import { isRectangular, type ValueRange } from '../conditions/criteria.ts'
import type { Search } from '../conditions/search.ts'
import type { Plan } from '../plan/plan.ts'
import { chunksOf, type Starts, split, startsOf } from '../plan/portions.ts'
import {
  cellsQuery,
  countOf,
  exactPlacesQuery,
  extrasOf,
  type GroupRow,
  groupedPlacesQuery,
  maxRows,
  type PlacesRow,
  placesQuery,
} from '../sql/points.ts'
import { cellsSource, type Source, sourceOf, sourceWithin } from '../sql/sources.ts'
import { idsSource, rangesOfIds } from '../sql/texts.ts'
import { whereOf } from '../sql/where.ts'
import { type Portion, portionOf, type Reading, wholePortion } from './portions.ts'
import { byPlace, numbersIn, type OnRow, testerOf } from './tester.ts'

/** The search whose matches are read, and the extra numbers that each row brings. */
export interface Matching {
  readonly search: Search
  readonly plan: Plan
  readonly statistics: Statistics
  readonly extras: readonly SQL[]
  /** The sink needs only the cell of this level. Absent: it needs the finest cell. */
  readonly level?: number
}

/** Reads every match once, and passes it to a sink. It reads the cells of the area, or portions of the path. */
export const matchReading = (matching: Matching, onRow: OnRow): Reading => {
  const { narrow, region } = matching.plan
  if (region === null || narrow.range.path !== 'cells') return pathReading(matching, onRow)
  const inside = cellReading(matching, region.interior, onRow, true)
  const boundary = cellReading(matching, region.boundary, onRow)
  return {
    portions: [...inside.portions, ...boundary.portions],
    last: () => [inside, boundary].flatMap(({ last }) => last?.() ?? []),
  }
}

/** Counts the matches of an area that SQL alone cannot decide. */
export const countReading = (matching: Matching, onRow: OnRow): Reading => {
  const { search, plan } = matching
  const { region, count } = plan
  if (region === null || !('counted' in count)) throw new RangeError('The plan counts no area.')
  const whereInside = whereOf(search, { ...plan, region: null })
  const counting = wholePortion(countOf(cellsSource(search.table, search.access, count.ranges), whereInside), (row) =>
    onRow(count.counted + row.count, -1, new Float64Array(), 0),
  )
  const atBoundary = cellReading(matching, region.boundary, onRow)
  const byCells = { ...atBoundary, portions: [counting, ...atBoundary.portions] }
  return count.by === 'tests of the path' ? pathReading(matching, onRow, byCells) : byCells
}

/** The most finest cells that one query lists. */
const MAX_POINT_CELLS = 20_000

/** Passes the rows of some cells in the area to a sink. It tests no row if the cells lie inside the area. */
export const cellReading = (
  matching: Matching,
  cells: readonly WeighedCell[],
  onRow: OnRow,
  areInside = false,
): Reading => {
  const { search, plan, extras } = matching
  const { region } = plan
  if (region === null) throw new RangeError('The plan has no area.')
  const where = whereOf(search, areInside ? { ...plan, region: null } : plan)
  const undecided = new Set<number>()
  const pass = areInside || isRectangular(region.area) ? onRow : testerOf(region, undecided, onRow)
  const portion = (ranges: readonly ValueRange[]): Portion => {
    const source = cellsSource(search.table, search.access, merged(ranges))
    return portionOf(cellsQuery(search, source, where, extras), function* ([places]) {
      const numbers = numbersIn(places?.list ?? '')
      if (!isCut(places, extras)) return yield* passNumbers(numbers, extras, pass)
      // The answer may lack some rows of its last finest cell, so that cell is read again. If the answer has no other
      // cell, its points are read at the end.
      const [end, cell] = lastCell(numbers, 1 + extras.length)
      yield* passNumbers(numbers.subarray(0, end), extras, pass)
      if (end === 0) undecided.add(cell)
      const left = from(ranges, end > 0 ? cell : cell + 1)
      return left.length === 0 ? [] : [portion(left)]
    })
  }
  return {
    portions: chunksOf(cells, region, matching.statistics, maxRows(extras)).map(portion),
    last: () => pointPortions(matching, region, undecided, null, where, onRow),
  }
}

/**
 * Reads the rows of the path, and passes the matches to a sink. `otherwise` replaces the reading if the path has too
 * many rows for one query. Without it the rows are read in portions of starts.
 */
const pathReading = (matching: Matching, onRow: OnRow, otherwise?: Reading): Reading => {
  const { search, plan, extras } = matching
  const { region, narrow } = plan
  const path = sourceOf(search, narrow)
  const where = whereOf(search, plan, narrow.entries)
  const undecided = new Set<number>()
  const isTested = region !== null && !isRectangular(region.area)
  const level = isTested ? CELL_LEVELS : (matching.level ?? CELL_LEVELS)
  const pass = byPlace(level, isTested ? testerOf(region, undecided, onRow) : onRow)
  let isReplaced = false
  const portion = (starts: Starts): Portion => {
    const { entered, ...source } =
      starts === null ? { ...path, entered: narrow.entries } : sourceWithin(search, narrow, starts)
    const whereIn = starts === null ? where : whereOf(search, plan, entered)
    return portionOf(placesQuery(search, source, whereIn, extras, level), function* ([places]) {
      if (!isCut(places, extras)) return yield* passNumbers(numbersIn(places?.list ?? ''), extras, pass)
      isReplaced = otherwise !== undefined
      if (otherwise) return otherwise.portions
      if (starts === null || starts[0] !== starts[1])
        return split(search, plan, matching.statistics, maxRows(extras), starts).map(portion)
      return [instant(groupedPlacesQuery(search, source, whereIn, extras, level))]
    })
  }
  // The rows of one instant that are too many for one portion come in groups of equal rows.
  const instant = (query: SQL<GroupRow>): Portion =>
    wholePortion(query, (row) => pass(row.rows, row.place, extrasOf(row, extras), 0))
  const last = () => (region === null ? [] : pointPortions(matching, region, undecided, path, where, onRow))
  return {
    portions: (otherwise ? [null] : startsOf(search, plan, matching.statistics, maxRows(extras))).map(portion),
    last: () => (isReplaced ? (otherwise?.last?.() ?? []) : last()),
  }
}

/** Reads the rows of the path, or if they are too many for one query, the table in ranges of ids. SQL decides the area. */
export const scanReading = (matching: Matching, nodes: readonly NodeRow[], onRow: OnRow): Reading => {
  const { search, plan, extras, level = CELL_LEVELS } = matching
  const where = whereOf(search, plan)
  const pass = byPlace(level, onRow)
  const byIds = rangesOfIds(nodes, maxRows(extras)).map((range) =>
    portionOf(placesQuery(search, idsSource(search, range), where, extras, level), function* ([places]) {
      if (isCut(places, extras)) throw new RangeError('A range of ids has more rows than its nodes.')
      return yield* passNumbers(numbersIn(places?.list ?? ''), extras, pass)
    }),
  )
  return pathReading(matching, onRow, { portions: byIds })
}

/** Returns portions of the exact points in the undecided cells, and forgets these cells. */
const pointPortions = (
  { search, extras }: Matching,
  { area }: Region,
  undecided: Set<number>,
  path: Source | null,
  where: SQL,
  onRow: OnRow,
): readonly Portion[] => {
  const cells = [...undecided].sort((a, b) => a - b)
  undecided.clear()
  const { table, access } = search
  const starts = Array.from({ length: Math.ceil(cells.length / MAX_POINT_CELLS) }, (_, i) => i * MAX_POINT_CELLS)
  return starts.map((start) => {
    const chunk = cells.slice(start, start + MAX_POINT_CELLS)
    const inCells = () =>
      cellsSource(
        table,
        access,
        chunk.map((cell): ValueRange => [cell, cell]),
      )
    const query = exactPlacesQuery(search, path ?? inCells(), where, extras, chunk, path !== null)
    return wholePortion(query, (row) => {
      if (area.contains(row.x, row.y)) onRow(row.rows, cellOf(row.x, row.y), extrasOf(row, extras), 0)
    })
  })
}

/** Returns true if a query found more rows than it may return. */
const isCut = (places: PlacesRow | undefined, extras: readonly SQL[]): boolean => (places?.count ?? 0) > maxRows(extras)

/** Passes the rows of a query on. Each has a cell or a place, and its extra numbers. No portion remains. */
function* passNumbers(numbers: Float64Array, extras: readonly SQL[], pass: OnRow): Steps<readonly Portion[]> {
  for (let i = 0; i < numbers.length; i += 1 + extras.length) {
    pass(1, numberAt(numbers, i), numbers, i + 1)
    yield
  }
  return []
}

/** Returns where the rows of the last finest cell start, and that cell. */
const lastCell = (numbers: Float64Array, step: number): [start: number, cell: number] => {
  const last = numberAt(numbers, numbers.length - step)
  let start = numbers.length
  while (start > 0 && numbers[start - step] === last) start -= step
  return [start, last]
}

/** Returns the part of the ranges from a value on. */
const from = (ranges: readonly ValueRange[], value: number): ValueRange[] =>
  ranges.flatMap(([first, last]): ValueRange[] => (last < value ? [] : [[Math.max(first, value), last]]))
