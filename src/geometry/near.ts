import type { Stripes } from './stripes.ts'

/**
 * Tests if an edge may meet a box. x and y are the centre of the box, the reaches are half its sides, all in degrees.
 * May accept an edge that passes nearby, but never rejects one that meets the box.
 * Uses the separating axis theorem for x, y and the normal of the edge. 4e-15 is a margin for rounding. It covers more
 * than ten roundings of the products and the rounding by `turned` of within.ts. An overflow counts as a meeting.
 */
const mayMeet = (edges: Float64Array, edge: number, x: number, y: number, reachX: number, reachY: number): boolean => {
  const e = 4 * edge
  const ax = (edges[e] as number) - x // all indexes in this file are below the lengths
  const bx = (edges[e + 2] as number) - x
  if ((ax > reachX && bx > reachX) || (ax < -reachX && bx < -reachX)) return false
  const ay = (edges[e + 1] as number) - y
  const by = (edges[e + 3] as number) - y
  if ((ay > reachY && by > reachY) || (ay < -reachY && by < -reachY)) return false
  const dx = bx - ax
  const dy = by - ay
  const p = dx * ay
  const q = dy * ax
  const reach = Math.abs(dx) * reachY + Math.abs(dy) * reachX + 4e-15 * (Math.abs(p) + Math.abs(q))
  return !(Math.abs(p - q) > reach)
}

/** Returns the listed edges that may be within `reachX` and `reachY` degrees of a point. */
export const meeting = (
  edges: Float64Array,
  listed: Int32Array,
  x: number,
  y: number,
  reachX: number,
  reachY: number,
): Int32Array => {
  const near = new Int32Array(listed.length)
  let length = 0
  for (let k = 0; k < listed.length; k++) {
    const edge = listed[k] as number
    if (mayMeet(edges, edge, x, y, reachX, reachY)) near[length++] = edge
  }
  return near.slice(0, length)
}

/** Tests if a listed edge may be within `reachX` and `reachY` degrees of a point. Null lists all edges. */
export const anyMeets = (
  edges: Float64Array,
  listed: Int32Array | null,
  x: number,
  y: number,
  reachX: number,
  reachY: number,
): boolean => {
  const length = listed?.length ?? edges.length / 4
  for (let k = 0; k < length; k++)
    if (mayMeet(edges, listed === null ? k : (listed[k] as number), x, y, reachX, reachY)) return true
  return false
}

/** Does the test of `anyMeets` with the edges of the stripes that are within `reachY` of the point. */
export const meetsAny = (stripes: Stripes, x: number, y: number, reachX: number, reachY: number): boolean => {
  const { edges, starts, listed, stripeOf } = stripes
  const from = starts[stripeOf(y - reachY)] as number
  const to = starts[stripeOf(y + reachY) + 1] as number
  return anyMeets(edges, listed.subarray(from, to), x, y, reachX, reachY)
}
