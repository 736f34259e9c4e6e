import { at } from '../base/collections.ts'
import { type Schema, UUID } from '../base/schema.ts'
import type { Row } from '../engine/engine.ts'
import { listFilters } from '../filters/filter.ts'
import { overlapping } from '../filters/temporal.ts'
import type { Bbox } from '../geometry/bbox.ts'
import type { Geometry } from '../geometry/geometry.ts'
import { prepare } from '../geometry/within.ts'
import { MERGE_PATCH } from '../http/route.ts'
import { eventFilters, events } from '../lists/event.ts'
import { eventWritable } from '../lists/eventWriting.ts'
import { idIn, type Owner, objectView, type Resource } from '../lists/resource.ts'
import { eventSeriesV4 } from '../lists/series.ts'
import { seriesFeatureWritable } from '../lists/seriesWriting.ts'
import { EVENT } from '../model/event.ts'
import {
  featureSchemasOf,
  filtersOf,
  type ItemMember,
  membersOf,
  propertiesOf,
  readsOf,
  type View,
  writerOf,
} from '../model/members.ts'
import { EMPTY } from '../model/metadata.ts'
import { SERIES } from '../model/series.ts'
import type { EventRow, Metadata, SeriesRow } from '../model/types.ts'
import type { Area, Condition } from '../question/condition.ts'
import type { Properties } from '../question/fields.ts'
import type { Extent } from '../question/range.ts'
import type { Writable } from '../store/writable.ts'
import { boxIn, pointIn } from './crs.ts'

/** A list as a collection of features. Its view has the properties of a feature. */
export interface Collection extends Resource {
  readonly id: string
  readonly title: string
  /** The properties that CQL2 may use. They are a feature's id, its geometry and the members of its `properties`. */
  readonly properties: Properties
  readonly schema: Readonly<Record<string, Schema>>
  /** The columns of people's own. */
  readonly columns: readonly OgcColumn[]
  /** The source and the licence of the data. */
  readonly source: Pick<Metadata, 'license' | 'source' | 'source_url'>
  /** The type of the geometry, which GDAL and QGIS need. */
  readonly geometry: 'Point' | 'Polygon'
  /** The series whose events are the features. Null: all series that the caller sees. */
  readonly owner: Owner | null
  /** True if the features are the series, not their events. */
  readonly ofSeries: boolean
  /** Returns the path of the same item in its list. */
  pathOf(row: Row): string
  /** Returns how clients write features by a method. Their positions use the reference system `srid`. */
  readonly writableIn: (srid: number, method?: string) => Writable
  /**
   * Returns the condition for a box in the reference system `srid`. A feature without a place also meets it (Part 1,
   * 7.15.3, /req/core/fc-bbox-response C).
   */
  readonly inBounds: (bounds: Bbox, srid: number) => Condition
  /** Returns the conditions for features that share an instant with an interval, or have no time. */
  readonly during: (interval: Extent) => readonly Condition[]
}

/** A column of the events of a series that belongs to no field of the model. Its values are no objects or arrays. */
export interface OgcColumn {
  readonly attribute: string
  /** The type of the values that it shows. */
  readonly type: 'text' | 'number' | 'boolean'
  /** True if a parameter of items has its name. CQL2 and sortby name each column. */
  readonly isQueryable: boolean
  /** Shows it in the features of the series. */
  readonly member: ItemMember
}

export interface Feature {
  readonly id: number
  readonly geometry: Geometry | null
  readonly properties: Readonly<Record<string, unknown>>
  /** The path of the same item in its list. */
  readonly path: string
}

/** Returns a function that makes the feature of a row, with the properties of a view. */
export const featuresOf = ({ place, pathOf }: Collection, { members }: Pick<View, 'members'>) => {
  const properties = writerOf(members)
  return (row: Row): Feature => ({
    id: Number(row.id),
    geometry: place.of(row).geometry as Geometry | null, // a point or a polygon
    properties: properties(row),
    path: pathOf(row),
  })
}

/** The media types of a feature in a body. */
const FEATURE_TYPES = ['application/geo+json', 'application/json']

