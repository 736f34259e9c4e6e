import { eq, sql } from 'drizzle-orm'
import { observationTypes, eventSeries as table } from '../../schema/tables.ts'
import { eventSeriesV4 } from '../api/series.ts'
import { seriesFeatureWritable } from '../api/seriesWriting.ts'
import { at } from '../collections.ts'
import { listFilters } from '../filters/filterSet.ts'
import { sharing } from '../filters/spatial.ts'
import { inRanges } from '../filters/sql.ts'
import { overlapping } from '../filters/temporal.ts'
import type { Geometry } from '../geometry/geometry.ts'
import { featureSchemasOf, filtersOf, membersOf, propertiesOf, writerOf } from '../model/members.ts'
import { joinedColumnsOf } from '../model/rows.ts'
import { SERIES } from '../model/series.ts'
import type { SeriesRow } from '../model/types.ts'
import { type Collection, FEATURE_TYPES } from './collection.ts'
import { boxIn } from './crs.ts'

const featureProperties = writerOf(membersOf(SERIES, 'ogc'))

/** The collection of series. The geometry of a series is the rectangle around its events. */
export const seriesCollection: Collection = {
  id: 'eventseries',
  title: 'Event series',
  description: 'The series that group events. Each is the rectangle around the places of its events.',
  resource: {
    ...eventSeriesV4,
    filters: listFilters(filtersOf(SERIES, 'ogc', 'v3', 'v4')),
    find: (key) => (/^\d{1,15}$/.test(key) ? eq(table.id, Number(key)) : null),
    columns: { ...eventSeriesV4.columns, ...joinedColumnsOf(SERIES, 'ogc') },
    joins: sql`LEFT JOIN ${observationTypes} ON ${eq(observationTypes.id, table.observationTypeId)}`,
  },
  properties: { id: { kind: 'integer', column: table.id }, ...propertiesOf(SERIES) },
  schema: {
    id: { title: SERIES.id.told.title[0], type: 'integer', 'x-ogc-role': 'id' },
    ...featureSchemasOf(SERIES, 'ogc'),
  },
  geometry: 'Polygon',
  series: null,
  ofSeries: true,
  featureOf: (row: SeriesRow) => ({
    id: row.id,
    geometry: eventSeriesV4.place.of(row).geometry as Geometry | null, // a polygon
    properties: featureProperties(row),
    path: `${eventSeriesV4.path}${row.uuid}/`,
  }),
  writableIn: () => ({ ...seriesFeatureWritable, types: FEATURE_TYPES }),
  // Series are rectangles, so the rectangle around a box of another system is enough.
  inBounds: (bounds, srid) => {
    const bbox = srid === 0 ? bounds : at(boxIn(bounds, srid).bounds, 0).bbox
    // A series without events is in every box, as the standard demands (Part 1, 7.15.3).
    const meets = bbox === null ? sql`0` : sql`(${table.west} IS NULL OR ${sharing(table, bbox)})`
    const loose = { kind: 'sql', sql: meets } as const
    return { strict: loose, loose }
  },
  placeless: null,
  during: (interval) =>
    overlapping(table.start, table.end, interval).map(({ column, extents }) => ({
      kind: 'sql',
      sql: sql`(${table.start} IS NULL OR ${inRanges(column, extents)})`,
    })),
}
