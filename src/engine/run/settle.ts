import type { SQL } from 'drizzle-orm'
import { all, asCount, numberOf, textOf } from '../../filters/sql.ts'
import { coveringOf } from '../../geometry/covering.ts'
import type { Area } from '../../geometry/within.ts'
import { FREE } from '../../work.ts'
import type { Search } from '../conditions/search.ts'
import { type CellNodeRow, rowsInRanges, UNKNOWN, weightOf } from '../estimates.ts'
import { total } from '../events.ts'
import { FINE_CELLS, FINE_WORTH, MAX_CELLS, ROUGH_CELLS, WORTH } from '../limits.ts'
import { type Cover, choiceQuery, type Plan, planOf } from '../sql/plan.ts'
import type { SnapshotReader } from './snapshot.ts'

/** Covers an area with cells. They are finer in places with many rows. `nodes` have the rows of cells. */
export const coverOf = async (
  { work, statistics }: SnapshotReader,
  area: Area,
  nodes: readonly CellNodeRow[] = [],
): Promise<Cover> => {
  const known = statistics()
  const [rough, worth] = known === UNKNOWN ? [ROUGH_CELLS, 0] : [MAX_CELLS, WORTH]
  const size = nodes.length > 0 ? { maxCells: FINE_CELLS, worth: FINE_WORTH } : { maxCells: rough, worth }
  const covering = await work.run(coveringOf(area, { weight: weightOf(known, nodes), ...size }))
  const { interior, boundary } = covering
  return { covering, inside: rowsInRanges(known.cells, interior), atBoundary: rowsInRanges(known.cells, boundary) }
}

/** Plans a search, and covers its area. Throws a 400 if the database would test its rows for too long. */
export const prepare = async (
  read: SnapshotReader,
  search: Search,
): Promise<{ readonly plan: Plan; readonly cover: Cover | null }> => {
  const cover = search.area && (await coverOf(read, search.area))
  return { plan: await settle(read, search, planOf(search, read.statistics(), cover)), cover }
}

/**
 * Throws a 400 if the database would test the rows of a search for too long. A refusal needs the number of rows of now,
 * and a plan with a choice has each condition several times. So the database is asked first if the conditions are long.
 */
export const settle = async (read: SnapshotReader, search: Search, plan: Plan): Promise<Plan> => {
  const { plain, groups, level } = search
  const { work } = read
  // A dictionary has at most an entry for each row.
  const lengths = groups.map(({ match }) => charactersOf(match)).filter((length) => length > FREE)
  const characters = plain.length === 0 ? 0 : charactersOf(all(plain))
  if (lengths.length === 0 && characters <= FREE) {
    work.admit(plan.rows, characters)
    return plan
  }
  // A new isolate refuses nothing, because it does not know the rows of a path.
  const isUnknown = read.statistics() === UNKNOWN
  const settled = plan.choice === null ? plan : await chosen(read, plan)
  const [counted] = await read(asCount(total(level)))
  const rows = isUnknown ? 0 : numberOf(counted)
  for (const length of lengths) work.admit(rows, length)
  work.admit(Math.min(settled.rows, rows), characters)
  return settled
}

const chosen = async (read: SnapshotReader, plan: Plan): Promise<Plan> => {
  const [[choice]] = await read(choiceQuery(plan))
  const { path = 0, rows = 0 } = choice ?? {}
  return { ...plan, sources: plan.sources.slice(path, path + 1), choice: null, rows }
}

const charactersOf = (condition: SQL): number => textOf(condition).sql.length
