import { events as table } from '../../schema/tables.ts'
import { cellOf } from '../geometry/cell.ts'
import { as, field, type LargeFields } from './field.ts'
import { nullable, plain } from './forms.ts'
import * as kinds from './kinds.ts'
import { point } from './readers.ts'
import { NUMBER, orNull } from './schema.ts'

/** The schema of a point in a body. The z is optional, and GeoJSON allows more members (RFC 7946, 6.1). */
const POINT = {
  type: 'object',
  properties: {
    type: { const: 'Point' },
    coordinates: { type: 'array', items: NUMBER, minItems: 2, maxItems: 3 },
  },
  required: ['type', 'coordinates'],
}

/** The place of an event. */
export const PLACE = {
  coordinates: field({
    columns: { x: table.x, y: table.y, z: table.z },
    kind: kinds.nullable(kinds.position),
    get: ({ x, y, z }) => (x === null || y === null ? null : ([x, y, z ?? 0] as const)),
    put: (position) => {
      const [x, y, z] = position ?? [null, null, null]
      return { x, y, z }
    },
    also: {
      columns: { cell: table.cell },
      of: (position) => ({ cell: position && cellOf(position[0], position[1]) }),
    },
    on: {
      ...{ v3: null, v4: null, ogc: null, tile: null, file: as('coordinates', nullable(plain({}))) },
      flat: [
        { name: 'longitude', schema: NUMBER, nullable: true, inGeometry: true, write: (_, { x }) => x },
        { name: 'latitude', schema: NUMBER, nullable: true, inGeometry: true, write: (_, { y }) => y },
        { name: 'z', schema: NUMBER, nullable: true, inGeometry: true, write: (position) => position?.[2] ?? null },
      ],
    },
    title: 'Place',
    body: { read: point, schema: orNull(POINT), path: 'geometry', required: true },
  }),
} satisfies LargeFields
