import { type Bbox, bboxOf, inBbox } from './bbox.ts'
import { edgesOf, isEnd, lastOwner } from './edges.ts'
import { finder } from './finder.ts'
import type { Geometry } from './geometry.ts'

/** A geometry that is prepared for tests of many points. */
export interface Area {
  /** Degrees. Null if the geometry is empty. */
  bbox: Bbox | null
  /**
   * Degrees that are added to the longitude of a point before its tests. They are 0, and -360 or 360 if the bbox
   * reaches beyond -180 or 180.
   */
  turns: number[]
  /** All edges, as ax, ay, bx, by in degrees. A point is an edge of length 0. */
  edges: Float64Array
  /** True if the boundary belongs to the area. */
  closed: boolean
  /** The rectangles that make up the area. Null: the area has another form. */
  rectangles: readonly Bbox[] | null
  /**
   * Areas whose intersection is this area. They are the area itself, or the operands of an AND. Other combinations have
   * none.
   */
  parts: readonly Area[]
  /**
   * The number of the polygon for each edge of a polygon. These edges come first in `edges`. A box and a combination of
   * areas have none.
   */
  owners: Int32Array
  /**
   * Returns the polygons that contain a point. It uses the given longitude without `turns`. It returns null on the
   * boundary of a polygon, or if the polygons are unknown.
   */
  polygonsAt: (x: number, y: number) => ReadonlySet<number> | null
  /** Tests if so many edges cross this latitude that tests use the tree instead of the stripes. */
  isDeepAt: (y: number) => boolean
  /** Tests if an edge may be within this distance of a point, in degrees of longitude and latitude. */
  isNear: (x: number, y: number, reachX: number, reachY: number) => boolean
  /**
   * Tests if the area contains a point. The test is planar in longitude and latitude, and exact at every double. All
   * points that no edge separates get the same answer.
   */
  contains: (x: number, y: number) => boolean
}

/**
 * Prepares a validated geometry (closed rings, finite positions) for point tests, in time linear in its positions.
 * The open area contains the points of `ST_Within(POINT(x y), geometry)` in PostGIS, so it excludes the boundary. The
 * boundary is every ring of a polygon and the ends of a line (mod-2 rule). A point has no boundary. A `closed` area
 * includes the boundary, as `ST_Intersects` does.
 */
export const prepare = (geometry: Geometry, closed = false): Area => {
  const { areal, owner, linear, ends } = edgesOf(geometry)
  const [polygons, lines] = [finder(areal, owner), finder(linear, null)]
  const edges = linear.length === 0 ? areal : concat(areal, linear)
  const bbox = bboxOf(edges)
  const turns = turnsOf(bbox)

  // Tests polygons first, then lines, then points, like RelatePointLocator of JTS.
  const isInterior = (x: number, y: number): boolean => {
    const location = polygons.locate(x, y)
    if (location !== 'exterior') return closed || location === 'interior'
    return (closed || !isEnd(ends, x, y)) && lines.onAny(x, y)
  }
  const contains = (x: number, y: number): boolean => {
    if (bbox === null) return false
    for (const turn of turns) if (inBbox(bbox, x + turn, y) && isInterior(x + turn, y)) return true
    return false
  }
  const single = linear.length === 0 && lastOwner(owner) === 0
  const rectangles = single && isRectangle(areal, bbox) && isInterior(...centreOf(bbox)) ? [bbox] : null
  const isNear: Area['isNear'] = (x, y, reachX, reachY) =>
    turns.some((turn) => [polygons, lines].some((index) => index.isNear(x + turn, y, reachX, reachY)))
  const isDeepAt = (y: number) => polygons.isDeepAt(y) || lines.isDeepAt(y)
  const { polygonsAt } = polygons
  return itself({ bbox, turns, edges, closed, rectangles, owners: owner, isDeepAt, polygonsAt, isNear, contains })
}

/** Completes an area that is its own only part. */
export const itself = (area: Omit<Area, 'parts'>): Area => {
  const whole: Area = { ...area, parts: [] }
  whole.parts = [whole]
  return whole
}

/** Tests if all edges lie on the sides of the bbox. Then either all points between the sides are inside, or none. */
const isRectangle = (edges: Float64Array, bbox: Bbox | null): bbox is Bbox => {
  if (bbox === null) return false
  const [west, south, east, north] = bbox
  for (let i = 0; i < edges.length; i += 4) {
    const [ax, ay, bx, by] = edges.subarray(i, i + 4) as unknown as [number, number, number, number] // one edge
    const onSide = (ax === bx && (ax === west || ax === east)) || (ay === by && (ay === south || ay === north))
    if (!onSide) return false
  }
  return west < east && south < north
}

const centreOf = ([west, south, east, north]: Bbox): [number, number] => [west / 2 + east / 2, south / 2 + north / 2]

const turnsOf = (bbox: Bbox | null): number[] => {
  const turns = [0]
  if (bbox !== null && bbox[0] < -180) turns.push(-360)
  if (bbox !== null && bbox[2] > 180) turns.push(360)
  return turns
}

/** Returns the edges at the longitudes of real points: one copy of them for each turn. */
export const turned = ({ edges, turns }: Pick<Area, 'edges' | 'turns'>): Float64Array => {
  if (turns.length === 1) return edges
  const all = new Float64Array(edges.length * turns.length)
  turns.forEach((turn, t) => {
    all.set(
      edges.map((v, i) => (i % 2 === 0 ? v - turn : v)),
      t * edges.length,
    )
  })
  return all
}

const concat = (a: Float64Array, b: Float64Array): Float64Array => {
  const both = new Float64Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}
