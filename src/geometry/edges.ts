import { at } from '../collections.ts'
import type { Geometry, Position } from './geometry.ts'

/** A geometry of any type as edges. Each edge has four numbers, in degrees: ax, ay, bx, by. */
export interface Edges {
  /** The edges of all rings, polygon by polygon. */
  areal: Float64Array
  /** The number of the polygon for each edge of `areal`, ascending. */
  owner: Int32Array
  /** The edges of all lines. A point is an edge of length 0. */
  linear: Float64Array
  /**
   * The boundary of the lines. A position is in it if an odd number of lines end there (mod-2 rule of OGC Simple
   * Features).
   */
  ends: Ends
}

/** Positions, as sets of y by x. */
type Ends = Map<number, Set<number>>

/** Returns the edges of a geometry. An empty geometry has none. */
export const edgesOf = (geometry: Geometry): Edges => {
  const parts: Parts = { areal: [], owner: [], polygons: 0, linear: [], ends: new Map() }
  add(parts, geometry)
  return {
    areal: new Float64Array(parts.areal),
    owner: new Int32Array(parts.owner),
    linear: new Float64Array(parts.linear),
    ends: parts.ends,
  }
}

/** Tests if a position is in the boundary of the lines. */
export const isEnd = (ends: Ends, x: number, y: number): boolean => ends.get(x)?.has(y) ?? false

interface Parts {
  areal: number[]
  owner: number[]
  polygons: number
  linear: number[]
  ends: Ends
}

const add = (parts: Parts, geometry: Geometry): void => {
  switch (geometry.type) {
    case 'Point':
      addPoint(parts, geometry.coordinates)
      break
    case 'MultiPoint':
      for (const point of geometry.coordinates) addPoint(parts, point)
      break
    case 'LineString':
      addLine(parts, geometry.coordinates)
      break
    case 'MultiLineString':
      for (const line of geometry.coordinates) addLine(parts, line)
      break
    case 'Polygon':
      addPolygon(parts, geometry.coordinates)
      break
    case 'MultiPolygon':
      for (const polygon of geometry.coordinates) addPolygon(parts, polygon)
      break
    case 'GeometryCollection':
      for (const member of geometry.geometries) add(parts, member)
  }
}

const addPoint = (parts: Parts, point: Position): void => {
  const [x, y] = point
  if (x !== undefined && y !== undefined) parts.linear.push(x, y, x, y)
}

const addLine = (parts: Parts, line: Position[]): void => {
  addEdges(parts.linear, line)
  for (const end of [line.at(0), line.at(-1)]) toggle(parts.ends, end)
}

const addPolygon = (parts: Parts, rings: Position[][]): void => {
  for (const ring of rings) {
    addEdges(parts.areal, ring)
    for (let i = 1; i < ring.length; i++) parts.owner.push(parts.polygons)
  }
  parts.polygons++
}

const addEdges = (edges: number[], line: Position[]): void => {
  for (let i = 1; i < line.length; i++) {
    const [ax, ay] = line[i - 1] as [number, number] // every position has x and y
    const [bx, by] = line[i] as [number, number]
    edges.push(ax, ay, bx, by)
  }
}

const toggle = (ends: Ends, end: Position | undefined): void => {
  if (end === undefined) return
  const [x, y] = end as [number, number]
  const column = ends.get(x) ?? new Set()
  ends.set(x, column)
  if (!column.delete(y)) column.add(y)
}

/** Returns the greatest number of a polygon. 0 without polygons. `owner` has the polygon of each edge, ascending. */
export const lastOwner = (owner: Int32Array | null): number =>
  owner === null || owner.length === 0 ? 0 : at(owner, -1)
