import { at } from '../base/collections.ts'
import { type Bbox, bboxOf } from './bbox.ts'
import type { Edges } from './edges.ts'
import { type Geometry, geometriesOf, type Position } from './geometry.ts'
import { treeOf } from './tree.ts'

/** A geometry that is prepared for tests of many points. */
export interface PreparedArea {
  /** Tests if an edge may meet a box. */
  readonly meets: (box: Bbox) => boolean
  /**
   * Tests if the area contains a point. The test is planar in longitude and latitude, and exact at every double. All
   * points that no edge separates get the same answer.
   */
  readonly contains: (x: number, y: number) => boolean
  /** The area lies within all of these. Empty: they are not known. */
  readonly bounds: readonly AreaBounds[]
}

/** The coordinates around an area. */
export interface AreaBounds {
  /** Degrees. Null if the area is empty. */
  readonly bbox: Bbox | null
  /**
   * Degrees that are added to the longitude of a point before its tests. They are 0, and -360 or 360 if the bbox
   * reaches beyond -180 or 180.
   */
  readonly turns: readonly number[]
  /** The rectangles that make up the area. Null: the area has another form. */
  readonly rectangles: readonly Bbox[] | null
  /** True if the boundary belongs to the area. */
  readonly closed: boolean
}

/**
 * Prepares a validated geometry (closed rings, finite positions) for point tests, in time linear in its positions.
 * The open area contains the points of `ST_Within(POINT(x y), geometry)` in PostGIS, so it excludes the boundary. The
 * boundary is every ring of a polygon and the ends of a line (mod-2 rule). A point has no boundary. A `closed` area
 * includes the boundary, as `ST_Intersects` does.
 */
export const prepare = (geometry: Geometry, closed = false): PreparedArea => {
  const all = edgesOf(geometry)
  const { edges, owners } = all
  const bbox = bboxOf(edges)
  if (bbox === null) return { ...combine([], () => false), bounds: [{ bbox, turns: [0], rectangles: null, closed }] }
  const turns = turnsOf(bbox)
  const ends = endsOf(geometriesOf(geometry).lines)
  const tree = treeOf(all, bbox)

  // Tests polygons first, then lines, then points, like RelatePointLocator of JTS.
  const isInterior = (x: number, y: number): boolean => {
    const location = tree.locate(x, y)
    if (closed || location === 'interior') return location !== 'exterior'
    return location === 'line' && !ends.has(`${x} ${y}`)
  }
  const [x, y] = [(bbox[0] + bbox[2]) / 2, (bbox[1] + bbox[3]) / 2]
  // If the last edge is of the first polygon, there is nothing else.
  const rectangles = owners.at(-1) === 0 && isRectangle(edges, bbox) && isInterior(x, y) ? [bbox] : null
  return {
    meets: ([west, south, east, north]) => turns.some((turn) => tree.meets([west + turn, south, east + turn, north])),
    contains: (x, y) => turns.some((turn) => isInterior(x + turn, y)),
    bounds: [{ bbox, turns, rectangles, closed }],
  }
}

/**
 * Combines areas by a Boolean expression. `holds` gets a function that tests if the point is in one of the areas, and
 * returns the value of the expression. Its value changes only at an edge of an area.
 */
export const combine = (
  areas: readonly PreparedArea[],
  holds: (within: (area: PreparedArea) => boolean) => boolean,
): PreparedArea => ({
  meets: (box) => areas.some((area) => area.meets(box)),
  contains: (x, y) => holds((area) => area.contains(x, y)),
  bounds: [],
})

/** Returns the intersection of areas. It returns a single area unchanged. */
export const allOf = (areas: readonly PreparedArea[]): PreparedArea => {
  const [first, ...others] = areas
  if (first !== undefined && others.length === 0) return first
  const isKnown = areas.every(({ bounds }) => bounds.length > 0)
  const bounds = isKnown ? areas.flatMap(({ bounds }) => bounds) : []
  return { ...combine(areas, (within) => areas.every(within)), bounds }
}

/** Returns the edges of all rings, then of all lines, then the points. */
export const edgesOf = (geometry: Geometry): Edges => {
  const { points, lines, polygons } = geometriesOf(geometry)
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
  return { edges: new Float64Array(edges), owners: new Int32Array(owners) }
}

/**
 * Returns the boundary of lines, as texts of x and y. A position is in it if an odd number of lines end there (mod-2 rule
 * of OGC Simple Features).
 */
const endsOf = (lines: Position[][]): Set<string> => {
  const ends = new Set<string>()
  for (const [x, y] of lines.filter((line) => line.length > 0).flatMap((line) => [at(line, 0), at(line, -1)])) {
    const end = `${x} ${y}`
    if (!ends.delete(end)) ends.add(end)
  }
  return ends
}

/** Tests if all edges lie on the sides of the bbox. Then either all points between the sides are inside, or none. */
const isRectangle = (edges: Float64Array, [west, south, east, north]: Bbox): boolean => {
  for (let i = 0; i < edges.length; i += 4) {
    const [ax, ay, bx, by] = edges.subarray(i, i + 4) as unknown as [number, number, number, number] // one edge
    const onSide = (ax === bx && (ax === west || ax === east)) || (ay === by && (ay === south || ay === north))
    if (!onSide) return false
  }
  return west < east && south < north
}

/** The degrees that are added to a longitude before it is compared with a bbox. */
export const turnsOf = ([west, , east]: Bbox): number[] => [
  0,
  ...(west < -180 ? [-360] : []),
  ...(east > 180 ? [360] : []),
]
