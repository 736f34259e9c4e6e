import type { Geometry } from 'geojson'
import { readGeoJson } from '../../geometry/geojson.ts'
import { checkShape } from '../../geometry/geometry.ts'
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
