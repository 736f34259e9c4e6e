import { type SQL, sql } from 'drizzle-orm'
import type { Condition } from '../../filters/filter.ts'
import type { Bbox } from '../../geometry/bbox.ts'
import { CELL_LEVELS, cellAt, cellBounds } from '../../geometry/cell.ts'
import {
  AT_ONCE,
  candidatesQuery,
  type Found,
  makeTester,
  numbersIn,
  placeColumn,
  QUERIES_AT_ONCE,
  type Tester,
} from '../area/candidates.ts'
import { testCells } from '../area/cells.ts'
import type { Database } from '../db/d1.ts'
import { atOneState } from '../db/snapshot.ts'
import { all } from '../db/sql.ts'
import { intersection } from '../plan/bounds.ts'
import { choose, type Plan } from '../plan/choose.ts'
import { asksOnlyArea } from '../plan/conditions.ts'
import { type Facts, factsOf } from '../plan/facts.ts'
import { byClass, byKeys, type Path } from '../plan/paths.ts'
import { type Search, searchOf } from '../search.ts'
import type { Access, Row, Table } from '../table.ts'
import { everythingQuery, groupsOfEverything } from './everything.ts'
import { type Fineness, type Groups, histogram } from './histogram.ts'
import { type Portion, portionsOf, split } from './portions.ts'

/** Of which rows, and how fine at most. */
export interface SummaryRequest extends Fineness {
  readonly conditions: readonly Condition[]
}

/** All that matches, by its start and by its cell. */
export interface Summary {
  readonly count: number
  /** The least start and the greatest; null where nothing matches. */
  readonly least: number | null
  readonly greatest: number | null
  /** How many milliseconds a bin has; null where nothing matches. */
  readonly step: number | null
  /** The bins that rows fall into, ascending by the least start that may. */
  readonly bins: readonly (readonly [start: number, count: number])[]
  /** The level of the cells; null where nothing that matches has a place. */
  readonly level: number | null
  /** The cells that rows fall into, by their bounds in degrees, ascending by the ranges of finest cells. */
  readonly cells: readonly (readonly [...Bbox, count: number])[]
}

/**
 * Sums up what matches, of the rows that a caller of this level sees. Everything is summed up from the counts, down to
 * their smallest complete nodes; what filters leave is read once, in compact portions, and counted here.
 */
export const fetchSummary = (
  db: Database,
  table: Table,
  access: Access,
  request: SummaryRequest,
  level: number,
): Promise<Summary> =>
  atOneState(db, async (read) => {
    const noPage = { order: { column: null, descending: false }, pageSize: 1, page: 1, cursor: null, key: null }
    const search = searchOf(db, read, table, access, { ...request, ...noPage }, level)
    if (!asksOnlyArea(search.criteria) || search.criteria.area !== null)
      return summaryOf(await matchingGroups(search, request))
    const [[row = {}] = []] = await read(everythingQuery(search, request))
    return summaryOf(groupsOfEverything(row))
  })

/** Counts what matches, row by row: through the cells of an area, or along another path in portions by the start. */
const matchingGroups = async (search: Search, fineness: Fineness): Promise<Groups> => {
  const facts = await factsOf(search)
  const plan = choose(search, facts)
  const { region } = facts
  const { add, groups } = histogram(fineness)
  const { start } = search.access.time
  if (region !== null && plan.throughCells) {
    const found: Found = (rows, column, row, at) => add(rows, at, column, row)
    await testCells(search, region, region.cells, plan.whereNear, sql`${start}`, found, (queries) =>
      search.read(...queries),
    )
  } else if (region === null || region.exact) await readPortions(search, facts, plan, null, add)
  else {
    const tester = makeTester(search, region, plan.narrow, plan.where, sql`${start}`, (rows, column, row, at) =>
      add(rows, at, column, row),
    )
    await readPortions(search, facts, plan, tester, add)
    await tester.finish()
  }
  return groups()
}

type Add = ReturnType<typeof histogram>['add']

/** Reads the rows of the plan's path: by a tester where they are to be tested, else as they are. */
const readPortions = async (
  search: Search,
  facts: Facts,
  plan: Plan,
  tester: Tester | null,
  add: Add,
): Promise<void> => {
  const { start } = search.access.time
  const take = tester?.take ?? ((rows: readonly Row[]) => addRows(rows, add))
  let waiting: readonly Portion[] = portionsOf(facts, plan.narrow)
  while (waiting.length > 0) {
    const portions = waiting.slice(0, QUERIES_AT_ONCE)
    const asked = portions.map((portion) => portionOf(search, facts, plan, portion))
    const answers = await search.read(
      ...asked.map(({ path, where }) => candidatesQuery(search, path, where, sql`${start}`)),
    )
    const refused = portions.filter((_, i) => !take(answers[i] ?? []))
    const single = refused.filter((portion) => portion !== null && portion[0] === portion[1])
    for (const portion of single) await readInstant(search, portionOf(search, facts, plan, portion), tester, add)
    waiting = [
      ...refused.filter((portion) => !single.includes(portion)).flatMap((portion) => split(facts, plan, portion)),
      ...waiting.slice(QUERIES_AT_ONCE),
    ]
  }
}

/** The plan's path, but for what starts at another time; what no time enters is read by the classes of durations. */
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

const addRows = ([answer]: readonly Row[], add: Add): boolean => {
  if ((answer?.count ?? 0) > AT_ONCE) return false
  const numbers = numbersIn(answer?.list ?? '')
  for (let i = 0; i < numbers.length; i += 2) addPlace(add, 1, numbers[i + 1] as number, numbers[i] as number) // below the length
  return true
}

const SIDE = 2 ** CELL_LEVELS

const addPlace = (add: Add, rows: number, start: number, place: number): void =>
  place < 0 ? add(rows, start, null, null) : add(rows, start, Math.floor(place / SIDE), place % SIDE)

/** Reads what starts at one instant, of which there is too much for one portion, by its places. */
const readInstant = async (
  search: Search,
  { path, where }: { path: Path; where: SQL },
  tester: Tester | null,
  add: Add,
): Promise<void> => {
  const { time } = search.access
  const [rows = []] = await search.read(sql`SELECT place, start, count(*) AS "rows" FROM (
    SELECT coalesce(${placeColumn(search.access)}, -1) AS place, ${time.start} AS start FROM ${path.source} WHERE ${all([path.enter, where])})
    GROUP BY place, start`)
  for (const { place, start, rows: alike } of rows) {
    if (tester === null) addPlace(add, alike, start, place)
    else if (place >= 0) tester.test(place, alike, start)
  }
}

const summaryOf = ({ count, least, greatest, step, bins, level, cells }: Groups): Summary => {
  const placed = sorted(cells)
  return {
    count,
    least,
    greatest,
    step: count === 0 ? null : 2 ** step,
    bins: sorted(bins).map(([bin, rows]) => [bin * 2 ** step, rows]),
    level: placed.length === 0 ? null : level,
    cells: placed.map(([cell, rows]) => [...cellBounds(cellAt(level, cell)), rows]),
  }
}

const sorted = (counts: ReadonlyMap<number, number>) => [...counts].sort((a, b) => a[0] - b[0])
