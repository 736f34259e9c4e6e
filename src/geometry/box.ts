import { at } from '../base/collections.ts'
import { type Bbox, bboxesMeet, inBbox } from './bbox.ts'
import type { PreparedArea } from './within.ts'

/**
 * Returns a box, its sides included, as an area. If `west` is greater than `east`, the box crosses 180 degrees. A box
 * that reaches beyond 180 or -180 continues on the other side. Exact: it compares the given numbers themselves.
 */
export const box = (bounds: Bbox): PreparedArea => {
  const [, south, , north] = bounds
  const parts = longitudesOf(bounds)
  const rectangles = parts.map(([west, east]): Bbox => [west, south, east, north])
  const bbox: Bbox = [at(parts, 0)[0], south, at(parts, -1)[1], north]
  return {
    meets: (cell) => rectangles.some((rectangle) => meetsSide(rectangle, cell)),
    contains: (x, y) => rectangles.some((rectangle) => inBbox(rectangle, x, y)),
    bounds: [{ bbox, turns: [0], rectangles, closed: true }],
  }
}

/**
 * Tests if a side of a rectangle may meet a cell. A side at the end of the world separates no points, so the cells there
 * lie wholly inside.
 */
const meetsSide = (rectangle: Bbox, cell: Bbox): boolean => {
  const [west, south, east, north] = rectangle
  const isBetween = (west <= -180 || west < cell[0]) && (east >= 180 || cell[2] < east)
  const isInside = isBetween && (south <= -90 || south < cell[1]) && (north >= 90 || cell[3] < north)
  return !isInside && bboxesMeet(rectangle, cell)
}

/** Splits a box into one or two intervals of longitude, each within -180 to 180 and from west to east. */
export const longitudesOf = ([west, , east]: Bbox): readonly (readonly [west: number, east: number])[] => {
  if (west <= east && west >= -180 && east <= 180) return [[west, east]]
  if (east - west >= 360) return [[-180, 180]]
  const [from, to] = [inWorld(west), inWorld(east)]
  if (from <= to) return [[from, to]]
  // A box across 180 degrees continues at -180.
  return [
    [-180, to],
    [from, 180],
  ]
}

const inWorld = (longitude: number): number =>
  Math.abs(longitude) <= 180 ? longitude : longitude - 360 * Math.round(longitude / 360)
