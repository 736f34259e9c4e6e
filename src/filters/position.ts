import { sql } from 'drizzle-orm'
import type { LonLat } from '../geometry/bbox.ts'
import { wholeNumber } from './leadingNumber.ts'
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
