import { ACCESS_LEVELS, accessName } from '../../access.ts'
import { filterSet } from '../../filters/filter.ts'
import { choice } from '../../filters/scalar.ts'
import { instant, isoInstant, MICROSECONDS, MILLISECONDS } from '../../filters/temporal.ts'
import { ADDRESS, INSTANT, orNull, record, STRING, UUID } from '../../formats/schema.ts'
import { plainFields, type Resource } from '../../resource.ts'
import { DESCRIBED, described, filters, type SeriesRow, series } from '../series.ts'
import { ACCESS } from '../writing.ts'

const path = '/api/v4/eventseries/'
const { columns } = series

/** The event series list of version 4 (SPEC 2.4, 4.3). */
export const eventSeriesV4: Resource = {
  ...series,
  path,
  description: 'The series that group events, with the period of their events and their access level.',
  filters: filterSet({
    ...filters,
    access_modifier: {
      ...choice(columns.accessModifier, ACCESS_LEVELS),
      about: 'The access level of the series, as a name or its number,',
      example: 'Public',
    },
    created: {
      ...instant(columns.created, MICROSECONDS),
      about: 'The time at which the series was created',
      example: '2022-09-01T09:20:06Z',
    },
    last_modified: {
      ...instant(columns.lastModified, MICROSECONDS),
      about: 'The time of the last change of the series',
      example: '2018-02-07T01:42:00Z',
    },
  }),
  orderings: { ...series.orderings, start: columns.start, end: columns.end },
  item: 'EventSeriesV4',
  schemas: {
    EventSeriesV4: record({
      url: ADDRESS,
      uuid: UUID,
      name: STRING,
      ...DESCRIBED,
      start: orNull(INSTANT),
      end: orNull(INSTANT),
      access_modifier: ACCESS,
      last_modified: orNull(INSTANT),
      created: INSTANT,
    }),
  },
  serialize: (row: SeriesRow, links) => ({
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
