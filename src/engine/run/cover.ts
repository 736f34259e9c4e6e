import { coveringOf } from '../../geometry/covering.ts'
import type { Area } from '../../geometry/within.ts'
import type { Steps } from '../../work.ts'
import type { ValueRange } from '../conditions/search.ts'
import { type CellNodeRow, rowsIn, type Statistics, UNKNOWN, weightOf } from '../estimates.ts'
import type { Cover } from '../sql/plan.ts'

/** The most cells of a covering. Each range of cells costs about two rows read. */
const MOST_CELLS = 800
/** The most cells of a covering whose weights are known. */
const MOST_FINE_CELLS = 4000
/** So many cells serve if nothing is known about the rows. */
const ROUGH_CELLS = 400
/** A boundary cell with at most so many estimated, or known, rows is not split. */
const [WORTH, FINE_WORTH] = [1, 12]

/** Covers an area with cells. They are finer in places with many rows. `nodes` have the rows of cells. */
export function* coverOf(area: Area, statistics: Statistics, nodes: readonly CellNodeRow[] = []): Steps<Cover> {
  const isKnown = statistics !== UNKNOWN
  const isFine = nodes.length > 0
  const weight = weightOf(statistics, nodes)
  const covering = yield* coveringOf(area, {
    weight,
    maxCells: isFine ? MOST_FINE_CELLS : isKnown ? MOST_CELLS : ROUGH_CELLS,
    worth: isFine ? FINE_WORTH : isKnown ? WORTH : 0,
  })
  const rowsOf = (ranges: readonly ValueRange[]) =>
    ranges.reduce((sum, range) => sum + rowsIn(statistics.cells, ...range), 0)
  return { covering, inside: rowsOf(covering.interior), atBoundary: rowsOf(covering.boundary) }
}
