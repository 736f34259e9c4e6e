import { coveringOf } from '../../geometry/covering.ts'
import { type Area, allOf } from '../../geometry/within.ts'
import type { Search } from '../conditions/search.ts'
import { type CellNodeRow, rowsInRanges, UNKNOWN, weightOf } from '../estimates.ts'
import { FINE_CELLS, FINE_WORTH, MAX_CELLS, ROUGH_CELLS, WORTH } from '../limits.ts'
import type { Cover } from '../sql/plan.ts'
import type { SnapshotReader } from './snapshot.ts'

/** Covers the areas of a search with cells. Null: there are none. */
export const coverOf = async (read: SnapshotReader, { areas }: Search): Promise<Cover | null> =>
  areas.length === 0 ? null : coverAreas(read, areas)

/** Covers areas with cells. They are finer in places with many rows. With the counted rows of cells in `nodes` they are finer still. */
export const coverAreas = async (
  { work, estimates }: SnapshotReader,
  areas: readonly Area[],
  nodes: readonly CellNodeRow[] | null = null,
): Promise<Cover> => {
  const known = estimates()
  const { cells } = known
  const [maxCells, worth] =
    nodes !== null ? [FINE_CELLS, FINE_WORTH] : known === UNKNOWN ? [ROUGH_CELLS, 0] : [MAX_CELLS, WORTH]
  const covering = coveringOf(allOf(areas), { weight: weightOf(cells, nodes ?? []), maxCells, worth })
  const { interior, boundary } = await work.run(covering)
  return { interior, boundary, inside: rowsInRanges(cells, interior), atBoundary: rowsInRanges(cells, boundary) }
}
