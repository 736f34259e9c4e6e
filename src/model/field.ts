import type { Column, GetColumnData } from 'drizzle-orm'
import type { Property } from '../cql2/values.ts'
import type { FilterField } from '../filters/filter.ts'
import type { Schema } from '../filters/lookups.ts'
import type { BodyMember } from './bodyMember.ts'
import type { TextDictionary } from './dictionaries.ts'
import type { Kind } from './kinds.ts'

/** Makes the absolute addresses in an answer. */
export interface Links {
  /** Returns the address of a path from the root. It has `format` if the request had it. */
  readonly to: (path: string) => string
}

/**
 * A place that shows items. `v3` and `v4` are the lists of a version, and `flat` is their form in GeoJSON and CSV. `ogc`
 * is the features of /ogc, and `tile` is vector tiles. `file` is the files of `npm run export` and `npm run load`.
 */
export type Surface = 'v3' | 'v4' | 'flat' | 'ogc' | 'tile' | 'file'

/** The columns of a field by their names in a row. A dictionary stands for the text that it stores once. */
export type Columns = Readonly<Record<string, Column | TextDictionary>>

type ValueOf<C> = C extends TextDictionary
  ? null extends GetColumnData<C['key']>
    ? string | null
    : string
  : C extends Column
    ? GetColumnData<C>
    : never
/** The row type of some columns. */
export type ValuesOf<C extends Columns> = { readonly [N in keyof C]: ValueOf<C[N]> }

/** The values to store. Null for a column with a default: the database sets it. */
type StoredValuesOf<C extends Columns> = {
  readonly [N in keyof C]: ValueOf<C[N]> | (C[N] extends { readonly _: { readonly hasDefault: true } } ? null : never)
}

/** A way to write a value, and the schema of the result. `nullable`: the result may also be null. */
export interface Form<V> {
  readonly schema: Schema
  readonly nullable?: true
  /** The unit of an instant, in microseconds. */
  readonly unit?: bigint
  readonly write: (value: V, links: Links) => unknown
}

/** A field on one surface: a named value of a row. */
export interface Member<V, R> {
  readonly name: string
  readonly schema: Schema
  readonly nullable?: true
  readonly write: (value: V, row: R, links: Links) => unknown
  /** The name in version 4, if it differs. */
  readonly v4?: string
  /** True for a part of the geometry. CSV shows it, because CSV has no geometry. */
  readonly inGeometry?: true
  /** Members with a greater rank follow the others. The default is 0. Equal ranks keep the order of the model. */
  readonly rank?: number
  /** The title on /ogc. By default it is the title of the field. */
  readonly title?: string
  /** The meaning of the member in a feature (OGC API - Features, Part 5). */
  readonly role?: string
  /** The unit of an instant, in microseconds. */
  readonly unit?: bigint
  /** The property of CQL2 filters. By default, it follows from the only column of the field. Null: none. */
  readonly property?: Property | null
}

/** A filter and its names in the versions. Absent: the version does not have it. */
export interface NamedFilter extends FilterField {
  readonly v3?: string
  readonly v4?: string
  /** The name as a parameter of the features of /ogc. By default it is the name in a version. */
  readonly ogc?: string
  /** Says why no index covers the filter. Absent: an index must cover it. */
  readonly unindexed?: string
  /** Filters with a greater rank come later. By default it is 0. */
  readonly rank?: number
}

/** The names of an ordering, and its column. Orderings with a greater rank come later. */
export interface Ordering<C extends Column = Column> {
  readonly v3: string | null
  readonly v4: string | null
  readonly column: C
  readonly rank?: number
}

/** A column of integers. A cursor can write its values exactly. */
export type IntegerColumn = Column & { readonly columnType: 'SQLiteInteger' }

/** One value of an item: its columns, its kind, and its names. */
interface Shown<V, C extends Columns, J extends Columns> {
  readonly columns: C
  /** Columns of other tables that some surfaces show. Their list names the join. */
  readonly joined?: J
  readonly on: { readonly [S in Surface]: readonly Member<NoInfer<V>, NoInfer<ValuesOf<C> & ValuesOf<J>>>[] | null }
  readonly title: string
  readonly filters?: readonly NamedFilter[]
  readonly order?: Ordering | undefined
}

/** A field that the service derives from other rows. No file and no body has it. */
export interface DerivedField<V, C extends Columns, J extends Columns> extends Shown<V, C, J> {
  readonly get: (row: ValuesOf<C>) => V
}

