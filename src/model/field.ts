import type { Column, SQL } from 'drizzle-orm'
import type { FilterField, Property } from '../filters/filter.ts'
import type { Schema } from '../filters/lookups.ts'
import type { OrderColumn } from '../filters/sql.ts'
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

/** A way to write a value, and the schema of the result. `nullable`: the result may also be null. */
export interface Form {
  readonly schema: Schema
  readonly nullable?: true
  /** The unit of an instant, in microseconds. */
  readonly unit?: bigint
  write(value: unknown, links: Links): unknown
}

/** A field on one surface: a named value of a row. */
export interface Member extends Omit<Form, 'write'> {
  readonly name: string
  write(value: unknown, row: object, links: Links): unknown
  /** The name in version 4, if it differs. */
  readonly v4?: string
  /** True for a part of the geometry. CSV shows it, because CSV has no geometry. */
  readonly inGeometry?: true
  /** Members with a greater rank follow the others. The default is 0. Equal ranks keep the order of the model. */
  readonly rank?: number
  /** The English title on /ogc. By default it is that of the field. */
  readonly title?: string
  /** The meaning of the member in a feature (OGC API - Features, Part 5). */
  readonly role?: string
  /** The name in a row of the column that it shows. By default it is the only column of the field. */
  readonly column?: string
  /** The property of CQL2 filters. By default, it follows from the column. Null: none. */
  readonly property?: Property | null
}

/** A title in English and in Dutch. */
export type Title = readonly [en: string, nl: string]

/** The groups of fields in the filters of the page. */
export type Group = 'what' | 'where' | 'when' | 'more'

/** What people see of a field. */
export interface Told {
  readonly title: Title
  /** Absent: another field shows its value to people. */
  readonly group?: Group | undefined
  /** 1: each table has a column for it. 2: a wide table has one. 3: a table has one if the reader asks for it. */
  readonly column?: 1 | 2 | 3 | undefined
  /** The order of its column. By default it is the order with its name. */
  readonly order?: string | undefined
  /** The kind of its value, if it does not follow from its filter or its schema. */
  readonly display?: 'place' | 'bounds' | 'color' | 'object'
}

/** A filter for people. */
export interface ToldFilter extends FilterField {
  readonly told: Told
}

/**
 * A filter and its names in the versions. Absent: the version does not have it. Without `told`, it is the filter of the
 * field itself.
 */
export interface NamedFilter extends FilterField {
  readonly told?: Told
  readonly v3?: string
  readonly v4?: string
  /** The name as a parameter of the features of /ogc. By default it is the name in a version. */
  readonly ogc?: string
  /** Says why no index covers the filter. Absent: an index must cover it. */
  readonly unindexed?: string
  /** Filters with a greater rank come later. By default it is 0. */
  readonly rank?: number
}

/** An order and its names. Null: the version does not have the order. Orders with a greater rank follow the others. */
export interface Ordering extends OrderColumn {
  readonly v3: string | null
  readonly v4: string | null
  readonly rank?: number
}

/** How clients write a field. The defaults follow from its kind. */
export interface BodyMember {
  /** By default, it is the kind of the field. */
  readonly kind?: Kind<unknown>
  /**
   * The meaning of null and the empty text, for a member that is not required. By default, it is the value of a new item
   * that omits the field. Undefined: the member counts as omitted.
   */
  readonly empty?: null
  /** The schema of a value, in the form that clients should send. */
  readonly schema: Schema
  /** The path in an item. By default it is the name of the field in the properties. */
  readonly path?: string
  readonly required?: boolean
  /** True if only a new item sets it. A change may repeat it. */
  readonly once?: boolean
  /** True if PUT keeps it when the body omits it. Otherwise PUT clears it. */
  readonly stays?: boolean
  /** True if a POST over a stored item may change it together with another field. PATCH keeps it. */
  readonly follows?: boolean
  readonly lookup?: NameLookup
  /** Lays the value of a PATCH over the stored one. Throws ValueError for a bad result. Absent: the value replaces it. */
  readonly patch?: (stored: unknown, given: unknown) => unknown
}

/** The search for the row that a value names. */
interface NameLookup {
  /**
   * Returns the query for the rows of these values, a JSON array. Each row has the value as `given`, and its `id`. Only
   * rows count that a caller of this level can see.
   */
  readonly query: (values: string, level: number) => SQL
  readonly message: (value: unknown) => string
  /** True if the value must be new. An existing value, or one that is given twice, is then a mistake. */
  readonly fresh?: boolean
}

/**
 * One value of an item. A field without a kind is derived from other rows, and no file and no body has it. TypeScript
 * compares the parameters of methods less strictly than those of properties. So a field can say the types of its values.
 */
export interface Field {
  readonly columns: Columns
  /** Columns of other tables that some surfaces show. Their list names the join. */
  readonly joined?: Columns
  readonly on: { readonly [S in Surface]: readonly Member[] | null }
  readonly told: Told
  readonly filters?: readonly NamedFilter[]
  readonly orders?: readonly Ordering[]
  readonly kind?: Kind<unknown>
  get(row: object): unknown
  /** Returns the values to store. Null for a column with a default: the database sets it. */
  put?(value: unknown): Readonly<Record<string, unknown>>
  /** Columns of the table that are derived from the value, such as the cell of a position. */
  readonly also?: {
    readonly columns: Readonly<Record<string, Column>>
    of(value: unknown): Readonly<Record<string, string | number | null>>
  }
  /** The value of a new item that omits this field. Absent: it needs a value. */
  readonly otherwise?: unknown
  /** True if each write of the item sets it, unless a record of a file has a value. */
  readonly stamped?: true
  /** True if a record of a file may omit it, because exports of earlier versions do. */
  readonly omittable?: true
  /** Absent: clients cannot write it. */
  readonly body?: BodyMember
  /** The usual names of its columns in CSV files and its properties in GeoJSON files. By default it is the name of the field. */
  readonly usual?: readonly string[]
}

export type Fields = Readonly<Record<string, Field>>
