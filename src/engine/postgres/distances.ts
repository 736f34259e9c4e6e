import { sql } from 'drizzle-orm'
import type { LonLat } from '../../geometry/bbox.ts'
import { distanceBetween } from '../../geometry/circle.ts'
import type { RowPosition } from '../../question/question.ts'
import { MAX_TESTED } from '../limits.ts'
import { firstPlaces, type Placed } from '../nearest.ts'
import { type Matches, selectMatches } from './matches.ts'
import type { Snapshot } from './snapshot.ts'

/** A part of a list in the order of distances. */
interface Part {
  readonly from: RowPosition | null
  readonly offset: number
  readonly limit: number
  readonly isDown: boolean
}

/**
 * Returns a part of the matches in the order of the distance from a position, and the number of all. The database reads all
 * places, and the Worker computes their distances.
 */
export const placesOf = async (
  { batches, work }: Snapshot,
  matches: Matches,
  near: LonLat,
  part: Part,
): Promise<{ readonly places: readonly Placed[]; readonly count: number }> => {
  const places = firstPlaces(part)
  let count = 0
  const columns = sql`e.id AS id, ST_X(e.geometry) AS x, ST_Y(e.geometry) AS y`
  const query = selectMatches<{ readonly id: number; readonly x: number; readonly y: number }>(matches, columns)
  for await (const rows of batches(query, () => MAX_TESTED))
    await work.run(
      (function* () {
        for (const { id, x, y } of rows) {
          count += 1
          places.add({ id, distance: distanceBetween(near, [x, y]) })
          yield
        }
      })(),
    )
  return { places: places.part(), count }
}
