import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import { badRequest } from '../../base/errors.ts'
import { NOWHERE_CELLS } from '../../geometry/cell.ts'
import { coveringOf } from '../../geometry/covering.ts'
import { allOf } from '../../geometry/within.ts'
import { FINE_CELLS, FINE_WORTH, MAX_CELLS, ROUGH_CELLS, WORTH } from '../limits.ts'
import type { RowReader } from './database.ts'
import { type Estimates, rowsInRanges, UNKNOWN, weightOf } from './estimates.ts'
import { total } from './indexes.ts'
import type { Path } from './paths.ts'
import { type Cover, type Plan, planOf } from './plan.ts'
import type { Search } from './search.ts'
import { all, asCount, numberOf, preparedText } from './sql.ts'

/** Covers the areas of a search with cells. Null: there are none. */
export const coverOf = async (read: RowReader, search: Search): Promise<Cover | null> =>
  search.areas.length === 0 ? null : coverAreas(read, search)

/**
 * Covers the areas of a search with cells. They are finer in places with many rows, and finer still if many points would
 * be tested. Rows without a place lie in cells inside, if they match.
 */
export const coverAreas = async (
  { work, estimates }: RowReader,
  { areas, orNowhere }: Search,
  isFine = false,
): Promise<Cover> => {
  const known = estimates()
  const { cells } = known
  const [maxCells, worth] = finenessOf(known, isFine)
  const covering = await work.run(coveringOf(allOf(areas), { weight: weightOf(cells), maxCells, worth }))
  const { boundary } = covering
  const interior = orNowhere ? [NOWHERE_CELLS, ...covering.interior] : covering.interior
  return { interior, boundary, inside: rowsInRanges(cells, interior), atBoundary: rowsInRanges(cells, boundary) }
}

/** Returns the most cells of a covering, and the estimated rows up to which a cell at the boundary is not split. */
const finenessOf = (known: Estimates, isFine: boolean): readonly [maxCells: number, worth: number] => {
  if (isFine) return [FINE_CELLS, FINE_WORTH]
  return known === UNKNOWN ? [ROUGH_CELLS, 0] : [MAX_CELLS, WORTH]
}

/** Plans a search, and covers its area. Throws a 400 if the database would test its rows for too long. */
export const planAndCover = async (
  read: RowReader,
  search: Search,
): Promise<{ readonly plan: Plan; readonly cover: Cover | null }> => {
  const cover = await coverOf(read, search)
  return { plan: await admit(read, planOf(search, read.estimates(), cover)), cover }
}

/** A condition with at most so many characters of SQL, such as ten filters, is tested for any number of rows. */
const FREE = 1200
/**
 * The most characters of a longer condition for all rows together. SQLite takes 1 to 3 ns for each, so they take about a
 * second. A database serves nobody else meanwhile.
 */
const MAX_CHARACTERS = 350_000_000
const LONG_FILTER =
  'This filter has too many comparisons for so many events. Enter fewer, or add a filter, such as a period.'

/**
 * Throws a 400 if the database would test the rows of a plan for too long. A refusal depends on visible rows
 * alone, because hidden rows are secret. So long conditions take no path whose count has hidden rows. They take one
 * path, because a plan with a choice has each condition several times.
 */
export const admit = async (read: RowReader, plan: Plan): Promise<Plan> => {
  const { plain, entries, level } = plan.search
  // A dictionary has at most an entry for each row.
  const lengths = entries.map(({ match }) => charactersOf(match.sql)).filter((length) => length > FREE)
  const characters = plain.length === 0 ? 0 : charactersOf(all(plain))
  if (lengths.length === 0 && characters <= FREE) return plan
  // A new isolate refuses nothing, because it does not know the rows of a path.
  const isUnknown = read.estimates() === UNKNOWN
  const paths = plan.choice === null ? [] : plan.paths.filter(({ counted }) => counted?.hasHidden !== true)
  const answers = await read(asCount(total(level)), ...paths.map(rowsQuery))
  const [visible = 0, ...rows] = answers.map((answer) => numberOf(answer))
  const fewest = Math.min(visible, ...(plan.choice === null ? [plan.rows] : rows))
  const longest = Math.max(0, ...lengths) * visible
  if (!isUnknown && Math.max(longest, characters * fewest) > MAX_CHARACTERS) throw badRequest(LONG_FILTER)
  if (plan.choice === null) return plan
  const best = at(paths, rows.indexOf(Math.min(...rows)))
  return { ...plan, paths: [best], best, choice: null, rows: fewest }
}

/** Reads the rows of a path. */
const rowsQuery = ({ rows, counted }: Path) =>
  asCount(counted === undefined ? sql`${rows}` : sql`(${counted.number}) * ${counted.fraction}`)

const charactersOf = (condition: SQL): number => preparedText(condition).sql.length
