import { Geodesic } from 'geographiclib-geodesic'
import { at } from '../collections.ts'
import { type Bbox, bboxOf, type LonLat } from './bbox.ts'
import { CELL_LEVELS } from './cell.ts'
import { treeOf } from './tree.ts'
import type { Area } from './within.ts'

/** The greatest distance of two places on the ellipsoid is less than this, in metres. */
export const MAX_RADIUS = 20_040_000

const { WGS84, DISTANCE, LATITUDE, LONGITUDE, LONG_UNROLL } = Geodesic

/**
 * Returns the length of the shortest path between two places on the WGS84 ellipsoid, in metres. It is exact to 15
 * nanometres (C. F. F. Karney, Algorithms for geodesics, 2013).
 */
export const distanceBetween = ([x1, y1]: LonLat, [x2, y2]: LonLat): number =>
  WGS84.Inverse(y1, x1, y2, x2, DISTANCE).s12 ?? Number.NaN

/**
 * Returns the places at most `radius` metres from a centre, as an area. Its edges follow the circle to a quarter of a
 * finest cell. The covering looks for edges one cell further, so it never takes a cell that the circle crosses for
 * inside or outside. There the points decide by their distance.
 */
export const circle = (centre: LonLat, radius: number): Area => {
  const edges = edgesAround(centre, radius)
  const poles = [-90, 90].filter((y) => distanceBetween(centre, [0, y]) <= radius)
  const around = bboxOf(edges) ?? [...centre, ...centre]
  const owners = new Int32Array(edges.length / 4).fill(-1)
  return {
    isNear: treeOf({ edges, owners }, around).isNear,
    contains: (x, y) => distanceBetween(centre, [x, y]) <= radius,
    bounds: [{ bbox: boundsOf(around, poles), turns: [0], rectangles: null, closed: true }],
  }
}

/** Returns the edges along a circle, at the longitudes of the world. */
export const edgesAround = (centre: LonLat, radius: number): Float64Array =>
  Float64Array.from(onWorld(outline(centre, radius)).flat())

/** The size of a finest cell in degrees, and the greatest distance of an edge from the circle. */
const [WIDTH, HEIGHT] = [360 / 2 ** CELL_LEVELS, 180 / 2 ** CELL_LEVELS]
const [NEAR_X, NEAR_Y] = [WIDTH / 4, HEIGHT / 4]

type Edge = readonly [ax: number, ay: number, bx: number, by: number]

/** The circle starts with so many edges. An edge is halved at most MAX_HALVINGS times. */
const FIRST_EDGES = 32
const MAX_HALVINGS = 24

/** Returns edges along a circle. The longitudes of an edge may lie beyond 180 degrees. */
const outline = (centre: LonLat, radius: number): Edge[] => {
  const placeAt = (azimuth: number): LonLat => {
    const { lon2, lat2 } = WGS84.Direct(centre[1], centre[0], azimuth, radius, LATITUDE | LONGITUDE | LONG_UNROLL)
    return [lon2 ?? Number.NaN, lat2 ?? Number.NaN]
  }
  const edges: Edge[] = []
  const add = (from: number, start: LonLat, to: number, given: LonLat, halvings: number): void => {
    const end = nearTo(start, given)
    const half = (from + to) / 2
    const middle = nearTo(start, placeAt(half))
    // The second place detects a part that bends both ways.
    const isStraight = () =>
      isNearEdge(start, end, middle, 1 / 2) && isNearEdge(start, end, nearTo(start, placeAt((from + half) / 2)), 1 / 4)
    if (halvings === MAX_HALVINGS || isStraight()) {
      edges.push([...start, ...end])
      // A circle through a pole has all longitudes there.
      if (Math.abs(middle[1]) > 90 - HEIGHT) edges.push([-180, middle[1], 180, middle[1]])
      return
    }
    add(from, start, half, middle, halvings + 1)
    add(half, middle, to, end, halvings + 1)
  }
  const azimuths = Array.from({ length: FIRST_EDGES + 1 }, (_, i) => (360 * i) / FIRST_EDGES)
  const places = azimuths.map(placeAt)
  for (let i = 0; i < FIRST_EDGES; i++) add(at(azimuths, i), at(places, i), at(azimuths, i + 1), at(places, i + 1), 0)
  return edges
}

/** Adds a turn to a place if that brings its longitude nearer to another place. */
const nearTo = ([x]: LonLat, [otherX, y]: LonLat): LonLat => [otherX - 360 * Math.round((otherX - x) / 360), y]

/**
 * Tests if a place at a fraction of a part of a circle is near the edge from its start to its end. Near a pole, the
 * longitudes change fast, but then the part lies in a narrow range of latitudes.
 */
const isNearEdge = ([ax, ay]: LonLat, [bx, by]: LonLat, [x, y]: LonLat, fraction: number): boolean => {
  const isFlat = Math.abs(ay - y) + Math.abs(by - y) <= NEAR_Y && (x - ax) * (bx - x) >= 0
  const [edgeX, edgeY] = [ax + fraction * (bx - ax), ay + fraction * (by - ay)]
  return isFlat || (Math.abs(edgeX - x) <= NEAR_X && Math.abs(edgeY - y) <= NEAR_Y)
}

/** Edges up to so many degrees beyond 180 degrees remain. It must be more than MARGIN of covering.ts. */
const BEYOND = 1

/** Moves edges to the longitudes of the world. An edge near 180 degrees is there twice. */
const onWorld = (edges: readonly Edge[]): Edge[] =>
  edges.flatMap(([ax, ay, bx, by]) =>
    [-720, -360, 0, 360, 720].flatMap((turn): Edge[] => {
      const [west, east] = [Math.min(ax, bx) + turn, Math.max(ax, bx) + turn]
      return west <= 180 + BEYOND && east >= -180 - BEYOND ? [[ax + turn, ay, bx + turn, by]] : []
    }),
  )

/** Returns the bbox of a circle: all longitudes if it contains a pole or crosses 180 degrees. */
const boundsOf = ([west, south, east, north]: Bbox, poles: readonly number[]): Bbox => {
  const isWide = poles.length > 0 || west < -180 || east > 180
  return [
    isWide ? -180 : west - WIDTH,
    poles.includes(-90) ? -90 : south - HEIGHT,
    isWide ? 180 : east + WIDTH,
    poles.includes(90) ? 90 : north + HEIGHT,
  ]
}
