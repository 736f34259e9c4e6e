import { orient2d } from 'robust-predicates'
import type { Geometry, Position } from '../../src/geometry/geometry.ts'

// The slowest obvious test of a point and a geometry: every edge, without an index or a shortcut. The random tests
// compare with it.

type Point = readonly [number, number]
type Where = 'in' | 'on' | 'out'

/** Tests if a point is within a geometry. It tries the longitudes 360 degrees to both sides. */
export const slowWithin = (geometry: Geometry, [x, y]: Point): boolean => {
  const longitudes = positionsOf(geometry).map(([lon]) => lon as number)
  const turns = [0]
  if (longitudes.some((lon) => lon > 180)) turns.push(360)
  if (longitudes.some((lon) => lon < -180)) turns.push(-360)
  return turns.some((turn) => withinPlane(geometry, [x + turn, y]))
}

const withinPlane = (geometry: Geometry, p: Point): boolean => {
  const parts = partsOf(geometry)
  const polygons = parts.flatMap((part) =>
    part.type === 'Polygon' ? [part.coordinates] : part.type === 'MultiPolygon' ? part.coordinates : [],
  )
  const lines = parts.flatMap((part) =>
    part.type === 'LineString' ? [part.coordinates] : part.type === 'MultiLineString' ? part.coordinates : [],
  )
  const points = parts.flatMap((part) =>
    part.type === 'Point' ? [part.coordinates] : part.type === 'MultiPoint' ? part.coordinates : [],
  )
  const where = slowUnion(polygons, p)
  if (where !== 'out') return where === 'in'
  const ends = lines.flatMap((line) => [line.at(0), line.at(-1)]).filter((end) => end !== undefined && same(end, p))
  if (ends.length % 2 === 1) return false
  return lines.some((line) => edgesOf(line).some((edge) => onEdge(edge, p))) || points.some((point) => same(point, p))
}

/** Locates a point in one polygon by a ray to the west. A point on the boundary is "on". */
export const slowPolygon = (rings: Position[][], p: Point): Where => {
  const edges = rings.flatMap(edgesOf)
  if (edges.some((edge) => onEdge(edge, p))) return 'on'
  const crossed = edges.filter(([a, b]) => {
    const [low, high] = a[1] < b[1] ? [a, b] : [b, a]
    // In orient2d y points down. A positive value means that p is right of the edge from low to high.
    return low[1] < p[1] && p[1] <= high[1] && orient2d(...low, ...high, ...p) > 0
  })
  return crossed.length % 2 === 1 ? 'in' : 'out'
}

/**
 * Locates a point in a union of polygons. If two boundaries meet there, it tests a near point between each two
 * neighbouring edges.
 */
const slowUnion = (polygons: Position[][][], p: Point): Where => {
  const each = polygons.map((rings) => slowPolygon(rings, p))
  if (each.includes('in')) return 'in'
  if (!each.includes('on')) return 'out'
  if (each.filter((where) => where === 'on').length === 1) return 'on'
  const through = polygons
    .flat()
    .flatMap(edgesOf)
    .filter((edge) => onEdge(edge, p))
  const rays = through.flat().filter((end) => !same(end, p))
  const angles = rays.map(([x, y]) => Math.atan2(y - p[1], x - p[0])).sort((a, b) => a - b)
  const covered = angles.every((angle, i) => {
    const next = angles[i + 1] ?? (angles[0] as number) + 2 * Math.PI
    if (next - angle < 1e-6) return true // one ray
    return polygons.some((rings) => insideBeside(rings, p, (angle + next) / 2))
  })
  return covered && angles.length > 0 ? 'in' : 'on'
}

/**
 * Tests if the point about 2^-440 away in a direction is inside a polygon. No edge of the polygon may have this
 * direction. It computes with integers.
 */
const insideBeside = (rings: Position[][], p: Point, angle: number): boolean => {
  const x = whole(p[0]) + BigInt(Math.round(Math.cos(angle) * 2 ** 20))
  const y = whole(p[1]) + BigInt(Math.round(Math.sin(angle) * 2 ** 20))
  const crossed = rings.flatMap(edgesOf).filter(([a, b]) => {
    const [low, high] = a[1] < b[1] ? [a, b] : [b, a]
    const [lowX, lowY, highX, highY] = [...low, ...high].map(whole) as [bigint, bigint, bigint, bigint]
    return lowY < y && y <= highY && (highX - lowX) * (y - lowY) < (highY - lowY) * (x - lowX)
  })
  return crossed.length % 2 === 1
}

/** Converts a number of the grids to an integer number of 2^-460. */
const whole = (v: number): bigint => BigInt(v * 2 ** 60) << 400n

const partsOf = (geometry: Geometry): Geometry[] =>
  geometry.type === 'GeometryCollection' ? geometry.geometries.flatMap(partsOf) : [geometry]

const positionsOf = (geometry: Geometry): Position[] =>
  partsOf(geometry).flatMap((part) => {
    switch (part.type) {
      case 'Point':
        return [part.coordinates]
      case 'LineString':
      case 'MultiPoint':
        return part.coordinates
      case 'Polygon':
      case 'MultiLineString':
        return part.coordinates.flat()
      case 'MultiPolygon':
        return part.coordinates.flat(2)
      default:
        return []
    }
  })

const edgesOf = (line: Position[]): [Point, Point][] =>
  line.slice(1).map((b, i) => [line[i] as unknown as Point, b as unknown as Point])

const onEdge = ([a, b]: [Point, Point], p: Point): boolean =>
  orient2d(...a, ...b, ...p) === 0 &&
  Math.min(a[0], b[0]) <= p[0] &&
  p[0] <= Math.max(a[0], b[0]) &&
  Math.min(a[1], b[1]) <= p[1] &&
  p[1] <= Math.max(a[1], b[1])

const same = (a: readonly number[], b: Point): boolean => a[0] === b[0] && a[1] === b[1]
