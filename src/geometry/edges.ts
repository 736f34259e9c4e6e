import { orient2d } from 'robust-predicates'
import { at } from '../base/collections.ts'
import { countEdges } from '../base/work.ts'
import type { Bbox } from './bbox.ts'

/** The edges of a geometry. */
export interface Edges {
  /** Each edge has four numbers, in degrees: ax, ay, bx, by. A point is an edge of length 0. */
  readonly edges: Float64Array
  /** Gives the polygon of each edge, or -1 for the edge of a line. */
  readonly owners: Int32Array
}

/**
 * Tells on which side of the line from a to b the point c lies. The result is positive on the left (y points up),
 * negative on the right, and 0 exactly on the line. The sign is exact for coordinates as they are read: 0, or from 1e-100
 * to 100,000 degrees. No product of two differences can then overflow or underflow.
 */
export const side = (ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number =>
  -orient2d(ax, ay, bx, by, cx, cy)

// in orient2d y points down

/** Tests if the point slightly north and far less east of c is on the left of the line from a to b. */
const isLeft = (ax: number, ay: number, bx: number, by: number, cx: number, cy: number): boolean => {
  const left = side(ax, ay, bx, by, cx, cy)
  if (left !== 0) return left > 0
  return ax === bx ? by < ay : bx > ax
}

/** Tests if an edge passes through a point. The ends belong to the edge. */
const passes = (ax: number, ay: number, bx: number, by: number, x: number, y: number): boolean =>
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

/**
 * A convex part of the plane with the edges that meet it. The polygons of one of its points, the anchor, are known. The
 * anchor is slightly north and far less east of x, y. No edge passes through it, so every walk has a result.
 */
export interface EdgeSet {
  readonly x: number
  readonly y: number
  /** Indexes of the edges. */
  readonly edges: Int32Array
  /** The polygons that contain the anchor and have some of these edges. */
  readonly inside: ReadonlySet<number>
  /** True if a polygon without any of these edges contains the anchor, and so the whole part. */
  readonly whole: boolean
}

/** The end of a walk. */
interface End {
  /** The polygons with edges in the part that contain the end. */
  readonly inside: Set<number>
  /** The edges through the point itself. */
  readonly touching: readonly number[]
}

/**
 * Finds the polygons that contain the point slightly north and far less east of x, y, which lies in the part. Walks
 * from the anchor, first horizontally, then vertically. Each crossed edge changes the side of its polygon (even-odd
 * rule). Exact at every double.
 */
export const walk = ({ edges, owners }: Edges, part: EdgeSet, x: number, y: number): End => {
  const { x: fromX, y: fromY, edges: listed } = part
  const [west, east] = fromX < x ? [fromX, x] : [x, fromX]
  const [south, north] = fromY < y ? [fromY, y] : [y, fromY]
  const inside = new Set(part.inside)
  const touching: number[] = []
  let near = 0
  for (let k = 0; k < listed.length; k++) {
    const edge = listed[k] as number // all indexes in this function are below the lengths
    const e = 4 * edge
    const ax = edges[e] as number
    const bx = edges[e + 2] as number
    if ((ax < west && bx < west) || (ax > east && bx > east)) continue
    const ay = edges[e + 1] as number
    const by = edges[e + 3] as number
    if ((ay < south && by < south) || (ay > north && by > north)) continue
    near += 1
    if (passes(ax, ay, bx, by, x, y)) touching.push(edge)
    const acrossY = ay <= fromY !== by <= fromY
    const acrossX = ax <= x !== bx <= x
    const owner = owners[edge] as number
    if (owner < 0 || !(acrossX || acrossY)) continue
    const corner = isLeft(ax, ay, bx, by, x, fromY)
    const isChanged =
      (acrossY && corner !== isLeft(ax, ay, bx, by, fromX, fromY)) !==
      (acrossX && corner !== isLeft(ax, ay, bx, by, x, y))
    if (isChanged && !inside.delete(owner)) inside.add(owner)
  }
  countEdges(listed.length, near)
  return { inside, touching }
}

/** A ray from a point to an end of an edge through it. `polygon` is the polygon of the edge. */
interface Ray {
  readonly x: number
  readonly y: number
  readonly polygon: number
}

/**
 * Tests if polygons together cover a full neighbourhood of a point. `touching` are their edges through the point.
 * `inside` are the polygons among them that contain the point slightly north and far less east.
 * Sorts the rays from the point along the edges by angle. The rays cut the neighbourhood into sectors, and each sector
 * must be inside a polygon. AdjacentEdgeLocator in RelateNG of JTS does the same. The test is exact.
 */
export const isSurrounded = (
  { edges, owners }: Edges,
  touching: readonly number[],
  inside: Set<number>,
  x: number,
  y: number,
): boolean => {
  const rayTo = (e: number): Ray => ({ x: at(edges, e), y: at(edges, e + 1), polygon: at(owners, e >> 2) })
  const byAngle = (a: Ray, b: Ray) => half(a, x, y) - half(b, x, y) || -side(x, y, a.x, a.y, b.x, b.y)
  const ends = touching.flatMap((edge) => [4 * edge, 4 * edge + 2])
  const rays = ends.map(rayTo).filter((ray) => ray.x !== x || ray.y !== y)
  const isCovered = (ray: Ray, i: number): boolean => {
    if (!inside.delete(ray.polygon)) inside.add(ray.polygon)
    const next = rays[i + 1]
    return inside.size > 0 || (next !== undefined && byAngle(ray, next) === 0)
  }
  return inside.size > 0 && rays.sort(byAngle).every(isCovered)
}

/** Returns 0 for a ray from north counterclockwise to before south, and 1 for the other half. */
const half = (ray: Ray, x: number, y: number): number => (ray.x < x || (ray.x === x && ray.y > y) ? 0 : 1)
