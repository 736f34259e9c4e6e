import { type Bbox, bboxOf, inBbox } from './bbox.ts'
import { edgesOf, isEnd } from './edges.ts'
import type { Geometry } from './geometry.ts'
import { locate, onAny, polygonsAt } from './locate.ts'
import { stripesOf } from './stripes.ts'

/** A geometry made ready for many points. */
export interface Area {
  /** Null when the geometry is empty. */
  bbox: Bbox | null
  /** The turns of longitude at which a point is tested: 0, and -360 or 360 when the bbox reaches beyond -180 or 180. */
  turns: number[]
  /** All edges: ax, ay, bx, by, ...; points as edges of no length. */
  edges: Float64Array
  /** It is a rectangle, its bbox: without its boundary (open), or with it (closed); null where it has another form. */
  rectangle: 'open' | 'closed' | null
  /** Areas in all of which a point has to be; itself alone where it is not made of others. */
  parts: readonly Area[]
  /** For every edge of a polygon, the first of `edges`, the number of its polygon; empty where there are several parts. */
  owners: Int32Array
  /** The polygons that a point lies inside, in the turn of the geometry itself; null on the boundary of one. */
  polygonsAt: (x: number, y: number) => ReadonlySet<number> | null
  /**
   * PostGIS `ST_Within(POINT(x y), geometry)`: planar in longitude and latitude, exact at every double. Not within: the
   * boundary, which is all rings of a polygon, the ends of a line (mod-2 rule), and nothing of a point.
   */
  contains: (x: number, y: number) => boolean
}

/** Makes a validated geometry (closed rings, finite positions) ready, in time linear in its positions. */
export const prepare = (geometry: Geometry): Area => {
  const { areal, owner, linear, ends } = edgesOf(geometry)
  const [polygons, lines] = [stripesOf(areal), stripesOf(linear)]
  const edges = linear.length === 0 ? areal : concat(areal, linear)
  const bbox = bboxOf(edges)
  const turns = turnsOf(bbox)

  // Polygons before lines before points, the order of JTS's RelatePointLocator.
  const isInterior = (x: number, y: number): boolean => {
    const location = locate(polygons, owner, x, y)
    if (location !== 'exterior') return location === 'interior'
    return !isEnd(ends, x, y) && onAny(lines, x, y)
  }
  const contains = (x: number, y: number): boolean => {
    if (bbox === null) return false
    for (const turn of turns) if (inBbox(bbox, x + turn, y) && isInterior(x + turn, y)) return true
    return false
  }
  const single = linear.length === 0 && (owner.at(-1) ?? 0) === 0
  const rectangle = single && isRectangle(areal, bbox) && isInterior(...centreOf(bbox)) ? ('open' as const) : null
  const area = { bbox, turns, edges, rectangle, owners: owner, contains }
  return withParts({ ...area, polygonsAt: (x, y) => polygonsAt(polygons, owner, x, y) })
}

/** The area of the points that lie in all of some; null where there are none. */
export const intersectionOf = (areas: readonly Area[]): Area | null => {
  const [first] = areas
  if (first === undefined || areas.length === 1) return first ?? null
  const edges = areas.map(turned).reduce(concat)
  const contains = (x: number, y: number) => areas.every((area) => area.contains(x, y))
  // Edges of several areas: no polygon is told apart by them, so that every point is asked for.
  return {
    bbox: bboxOf(edges),
    turns: [0],
    edges,
    rectangle: null,
    owners: new Int32Array(),
    polygonsAt: () => null,
    contains,
    parts: areas,
  }
}

const withParts = (area: Omit<Area, 'parts'>): Area => {
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
