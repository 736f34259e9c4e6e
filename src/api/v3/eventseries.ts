import { filterSet } from '../../filters/filter.ts'
import { number } from '../../filters/scalar.ts'
import { isoInstant, MILLISECONDS } from '../../filters/temporal.ts'
import { ADDRESS, INSTANT, NUMBER, orNull, record, ref, STRING, TIMESTAMP } from '../../formats/schema.ts'
import { plainFields, type Resource } from '../../resource.ts'
import { DESCRIBED, described, filters, type SeriesRow, series } from '../series.ts'

const path = '/api/v3/eventseries/'

/** The event series list of version 3 (SPEC 2.3, 4.2). */
export const eventSeriesV3: Resource = {
  ...series,
  path,
  description: 'The series that group events, with the period and the bounds of their events.',
  filters: filterSet({
    ...filters,
    id: { ...number(series.id), about: 'The id of the series', example: 5 },
  }),
  item: 'EventSeriesV3',
  schemas: {
    EventSeriesV3: record({
      url: ADDRESS,
      name: STRING,
      ...DESCRIBED,
      first_value_timestamp: orNull(TIMESTAMP),
      last_value_timestamp: orNull(TIMESTAMP),
      spatial_bounds: orNull(ref('Bounds')),
    }),
    Bounds: record(
      { west: NUMBER, east: NUMBER, north: NUMBER, south: NUMBER },
      { description: 'The smallest box around the points of the events, in degrees.' },
    ),
  },
  serialize: (row: SeriesRow, links) => ({
    url: links.to(`${path}${row.uuid}/`),
    name: row.name,
    ...described(row, links, 'v3'),
    first_value_timestamp: row.start,
    last_value_timestamp: row.end,
    spatial_bounds: row.west === null ? null : { west: row.west, east: row.east, north: row.north, south: row.south },
  }),
  flat: {
    of: (row: SeriesRow, links) => ({
      url: links.to(`${path}${row.uuid}/`),
      name: row.name,
      ...described(row, links, 'v3'),
      first_value_timestamp: isoInstant(row.start, MILLISECONDS),
      last_value_timestamp: isoInstant(row.end, MILLISECONDS),
      ...{ west: row.west, east: row.east, north: row.north, south: row.south },
    }),
    item: 'FlatEventSeriesV3',
    schema: record({
      ...{ url: ADDRESS, name: STRING, ...DESCRIBED },
      ...{ first_value_timestamp: orNull(INSTANT), last_value_timestamp: orNull(INSTANT) },
      ...{ west: orNull(NUMBER), east: orNull(NUMBER), north: orNull(NUMBER), south: orNull(NUMBER) },
    }),
  },
  fields: plainFields([
    ...['url', 'name', 'description', 'observation_type', 'statistic', 'color'],
    ...['first_value_timestamp', 'last_value_timestamp', 'west', 'east', 'north', 'south'],
  ]),
}
