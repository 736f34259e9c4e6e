import { eq, type SQL, sql } from 'drizzle-orm'
import { observationTypes, eventSeries as table } from '../../schema/tables.ts'
import { eventSeriesV4 } from '../api/series.ts'
import { filterSet } from '../filters/filter.ts'
import { within } from '../filters/sql.ts'
import { overlapping } from '../filters/temporal.ts'
import type { Bbox } from '../geometry/bbox.ts'
import { longitudesOf } from '../geometry/box.ts'
import type { Geometry } from '../geometry/geometry.ts'
import { featureSchemasOf, filtersOf, plainWriterOf, propertiesOf } from '../model/members.ts'
import { joinedColumnsOf } from '../model/rows.ts'
import { type JoinedSeriesRow, SERIES } from '../model/series.ts'
import type { Collection } from './collection.ts'
import { seriesWritable } from './writing/series.ts'

const featureProperties = plainWriterOf(SERIES, 'ogc')

/** The collection of series. The geometry of a series is the rectangle around its events. */
export const seriesCollection: Collection = {
  id: 'eventseries',
  title: 'Event series',
  description: 'The series that group events. Each is the rectangle around the places of its events.',
  resource: {
    ...eventSeriesV4,
    columns: { ...eventSeriesV4.columns, ...joinedColumnsOf(SERIES, 'ogc') },
    joins: sql`LEFT JOIN ${observationTypes} ON ${eq(observationTypes.id, table.observationTypeId)}`,
  },
  filters: filterSet(filtersOf(SERIES, 'ogc')),
  fixed: [],
  properties: { id: { kind: 'integer', column: table.id }, ...propertiesOf(SERIES) },
  schema: { id: { title: SERIES.id.title, type: 'integer', 'x-ogc-role': 'id' }, ...featureSchemasOf(SERIES, 'ogc') },
  geometry: 'Polygon',
  series: null,
  ofSeries: true,
  featureOf: (row: JoinedSeriesRow) => ({
    id: row.id,
    geometry: eventSeriesV4.place.of(row).geometry as Geometry | null,
    properties: featureProperties(row),
    path: `${eventSeriesV4.path}${row.uuid}/`,
  }),
  writableIn: () => seriesWritable,
  find: (key) => (/^\d{1,15}$/.test(key) ? eq(table.id, Number(key)) : null),
  inBox: (bounds) => {
    const loose = { kind: 'sql', sql: meets(bounds) } as const
    return { strict: loose, loose }
  },
  // Series are rectangles, so the rectangle around the shape is enough.
  inShape: ({ bbox }) => {
    const loose = { kind: 'sql', sql: bbox === null ? sql`0` : meets(bbox) } as const
    return { strict: loose, loose }
  },
  placeless: null,
  during: (least, greatest) =>
    overlapping(table.start, table.end, [least, greatest]).map(({ column, extent }) => ({
      kind: 'sql',
      sql: sql`(${table.start} IS NULL OR ${within(column, extent)})`,
    })),
}

/** Returns the condition for series whose rectangle meets a box. A series without events matches every box. */
const meets = (bounds: Bbox): SQL => {
  const [, south, , north] = bounds
  const across = longitudesOf(bounds).map(
    ([west, east]) => sql`(${table.west} <= ${east} AND ${table.east} >= ${west})`,
  )
  return sql`(${table.west} IS NULL OR (${table.south} <= ${north} AND ${table.north} >= ${south} AND (${sql.join(across, sql` OR `)})))`
}
