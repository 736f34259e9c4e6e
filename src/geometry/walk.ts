import { side } from './side.ts'

/** A point on no edge, and the edges that a way from it may cross. */
export interface Anchor {
  readonly x: number
  readonly y: number
  /** The numbers of the edges. */
  readonly edges: Int32Array
  /** For each of them the place of its polygon in `inside`, -1 for an edge of a line. */
  readonly places: Int32Array
  /** 1 for each polygon that the point is inside; null where the point tells nothing. */
  readonly inside: Uint8Array | null
  /** A polygon that has none of the edges holds all points that a way leads to. */
  readonly whole: boolean
}

/**
 * Walks from an anchor to a point, first level, then upright: each edge that is crossed changes the side of its polygon.
 * Writes into `parity` 1 for each polygon that the point is inside; says nothing of polygons with an edge through the point.
 * Answers false where nothing can be told: the anchor tells nothing, or the corner of the way lies on an edge. Exact.
 */
export const walk = (
  edges: Float64Array,
  { x: fromX, y: fromY, edges: listed, places, inside }: Anchor,
  parity: Uint8Array,
  x: number,
  y: number,
): boolean => {
  if (inside === null) return false
  parity.set(inside)
  const west = Math.min(fromX, x)
  const east = Math.max(fromX, x)
  for (let k = 0; k < listed.length; k++) {
    const place = places[k] as number // read within the lengths, as all below
    if (place < 0) continue
    const e = 4 * (listed[k] as number)
    const ax = edges[e] as number
    const bx = edges[e + 2] as number
    // West or east of all of the way.
    if ((ax < west && bx < west) || (ax > east && bx > east)) continue
    const ay = edges[e + 1] as number
    const by = edges[e + 3] as number
    const level = ay <= fromY !== by <= fromY
    const upright = ax <= x !== bx <= x
    if (!level && !upright && !spans(ax, ay, bx, by, x, fromY)) continue
    const corner = side(ax, ay, bx, by, x, fromY)
    if (corner === 0 && spans(ax, ay, bx, by, x, fromY)) return false
    let changes = 0
    if (level && corner > 0 !== side(ax, ay, bx, by, fromX, fromY) > 0) changes++
    if (upright && corner > 0 !== side(ax, ay, bx, by, x, y) > 0) changes++
    parity[place] = (parity[place] as number) ^ (changes & 1)
  }
  return true
}

/** Whether an edge goes through a point. */
export const passes = (ax: number, ay: number, bx: number, by: number, x: number, y: number): boolean =>
  spans(ax, ay, bx, by, x, y) && side(ax, ay, bx, by, x, y) === 0

/** Whether a point is in the bbox of an edge. */
const spans = (ax: number, ay: number, bx: number, by: number, x: number, y: number): boolean =>
  Math.min(ax, bx) <= x && x <= Math.max(ax, bx) && Math.min(ay, by) <= y && y <= Math.max(ay, by)