/** A field that is stored. Clients may write it, or the service sets it. */
export interface StoredField<V, C extends Columns, J extends Columns> extends Shown<V, C, J> {
  readonly kind: Kind<V>
  readonly get: (row: ValuesOf<C>) => NoInfer<V>
  readonly put: (value: NoInfer<V>) => StoredValuesOf<C>
  /** Columns of the table that are derived from the value, such as the cell of a position. */
  readonly also?: { readonly columns: Readonly<Record<string, Column>>; readonly of: (value: NoInfer<V>) => Derived }
  /** The value of a new item that omits this field. Absent: it needs a value. */
  readonly otherwise?: NoInfer<V>
  /** True if a record of a file may omit it, because exports of earlier versions do. */
  readonly omittable?: true
  /** Absent: clients cannot write it. */
  readonly body?: BodyMember
  /** The usual names of its columns in CSV files and its properties in GeoJSON files. By default it is the name of the field. */
  readonly usual?: readonly string[]
}
type Derived = Readonly<Record<string, string | number | null>>

// TypeScript compares methods less strictly than properties. So this type accepts fields with any values and rows.
/** Any field of a model. */
export interface AnyField {
  readonly columns: Columns
  readonly joined?: Columns
  get(row: object): unknown
  readonly on: { readonly [S in Surface]: readonly AnyMember[] | null }
  readonly title: string
  readonly filters?: readonly NamedFilter[]
  readonly order?: Ordering | undefined
  readonly kind?: { readonly expected: string; read(value: unknown): unknown }
  put?(value: unknown): Readonly<Record<string, unknown>>
  readonly also?: { readonly columns: Readonly<Record<string, Column>>; of(value: unknown): Derived }
  readonly otherwise?: unknown
  readonly omittable?: true
  readonly body?: BodyMember
  readonly usual?: readonly string[]
}
export interface AnyMember extends Omit<Member<unknown, object>, 'write'> {
  write(value: unknown, row: object, links: Links): unknown
}
export type Fields = Readonly<Record<string, AnyField>>
/** The fields of a list that is read with cursors. */
export type LargeFields = Readonly<Record<string, AnyField & { readonly order?: Ordering<IntegerColumn> | undefined }>>

/** Declares a stored field. */
export const field = <
  V,
  const C extends Columns,
  const J extends Columns = Record<never, never>,
  const O extends Ordering | undefined = undefined,
>(
  declared: StoredField<V, C, J> & { readonly order?: O },
): StoredField<V, C, J> & { readonly order: O } => declared as StoredField<V, C, J> & { readonly order: O }

/** Declares a derived field: first its columns and its value, then how it is shown. */
export const derivedField =
  <V, const C extends Columns>(columns: C, get: (row: ValuesOf<C>) => V) =>
  <const J extends Columns = Record<never, never>, const O extends Ordering | undefined = undefined>(
    shown: Omit<DerivedField<V, C, J>, 'columns' | 'get'> & { readonly order?: O },
  ): DerivedField<V, C, J> & { readonly order: O } => ({ ...shown, columns, get, order: shown.order as O })

/** The type of a model's records. A record has a value for each stored field. */
export type RecordOf<F> = {
  readonly [N in keyof F as F[N] extends { readonly kind: unknown } ? N : never]: F[N] extends {
    readonly kind: Kind<infer V>
  }
    ? V
    : never
}

type Intersection<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void ? I : never
/** The type of a model's rows. A row has every column of every field. */
export type RowOf<F> = Intersection<
  { [N in keyof F]: F[N] extends { readonly columns: infer C extends Columns } ? ValuesOf<C> : never }[keyof F]
>
/** The rows with the joined columns as well. */
export type JoinedRowOf<F> = RowOf<F> &
  Intersection<
    { [N in keyof F]: F[N] extends { readonly joined?: infer J extends Columns } ? ValuesOf<J> : never }[keyof F]
  >

/** Declares the only column of a field, whose value is the value of the field. */
export const single = <const N extends string, const C extends Column | TextDictionary>(name: N, column: C) => ({
  columns: { [name]: column } as { readonly [K in N]: C },
  get: (row: { readonly [K in N]: ValueOf<C> }) => row[name],
  put: (value: ValueOf<C>) => ({ [name]: value }) as { readonly [K in N]: ValueOf<C> },
})

type Extra<V, R> = Omit<Partial<Member<V, R>>, 'name' | 'write'>

/** Shows a value under one name. */
export const as = <V, R>(name: string, form: Form<V>, extra: Extra<V, R> = {}): Member<V, R>[] => [
  {
    name,
    schema: form.schema,
    ...(form.nullable && { nullable: true }),
    ...(form.unit !== undefined && { unit: form.unit }),
    write: (value, _, links) => form.write(value, links),
    ...extra,
  },
]

/** Shows a value on every surface under one name. */
export const everywhere = <V, R>(
  name: string,
  form: Form<V>,
  extra: Extra<V, R> = {},
): { readonly [S in Surface]: readonly Member<V, R>[] } => {
  const members = as<V, R>(name, form, extra)
  return { v3: members, v4: members, flat: members, ogc: members, tile: members, file: members }
}
