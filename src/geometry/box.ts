import { at } from '../collections.ts'
import type { Bbox } from './bbox.ts'
import { anyMeets } from './edge.ts'
import { type Area, itself } from './within.ts'

/**
 * A side at or beyond the end of the world moves out by this many degrees. It must be more than MARGIN of covering.ts.
 */
const BEYOND = 1

/**
 * Returns a box, its sides included, as an area. If `west` is greater than `east`, the box crosses 180 degrees. A box
 * that reaches beyond 180 or -180 continues on the other side. Exact: it compares the given numbers themselves.
 */
export const box = (bounds: Bbox): Area => {
  const [, south, , north] = bounds
  const parts = longitudesOf(bounds)
  const contains = (x: number, y: number): boolean =>
    south <= y && y <= north && parts.some(([west, east]) => west <= x && x <= east)
  const rectangles = parts.map(([west, east]) =>
    sides(-beyond(-west, 180), -beyond(-south, 90), beyond(east, 180), beyond(north, 90)),
  )
  const edges = Float64Array.from(rectangles.flat())
  const whole: Bbox = [at(parts, 0)[0], south, at(parts, -1)[1], north]
  return itself({
    bbox: whole,
    turns: [0],
    edges,
    owners: null,
    closed: true,
    rectangles: parts.map(([west, east]): Bbox => [west, south, east, north]),
    isNear: (x, y, reachX, reachY) => anyMeets(edges, null, x, y, reachX, reachY),
    contains,
  })
}

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

/**
 * Moves a side at the end of the world outward. It then separates no points, and the cells at the end of the world lie
 * wholly inside.
 */
const beyond = (side: number, end: number): number => (side >= end ? end + BEYOND : side)

const sides = (west: number, south: number, east: number, north: number): number[] => [
  ...[west, south, east, south],
  ...[east, south, east, north],
  ...[east, north, west, north],
  ...[west, north, west, south],
]
