import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../collections.ts'
import { all, asCount, numberOf, textOf } from '../../filters/sql.ts'
import { coveringOf } from '../../geometry/covering.ts'
import { type Area, allOf } from '../../geometry/within.ts'
import { FREE } from '../../work.ts'
import type { Search } from '../conditions/search.ts'
import { type Estimates, rowsInRanges, UNKNOWN, weightOf } from '../estimates.ts'
import { total } from '../events.ts'
import { FINE_CELLS, FINE_WORTH, MAX_CELLS, ROUGH_CELLS, WORTH } from '../limits.ts'
import { type Cover, type Plan, planOf, statement } from '../sql/plan.ts'
import type { SnapshotReader } from './snapshot.ts'

/** Covers the areas of a search with cells. Null: there are none. */
export const coverOf = async (read: SnapshotReader, { areas }: Search): Promise<Cover | null> =>
  areas.length === 0 ? null : coverAreas(read, areas)

/** Covers areas with cells. They are finer in places with many rows, and finer still if many points would be tested. */
export const coverAreas = async (
  { work, estimates }: SnapshotReader,
  areas: readonly Area[],
  isFine = false,
): Promise<Cover> => {
  const known = estimates()
  const { cells } = known
  const [maxCells, worth] = finenessOf(known, isFine)
  const { interior, boundary } = await work.run(coveringOf(allOf(areas), { weight: weightOf(cells), maxCells, worth }))
  return { interior, boundary, inside: rowsInRanges(cells, interior), atBoundary: rowsInRanges(cells, boundary) }
}

/** Returns the most cells of a covering, and the estimated rows up to which a cell at the boundary is not split. */
const finenessOf = (known: Estimates, isFine: boolean): readonly [maxCells: number, worth: number] => {
  if (isFine) return [FINE_CELLS, FINE_WORTH]
  return known === UNKNOWN ? [ROUGH_CELLS, 0] : [MAX_CELLS, WORTH]
}

/** Plans a search, and covers its area. Throws a 400 if the database would test its rows for too long. */
export const prepare = async (
  read: SnapshotReader,
  search: Search,
): Promise<{ readonly plan: Plan; readonly cover: Cover | null }> => {
  const cover = await coverOf(read, search)
  return { plan: await admit(read, planOf(search, read.estimates(), cover)), cover }
}

/**
 * Throws a 400 if the database would test the rows of a plan for too long. A refusal needs the number of rows of now,
 * and a plan with a choice has each condition several times. So the database is asked first if the conditions are long.
 */
export const admit = async (read: SnapshotReader, plan: Plan): Promise<Plan> => {
  const { plain, groups, level } = plan.search
  const { work } = read
  // A dictionary has at most an entry for each row.
  const lengths = groups.map(({ match }) => charactersOf(match)).filter((length) => length > FREE)
  const characters = plain.length === 0 ? 0 : charactersOf(all(plain))
  if (lengths.length === 0 && characters <= FREE) {
    work.admit(plan.rows, characters)
    return plan
  }
  // A new isolate refuses nothing, because it does not know the rows of a path.
  const isUnknown = read.estimates() === UNKNOWN
  const planned = plan.choice === null ? plan : await chosen(read, plan)
  const [counted] = await read(asCount(total(level)))
  const rows = isUnknown ? 0 : numberOf(counted)
  for (const length of lengths) work.admit(rows, length)
  work.admit(Math.min(planned.rows, rows), characters)
  return planned
}

/** Asks the database which path it would choose, and for its rows. */
const chosen = async (read: SnapshotReader, plan: Plan): Promise<Plan> => {
  const choosing = sql<{ readonly path: number; readonly rows: number }>`SELECT path, "rows" FROM choice`
  const [[choice]] = await read(statement(plan, choosing))
  const { path = 0, rows = 0 } = choice ?? {}
  const best = at(plan.paths, path)
  return { ...plan, paths: [best], best, choice: null, rows }
}

const charactersOf = (condition: SQL): number => textOf(condition).sql.length
