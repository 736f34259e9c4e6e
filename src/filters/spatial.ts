import { ValueError } from '../errors.ts'
import { GeometryError } from '../geometry/geometry.ts'
import { parseGeometry } from '../geometry/parse.ts'
import { prepare } from '../geometry/within.ts'
import type { Filter } from './filter.ts'

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
