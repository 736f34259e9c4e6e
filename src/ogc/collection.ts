import type { SQL } from 'drizzle-orm'
import type { Properties } from '../cql2/values.ts'
import type { Condition, FilterSet } from '../filters/filter.ts'
import type { Schema } from '../filters/lookups.ts'
import type { Bbox } from '../geometry/bbox.ts'
import type { Geometry } from '../geometry/geometry.ts'
import type { Area } from '../geometry/within.ts'
import type { Row } from '../query/table.ts'
import type { Resource } from '../resource.ts'
import type { Writable } from '../store/writable.ts'

/** A list as a collection of features. */
export interface Collection {
  readonly id: string
  readonly title: string
  readonly description: string
  /** With the columns that its features are made of. */
  readonly resource: Resource
  /** The parameters that stand beside those of all collections. */
  readonly filters: FilterSet
  /** What holds of all its features, of those of the resource. */
  readonly fixed: readonly Condition[]
  /** What CQL2 may name, and what it is: the members of a feature's properties, its id and its geometry. */
  readonly properties: Properties
  readonly schema: Readonly<Record<string, Schema>>
  /** What the geometry is, for GDAL and QGIS. */
  readonly geometry: 'Point' | 'Polygon'
  /** Of the series that it is made of, those that the caller sees. */
  readonly series: SQL | null
  /** Whether its features are these series, not their events. */
  readonly ofSeries: boolean
  /** A method, as `serialize` of a list is one. */
  featureOf(row: Row): Feature
  /** How features are written whose places are in the reference system of `srid`. */
  readonly writableIn: (srid: number) => Writable
  /** How the row of a feature is found. */
  readonly find: (id: string) => SQL | null
  /** In a box or, by `strict`, in nothing but a box: what has no place is in every box (Part 1, 7.15.3 C). */
  readonly inBox: (bounds: Bbox) => { readonly strict: Condition; readonly loose: Condition }
  /** The same of a box that is none of longitudes and latitudes. */
  readonly inShape: (area: Area) => { readonly strict: Condition; readonly loose: Condition }
  /** A query of whether anything that the caller sees has no place; null where that is not asked. */
  readonly placeless: ((level: number) => SQL) | null
  /** Shares an instant with an interval in ticks, or has no time. */
  readonly during: (least: bigint | null, greatest: bigint | null) => readonly Condition[]
}

export interface Feature {
  readonly id: number
  readonly geometry: Geometry | null
  readonly properties: Readonly<Record<string, string | number | null>>
  /** Where the list has it. */
  readonly path: string
}
