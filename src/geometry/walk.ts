import { side } from './side.ts'

/** A start point for `walk` and all edges that a walk may cross. The point lies on no edge. */
export interface Anchor {
  readonly x: number
  readonly y: number
  /** Indexes of the edges. */
  readonly edges: Int32Array
  /** The place in `inside` of each edge's polygon. It is -1 for an edge of a line. */
  readonly places: Int32Array
  /** 1 for each polygon that contains the point. Null: unknown. */
  readonly inside: Uint8Array | null
  /**
   * True if a polygon without any of these edges contains the point. It then contains every point that a walk reaches.
   */
  readonly whole: boolean
}

/**
 * Finds the polygons that contain a point. The walk leads from the anchor to the point, first horizontally, then
 * vertically. Each crossed edge changes the side of its polygon (even-odd rule).
 * Sets `parity` to 1 for each polygon that contains the point. The value has no meaning for a polygon with an edge
 * through the point. Returns false if the anchor is unknown, or if the corner of the walk lies on an edge. Exact at
 * every double.
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
    const place = places[k] as number // all indexes in this function are below the lengths
    if (place < 0) continue
    const e = 4 * (listed[k] as number)
    const ax = edges[e] as number
    const bx = edges[e + 2] as number
    // This edge is west or east of the whole walk.
    if ((ax < west && bx < west) || (ax > east && bx > east)) continue
    const ay = edges[e + 1] as number
    const by = edges[e + 3] as number
    const acrossFromY = ay <= fromY !== by <= fromY
    const acrossX = ax <= x !== bx <= x
    if (!acrossFromY && !acrossX && !spans(ax, ay, bx, by, x, fromY)) continue
    const corner = side(ax, ay, bx, by, x, fromY)
    if (corner === 0 && spans(ax, ay, bx, by, x, fromY)) return false
    let changes = 0
    if (acrossFromY && corner > 0 !== side(ax, ay, bx, by, fromX, fromY) > 0) changes++
    if (acrossX && corner > 0 !== side(ax, ay, bx, by, x, y) > 0) changes++
    parity[place] = (parity[place] as number) ^ (changes & 1)
  }
  return true
}

/** Tests if an edge passes through a point. */
export const passes = (ax: number, ay: number, bx: number, by: number, x: number, y: number): boolean =>
  spans(ax, ay, bx, by, x, y) && side(ax, ay, bx, by, x, y) === 0

/** Tests if a point is in the bbox of an edge. */
const spans = (ax: number, ay: number, bx: number, by: number, x: number, y: number): boolean =>
  Math.min(ax, bx) <= x && x <= Math.max(ax, bx) && Math.min(ay, by) <= y && y <= Math.max(ay, by)
