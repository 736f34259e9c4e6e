import { at } from '../collections.ts'
import { countEdges } from '../work.ts'
import type { Bbox } from './bbox.ts'
import { isLeft, passes, side } from './edge.ts'

/** The edges of a geometry. */
export interface Edges {
  /** Each edge has four numbers, in degrees: ax, ay, bx, by. A point is an edge of length 0. */
  readonly edges: Float64Array
  /** Gives the polygon of each edge, or -1 for the edge of a line. The polygons ascend. */
  readonly owners: Int32Array
  /** The result of the last walk: 1 for each polygon that contains its end. */
  readonly parity: Uint8Array
}

/**
 * A convex part of the plane with the edges that meet it. The polygons of one of its points, the anchor, are known. The
 * anchor is slightly north and far less east of x, y. No edge passes through it, so every walk has a result.
 */
export interface Part {
  readonly x: number
  readonly y: number
  /** Indexes of the edges, ascending. */
  readonly edges: Int32Array
  /** The polygons of these edges, ascending. */
  readonly polygons: Int32Array
  /** 1 for each of `polygons` that contains the anchor. */
  readonly inside: Int32Array
  /** True if a polygon without any of these edges contains the anchor, and so the whole part. */
  readonly whole: boolean
}

export const edgesWith = (edges: Float64Array, owners: Int32Array): Edges => ({
  edges,
  owners,
  parity: new Uint8Array(polygonsIn(owners)),
})

export const polygonsIn = (owners: Int32Array): number => owners.reduce((most, owner) => Math.max(most, owner), -1) + 1

/** Returns the part with all edges. `bbox` is their bbox. Its north-eastern corner is the anchor, outside all polygons. */
export const partOfAll = (all: Edges, [, , east, north]: Bbox): Part => {
  const edges = all.owners.map((_, edge) => edge)
  const polygons = polygonsOf(all, edges)
  return { x: east, y: north, edges, polygons, inside: new Int32Array(polygons.length), whole: false }
}

/** Returns a part with another anchor, which lies in it. */
export const anchoredAt = (all: Edges, part: Part, x: number, y: number): Part => {
  walk(all, part, x, y)
  return { ...part, x, y, inside: part.polygons.map((polygon) => at(all.parity, polygon)) }
}

/** Returns a smaller part with the same anchor. `edges` are the edges that meet the smaller part. */
export const partWith = (all: Edges, larger: Part, edges: Int32Array): Part => {
  start(all, larger)
  const polygons = polygonsOf(all, edges)
  const inside = polygons.map((polygon) => at(all.parity, polygon))
  return { ...larger, edges, polygons, inside, whole: larger.whole || sum(larger.inside) > sum(inside) }
}

/** Tests if the last walk in a part ended in a polygon. */
export const isInAny = ({ parity }: Edges, { whole, polygons }: Part): boolean => {
  if (whole) return true
  for (let i = 0; i < polygons.length; i++) if (parity[polygons[i] as number] === 1) return true
  return false
}

const sum = (flags: Int32Array): number => flags.reduce((total, flag) => total + flag, 0)

const polygonsOf = ({ owners, parity }: Edges, edges: Int32Array): Int32Array => {
  const polygons = new Int32Array(Math.min(parity.length, edges.length))
  let [count, last] = [0, -1]
  for (let k = 0; k < edges.length && last < parity.length - 1; k++) {
    const owner = owners[edges[k] as number] as number
    if (owner > last) {
      last = owner
      polygons[count++] = owner
    }
  }
  return polygons.subarray(0, count)
}

const start = ({ parity }: Edges, { polygons, inside }: Part): void => {
  for (let i = 0; i < polygons.length; i++) parity[polygons[i] as number] = inside[i] as number
}

const NONE: readonly number[] = []

/**
 * Finds the polygons that contain the point slightly north and far less east of x, y, which lies in the part. Walks
 * from the anchor, first horizontally, then vertically. Each crossed edge changes the side of its polygon (even-odd
 * rule). Exact at every double.
 * Sets `parity` for the polygons of the part. Returns the edges through x, y itself.
 */
export const walk = (all: Edges, part: Part, x: number, y: number): readonly number[] => {
  start(all, part)
  const { edges, owners, parity } = all
  const { x: fromX, y: fromY, edges: listed } = part
  const [west, east] = fromX < x ? [fromX, x] : [x, fromX]
  const [south, north] = fromY < y ? [fromY, y] : [y, fromY]
  let [touching, near]: [number[] | null, number] = [null, 0]
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
    if (passes(ax, ay, bx, by, x, y)) {
      touching ??= []
      touching.push(edge)
    }
    const acrossY = ay <= fromY !== by <= fromY
    const acrossX = ax <= x !== bx <= x
    const owner = owners[edge] as number
    if (owner < 0 || !(acrossX || acrossY)) continue
    const corner = isLeft(ax, ay, bx, by, x, fromY)
    const isChanged =
      (acrossY && corner !== isLeft(ax, ay, bx, by, fromX, fromY)) !==
      (acrossX && corner !== isLeft(ax, ay, bx, by, x, y))
    if (isChanged) parity[owner] = 1 - (parity[owner] as number)
  }
  countEdges(listed.length, near)
  return touching ?? NONE
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
  const ends = touching.flatMap((edge) => [2 * edge, 2 * edge + 1])
  const rayTo = (end: number): Ray => ({
    x: at(edges, 2 * end),
    y: at(edges, 2 * end + 1),
    polygon: at(owners, end >> 1),
  })
  const byAngle = (a: Ray, b: Ray) => half(a, x, y) - half(b, x, y) || -side(x, y, a.x, a.y, b.x, b.y)
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
