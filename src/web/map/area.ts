import type { Geometry, Polygon, Position } from 'geojson'
import { readGeoJson } from '../../geometry/geojson.ts'
import { checkShape, membersOf } from '../../geometry/geometry.ts'
import { readWkt } from '../../geometry/wkt.ts'

/** Reads a text of `geom_within` in longitude and latitude. Returns null for forms that the map cannot show. */
export const geometryOf = (text: string): Geometry | null => {
  try {
    const { geometry, srid } = text.trimStart().startsWith('{') ? readGeoJson(text) : readWkt(text)
    return srid === 0 || srid === 4326 ? (checkShape(geometry) as Geometry) : null
  } catch {
    return null
  }
}

/** Returns every position of an area. */
export const positionsOf = (area: Geometry): readonly Position[] => {
  const { points, lines, polygons } = membersOf(area as Parameters<typeof membersOf>[0])
  return [...points, ...lines.flat(), ...polygons.flat(2)]
}

/** Rounds the positions of a polygon to 0.00001 degrees, about a metre. No coordinate is -0. */
export const rounded = ({ coordinates }: Polygon): Polygon => ({
  type: 'Polygon',
  coordinates: coordinates.map((ring) =>
    ring.map(([x = 0, y = 0]) => [x, y].map((part) => Number(part.toFixed(5)) + 0)),
  ),
})

/** Writes a polygon in WKT, with rounded positions. */
export const wktOf = (area: Polygon): string => {
  const rings = rounded(area).coordinates.map((ring) => ring.map((position) => position.join(' ')).join(', '))
  return `POLYGON (${rings.map((ring) => `(${ring})`).join(', ')})`
}
