import { side } from './side.ts'
import type { Stripes } from './stripes.ts'

/** An edge as seen from the point. It has the position of its other end and the number of its polygon. */
interface Ray {
  x: number
  y: number
  polygon: number
}

/**
 * Tests if polygons together cover a full neighbourhood of a point. The point must be on the boundary of each polygon,
 * or outside it.
 * Sorts the rays from the point along their edges by angle. The rays cut the neighbourhood into sectors, and each
 * sector must be inside a polygon. AdjacentEdgeLocator in RelateNG of JTS does the same. The test is exact.
 */
export const surrounded = (stripes: Stripes, owner: Int32Array, x: number, y: number): boolean => {
  const { rays, inside } = around(stripes, owner, x, y)
  if (inside.size === 0) return false
  const byAngle = angleAround(x, y)
  rays.sort(byAngle)
  return rays.every((ray, i) => {
    toggle(inside, ray.polygon)
    const next = rays[i + 1]
    return inside.size > 0 || (next !== undefined && byAngle(ray, next) === 0)
  })
}

/** Returns the rays except those due east, and the polygons that contain the first sector, just above due east. */
const around = ({ edges, starts, listed, stripeOf }: Stripes, owner: Int32Array, x: number, y: number) => {
  const rays: Ray[] = []
  const inside = new Set<number>()
  const addRay = (toX: number, toY: number, polygon: number): void => {
    if (toY !== y || toX < x) rays.push({ x: toX, y: toY, polygon })
  }
  const stripe = stripeOf(y)
  const end = starts[stripe + 1] as number // indexes of typed arrays are below the lengths
  for (let k = starts[stripe] as number; k < end; k++) {
    const e = listed[k] as number
    const ay = edges[4 * e + 1] as number
    const by = edges[4 * e + 3] as number
    if ((ay > y && by > y) || (ay < y && by < y)) continue
    const ax = edges[4 * e] as number
    const bx = edges[4 * e + 2] as number
    if (ax < x && bx < x) continue
    const polygon = owner[e] as number
    const left = ax > x && bx > x ? by - ay : side(ax, ay, bx, by, x, y)
    if (left === 0 && !(ax > x && bx > x)) {
      addRay(ax, ay, polygon)
      addRay(bx, by, polygon)
    } else if (ay <= y !== by <= y && left > 0 === by > ay) toggle(inside, polygon)
  }
  return { rays, inside }
}

/** Compares rays by their angle around the point, counterclockwise from east. Returns 0 for the same direction. */
const angleAround = (x: number, y: number) => (a: Ray, b: Ray) =>
  half(a, x, y) - half(b, x, y) || -side(x, y, a.x, a.y, b.x, b.y)

const half = (ray: Ray, x: number, y: number): number => (ray.y > y || (ray.y === y && ray.x > x) ? 0 : 1)

const toggle = (set: Set<number>, value: number): void => {
  if (!set.delete(value)) set.add(value)
}
