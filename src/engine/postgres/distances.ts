import { type SQL, sql } from 'drizzle-orm'
import type { LonLat } from '../../geometry/bbox.ts'
import { distanceBetween } from '../../geometry/circle.ts'
import { MAX_TESTED } from '../limits.ts'
import { type Cut, rowsOf } from '../shared/cut.ts'
import { firstPlaces, type Placed } from '../shared/nearest.ts'
import { distanceTo, MARGIN } from './area.ts'
import { type Matches, selectMatches } from './matches.ts'
import type { Snapshot } from './snapshot.ts'
import { all, double, integer } from './sql.ts'

type PlaceRow = { readonly id: number; readonly x: number; readonly y: number }

/**
 * Returns a cut of the matches in the order of the distance from a position. The Worker has the exact distances. An infinite
 * cut takes all of them.
 */
export const placesOf = async (
  { batches, work }: Snapshot,
  matches: Matches,
  near: LonLat,
  cut: Cut,
  isDown: boolean,
): Promise<readonly Placed[]> => {
  const places = firstPlaces(cut, isDown)
  for await (const rows of batches(candidates(matches, near, cut, isDown), () => MAX_TESTED))
    await work.run(
      (function* () {
        for (const { id, x, y } of rows) {
          places.add({ id, distance: distanceBetween(near, [x, y]) })
          yield
        }
      })(),
    )
  return places.found()
}

/** Selects the places that may be in a cut, by the distances of PostGIS and their margin. */
const candidates = (matches: Matches, near: LonLat, cut: Cut, isDown: boolean): SQL<PlaceRow> => {
  const { after, skip } = cut
  const end = skip + rowsOf(cut)
  const sign = isDown ? -1 : 1
  const key = sql`${integer(sign)} * ${distanceTo(near)}`
  const places = selectMatches(matches, sql`e.id AS id, ST_X(e.geometry) AS x, ST_Y(e.geometry) AS y, ${key} AS key`)
  const start = typeof after?.value === 'number' ? sign * after.value : null
  const isPast = start === null ? sql`true` : sql`key > ${double(start + MARGIN)}`
  const lastOf = (count: number) =>
    sql`(SELECT key FROM places WHERE ${isPast} ORDER BY key LIMIT 1 OFFSET ${integer(count - 1)})`
  const isIn = all([
    start === null ? null : sql`key >= ${double(start - MARGIN)}`,
    Number.isFinite(end) ? sql`key <= coalesce(${lastOf(end)} + ${double(MARGIN)}, 'infinity')` : null,
  ])
  return sql`WITH places AS (${places}) SELECT id, x, y FROM places WHERE ${isIn}`
}