/** Returns the media types of a body. Each means a merge patch in a PATCH (RFC 7396). */
export const typesOf = (method: string): readonly string[] =>
  method === 'PATCH' ? [MERGE_PATCH, ...FEATURE_TYPES] : FEATURE_TYPES

const properties: Properties = { id: { field: 'id' }, ...propertiesOf(EVENT, 'events'), geom: { field: 'place' } }

/** Returns how clients write events as features, with positions in the reference system `srid`. */
export const writableIn = (srid: number, owner: Owner | null): Writable => ({
  ...eventWritable('ogc', ({ id }) => `/ogc/collections/events/items/${id}`, owner, {
    ...(owner === null && { series: { schema: { ...UUID, description: 'The uuid of the series.' } } }),
    coordinates: { read: pointIn(srid) },
  }),
  named: 'EventFeature',
  types: FEATURE_TYPES,
})

/** Returns the condition that also holds for a feature without this value. */
const orMissing = (field: 'place' | 'start', condition: Condition): Condition => ({
  kind: 'any',
  of: [{ kind: 'missing', field }, condition],
})

/** All events that the caller may see. */
export const eventCollection: Collection = {
  ...events,
  id: 'events',
  title: 'All events',
  description: 'All events that you may see. An event happened at a place, from a start to an end.',
  // `bbox` and `datetime` have their own rules here. More filters cover the other properties of a feature (Part 3).
  filters: listFilters(eventFilters(filtersOf(EVENT, 'ogc', 'v3', 'v4'), 'geom_within')),
  view: objectView('EventFeature', readsOf(EVENT, 'ogc'), membersOf(EVENT, 'ogc')),
  properties,
  schema: {
    id: { title: EVENT.id.told.title[0], type: 'integer', 'x-ogc-role': 'id' },
    ...featureSchemasOf(EVENT, 'ogc'),
  },
  columns: [],
  source: EMPTY,
  geometry: 'Point',
  owner: null,
  ofSeries: false,
  pathOf: ({ id }: EventRow) => `${events.path}${id}/`,
  writableIn: (srid) => writableIn(srid, null),
  inBounds: (bounds, srid) => orMissing('place', { kind: 'area', of: 'point', area: boxIn(bounds, srid) }),
  during: overlapping,
}

/** The collection of series. The geometry of a series is the rectangle around its events. */
const seriesCollection: Collection = {
  ...eventSeriesV4,
  id: 'eventseries',
  title: 'Event series',
  description: 'The series that group events. Each is the rectangle around the places of its events.',
  filters: listFilters(filtersOf(SERIES, 'ogc', 'v3', 'v4')),
  find: idIn,
  view: objectView('SeriesFeature', readsOf(SERIES, 'ogc'), membersOf(SERIES, 'ogc')),
  properties: { id: { field: 'id' }, ...propertiesOf(SERIES, 'series') },
  schema: {
    id: { title: SERIES.id.told.title[0], type: 'integer', 'x-ogc-role': 'id' },
    ...featureSchemasOf(SERIES, 'ogc'),
  },
  columns: [],
  source: EMPTY,
  geometry: 'Polygon',
  owner: null,
  ofSeries: true,
  pathOf: ({ uuid }: SeriesRow) => `${eventSeriesV4.path}${uuid}/`,
  writableIn: () => ({ ...seriesFeatureWritable, types: FEATURE_TYPES }),
  inBounds: (bounds, srid) => orMissing('place', { kind: 'area', of: 'rectangle', area: rectangleIn(bounds, srid) }),
  during: (interval) => overlapping(interval).map((each) => orMissing('start', each)),
}

/** Series are rectangles, so the rectangle around a box of another system is enough. */
const rectangleIn = (bounds: Bbox, srid: number): Area => {
  const area = boxIn(bounds, srid)
  if (!('within' in area)) return area
  const { bbox } = at(prepare(area.within).bounds, 0)
  return bbox === null ? { nowhere: true } : { box: bbox, closed: true }
}

/** The collections that every service has. Each series also has a collection of its events, `events-<uuid>`. */
export const COLLECTIONS: readonly Collection[] = [eventCollection, seriesCollection]
