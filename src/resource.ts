import type { SQL, SQLWrapper } from 'drizzle-orm'
import type { Condition, FilterSet } from './filters/filter.ts'
import type { Schema } from './filters/lookups.ts'
import type { Links } from './http/links.ts'
import type { Access, Row, Table } from './query/table.ts'
import type { Writable } from './store/writable.ts'

/** What names an item in its address. */
export interface Key {
  readonly name: string
  readonly description: string
  readonly schema: Schema
  readonly example: string | number
}

/** A published list: everything that sets it apart from the others. What they share is in this folder. */
export interface Resource extends Table {
  /** From the root, with both slashes. */
  readonly path: string
  /** The list is one of each item of another, which `:name` stands for in the path; absent: it is one by itself. */
  readonly under?: Under
  /** What holds of all its items, beside what is asked for. */
  readonly fixed?: readonly Condition[]
  readonly name: string
  readonly itemName: string
  readonly description: string
  readonly filters: FilterSet
  /** The names that `ordering` takes. */
  readonly orderings: Readonly<Record<string, SQLWrapper>>
  readonly maxPageSize: number
  /** The row, or the rows at most, that the last part of an item's address names; null where it can be no name. */
  readonly find: (key: string) => SQL | null
  /** What that part of the address is, in words. */
  readonly key: Key
  /** A method, as of the functions below, so that each list can name the type of its own rows, see `RowOf`. */
  serialize(row: Row, links: Links): object
  /** Items of other lists that a page has beside its own where `include` names them; absent: none. */
  readonly included?: Readonly<Record<string, Included>>
  /** How it is written. */
  readonly writable: Writable
  /** The schema of what `serialize` makes, under its name, and those that it refers to. */
  readonly item: string
  readonly schemas: Readonly<Record<string, Schema>>
  /**
   * The columns of CSV, each with the path of names and indexes that leads to its value: in an item as these formats have
   * it, or in what makes it a feature.
   */
  readonly fields: Readonly<Record<string, string>>
  /** How GeoJSON and CSV have an item, where that is not as it is: absent, they have what `serialize` makes. */
  readonly flat?: Flat
  /** What makes an item a GeoJSON feature, beside its properties. */
  readonly place: {
    of(row: Row): Place
    /** The schemas of what that has: without a bbox the geometry is null. */
    readonly schemas: { readonly [N in keyof Place]: Schema }
  }
}

/** Items for the programs that read tables: a value or nothing under each name, instants in ISO 8601. */
export interface Flat {
  /** What is read beside the columns of the list, and the joins that this takes. */
  readonly columns?: Table['columns']
  readonly joins?: SQL
  of(row: Row, links: Links): Readonly<Record<string, string | number | null>>
  /** The name of its schema, and that. */
  readonly item: string
  readonly schema: Schema
}

/** Where an item is: the bbox (west, south, east, north) and the geometry of what has a place. */
export interface Place {
  readonly id: string | number
  readonly bbox?: readonly number[]
  readonly geometry: object | null
}

/** The lists under the items of another one. */
export interface Under {
  readonly parent: Resource
  /** The list under a row of the parent. */
  of(row: Row): Resource
}

/** Items of another list that those of a list refer to. */
export interface Included {
  readonly of: Resource
  /** The id of the one that a row refers to. */
  referredBy(row: Row): number
}

/** Fields that are columns by their own names. */
export const plainFields = (names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, name]))

/** A list too long to be read whole. */
export interface LargeResource extends Resource {
  readonly access: Access
}
