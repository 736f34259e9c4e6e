import { coveringOf } from '../../geometry/covering.ts'
import type { Area } from '../../geometry/within.ts'
import type { Steps } from '../../work.ts'
import type { ValueRange } from '../conditions/search.ts'
import { type CellNodeRow, rowsIn, type Statistics, UNKNOWN, weightOf } from '../estimates.ts'
import { FINE_CELLS, FINE_WORTH, MAX_CELLS, ROUGH_CELLS, WORTH } from '../limits.ts'
import type { Cover } from '../sql/plan.ts'

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
