import { at } from '../base/collections.ts'
import { ValueError, valueError } from '../base/errors.ts'

/**
 * A position: x, y, and optional numbers that this code ignores. It is longitude and latitude in degrees (EPSG:4326),
 * unless an SRID names another system.
 */
export type Position = number[]

/**
 * The seven geometry types of RFC 7946, section 3.1. An empty geometry has `coordinates: []` or `geometries: []`. After
 * `checkShape`, no part of a Multi geometry and no ring is empty.
 */
export type Geometry =
  | { type: 'Point'; coordinates: Position }
  | { type: 'LineString' | 'MultiPoint'; coordinates: Position[] }
  | { type: 'Polygon' | 'MultiLineString'; coordinates: Position[][] }
  | { type: 'MultiPolygon'; coordinates: Position[][][] }
  | { type: 'GeometryCollection'; geometries: Geometry[] }

/** The result of a reader. The geometry is in the reference system `srid`. `srid` is 0 if the input names no system. */
export type ParsedGeometry = { geometry: Geometry; srid: number }

/** The number of positions read. A reader passes one tally through its whole input. */
export type Count = { vertices: number }

/** The maximum number of positions in one geometry, over all its parts. */
export const MAX_VERTICES = 100_000

/** The maximum depth of nested collections. The outermost collection has depth 1. */
export const MAX_DEPTH = 32

/** Adds positions to the tally. Throws a ValueError beyond MAX_VERTICES. */
export const count = (tally: Count, vertices: number): void => {
  tally.vertices += vertices
  if (tally.vertices <= MAX_VERTICES) return
  throw new ValueError(`the geometry has more than ${MAX_VERTICES} positions; enter a simplified one`)
}

/** Throws a ValueError if collections are nested deeper than MAX_DEPTH. `depth` is 1 for the outermost. */
export const checkDepth = (depth: number, place: string): void => {
  if (depth <= MAX_DEPTH) return
  throw new ValueError(`${place}: collections are nested more than ${MAX_DEPTH} deep; enter a flat collection`)
}

/** Returns the points, lines and polygons in a geometry of any type. */
export const geometriesOf = (geometry: Geometry) => {
  const parts = partsOf(geometry)
  const ofTypes = (one: Geometry['type'], several: Geometry['type']): unknown[] =>
    parts.flatMap(({ type, coordinates }): unknown[] => {
      if (type === one) return [coordinates]
      return type === several ? coordinates : []
    })
  return {
    points: ofTypes('Point', 'MultiPoint') as Position[],
    lines: ofTypes('LineString', 'MultiLineString') as Position[][],
    polygons: ofTypes('Polygon', 'MultiPolygon') as Position[][][],
  }
}

/** Returns the members of nested collections. */
const partsOf = (geometry: Geometry): Exclude<Geometry, { type: 'GeometryCollection' }>[] =>
  geometry.type === 'GeometryCollection' ? geometry.geometries.flatMap(partsOf) : [geometry]

/** Returns at most 24 characters of the input in quotes, for a message. */
export const quote = (input: string): string => `'${input.length > 24 ? `${input.slice(0, 24)}...` : input}'`

/**
 * Checks a geometry from any input format and returns it without its empty parts. Throws a ValueError that names the
 * part if a line has only one position, or if a ring is open or has fewer than four.
 * `member` is the place of the geometry in its collection, such as 2.1. It is empty for the outermost geometry.
 */
export const checkShape = (geometry: Geometry, member = ''): Geometry => {
  const place = member && `member ${member} of the collection: `
  const { type } = geometry
  switch (type) {
    case 'Point':
      return geometry
    case 'MultiPoint':
      return { type, coordinates: geometry.coordinates.filter(filled) }
    case 'LineString':
      return { type, coordinates: checkLine(geometry.coordinates, `${place}the line string`) }
    case 'MultiLineString': {
      const lines = geometry.coordinates.map((line, i) => checkLine(line, `${place}line string ${i + 1}`))
      return { type, coordinates: lines.filter(filled) }
    }
    case 'Polygon':
      return { type, coordinates: checkRings(geometry.coordinates, place, 'the polygon') }
    case 'MultiPolygon': {
      const polygons = geometry.coordinates.map((rings, i) => checkRings(rings, place, `polygon ${i + 1}`))
      return { type, coordinates: polygons.filter(filled) }
    }
    case 'GeometryCollection': {
      const path = member && `${member}.`
      return { type, geometries: geometry.geometries.map((each, i) => checkShape(each, `${path}${i + 1}`)) }
    }
  }
}

const filled = (part: readonly unknown[]): boolean => part.length > 0

const checkLine = (line: Position[], place: string): Position[] => {
  if (line.length !== 1) return line
  throw new ValueError(`${place} has 1 position; enter at least 2, such as LINESTRING (5 52, 6 53)`)
}

// An empty outer ring with holes is an error, because the holes need an area to cut. Other empty rings are dropped.
const checkRings = (rings: Position[][], place: string, polygon: string): Position[][] => {
  const nonEmpty = rings.filter(filled)
  if (nonEmpty.length > 0 && rings[0]?.length === 0) {
    throw new ValueError(`${place}ring 1 of ${polygon} is empty, but another ring is not; enter the outer ring first`)
  }
  rings.forEach((ring, i) => {
    if (filled(ring)) checkRing(ring, `${place}ring ${i + 1} of ${polygon}`, i + 1)
  })
  return nonEmpty
}

const checkRing = (ring: Position[], place: string, number: number): void => {
  const [first, last] = [at(ring, 0), at(ring, -1)]
  if (first[0] !== last[0] || first[1] !== last[1]) {
    throw valueError(['openRing', place, number, brief(first), brief(last)])
  }
  if (ring.length >= 4) return
  const have = `${ring.length} position${ring.length === 1 ? '' : 's'}`
  throw new ValueError(`${place} has ${have}; enter at least 4, the last equal to the first`)
}

/** Writes a position for a message. */
export const brief = (position: Position): string => position.map((value) => Number(value.toPrecision(6))).join(' ')

/** Returns the coordinate, or 0 if it is nearer to 0 than 1e-100 degrees. The product of two others cannot underflow. */
export const zeroIfNear = (coordinate: number): number => (Math.abs(coordinate) < 1e-100 ? 0 : coordinate)
