import { orient2d } from 'robust-predicates'
import type { Bbox } from './bbox.ts'

/**
 * Tells on which side of the line from a to b the point c lies. The result is positive on the left (y points up),
 * negative on the right, and 0 exactly on the line. The sign is exact for coordinates as they are read: 0, or from 1e-100
 * to 100,000 degrees. No product of two differences can then overflow or underflow.
 */
export const side = (ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number =>
  -orient2d(ax, ay, bx, by, cx, cy) // in orient2d y points down

/** Tests if the point slightly north and far less east of c is on the left of the line from a to b. */
export const isLeft = (ax: number, ay: number, bx: number, by: number, cx: number, cy: number): boolean => {
  const left = side(ax, ay, bx, by, cx, cy)
  if (left !== 0) return left > 0
  return ax === bx ? by < ay : bx > ax
}

/** Tests if an edge passes through a point. The ends belong to the edge. */
export const passes = (ax: number, ay: number, bx: number, by: number, x: number, y: number): boolean =>
  ((ax <= x && x <= bx) || (bx <= x && x <= ax)) &&
  ((ay <= y && y <= by) || (by <= y && y <= ay)) &&
  side(ax, ay, bx, by, x, y) === 0

/**
 * Tests if an edge may meet a box. May accept an edge that passes nearby, but never rejects one that meets the box.
 * Uses the separating axis theorem for x, y and the normal of the edge. 4e-15 is a margin for rounding. It covers more
 * than ten roundings of the products.
 */
export const mayMeet = (edges: Float64Array, edge: number, [west, south, east, north]: Bbox): boolean => {
  const x = (west + east) / 2
  const reachX = Math.max(x - west, east - x)
  const e = 4 * edge
  const ax = (edges[e] as number) - x // all indexes are below the length
  const bx = (edges[e + 2] as number) - x
  if ((ax > reachX && bx > reachX) || (ax < -reachX && bx < -reachX)) return false
  const y = (south + north) / 2
  const reachY = Math.max(y - south, north - y)
  const ay = (edges[e + 1] as number) - y
  const by = (edges[e + 3] as number) - y
  if ((ay > reachY && by > reachY) || (ay < -reachY && by < -reachY)) return false
  const dx = bx - ax
  const dy = by - ay
  const p = dx * ay
  const q = dy * ax
  return Math.abs(p - q) <= Math.abs(dx) * reachY + Math.abs(dy) * reachX + 4e-15 * (Math.abs(p) + Math.abs(q))
}
