import { eq, type SQL, sql } from 'drizzle-orm'
import { observationTypes, eventSeries as table } from '../../schema/tables.ts'
import { accessName } from '../access.ts'
import type { SeriesRow } from '../api/series.ts'
import { eventSeriesV4 } from '../api/v4/eventseries.ts'
import type { FilterParameter } from '../filters/filter.ts'
import { filterSet } from '../filters/filter.ts'
import { number } from '../filters/scalar.ts'
import { isoInstant, MICROSECONDS, MILLISECONDS, overlapping } from '../filters/temporal.ts'
import type { Bbox } from '../geometry/bbox.ts'
import { longitudesOf } from '../geometry/box.ts'
import type { Geometry } from '../geometry/geometry.ts'
import { within } from '../query/db/sql.ts'
import type { RowOf } from '../query/table.ts'
import type { Collection } from './collection.ts'
import { SERIES_PROPERTIES } from './properties.ts'
import { seriesWritable } from './writing/series.ts'

const STRING = { type: 'string' }
const INSTANT = { type: 'string', format: 'date-time' }

/** The columns that features show and the list of series does not. */
const described = {
  count: table.eventCount,
  code: observationTypes.code,
  quantity: observationTypes.name,
  unit: observationTypes.unit,
}
type DescribedRow = SeriesRow & RowOf<typeof described>

/** The collection of series. The geometry of a series is the rectangle around its events. */
export const seriesCollection: Collection = {
  id: 'eventseries',
  title: 'Event series',
  description: 'The series that group events. Each is the rectangle around the places of its events.',
  resource: {
    ...eventSeriesV4,
    columns: { ...eventSeriesV4.columns, ...described },
    joins: sql`LEFT JOIN ${observationTypes} ON ${eq(observationTypes.id, table.observationTypeId)}`,
  },
  filters: new Map<string, FilterParameter>([
    ...eventSeriesV4.filters,
    ...filterSet({ id: { ...number(table.id), about: 'The id of the series', example: 5 } }),
  ]),
  fixed: [],
  properties: SERIES_PROPERTIES,
  schema: {
    id: { title: 'Id', type: 'integer', 'x-ogc-role': 'id' },
    uuid: { title: 'Uuid', ...STRING, format: 'uuid' },
    name: { title: 'Name', ...STRING },
    description: { title: 'Description', ...STRING },
    start: { title: 'Earliest start', ...INSTANT, 'x-ogc-role': 'primary-interval-start' },
    end: { title: 'Latest end', ...INSTANT, 'x-ogc-role': 'primary-interval-end' },
    event_count: { title: 'Number of events', type: 'integer' },
    observation_type: { title: 'Code of the observation type', ...STRING },
    observation_type_name: { title: 'Name of the observation type', ...STRING },
    unit: { title: 'Unit', ...STRING },
    statistic: { title: 'Statistic', ...STRING },
    color: { title: 'Colour', ...STRING },
    access_modifier: { title: 'Access level', ...STRING },
    created: { title: 'Made', ...INSTANT },
    last_modified: { title: 'Last changed', ...INSTANT },
  },
  geometry: 'Polygon',
  series: null,
  ofSeries: true,
  featureOf: (row: DescribedRow) => ({
    id: row.id,
    geometry: eventSeriesV4.place.of(row).geometry as Geometry | null,
    properties: propertiesOf(row),
    path: `${eventSeriesV4.path}${row.uuid}/`,
  }),
  writableIn: () => seriesWritable,
  find: (key) => (/^\d{1,15}$/.test(key) ? eq(table.id, Number(key)) : null),
  inBox: (bounds) => {
    const loose = { sql: meets(bounds) }
    return { strict: loose, loose }
  },
  // Series are rectangles, so the rectangle around the shape is enough.
  inShape: ({ bbox }) => {
    const loose = { sql: bbox === null ? sql`0` : meets(bbox) }
    return { strict: loose, loose }
  },
  placeless: null,
  during: (least, greatest) =>
    overlapping(table.start, table.end, [least, greatest]).map(({ column, extent }) => ({
      sql: sql`(${table.start} IS NULL OR ${within(column, extent)})`,
    })),
}

const propertiesOf = (row: DescribedRow) => ({
  uuid: row.uuid,
  name: row.name,
  description: row.description,
  start: isoInstant(row.start, MILLISECONDS),
  end: isoInstant(row.end, MILLISECONDS),
  event_count: row.count,
  observation_type: row.code,
  observation_type_name: row.quantity,
  unit: row.unit,
  statistic: row.statistic,
  color: row.color,
  access_modifier: accessName(row.accessModifier) ?? null,
  created: isoInstant(row.created, MICROSECONDS),
  last_modified: isoInstant(row.lastModified, MICROSECONDS),
})

/** Returns the condition for series whose rectangle meets a box. A series without events matches every box. */
const meets = (bounds: Bbox): SQL => {
  const [, south, , north] = bounds
  const across = longitudesOf(bounds).map(
    ([west, east]) => sql`(${table.west} <= ${east} AND ${table.east} >= ${west})`,
  )
  return sql`(${table.west} IS NULL OR (${table.south} <= ${north} AND ${table.north} >= ${south} AND (${sql.join(across, sql` OR `)})))`
}
