import type { SQL } from 'drizzle-orm'
import type { Row } from '../engine/conditions/table.ts'
import type { Condition, Properties } from '../filters/filter.ts'
import type { Schema } from '../filters/lookups.ts'
import type { Bbox } from '../geometry/bbox.ts'
import type { Geometry } from '../geometry/geometry.ts'
import type { Resource } from '../resource.ts'
import type { Writable } from '../store/writable.ts'

/** A list as a collection of features. */
export interface Collection {
  readonly id: string
  readonly title: string
  readonly description: string
  /** The list, with the filters of the features, and all columns that a feature needs. */
  readonly resource: Resource
  /** The properties that CQL2 may use. They are a feature's id, its geometry and the members of its `properties`. */
  readonly properties: Properties
  readonly schema: Readonly<Record<string, Schema>>
  /** The type of the geometry, which GDAL and QGIS need. */
  readonly geometry: 'Point' | 'Polygon'
  /** Selects the series whose events are the features. Null selects all series that the caller sees. */
  readonly series: SQL | null
  /** True if the features are the series, not their events. */
  readonly ofSeries: boolean
  /** A method, like `serialize` of a list, so that a collection can declare the type of its rows. */
  featureOf(row: Row): Feature
  /** Returns how clients write features whose positions use the reference system `srid`. */
  readonly writableIn: (srid: number) => Writable
  /**
   * Returns the conditions for a box in the reference system `srid`. `loose` also matches a feature without a place
   * (Part 1, 7.15.3, /req/core/fc-bbox-response C). `strict` leaves such features out.
   */
  readonly inBounds: (bounds: Bbox, srid: number) => { readonly strict: Condition; readonly loose: Condition }
  /** Returns an expression that is true if the caller sees an event without a place. Null: `loose` always applies. */
  readonly placeless: ((level: number) => SQL) | null
  /**
   * Returns the conditions for features that share an instant with an interval, or have no time. The unit is ticks, and
   * null is an open end.
   */
  readonly during: (interval: readonly [least: bigint | null, greatest: bigint | null]) => readonly Condition[]
}

export interface Feature {
  readonly id: number
  readonly geometry: Geometry | null
  readonly properties: Readonly<Record<string, unknown>>
  /** The path of the same item in its list. */
  readonly path: string
}

/** The media types of a feature in a body. */
export const FEATURE_TYPES = ['application/geo+json', 'application/json']
