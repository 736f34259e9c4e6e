import type { SQL } from 'drizzle-orm'
import { all, asCount, numberOf, textOf } from '../../filters/sql.ts'
import { coveringOf } from '../../geometry/covering.ts'
import type { Area } from '../../geometry/within.ts'
import { FREE, type Steps } from '../../work.ts'
import type { Search, ValueRange } from '../conditions/search.ts'
import { type CellNodeRow, rowsIn, type Statistics, UNKNOWN, weightOf } from '../estimates.ts'
import { total } from '../events.ts'
import { FINE_CELLS, FINE_WORTH, MAX_CELLS, ROUGH_CELLS, WORTH } from '../limits.ts'
import { type Cover, choiceQuery, type Plan } from '../sql/plan.ts'
import type { Read } from './database.ts'

/**
 * Throws a 400 if the database would test the rows of a search for too long. A refusal needs the number of rows of now,
 * and a plan with a choice has each condition several times. So the database is asked first if the conditions are long.
 */
export const settle = async (read: Read, search: Search, plan: Plan, statistics: Statistics): Promise<Plan> => {
  const { plain, groups, level } = search
  const { work } = read
  // A dictionary has at most an entry for each row.
  const lengths = groups.map(({ match }) => charactersOf(match)).filter((length) => length > FREE)
  const characters = plain.length === 0 ? 0 : charactersOf(all(plain))
  if (lengths.length === 0 && characters <= FREE) {
    work.admit(plan.rows, characters)
    return plan
  }
  const settled = plan.choice === null ? plan : await chosen(read, plan)
  const [counted] = await read(asCount(total(level)))
  // A new isolate refuses nothing, because it does not know the rows of a path.
  const rows = statistics === UNKNOWN ? 0 : numberOf(counted)
  for (const length of lengths) work.admit(rows, length)
  work.admit(Math.min(settled.rows, rows), characters)
  return settled
}

const chosen = async (read: Read, plan: Plan): Promise<Plan> => {
  const [[choice]] = await read(choiceQuery(plan))
  const { path = 0, rows = 0 } = choice ?? {}
  return { ...plan, sources: plan.sources.slice(path, path + 1), choice: null, rows }
}

const charactersOf = (condition: SQL): number => textOf(condition).sql.length

/** Covers an area with cells. They are finer in places with many rows. `nodes` have the rows of cells. */
export function* coverOf(area: Area, statistics: Statistics, nodes: readonly CellNodeRow[] = []): Steps<Cover> {
  const isKnown = statistics !== UNKNOWN
  const isFine = nodes.length > 0
  const weight = weightOf(statistics, nodes)
  const covering = yield* coveringOf(area, {
    weight,
    maxCells: isFine ? FINE_CELLS : isKnown ? MAX_CELLS : ROUGH_CELLS,
    worth: isFine ? FINE_WORTH : isKnown ? WORTH : 0,
  })
  const rowsOf = (ranges: readonly ValueRange[]) =>
    ranges.reduce((sum, range) => sum + rowsIn(statistics.cells, ...range), 0)
  return { covering, inside: rowsOf(covering.interior), atBoundary: rowsOf(covering.boundary) }
}
