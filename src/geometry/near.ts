import type { Stripes } from './stripes.ts'

/**
 * Whether one of the listed edges (null: of all) may come as near to a point as this: separating axes, x, y and the normal
 * of the edge, with a margin for the rounding of the products, as in covering.ts. Overflow counts as near.
 */
export const anyMeets = (
  edges: Float64Array,
  listed: Int32Array | null,
  x: number,
  y: number,
  reachX: number,
  reachY: number,
): boolean => {
  const length = listed?.length ?? edges.length / 4
  for (let k = 0; k < length; k++) {
    const e = 4 * (listed === null ? k : (listed[k] as number)) // read within the lengths, as all below
    const ax = (edges[e] as number) - x
    const bx = (edges[e + 2] as number) - x
    if ((ax > reachX && bx > reachX) || (ax < -reachX && bx < -reachX)) continue
    const ay = (edges[e + 1] as number) - y
    const by = (edges[e + 3] as number) - y
    if ((ay > reachY && by > reachY) || (ay < -reachY && by < -reachY)) continue
    const [dx, dy] = [bx - ax, by - ay]
    const [p, q] = [dx * ay, dy * ax]
    const reach = Math.abs(dx) * reachY + Math.abs(dy) * reachX + 4e-15 * (Math.abs(p) + Math.abs(q))
    if (!(Math.abs(p - q) > reach)) return true
  }
  return false
}

/** The same of edges in stripes: only those in the stripes around the point are looked at. */
export const meetsAny = (stripes: Stripes, x: number, y: number, reachX: number, reachY: number): boolean => {
  const { edges, starts, listed, stripeOf } = stripes
  const from = starts[stripeOf(y - reachY)] as number
  const to = starts[stripeOf(y + reachY) + 1] as number
  return anyMeets(edges, listed.subarray(from, to), x, y, reachX, reachY)
}
