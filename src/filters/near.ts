import { sql } from 'drizzle-orm'
import { valueError } from '../errors.ts'
import type { LonLat } from '../geometry/bbox.ts'
import { circle, distanceBetween, MAX_RADIUS } from '../geometry/circle.ts'
import type { Filter } from './filter.ts'
import { checkText } from './lookups.ts'
import { wholeNumber } from './numbers.ts'
import { areaOf } from './spatial.ts'
import type { OrderColumn } from './sql.ts'

export type { LonLat }

export const EXAMPLE = 'near=5.1,52.1&radius=10000'

/** The order by the distance from the position of `near`. The Worker computes the distances, so there is no column. */
export const BY_DISTANCE: OrderColumn = { column: sql`NULL` }

/** Returns the position of `near`, or null for another text. */
export const placeOf = (text: string): LonLat | null => {
  const [x, y, ...others] = text.split(',').map((each) => wholeNumber(each) ?? Number.NaN)
  const isPlace = x !== undefined && y !== undefined && Math.abs(x) <= 180 && Math.abs(y) <= 90
  return isPlace && others.length === 0 ? [x, y] : null
}

/** A filter for places at most `radius` metres from a position, on the WGS84 ellipsoid. */
export const near: Filter = {
  kind: 'position',
  schema: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
  asks: 'is at most radius metres from this longitude and latitude, along the WGS84 ellipsoid',
  bare: 'exact',
  beside: 'radius',
  lookups: {
    exact: (value, other) => {
      const text = checkText(value)
      const centre = placeOf(text)
      if (centre === null) throw valueError(['position', EXAMPLE])
      if (other === undefined || other.length === 0) throw valueError(['noRadius', EXAMPLE])
      const radius = radiusOf(checkText(other))
      // The parameter radius reports its own mistake.
      return radius === null
        ? []
        : { kind: 'area', area: areaOf(`near ${centre} ${radius}`, () => circle(centre, radius)) }
    },
  },
}

/** The distance of `near`, in metres. */
export const radius: Filter = {
  kind: 'metres',
  schema: { type: 'number', exclusiveMinimum: 0, maximum: MAX_RADIUS },
  asks: 'is at most this many metres from the position of near',
  bare: 'exact',
  beside: 'near',
  lookups: {
    exact: (value, other) => {
      if (radiusOf(checkText(value)) === null) throw valueError(['metres', MAX_RADIUS, EXAMPLE])
      if (other === undefined || other.length === 0) throw valueError(['noPosition', EXAMPLE])
      return []
    },
  },
}

/** Returns the distance of a row from a position in metres, to a millimetre. Null: the row has no coordinates. */
export const distanceOf = (centre: LonLat, { x, y }: Readonly<Record<string, unknown>>): number | null =>
  typeof x === 'number' && typeof y === 'number' ? Math.round(1000 * distanceBetween(centre, [x, y])) / 1000 : null

/** Returns a valid radius in metres, or null. */
const radiusOf = (text: string): number | null => {
  const metres = wholeNumber(text) ?? Number.NaN
  return metres > 0 && metres <= MAX_RADIUS ? metres : null
}
