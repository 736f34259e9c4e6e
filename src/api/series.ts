import { lte, sql } from 'drizzle-orm'
import { eventSeries as table } from '../../schema/tables.ts'
import { ACCESS_LEVELS } from '../access.ts'
import { filterSet } from '../filters/filter.ts'
import { startsWithUuid, uuidPrefix } from '../filters/uuid.ts'
import { rectangleOf } from '../geometry/bbox.ts'
import { filtersOf, type ItemMember, membersOf, orderingsOf, schemasOf, writerOf } from '../model/members.ts'
import { columnsOf } from '../model/rows.ts'
import { ADDRESS, INTEGER, listOf, NUMBER, orNull, record, UUID } from '../model/schema.ts'
import { SERIES, type SeriesRow } from '../model/series.ts'
import type { Resource } from '../resource.ts'
import { writable } from './seriesWriting.ts'

/** The schema of a polygon with one ring of five positions. */
const RECTANGLE = record({ type: { const: 'Polygon' }, coordinates: listOf(listOf(listOf(NUMBER, 2), 5), 1) })

/** Returns the parts of a list of series that depend on its version. */
const seriesList = (version: 'v3' | 'v4') => {
  const path = `/api/${version}/eventseries/`
  const url: ItemMember = {
    name: 'url',
    schema: ADDRESS,
    write: ({ uuid }: SeriesRow, links) => links.to(`${path}${uuid}/`),
  }
  const members = [url, ...membersOf(SERIES, version)]
  const csv = version === 'v3' ? [url, ...membersOf(SERIES, 'flat')] : members
  return {
    path,
    filters: filterSet(filtersOf(SERIES, version)),
    orderings: orderingsOf(SERIES, version),
    serialize: writerOf(members),
    members,
    csv,
  }
}

/** The declarations that both versions of the list share. */
const series = {
  name: 'Event Series List',
  itemName: 'Event Series Instance',
  table,
  id: table.id,
  columns: columnsOf(SERIES),
  visible: (level: number) => (level >= ACCESS_LEVELS.Hidden ? null : lte(table.accessModifier, level)),
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
    of: (row: SeriesRow) => {
      const bounds = SERIES.bounds.get(row)
      if (bounds === null) return { id: row.uuid, geometry: null }
      const bbox = [bounds.west, bounds.south, bounds.east, bounds.north] as const
      return { id: row.uuid, bbox, geometry: rectangleOf(bbox) }
    },
    schemas: { id: UUID, bbox: listOf(NUMBER, 4), geometry: orNull(RECTANGLE) },
  },
}

const { members: membersV3, ...listV3 } = seriesList('v3')

/** The event series list of version 3 (SPEC 2.3, 4.2). */
export const eventSeriesV3: Resource<SeriesRow> = {
  ...series,
  ...listV3,
  description: 'The series that group events, with the period and the bounds of their events.',
  item: 'EventSeriesV3',
  schemas: {
    EventSeriesV3: record(schemasOf(membersV3)),
    Bounds: record(
      { west: NUMBER, east: NUMBER, north: NUMBER, south: NUMBER },
      { description: 'The smallest box around the points of the events, in degrees.' },
    ),
  },
  flat: { of: writerOf(listV3.csv), item: 'FlatEventSeriesV3', schema: record(schemasOf(listV3.csv)) },
}

const { members: membersV4, ...listV4 } = seriesList('v4')

/** The event series list of version 4 (SPEC 2.4, 4.3). */
export const eventSeriesV4: Resource<SeriesRow> = {
  ...series,
  ...listV4,
  description: 'The series that group events, with the period of their events and their access level.',
  item: 'EventSeriesV4',
  schemas: { EventSeriesV4: record(schemasOf(membersV4)) },
}

const included: ItemMember[] = [
  { name: 'id', schema: INTEGER, write: ({ id }: SeriesRow) => id },
  ...membersOf({ uuid: SERIES.uuid }, 'v4'),
  ...membersV3,
]

/**
 * The series that a page of events can include. Each has the fields of its list, its uuid, and the id that events show.
 */
export const includedSeries: Resource<SeriesRow> = {
  ...eventSeriesV3,
  item: 'IncludedSeries',
  schemas: { IncludedSeries: record(schemasOf(included)) },
  serialize: writerOf(included),
}
