import { side } from './side.ts'
import type { Stripes } from './stripes.ts'
import { surrounded } from './surrounded.ts'

/** Where a point lies: the boundary is neither interior nor exterior. */
export type Location = 'interior' | 'boundary' | 'exterior'

/**
 * Where a point lies in the union of polygons, `owner` naming the polygon of every edge in ascending order.
 * In one polygon: outer ring and holes together by even-odd, any edge is boundary. In several: interior to one is interior;
 * on the boundaries of two or more is interior when they surround the point (as in the RelateNG of JTS).
 */
export const locate = (stripes: Stripes, owner: Int32Array, x: number, y: number): Location => {
  const { edges, starts, listed } = stripes
  const stripe = stripes.stripeOf(y)
  const end = starts[stripe + 1] as number // typed arrays are read within their lengths, here and below
  let polygon = -1
  let inside = false
  let touched = -1 // the last polygon on whose boundary the point lies
  let boundaries = 0
  for (let k = starts[stripe] as number; k < end; k++) {
    const e = listed[k] as number
    const ay = edges[4 * e + 1] as number
    const by = edges[4 * e + 3] as number
    if ((ay > y && by > y) || (ay < y && by < y)) continue
    const ax = edges[4 * e] as number
    const bx = edges[4 * e + 2] as number
    if (ax < x && bx < x) continue
    const of = owner[e] as number
    if (of !== polygon) {
      if (inside && touched !== polygon) return 'interior'
      polygon = of
      inside = false
    }
    const east = ax > x && bx > x ? 1 : eastward(ax, ay, bx, by, x, y)
    if (east === 0 && touched !== of) {
      touched = of
      boundaries++
    } else if (east > 0 && ay <= y !== by <= y) inside = !inside
  }
  if (inside && touched !== polygon) return 'interior'
  if (boundaries === 0) return 'exterior'
  return boundaries > 1 && surrounded(stripes, owner, x, y) ? 'interior' : 'boundary'
}

/** The polygons whose inside a point is in, each by even-odd; null where it is on the boundary of one. */
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
    const of = owner[e] as number
    if (east > 0 && ay <= y !== by <= y && !within.delete(of)) within.add(of)
  }
  return within
}

/** Whether a point lies on any of the edges, their ends included. */
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

/** Of an edge that meets the bbox-wide surroundings of a point: positive when it passes east of it, 0 when through it. */
const eastward = (ax: number, ay: number, bx: number, by: number, x: number, y: number): number => {
  const left = side(ax, ay, bx, by, x, y)
  return by > ay ? left : -left
}
