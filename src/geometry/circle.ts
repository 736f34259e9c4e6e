import geodesic from 'geographiclib-geodesic'
import { countDistance } from '../base/work.ts'
import type { Bbox, LonLat } from './bbox.ts'
import type { PreparedArea } from './within.ts'

/** The greatest distance of two places on the ellipsoid is less than this, in metres. */
export const MAX_RADIUS = 20_040_000

// Node, which runs the commands, finds no names in this package.
const { WGS84, DISTANCE } = geodesic.Geodesic
const RADIAN = Math.PI / 180

/**
 * Returns the length of the shortest path between two places on the WGS84 ellipsoid, in metres. It is exact to 15
 * nanometres (C. F. F. Karney, Algorithms for geodesics, 2013).
 */
export const distanceBetween = ([x1, y1]: LonLat, [x2, y2]: LonLat): number => {
  countDistance()
  return WGS84.Inverse(y1, x1, y2, x2, DISTANCE).s12 ?? Number.NaN
}

/** Returns the places at most `radius` metres from a centre, as an area. */
export const circle = (centre: LonLat, radius: number): PreparedArea => ({
  // The way from the middle of a box that is straight in degrees is not longer than in a plane.
  meets: ([west, south, east, north]) => {
    const [x, y, reachY] = [(west + east) / 2, (south + north) / 2, (north - south) / 2]
    const reach = DEGREE * Math.hypot(((east - west) / 2) * widthOf(y, reachY), reachY)
    return Math.abs(distanceBetween(centre, [x, y]) - radius) <= reach
  },
  contains: (x, y) => distanceBetween(centre, [x, y]) <= radius,
  bounds: [{ bbox: boxAround(centre, radius), turns: [0], rectangles: null, closed: true }],
})

/** No degree of a meridian, and none of the equator, is longer than this, in metres. */
const DEGREE = 111_695

/** Metres. On a sphere with this radius no distance is longer than on the ellipsoid. The mean radius is 0.6 % off. */
const RADIUS = 6_371_000 / 1.01

/** Returns the widest degree of longitude at most so many degrees from a latitude, as a part of one at the equator. */
const widthOf = (latitude: number, reach: number): number => Math.cos(Math.max(0, Math.abs(latitude) - reach) * RADIAN)

/** Returns boxes in a circle that cover 85 % of it: a flat one, a square and a high one. */
export const boxesWithin = ([x, y]: LonLat, radius: number): readonly Bbox[] =>
  [22.5, 45, 67.5].map((angle) => {
    const along = (Math.cos(angle * RADIAN) * radius) / DEGREE
    const up = (Math.sin(angle * RADIAN) * radius) / DEGREE
    const reach = along / widthOf(y, up)
    return [x - reach, y - up, x + reach, y + up]
  })

/** Returns a bbox around a circle: all longitudes if it may contain a pole or cross 180 degrees. */
export const boxAround = ([x, y]: LonLat, radius: number): Bbox => {
  const angle = radius / RADIUS / RADIAN
  const [south, north] = [Math.max(-90, y - angle), Math.min(90, y + angle)]
  const reach = Math.asin(Math.sin(angle * RADIAN) / Math.cos(y * RADIAN)) / RADIAN
  const isNarrow = south > -90 && north < 90 && x - reach >= -180 && x + reach <= 180
  return isNarrow ? [x - reach, south, x + reach, north] : [-180, south, 180, north]
}
