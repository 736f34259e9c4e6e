import { lte, sql } from 'drizzle-orm'
import { eventSeries as table } from '../../schema/tables.ts'
import { ACCESS_LEVELS } from '../access.ts'
import { text } from '../filters/scalar.ts'
import { startsWithUuid, uuid, uuidPrefix } from '../filters/uuid.ts'
import { ADDRESS, listOf, NUMBER, orNull, record, STRING, UUID } from '../formats/schema.ts'
import { rectangleOf } from '../geometry/bbox.ts'
import type { RowOf } from '../query/table.ts'
import type { ItemPlace, Links } from '../resource.ts'
import { COLOR, writable } from './writing.ts'

/** The names of the series, for text filters. */
const name = { key: table.id, table, id: table.id, text: table.name, folded: table.nameFolded }

/** The filters that every version has. */
export const filters = {
  uuid: { ...uuid(table.uuid), about: 'The uuid of the series', example: '99fe5d03-893d-5b20-8244-b9189db33e37' },
  name: { ...text(name), about: 'The name of the series', example: 'Zomertijd Nederland' },
}

/** The schema of a polygon with one ring of five positions. */
const RECTANGLE = record({ type: { const: 'Polygon' }, coordinates: listOf(listOf(listOf(NUMBER, 2), 5), 1) })

/** The columns of a series. */
const columns = {
  id: table.id,
  uuid: table.uuid,
  name: table.name,
  description: table.description,
  observationType: table.observationTypeId,
  statistic: table.statistic,
  color: table.color,
  start: table.start,
  end: table.end,
  west: table.west,
  east: table.east,
  north: table.north,
  south: table.south,
  accessModifier: table.accessModifier,
  lastModified: table.lastModified,
  created: table.created,
}

export type SeriesRow = RowOf<typeof columns>

/** The declarations that all versions of the series list share. */
export const series = {
  name: 'Event Series List',
  itemName: 'Event Series Instance',
  table,
  id: table.id,
  columns,
  visible: (level: number) => (level >= ACCESS_LEVELS.Hidden ? null : lte(table.accessModifier, level)),
  orderings: { id: table.id, name: table.name, created: table.created, last_modified: table.lastModified },
  maxPageSize: 1000,
  key: {
    name: 'uuid',
    description:
      'The uuid of the series, or its first characters, if only one series that the caller sees starts with them.',
    schema: { type: 'string', pattern: '^[0-9A-Fa-f-]+$' },
    example: '99fe5d0',
    toWrite: {
      description: 'The whole uuid of the series.',
      schema: UUID,
      example: '99fe5d03-893d-5b20-8244-b9189db33e37',
    },
  },
  /** Matches the series whose uuid starts with the key, in any case, with or without hyphens. */
  find: (key: string) => {
    const prefix = uuidPrefix(key)
    return prefix === null ? null : startsWithUuid(table.uuid, sql`${prefix}`)
  },
  writable,
  /**
   * The rectangle around the points of its events. It is a polygon even for one point, because many maps show one kind
   * of geometry.
   */
  place: {
    of: ({ uuid, west, south, east, north }: SeriesRow): ItemPlace =>
      west === null || south === null || east === null || north === null
        ? { id: uuid, geometry: null }
        : { id: uuid, bbox: [west, south, east, north], geometry: rectangleOf([west, south, east, north]) },
    schemas: { id: UUID, bbox: listOf(NUMBER, 4), geometry: orNull(RECTANGLE) },
  },
}

/** Returns the fields from `description` to `color`, which every version has. */
export const described = (row: SeriesRow, links: Links, version: 'v3' | 'v4') => ({
  description: row.description,
  observation_type: links.to(`/api/${version}/observationtypes/${row.observationType}/`),
  statistic: row.statistic,
  color: row.color,
})

/** The schemas of these fields. */
export const DESCRIBED = {
  description: STRING,
  observation_type: ADDRESS,
  statistic: STRING,
  color: COLOR,
}
