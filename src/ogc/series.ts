import { eq, sql } from 'drizzle-orm'
import { observationTypes, eventSeries as table } from '../../schema/tables.ts'
import { featureType } from '../api/eventWriting.ts'
import { eventSeriesV4, readOnlyOf, seriesFields, seriesIdentity, writable } from '../api/series.ts'
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
import type { Collection } from './collection.ts'
import { boxIn } from './crs.ts'
import { FEATURE_TYPES } from './request.ts'

const featureProperties = writerOf(membersOf(SERIES, 'ogc'))

const { inFeatures: _, ...writableV4 } = writable

const PREFIX = 'properties.'

/** How clients write series as features. Time and place of a series follow from its events. */
const seriesWritable = {
  ...writableV4,
  named: 'SeriesFeature',
  types: FEATURE_TYPES,
  fields: {
    type: featureType('event_series'),
    ...seriesFields(PREFIX),
  },
  readOnly: ['id', 'bbox', 'links', 'geometry', ...readOnlyOf(PREFIX)],
  examples: {
    made: {
      type: 'Feature',
      geometry: null,
      properties: { name: 'Earthquakes Utrecht', observation_type: 'earthquake' },
    },
    changed: { properties: { description: 'As they were felt.' } },
  },
  faultOf: (draft, stored, level) => {
    const fault = writableV4.faultOf(draft, stored, level)
    return fault && [PREFIX + fault[0], fault[1]]
  },
  identity: seriesIdentity('id', ({ id }) => `/ogc/collections/eventseries/items/${id}`),
  keyOf: ({ id }) => String(id),
  // The address of a feature always has the whole id.
  isWhole: () => true,
} satisfies typeof writable

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
  writableIn: () => seriesWritable,
  // Series are rectangles, so the rectangle around a box of another system is enough.
  inBounds: (bounds, srid) => {
    const bbox = srid === 0 ? bounds : at(boxIn(bounds, srid).bounds, 0).bbox
    // A series without events is in every box, as the standard demands (Part 1, 7.15.3).
    const meets = bbox === null ? sql`0` : sql`(${table.west} IS NULL OR ${sharing(table, bbox)})`
    const loose = { kind: 'sql', sql: meets } as const
    return { strict: loose, loose }
  },
  placeless: null,
  during: (least, greatest) =>
    overlapping(table.start, table.end, [least, greatest]).map(({ column, extents }) => ({
      kind: 'sql',
      sql: sql`(${table.start} IS NULL OR ${inRanges(column, extents)})`,
    })),
}
