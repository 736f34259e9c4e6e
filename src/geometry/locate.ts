import { side } from './side.ts'
import type { Stripes } from './stripes.ts'
import { surrounded } from './surrounded.ts'

/** The location of a point. The boundary belongs to neither of the others. */
export type Location = 'interior' | 'boundary' | 'exterior'

/**
 * Locates a point in a union of polygons. `owner` has the polygon of every edge, ascending. Casts a ray to the east and
 * counts the edges that it crosses (even-odd rule over outer ring and holes).
 * A point on an edge is on the boundary of that polygon. A point interior to one polygon is interior. A point on the
 * boundaries of two or more polygons is interior if they surround it, as in RelateNG of JTS.
 */
export const locate = (stripes: Stripes, owner: Int32Array, x: number, y: number): Location => {
  const { edges, starts, listed } = stripes
  const stripe = stripes.stripeOf(y)
  const end = starts[stripe + 1] as number // indexes of typed arrays are below the lengths in this file
  let polygon = -1
  let inside = false
  let touched = -1 // the last polygon that has the point on its boundary
  let boundaries = 0
  for (let k = starts[stripe] as number; k < end; k++) {
    const e = listed[k] as number
    const ay = edges[4 * e + 1] as number
    const by = edges[4 * e + 3] as number
    if ((ay > y && by > y) || (ay < y && by < y)) continue
    const ax = edges[4 * e] as number
    const bx = edges[4 * e + 2] as number
    if (ax < x && bx < x) continue
    const owning = owner[e] as number
    if (owning !== polygon) {
      if (inside && touched !== polygon) return 'interior'
      polygon = owning
      inside = false
    }
    const east = ax > x && bx > x ? 1 : eastward(ax, ay, bx, by, x, y)
    if (east === 0 && touched !== owning) {
      touched = owning
      boundaries++
    } else if (east > 0 && ay <= y !== by <= y) inside = !inside
  }
  if (inside && touched !== polygon) return 'interior'
  if (boundaries === 0) return 'exterior'
  return boundaries > 1 && surrounded(stripes, owner, x, y) ? 'interior' : 'boundary'
}

/**
 * Returns the polygons that contain a point, each by the even-odd rule. Returns null if the point is on the boundary of
 * a polygon.
 */
export const polygonsAt = (stripes: Stripes, owner: Int32Array, x: number, y: number): ReadonlySet<number> | null => {
  const { edges, starts, listed } = stripes
  const stripe = stripes.stripeOf(y)
  const end = starts[stripe + 1] as number
  const within = new Set<number>()
  for (let k = starts[stripe] as number; k < end; k++) {
    const e = listed[k] as number
    const ay = edges[4 * e + 1] as number
    const by = edges[4 * e + 3] as number
    if ((ay > y && by > y) || (ay < y && by < y)) continue
    const ax = edges[4 * e] as number
    const bx = edges[4 * e + 2] as number
    if (ax < x && bx < x) continue
    const east = ax > x && bx > x ? 1 : eastward(ax, ay, bx, by, x, y)
    if (east === 0) return null
    const owning = owner[e] as number
    if (east > 0 && ay <= y !== by <= y && !within.delete(owning)) within.add(owning)
  }
  return within
}

/** Tests if a point lies on an edge. The ends belong to the edge. */
export const onAny = (stripes: Stripes, x: number, y: number): boolean => {
  const { edges, starts, listed } = stripes
  const stripe = stripes.stripeOf(y)
  const end = starts[stripe + 1] as number
  for (let k = starts[stripe] as number; k < end; k++) {
    const i = 4 * (listed[k] as number)
    const ay = edges[i + 1] as number
    const by = edges[i + 3] as number
    if ((ay > y && by > y) || (ay < y && by < y)) continue
    const ax = edges[i] as number
    const bx = edges[i + 2] as number
    if ((ax > x && bx > x) || (ax < x && bx < x)) continue
    if (side(ax, ay, bx, by, x, y) === 0) return true
  }
  return false
}

/**
 * Returns a positive number if an edge passes east of a point, 0 if it passes through the point, negative if west. The
 * point must lie in the bbox of the edge.
 */
const eastward = (ax: number, ay: number, bx: number, by: number, x: number, y: number): number => {
  const left = side(ax, ay, bx, by, x, y)
  return by > ay ? left : -left
}
