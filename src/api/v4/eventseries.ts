import { eventSeries as table } from '../../../schema/tables.ts'
import { ACCESS_LEVELS, accessName } from '../../access.ts'
import { filterSet } from '../../filters/filter.ts'
import { choice, text, uuid } from '../../filters/scalar.ts'
import { instant, isoInstant, MICROSECONDS, MILLISECONDS } from '../../filters/temporal.ts'
import type { Resource } from '../../list/resource.ts'
import { find, name, visible } from '../series.ts'

const path = '/api/v4/eventseries/'

/** The event series list of version 4 (SPEC 2.4, 4.3). */
export const eventSeriesV4: Resource = {
  path,
  name: 'Event Series List',
  itemName: 'Event Series Instance',
  description: 'The series that group events, with the period of their events and who may see them.',
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
    accessModifier: table.accessModifier,
    lastModified: table.lastModified,
    created: table.created,
  },
  visible,
  filters: filterSet({
    uuid: uuid(table.uuid),
    name: text(name),
    access_modifier: choice(table.accessModifier, ACCESS_LEVELS),
    created: instant(table.created, MICROSECONDS),
    last_modified: instant(table.lastModified, MICROSECONDS),
  }),
  orderings: {
    id: table.id,
    name: table.name,
    created: table.created,
    last_modified: table.lastModified,
    start: table.start,
    end: table.end,
  },
  maxPageSize: 1000,
  find,
  serialize: (row, links) => ({
    url: links.to(`${path}${row.uuid}/`),
    uuid: row.uuid,
    name: row.name,
    description: row.description,
    observation_type: links.to(`/api/v4/observationtypes/${row.observationType}/`),
    statistic: row.statistic,
    color: row.color,
    start: isoInstant(row.start, MILLISECONDS),
    end: isoInstant(row.end, MILLISECONDS),
    access_modifier: accessName(row.accessModifier),
    last_modified: isoInstant(row.lastModified, MICROSECONDS),
    created: isoInstant(row.created, MICROSECONDS),
  }),
}
