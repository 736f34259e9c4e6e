import { side } from './side.ts'
import type { Stripes } from './stripes.ts'

/** An edge seen from the point: where it leads to, and the polygon that it bounds. */
interface Ray {
  x: number
  y: number
  polygon: number
}

/**
 * Whether polygons that all have a point on their boundary, or outside, together cover a full neighbourhood of it.
 * The rays from the point along their edges, sorted by angle, cut the neighbourhood into sectors; each sector must be inside
 * some polygon. As AdjacentEdgeLocator in the RelateNG of JTS; exact.
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

/** The rays, but for those due east, and the polygons of the first sector, just above due east. */
const around = ({ edges, starts, listed, stripeOf }: Stripes, owner: Int32Array, x: number, y: number) => {
  const rays: Ray[] = []
  const inside = new Set<number>()
  const addRay = (toX: number, toY: number, polygon: number): void => {
    if (toY !== y || toX < x) rays.push({ x: toX, y: toY, polygon })
  }
  const stripe = stripeOf(y)
  const end = starts[stripe + 1] as number // typed arrays are read within their lengths
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

/** Orders rays by their angle around the point, from east over north; 0 for the same direction. */
const angleAround = (x: number, y: number) => (a: Ray, b: Ray) =>
  half(a, x, y) - half(b, x, y) || -side(x, y, a.x, a.y, b.x, b.y)

const half = (ray: Ray, x: number, y: number): number => (ray.y > y || (ray.y === y && ray.x > x) ? 0 : 1)

const toggle = (set: Set<number>, value: number): void => {
  if (!set.delete(value)) set.add(value)
}
