/** A position: x and y, longitude and latitude in degrees (EPSG:4326); whatever follows them has no meaning here. */
export type Position = number[]

/**
 * The seven geometries of RFC 7946, section 3.1. An empty one has `coordinates: []` or `geometries: []`; the parts of a
 * Multi geometry and the rings of a polygon are never empty themselves.
 */
export type Geometry =
  | { type: 'Point'; coordinates: Position }
  | { type: 'LineString' | 'MultiPoint'; coordinates: Position[] }
  | { type: 'Polygon' | 'MultiLineString'; coordinates: Position[][] }
  | { type: 'MultiPolygon'; coordinates: Position[][][] }
  | { type: 'GeometryCollection'; geometries: Geometry[] }

/** What a reader of one form makes of its input: a geometry in the reference system of its SRID, 0 where it names none. */
export type Reading = { geometry: Geometry; srid: number }

/** How many positions a reader has met; each reader carries one through the whole of its input. */
export type Tally = { vertices: number }

/** The most positions one geometry may have, over all its parts. */
export const MAX_VERTICES = 100_000

/** The most collections that may stand in one another, the outermost counted. */
export const MAX_DEPTH = 32

/**
 * A geometry that cannot be read: the message says why, where and what to enter. Characters are counted from 1, bytes are
 * offsets from 0, parts and members are counted from 1.
 */
export class GeometryError extends Error {
  override name = 'GeometryError'
}

/** Counts positions as they are met, or are promised, and throws a GeometryError beyond MAX_VERTICES. */
export const count = (tally: Tally, vertices: number): void => {
  tally.vertices += vertices
  if (tally.vertices <= MAX_VERTICES) return
  throw new GeometryError(`the geometry has more than ${MAX_VERTICES} positions; enter a simplified one`)
}

/** Throws a GeometryError when collections stand more than MAX_DEPTH deep; the outermost has depth 1. */
export const checkDepth = (depth: number, place: string): void => {
  if (depth <= MAX_DEPTH) return
  throw new GeometryError(`${place}: collections stand more than ${MAX_DEPTH} deep; enter a flat one`)
}

/** At most 24 characters of the input in quotes, for a message. */
export const quote = (input: string): string => `'${input.length > 24 ? `${input.slice(0, 24)}...` : input}'`

/**
 * The geometry without its empty parts, once its lines have two positions and its rings four and are closed; otherwise
 * a GeometryError that names the part. The one such check, whatever form the geometry came in. `member` is its place in
 * the collection it is in, such as 2.1, empty for the outermost.
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
  throw new GeometryError(`${place} has 1 position; enter at least 2, such as LINESTRING (5 52, 6 53)`)
}

// An empty outer ring with holes has no inside to cut them from, so it is an error; any other empty ring is nothing.
const checkRings = (rings: Position[][], place: string, polygon: string): Position[][] => {
  const kept = rings.filter(filled)
  if (kept.length > 0 && rings[0]?.length === 0) {
    throw new GeometryError(`${place}ring 1 of ${polygon} is empty, another is not; enter the outer ring first`)
  }
  rings.forEach((ring, i) => {
    if (filled(ring)) checkRing(ring, `${place}ring ${i + 1} of ${polygon}`)
  })
  return kept
}

const checkRing = (ring: Position[], place: string): void => {
  const [first, last] = [ring[0] ?? [], ring[ring.length - 1] ?? []]
  if (first[0] !== last[0] || first[1] !== last[1]) {
    const ends = `it starts at ${brief(first)} and ends at ${brief(last)}`
    throw new GeometryError(`${place} is not closed: ${ends}; enter the first position again as the last`)
  }
  if (ring.length >= 4) return
  const have = `${ring.length} position${ring.length === 1 ? '' : 's'}`
  throw new GeometryError(`${place} has ${have}; enter at least 4, the last equal to the first`)
}

const brief = ([x = 0, y = 0]: Position): string => `${Number(x.toPrecision(6))} ${Number(y.toPrecision(6))}`
