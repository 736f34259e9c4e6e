import { at } from '../collections.ts'
import { type Bbox, bboxOf, inBbox } from './bbox.ts'
import { type Geometry, membersOf, type Position } from './geometry.ts'
import { treeOf } from './tree.ts'
import { type Edges, edgesWith, polygonsIn } from './walk.ts'

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
  /** Gives the polygon of each edge, or -1 for the edge of a line. Null: a box or a combination of areas. */
  owners: Int32Array | null
  /** True if the boundary belongs to the area. */
  closed: boolean
  /** The rectangles that make up the area. Null: the area has another form. */
  rectangles: readonly Bbox[] | null
  /**
   * Areas whose intersection is this area. They are the area itself, or the operands of an AND. Other combinations have
   * none.
   */
  parts: readonly Area[]
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
  const { points, lines, polygons } = membersOf(geometry)
  const all = edgesOf(points, lines, polygons)
  const { edges, owners } = all
  const bbox = bboxOf(edges)
  if (bbox === null) return nothing(closed)
  const turns = turnsOf(bbox)
  const ends = endsOf(lines)
  const tree = treeOf(all, bbox)

  // Tests polygons first, then lines, then points, like RelatePointLocator of JTS.
  const isInterior = (x: number, y: number): boolean => {
    const location = tree.locate(x, y)
    if (closed || location === 'interior') return location !== 'exterior'
    return location === 'line' && !ends.get(x)?.has(y)
  }
  const contains = (x: number, y: number): boolean => {
    for (const turn of turns) if (inBbox(bbox, x + turn, y) && isInterior(x + turn, y)) return true
    return false
  }
  const isNear: Area['isNear'] = (x, y, reachX, reachY) => {
    for (const turn of turns) if (tree.isNear(x + turn, y, reachX, reachY)) return true
    return false
  }
  const isOnePolygon = owners.at(-1) === 0
  const rectangles = isOnePolygon && isRectangle(edges, bbox) && isInterior(...centreOf(bbox)) ? [bbox] : null
  return itself({ bbox, turns, edges, owners, closed, rectangles, isNear, contains })
}

const nothing = (closed: boolean): Area =>
  itself({
    bbox: null,
    turns: [0],
    edges: new Float64Array(),
    owners: null,
    closed,
    rectangles: null,
    isNear: () => false,
    contains: () => false,
  })

/** Completes an area that is its own only part. */
export const itself = (area: Omit<Area, 'parts'>): Area => {
  const whole: Area = { ...area, parts: [] }
  whole.parts = [whole]
  return whole
}

/**
 * Combines areas by a Boolean expression. `holds` gets a function that tests if the point is in one of the areas, and
 * returns the value of the expression. Its value changes only at an edge, so the result has the edges of all areas.
 */
export const combine = (areas: readonly Area[], holds: (within: (area: Area) => boolean) => boolean): Area => {
  const edges = Float64Array.from(areas.flatMap((area) => Array.from(turned(area).edges)))
  return {
    bbox: bboxOf(edges),
    turns: [0],
    edges,
    owners: null,
    closed: true,
    rectangles: null,
    parts: [],
    isNear: (...box) => areas.some((area) => area.isNear(...box)),
    contains: (x, y) => holds((area) => area.contains(x, y)),
  }
}

/** Returns the intersection of areas. It returns a single area unchanged. */
export const allOf = (areas: readonly Area[]): Area => {
  const [first, ...others] = areas
  if (first !== undefined && others.length === 0) return first
  const parts = areas.every(({ parts }) => parts.length > 0) ? areas.flatMap(({ parts }) => parts) : []
  return { ...combine(areas, (within) => areas.every(within)), parts }
}

/** Returns the edges at the longitudes of real points. Each turn has a copy of them, with polygons of its own. */
export const turned = ({ edges, owners, turns }: Pick<Area, 'edges' | 'owners' | 'turns'>): Edges => {
  const [length, polygons] = [edges.length, owners === null ? 0 : polygonsIn(owners)]
  const all = new Float64Array(length * turns.length)
  const allOwners = new Int32Array(all.length / 4).fill(-1)
  turns.forEach((turn, t) => {
    for (let i = 0; i < length; i++) all[t * length + i] = at(edges, i) - (i % 2 === 0 ? turn : 0)
    owners?.forEach((owner, edge) => {
      if (owner >= 0) allOwners[(t * length) / 4 + edge] = owner + t * polygons
    })
  })
  return edgesWith(all, allOwners)
}

/** Returns the edges of all rings, then of all lines, then the points. */
const edgesOf = (points: Position[], lines: Position[][], polygons: Position[][][]): Edges => {
  const edges: number[] = []
  const owners: number[] = []
  const add = (line: Position[], owner: number): void => {
    for (let i = 1; i < line.length; i++) {
      const [ax, ay] = line[i - 1] as [number, number] // every position has x and y
      const [bx, by] = line[i] as [number, number]
      edges.push(ax, ay, bx, by)
      owners.push(owner)
    }
  }
  polygons.forEach((rings, polygon) => {
    for (const ring of rings) add(ring, polygon)
  })
  for (const line of lines) add(line, -1)
  for (const point of points) if (point.length > 0) add([point, point], -1)
  return edgesWith(new Float64Array(edges), new Int32Array(owners))
}

/**
 * Returns the boundary of lines, as sets of y by x. A position is in it if an odd number of lines end there (mod-2 rule
 * of OGC Simple Features).
 */
const endsOf = (lines: Position[][]): Map<number, Set<number>> => {
  const ends = new Map<number, Set<number>>()
  for (const end of lines.flatMap((line) => [line.at(0), line.at(-1)])) {
    if (end === undefined) continue
    const [x, y] = end as [number, number]
    const column = ends.get(x) ?? new Set()
    ends.set(x, column)
    if (!column.delete(y)) column.add(y)
  }
  return ends
}

const centreOf = ([west, south, east, north]: Bbox): [number, number] => [west / 2 + east / 2, south / 2 + north / 2]

/** Tests if all edges lie on the sides of the bbox. Then either all points between the sides are inside, or none. */
const isRectangle = (edges: Float64Array, [west, south, east, north]: Bbox): boolean => {
  for (let i = 0; i < edges.length; i += 4) {
    const [ax, ay, bx, by] = edges.subarray(i, i + 4) as unknown as [number, number, number, number] // one edge
    const onSide = (ax === bx && (ax === west || ax === east)) || (ay === by && (ay === south || ay === north))
    if (!onSide) return false
  }
  return west < east && south < north
}

const turnsOf = ([west, , east]: Bbox): number[] => [0, ...(west < -180 ? [-360] : []), ...(east > 180 ? [360] : [])]
