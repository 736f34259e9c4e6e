import { ACCESS_LEVELS, accessName } from '../../access.ts'
import { filterSet } from '../../filters/filter.ts'
import { choice, text, uuid } from '../../filters/scalar.ts'
import { instant, isoInstant, MICROSECONDS, MILLISECONDS } from '../../filters/temporal.ts'
import { plainFields, type Resource } from '../../list/resource.ts'
import { described, name, series } from '../series.ts'

const path = '/api/v4/eventseries/'
const { columns } = series

/** The event series list of version 4 (SPEC 2.4, 4.3). */
export const eventSeriesV4: Resource = {
  ...series,
  path,
  description: 'The series that group events, with the period of their events and who may see them.',
  filters: filterSet({
    uuid: uuid(columns.uuid),
    name: text(name),
    access_modifier: choice(columns.accessModifier, ACCESS_LEVELS),
    created: instant(columns.created, MICROSECONDS),
    last_modified: instant(columns.lastModified, MICROSECONDS),
  }),
  orderings: { ...series.orderings, start: columns.start, end: columns.end },
  serialize: (row, links) => ({
    url: links.to(`${path}${row.uuid}/`),
    uuid: row.uuid,
    name: row.name,
    ...described(row, links, 'v4'),
    start: isoInstant(row.start, MILLISECONDS),
    end: isoInstant(row.end, MILLISECONDS),
    access_modifier: accessName(row.accessModifier),
    last_modified: isoInstant(row.lastModified, MICROSECONDS),
    created: isoInstant(row.created, MICROSECONDS),
  }),
  fields: plainFields([
    ...['url', 'uuid', 'name', 'description', 'observation_type', 'statistic', 'color'],
    ...['start', 'end', 'access_modifier', 'last_modified', 'created'],
  ]),
}
