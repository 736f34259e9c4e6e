import { eventSeries as table } from '../../../schema/tables.ts'
import { filterSet } from '../../filters/filter.ts'
import { number, text, uuid } from '../../filters/scalar.ts'
import type { Resource } from '../../list/resource.ts'
import { find, name, visible } from '../series.ts'

const path = '/api/v3/eventseries/'

/** The event series list of version 3 (SPEC 2.3, 4.2). */
export const eventSeriesV3: Resource = {
  path,
  name: 'Event Series List',
  itemName: 'Event Series Instance',
  description: 'The series that group events, with the period and the bounds of their events.',
  table,
  id: table.id,
  columns: {
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
  },
  visible,
  filters: filterSet({
    name: text(name),
    id: number(table.id),
    uuid: uuid(table.uuid),
  }),
  orderings: { id: table.id, name: table.name, created: table.created, last_modified: table.lastModified },
  maxPageSize: 1000,
  find,
  serialize: (row, links) => ({
    url: links.to(`${path}${row.uuid}/`),
    name: row.name,
    description: row.description,
    observation_type: links.to(`/api/v3/observationtypes/${row.observationType}/`),
    statistic: row.statistic,
    color: row.color,
    first_value_timestamp: row.start,
    last_value_timestamp: row.end,
    spatial_bounds: row.west === null ? null : { west: row.west, east: row.east, north: row.north, south: row.south },
  }),
}
