import type { Schema } from '../base/schema.ts'
import type { FilterField, FilterType } from '../filters/filter.ts'
import type { FieldName, Property } from '../question/fields.ts'
import type { Order } from '../question/question.ts'
import type { Form, Kind } from './kinds.ts'

/**
 * A place that shows items. `v3` and `v4` are the lists of a version, and `flat` is their form in GeoJSON and CSV. `ogc`
 * is the features of /ogc, and `tile` is vector tiles. `file` is the files of `npm run export` and `npm run load`.
 */
export type Surface = 'v3' | 'v4' | 'flat' | 'ogc' | 'tile' | 'file'

/** A field on one surface: a named value of a row. By default it has the form of its kind. */
export interface Member extends Partial<Form> {
  readonly name: string
  /** The name in version 4, if it differs. */
  readonly v4?: string
  /** True for a part of a feature that is no property. CSV shows it, because CSV has no geometry. */
  readonly inFeature?: true
  /** Members with a greater rank follow the others. The default is 0. Equal ranks keep the order of the model. */
  readonly rank?: number
  /** The English title on /ogc. By default it is that of the field. */
  readonly title?: string
  /** The meaning of the member in a feature (OGC API - Features, Part 5). */
  readonly role?: string
  /** The part of the row that it shows. By default it shows the value of the field. */
  readonly part?: FieldName
  /** The property of CQL2 filters. By default it is the field of the question with its name. Null: none. */
  readonly property?: Property | null
}

/** The texts for people about a field or a filter, and its place on the page. */
export interface Told {
  /** The title in English and in Dutch. */
  readonly title: readonly [en: string, nl: string]
  /** The group in the filters of the page. Absent: another field shows its value to people. */
  readonly group?: 'what' | 'where' | 'when' | 'more' | undefined
  /** 1: each table has a column for it. 2: a table has one if most rows have a value. 3: the reader asks for it. */
  readonly column?: 1 | 2 | 3 | undefined
  /** The order of its column. By default it is the order with its name. */
  readonly order?: string | undefined
  /** The kind of its value, if it does not follow from its filter or its schema. */
  readonly display?: 'place' | 'bounds' | 'color' | 'object'
}

/** A filter for people. */
export type ToldFilter = FilterField & { readonly told: Told }

/**
 * A filter and its names in the versions. Absent: the version does not have it. Without `told`, it is the filter of the
 * field itself.
 */
interface NamedFilter extends FilterField {
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
interface Ordering {
  readonly v3: string | null
  readonly v4: string | null
  /** By default it is the order by the field itself. */
  readonly by?: FieldName
  /** By default, null is the least value. */
  readonly nulls?: Order['nulls']
  readonly rank?: number
}

/** The rows that values in a body may name. `src/store/reads.ts` finds them. */
export type NamedRows = 'eventsById' | 'seriesByUuid' | 'seriesByIdOrUuid' | 'typesByCode' | 'typesByIdOrCode'

/** How clients write a field. The defaults follow from its kind. */
export interface BodyMember {
  /**
   * The meaning of null and the empty text, for a member that is not required. By default, it is the value of a new item
   * that omits the field. Undefined: the member counts as omitted.
   */
  readonly empty?: null
  /** The schema of a value, in the form that clients should send. */
  readonly schema?: Schema
  /** The path in an item. By default it is the name of the field in the properties. */
  readonly path?: string
  readonly required?: boolean
  /** True if only a new item sets it. A change may repeat it. */
  readonly once?: boolean
  /** True if PUT keeps it when the body omits it. Otherwise PUT clears it. */
  readonly stays?: boolean
  /** True if a POST over a stored item may change it together with another field. PATCH keeps it. */
  readonly follows?: boolean
  /** The search for the row that a value names. */
  readonly lookup?: {
    readonly rows: NamedRows
    readonly message: (value: unknown) => string
    /** True if the value must be new. An existing value, or one that is given twice, is then a mistake. */
    readonly fresh?: boolean
  }
  /** Merges the value of a merge patch into the stored one. Throws ValueError for a bad result. Absent: it replaces it. */
  readonly patch?: (stored: unknown, given: unknown) => unknown
}

/**
 * One value of an item. A field without a kind is derived from other rows, and no file and no body has it. TypeScript
 * compares the parameters of methods less strictly than those of properties. So a field can say the types of its values.
 */
export interface ModelField {
  readonly told: Told
  /** The parts of a row that have its value. By default there is one, with the name of the field. */
  readonly parts?: readonly FieldName[]
  /** The members on each surface. A text is the name of the only member. */
  readonly on: { readonly [S in Surface]?: string | readonly Member[] }
  readonly filters?: readonly NamedFilter[]
  readonly orders?: readonly Ordering[]
  readonly kind?: Kind<unknown>
  /** Returns the value in a row. By default it is the part with the name of the field. */
  get?(row: object): unknown
  /** Returns the values of `parts`. Null for one with a default: the database sets it. */
  put?(value: unknown): Readonly<Record<string, unknown>>
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

export type Fields = Readonly<Record<string, ModelField>>

/** Shows a field on every surface under one name. */
export const everywhere = (name: string) => ({ v3: name, v4: name, flat: name, ogc: name, tile: name, file: name })

type Names = string | Pick<NamedFilter, 'v3' | 'v4' | 'ogc'>

/** Declares a filter. A text is its name in both versions. */
export const named = (
  names: Names,
  filter: FilterType,
  words: Pick<NamedFilter, 'about' | 'example' | 'rank' | 'unindexed' | 'numbers' | 'told'>,
): NamedFilter => ({ ...(typeof names === 'string' ? { v3: names, v4: names } : names), ...filter, ...words })

/** Declares an order of events by one name. Events without a value are at the end in both directions. */
export const ordered = (name: string, by = name as FieldName): Ordering => ({
  v3: name,
  v4: name,
  by,
  nulls: 'last',
  rank: 1,
})
