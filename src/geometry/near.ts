import type { Stripes } from './stripes.ts'

/**
 * Whether an edge may meet a box, given as its middle and how far it reaches: none that does is left out. Separating axes:
 * x, y and the normal of the edge, with a margin for the rounding of the products (4e-15 is over ten of the roundings in
 * them, that of `turned` in within.ts included). Overflow counts as meeting.
 */
const mayMeet = (edges: Float64Array, edge: number, x: number, y: number, reachX: number, reachY: number): boolean => {
  const e = 4 * edge
  const ax = (edges[e] as number) - x // read within the length, as all below
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

/** Those of the listed edges that may come as near to a point as this. */
export const meeting = (
  edges: Float64Array,
  listed: Int32Array,
  x: number,
  y: number,
  reachX: number,
  reachY: number,
): Int32Array => {
  const found = new Int32Array(listed.length)
  let length = 0
  for (let k = 0; k < listed.length; k++) {
    const edge = listed[k] as number
    if (mayMeet(edges, edge, x, y, reachX, reachY)) found[length++] = edge
  }
  return found.slice(0, length)
}

/** Whether one of the listed edges (null: of all) may come as near to a point as this. */
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

/** The same of edges in stripes: only those in the stripes around the point are looked at. */
export const meetsAny = (stripes: Stripes, x: number, y: number, reachX: number, reachY: number): boolean => {
  const { edges, starts, listed, stripeOf } = stripes
  const from = starts[stripeOf(y - reachY)] as number
  const to = starts[stripeOf(y + reachY) + 1] as number
  return anyMeets(edges, listed.subarray(from, to), x, y, reachX, reachY)
}
