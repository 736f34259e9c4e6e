import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../collections.ts'
import { all } from '../../filters/sql.ts'
import { CELL_LEVELS } from '../../geometry/cell.ts'
import type { Facts } from '../candidates/facts.ts'
import { byClass, byKeys, type Path } from '../candidates/paths.ts'
import { intersection } from '../conditions/bounds.ts'
import type { Row } from '../conditions/table.ts'
import type { Plan } from '../plan/choose.ts'
import type { Search } from '../search.ts'
import { testCells } from './cells.ts'
import { numbersIn } from './numbers.ts'
import { type Portion, portionsOf, split } from './portions.ts'
import {
  candidatesQuery,
  type Extras,
  extraColumns,
  extrasOf,
  MAX_QUERIES,
  makeTester,
  maxRows,
  placeColumn,
  type Tester,
} from './tester.ts'

/**
 * Calls `onRow` for every matching row, exactly once. It reads the cells of an area, or another path in portions of
 * starts.
 */
export const eachMatch = async (
  search: Search,
  facts: Facts,
  plan: Plan,
  extras: readonly SQL[],
  onRow: OnRow,
): Promise<void> => {
  const { region } = facts
  if (region !== null && plan.throughCells) {
    await testCells(search, region, region.cells, plan.whereNear, extras, onRow, search.read)
  } else if (region === null || region.exact) await readPortions(search, facts, plan, extras, null, onRow)
  else {
    const tester = makeTester(search, region, plan.narrow, plan.where, extras, onRow)
    await readPortions(search, facts, plan, extras, tester, onRow)
    await tester.finish()
  }
}

/** Receives a number of equal rows, like `OnCandidate`. Column and row are null for rows without coordinates. */
export type OnRow = (rows: number, column: number | null, row: number | null, extras: Extras, offset: number) => void

/**
 * Reads the rows of the plan's path in portions. The tester decides which rows match. Without a tester all of them do.
 */
const readPortions = async (
  search: Search,
  facts: Facts,
  plan: Plan,
  extras: readonly SQL[],
  tester: Tester | null,
  onRow: OnRow,
): Promise<void> => {
  const most = maxRows(extras)
  const take = tester?.take ?? ((rows: readonly Row[]) => passRows(rows, extras, onRow))
  let waiting: readonly Portion[] = portionsOf(facts, plan.narrow, most)
  while (waiting.length > 0) {
    const portions = waiting.slice(0, MAX_QUERIES)
    const reads = portions.map((portion) => portionOf(search, facts, plan, portion))
    const answers = await search.read(...reads.map(({ path, where }) => candidatesQuery(search, path, where, extras)))
    const tooLarge = portions.filter((_, i) => !take(at(answers, i)))
    const instants = tooLarge.filter((portion) => portion !== null && portion[0] === portion[1])
    for (const portion of instants)
      await readInstant(search, portionOf(search, facts, plan, portion), extras, tester, onRow)
    waiting = [
      ...tooLarge
        .filter((portion) => !instants.includes(portion))
        .flatMap((portion) => split(facts, plan, portion, most)),
      ...waiting.slice(MAX_QUERIES),
    ]
  }
}

/**
 * Limits the plan's path to the starts of a portion. A path that does not use the start is replaced by ranges of starts
 * for each class of durations.
 */
const portionOf = (
  search: Search,
  facts: Facts,
  { narrow, where, whereNear }: Plan,
  portion: Portion,
): { path: Path; where: SQL } => {
  if (portion === null) return { path: narrow, where }
  const start = intersection(facts.bounds.start, [BigInt(portion[0]), BigInt(portion[1])])
  const bounds = { ...facts.bounds, start }
  const path = narrow.keys && byKeys(search, narrow.keys, bounds, facts.statistics)
  if (
    path !== null &&
    search.access.indexes.some(
      ({ on, second }) => on === narrow.keys?.group.dictionary.key && second === search.access.time.start,
    )
  )
    return { path, where }
  return { path: byClass(search, bounds, facts.statistics) ?? narrow, where: whereNear }
}

const passRows = ([answer]: readonly Row[], extras: readonly SQL[], onRow: OnRow): boolean => {
  if ((answer?.count ?? 0) > maxRows(extras)) return false
  const numbers = numbersIn(answer?.list ?? '')
  for (let i = 0; i < numbers.length; i += 1 + extras.length) passPlace(onRow, 1, at(numbers, i), numbers, i + 1)
  return true
}

const SIDE = 2 ** CELL_LEVELS

const passPlace = (onRow: OnRow, rows: number, place: number, extras: Extras, offset: number): void =>
  place < 0
    ? onRow(rows, null, null, extras, offset)
    : onRow(rows, Math.floor(place / SIDE), place % SIDE, extras, offset)

/** Reads the rows of one instant that are too many for one portion. Equal rows come as one row with their number. */
const readInstant = async (
  search: Search,
  { path, where }: { path: Path; where: SQL },
  extras: readonly SQL[],
  tester: Tester | null,
  onRow: OnRow,
): Promise<void> => {
  const groupKeys = sql.raw(['place', ...extras.map((_, i) => `extra${i}`)].join(', '))
  const [rows] = await search.read(sql`SELECT ${groupKeys}, count(*) AS "rows" FROM (
    SELECT coalesce(${placeColumn(search.access)}, -1) AS place${extraColumns(extras)} FROM ${path.source} WHERE ${all([path.enter, where])})
    GROUP BY ${groupKeys}`)
  for (const row of rows) {
    if (tester === null) passPlace(onRow, row.rows, row.place, extrasOf(row, extras), 0)
    else if (row.place >= 0) tester.test(row.place, row.rows, extrasOf(row, extras), 0)
  }
}
