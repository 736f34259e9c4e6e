import { at } from '../base/collections.ts'

/** A position as longitude and latitude in degrees. */
export type LonLat = readonly [longitude: number, latitude: number]

/** West, south, east and north in degrees. Longitudes are not wrapped, so they may be beyond 180 or -180. */
export type Bbox = readonly [west: number, south: number, east: number, north: number]

/** Returns a bbox of four numbers, or of six without the heights. Returns null for any other length. */
export const bboxFrom = (numbers: readonly number[]): Bbox | null => {
  const plane = numbers.length === 6 ? numbers.filter((_, i) => i % 3 !== 2) : numbers
  return plane.length === 4 ? [at(plane, 0), at(plane, 1), at(plane, 2), at(plane, 3)] : null
}

/** Returns the smallest bbox around the positions x, y, x, y, ... Null without positions. */
export const bboxOf = (xy: Float64Array): Bbox | null => {
  if (xy.length === 0) return null
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let i = 0; i < xy.length; i += 2) {
    const x = xy[i] as number // i is below the length
    const y = xy[i + 1] as number
    if (x < west) west = x
    if (x > east) east = x
    if (y < south) south = y
    if (y > north) north = y
  }
  return [west, south, east, north]
}

/** Returns the bbox as a GeoJSON polygon, counterclockwise as in RFC 7946, section 3.1.6. */
export const rectangleOf = ([west, south, east, north]: Bbox) => ({
  type: 'Polygon' as const,
  coordinates: [
    [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ],
  ],
})

/** Tests if the point lies in the bbox or on its boundary. */
export const inBbox = (bbox: Bbox, x: number, y: number): boolean =>
  bbox[0] <= x && x <= bbox[2] && bbox[1] <= y && y <= bbox[3]

/** Tests if two bboxes overlap or touch. */
export const bboxesMeet = (a: Bbox, b: Bbox): boolean => a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3]
