import { type SQL, sql } from 'drizzle-orm'
import type { LonLat } from '../../geometry/bbox.ts'
import { distanceBetween } from '../../geometry/circle.ts'
import type { RowPosition } from '../../question/question.ts'
import { MAX_TESTED } from '../limits.ts'
import { firstPlaces, type Placed } from '../shared/nearest.ts'
import { distanceTo, MARGIN } from './area.ts'
import { type Matches, selectMatches } from './matches.ts'
import type { Snapshot } from './snapshot.ts'
import { all, double, integer } from './sql.ts'

/**
 * A part of the matches in an order. It starts after a position, or after a number of rows. An infinite limit takes all of
 * them.
 */
export interface OrderedPart {
  readonly from: RowPosition | null
  readonly offset: number
  readonly limit: number
  readonly isDown: boolean
}

interface PlaceRow {
  readonly id: number
  readonly x: number
  readonly y: number
}

/** Returns a part of the matches in the order of the distance from a position. The Worker has the exact distances. */
export const placesOf = async (
  { batches, work }: Snapshot,
  matches: Matches,
  near: LonLat,
  part: OrderedPart,
): Promise<readonly Placed[]> => {
  const places = firstPlaces(part)
  for await (const rows of batches(candidates(matches, near, part), () => MAX_TESTED))
    await work.run(
      (function* () {
        for (const { id, x, y } of rows) {
          places.add({ id, distance: distanceBetween(near, [x, y]) })
          yield
        }
      })(),
    )
  return places.part()
}

/** Selects the places that may be in a part, by the distances of PostGIS and their margin. */
const candidates = (matches: Matches, near: LonLat, { from, offset, limit, isDown }: OrderedPart): SQL<PlaceRow> => {
  const sign = isDown ? -1 : 1
  const key = sql`${integer(sign)} * ${distanceTo(near)}`
  const places = selectMatches(matches, sql`e.id AS id, ST_X(e.geometry) AS x, ST_Y(e.geometry) AS y, ${key} AS key`)
  const start = typeof from?.value === 'number' ? sign * from.value : null
  const after = start === null ? sql`true` : sql`key > ${double(start + MARGIN)}`
  const lastOf = (count: number) =>
    sql`(SELECT key FROM places WHERE ${after} ORDER BY key LIMIT 1 OFFSET ${integer(count - 1)})`
  const isIn = all([
    start === null ? null : sql`key >= ${double(start - MARGIN)}`,
    Number.isFinite(limit) ? sql`key <= coalesce(${lastOf(offset + limit)} + ${double(MARGIN)}, 'infinity')` : null,
  ])
  return sql`WITH places AS (${places}) SELECT id, x, y FROM places WHERE ${isIn}`
}
