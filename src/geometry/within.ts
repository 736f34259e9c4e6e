import { type Bbox, bboxOf, inBbox } from './bbox.ts'
import { edgesOf, isEnd } from './edges.ts'
import { finder } from './finder.ts'
import type { Geometry } from './geometry.ts'

/** A geometry made ready for many points. */
export interface Area {
  /** Null when the geometry is empty. */
  bbox: Bbox | null
  /** The turns of longitude at which a point is tested: 0, and -360 or 360 when the bbox reaches beyond -180 or 180. */
  turns: number[]
  /** All edges: ax, ay, bx, by, ...; points as edges of no length. */
  edges: Float64Array
  /** Whether the boundary belongs to it. */
  closed: boolean
  /** The rectangles that it consists of; null where it has another form. */
  rectangles: readonly Bbox[] | null
  /** Areas in all of which a point has to be: itself alone, or those it is made of; none where it is made in another way. */
  parts: readonly Area[]
  /** For every edge of a polygon, the first of `edges`, the number of its polygon; empty where there are several parts. */
  owners: Int32Array
  /** The polygons that a point lies inside, in the turn of the geometry itself; null on the boundary of one. */
  polygonsAt: (x: number, y: number) => ReadonlySet<number> | null
  /** Whether so many edges are at this latitude that each point there is looked for in boxes. */
  isDeepAt: (y: number) => boolean
  /** Whether an edge may come as near to a point as this, in degrees of longitude and latitude. */
  isNear: (x: number, y: number, reachX: number, reachY: number) => boolean
  /**
   * Whether a point belongs to it: planar in longitude and latitude, exact at every double, and the same for all points
   * that no edge parts.
   */
  contains: (x: number, y: number) => boolean
}

/**
 * Makes a validated geometry (closed rings, finite positions) ready, in time linear in its positions. Its points are
 * those of PostGIS `ST_Within(POINT(x y), geometry)`: not the boundary, which is all rings of a polygon, the ends of a
 * line (mod-2 rule), and nothing of a point. `closed`: those of `ST_Intersects`, the boundary too.
 */
export const prepare = (geometry: Geometry, closed = false): Area => {
  const { areal, owner, linear, ends } = edgesOf(geometry)
  const [polygons, lines] = [finder(areal, owner), finder(linear, null)]
  const edges = linear.length === 0 ? areal : concat(areal, linear)
  const bbox = bboxOf(edges)
  const turns = turnsOf(bbox)

  // Polygons before lines before points, the order of JTS's RelatePointLocator.
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
  const single = linear.length === 0 && (owner.at(-1) ?? 0) === 0
  const rectangles = single && isRectangle(areal, bbox) && isInterior(...centreOf(bbox)) ? [bbox] : null
  const isNear: Area['isNear'] = (x, y, reachX, reachY) =>
    turns.some((turn) => [polygons, lines].some((edges) => edges.isNear(x + turn, y, reachX, reachY)))
  const isDeepAt = (y: number) => polygons.isDeepAt(y) || lines.isDeepAt(y)
  const { polygonsAt } = polygons
  return itself({ bbox, turns, edges, closed, rectangles, owners: owner, isDeepAt, polygonsAt, isNear, contains })
}

/** An area that is made of no others. */
export const itself = (area: Omit<Area, 'parts'>): Area => {
  const whole: Area = { ...area, parts: [] }
  whole.parts = [whole]
  return whole
}

/** Whether all edges lie on the sides of the bbox: then all points between the sides are within, or none is. */
const isRectangle = (edges: Float64Array, bbox: Bbox | null): bbox is Bbox => {
  if (bbox === null) return false
  const [west, south, east, north] = bbox
  for (let i = 0; i < edges.length; i += 4) {
    const [ax, ay, bx, by] = edges.subarray(i, i + 4) as unknown as [number, number, number, number]
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

/** The edges where a point of the world finds them: once for each turn in which it is tested. */
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
