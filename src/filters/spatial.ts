import { ValueError } from '../errors.ts'
import { allOf } from '../geometry/combine.ts'
import { GeometryError } from '../geometry/geometry.ts'
import { parseGeometry } from '../geometry/parse.ts'
import { prepare } from '../geometry/within.ts'
import type { Condition, Filter } from './filter.ts'

/** Within a geometry, as PostGIS ST_Within has it: WKT, HEXEWKB, WKB or GeoJSON, see geometry/parse.ts. */
export const within: Filter = {
  kind: 'geometry',
  schema: {
    type: 'string',
    description: 'A geometry as (E)WKT, hexadecimal or base64 (E)WKB, or GeoJSON, in longitude and latitude.',
  },
  asks: 'is within this, not on its boundary',
  bare: 'exact',
  lookups: {
    exact: (bytes) => {
      try {
        return { area: prepare(parseGeometry(bytes)) }
      } catch (error) {
        if (error instanceof GeometryError) throw new ValueError(error.message)
        throw error
      }
    },
  },
}

/** The same conditions, those on the place as one area: so a page is found by one covering. */
export const inOneArea = (conditions: readonly Condition[]): Condition[] => {
  const areas = conditions.flatMap((condition) => ('area' in condition ? [condition.area] : []))
  const others = conditions.filter((condition) => !('area' in condition))
  return areas.length === 0 ? others : [...others, { area: allOf(areas) }]
}
