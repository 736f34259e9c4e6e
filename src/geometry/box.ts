import { at } from '../collections.ts'
import { type Bbox, inBbox, overlap } from './bbox.ts'
import type { Area } from './within.ts'

/**
 * Returns a box, its sides included, as an area. If `west` is greater than `east`, the box crosses 180 degrees. A box
 * that reaches beyond 180 or -180 continues on the other side. Exact: it compares the given numbers themselves.
 */
export const box = (bounds: Bbox): Area => {
  const [, south, , north] = bounds
  const parts = longitudesOf(bounds)
  const rectangles = parts.map(([west, east]): Bbox => [west, south, east, north])
  const bbox: Bbox = [at(parts, 0)[0], south, at(parts, -1)[1], north]
  return {
    isNear: (...place) => rectangles.some((rectangle) => meetsSide(rectangle, ...place)),
    contains: (x, y) => rectangles.some((rectangle) => inBbox(rectangle, x, y)),
    bounds: [{ bbox, turns: [0], rectangles, closed: true }],
  }
}

/** Tests if a side of a rectangle may be within `reachX` and `reachY` degrees of a point. */
const meetsSide = (rectangle: Bbox, x: number, y: number, reachX: number, reachY: number): boolean => {
  const around: Bbox = [x - reachX, y - reachY, x + reachX, y + reachY]
  const [west, south, east, north] = beyond(rectangle)
  const isInside = west < around[0] && south < around[1] && around[2] < east && around[3] < north
  return overlap([west, south, east, north], around) && !isInside
}

/**
 * Moves sides at the end of the world outward. They then separate no points, and the cells at the end of the world lie
 * wholly inside.
 */
const beyond = ([west, south, east, north]: Bbox): Bbox => [
  west <= -180 ? -Infinity : west,
  south <= -90 ? -Infinity : south,
  east >= 180 ? Infinity : east,
  north >= 90 ? Infinity : north,
]

/** Splits a box into one or two intervals of longitude, each within -180 to 180 and from west to east. */
export const longitudesOf = ([west, , east]: Bbox): readonly (readonly [west: number, east: number])[] => {
  if (west <= east && west >= -180 && east <= 180) return [[west, east]]
  if (east - west >= 360) return [[-180, 180]]
  const [from, to] = [inWorld(west), inWorld(east)]
  // A box across 180 degrees continues at -180.
  return from <= to
    ? [[from, to]]
    : [
        [-180, to],
        [from, 180],
      ]
}

const inWorld = (longitude: number): number => {
  if (longitude >= -180 && longitude <= 180) return longitude
  return longitude - 360 * Math.round(longitude / 360)
}
