import { type Bbox, bboxOf, inBbox } from './bbox.ts'
import { edgesOf, isEnd } from './edges.ts'
import type { Geometry } from './geometry.ts'
import { locate, onAny } from './locate.ts'
import { stripesOf } from './stripes.ts'

/** A geometry made ready for many points. */
export interface Area {
  /** Null when the geometry is empty. */
  bbox: Bbox | null
  /** The turns of longitude at which a point is tested: 0, and -360 or 360 when the bbox reaches beyond -180 or 180. */
  turns: number[]
  /** All edges: ax, ay, bx, by, ...; points as edges of no length. */
  edges: Float64Array
  /** The most edges that one call of `contains` looks at in one turn: its cost, against which hostile shapes can be judged. */
  depth: number
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
  const [polygons, lines] = [stripesOf(areal), stripesOf(linear)]
  const edges = linear.length === 0 ? areal : concat(areal, linear)
  const bbox = bboxOf(edges)
  const turns = turnsOf(bbox)

  // Polygons before lines before points, the order of JTS's RelatePointLocator.
  const isInterior = (x: number, y: number): boolean => {
    const location = locate(polygons, owner, x, y)
    if (location !== 'exterior') return closed || location === 'interior'
    return (closed || !isEnd(ends, x, y)) && onAny(lines, x, y)
  }
  const contains = (x: number, y: number): boolean => {
    if (bbox === null) return false
    for (const turn of turns) if (inBbox(bbox, x + turn, y) && isInterior(x + turn, y)) return true
    return false
  }
  return { bbox, turns, edges, depth: polygons.depth + lines.depth, contains }
}

const turnsOf = (bbox: Bbox | null): number[] => {
  const turns = [0]
  if (bbox !== null && bbox[0] < -180) turns.push(-360)
  if (bbox !== null && bbox[2] > 180) turns.push(360)
  return turns
}

const concat = (a: Float64Array, b: Float64Array): Float64Array => {
  const both = new Float64Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}
