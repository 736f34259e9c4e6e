import type { SQL, SQLWrapper } from 'drizzle-orm'
import type { Condition, FilterSet } from './filters/filter.ts'
import type { Schema } from './filters/lookups.ts'
import type { Access, Row, Table } from './query/table.ts'
import type { Writable } from './store/writable.ts'

/** Makes the absolute addresses in an answer. */
export interface Links {
  /** Returns the address of a path from the root. It has `format` if the request had it. */
  readonly to: (path: string) => string
}

/** The last part of an item's address. */
export interface Key {
  readonly name: string
  readonly description: string
  readonly schema: Schema
  readonly example: string | number
  /** How an item is named to write it. Absent: as it is named to read it. */
  readonly toWrite?: Omit<Key, 'name' | 'toWrite'>
}

/** Events on a page, and features of /ogc in an answer, at most. */
export const MAX_PAGE_SIZE = 10_000

/** The declaration of a published list. All lists share the code in src/request. */
export interface Resource extends Table {
  /** The path from the root, with a slash at both ends. */
  readonly path: string
  /**
   * The list exists once for each item of another list. In the path, `:name` stands for the key of that item. Absent:
   * it stands alone.
   */
  readonly under?: Under
  /** Conditions that apply in addition to every query. */
  readonly fixed?: readonly Condition[]
  readonly name: string
  readonly itemName: string
  readonly description: string
  readonly filters: FilterSet
  /** The values that `ordering` takes, and their columns. */
  readonly orderings: Readonly<Record<string, SQLWrapper>>
  readonly maxPageSize: number
  /**
   * Returns the condition for the key at the end of an item's address. It matches several rows if the key is the
   * beginning of several names. Null: the text cannot be a key.
   */
  readonly find: (key: string) => SQL | null
  /** Describes that key. */
  readonly key: Key
  /**
   * A method, like the functions below: TypeScript then lets each list declare the type of its own rows (see `RowOf`).
   */
  serialize(row: Row, links: Links): object
  /** Items of other lists that a page adds if `include` names them. Absent: there are none. */
  readonly included?: Readonly<Record<string, Included>>
  /** How clients create, change and delete items. */
  readonly writable: Writable
  /** The name of the schema for the result of `serialize`. `schemas` has it, and each schema that it refers to. */
  readonly item: string
  readonly schemas: Readonly<Record<string, Schema>>
  /**
   * The columns of CSV, and for each a path of names and indexes to its value. The path starts in the flat item, or in
   * its `Place`.
   */
  readonly fields: Readonly<Record<string, string>>
  /** The form of an item in GeoJSON and CSV. If absent, they have the result of `serialize`. */
  readonly flat?: Flat
  /** The members of a GeoJSON feature other than its properties (RFC 7946, 3.2). */
  readonly place: {
    of(row: Row): ItemPlace
    /** The schemas of these members. If an item has no bbox, its geometry is null. */
    readonly schemas: { readonly [N in keyof ItemPlace]: Schema }
  }
}

/**
 * The flat form of an item, for programs that read tables. A value is a text, a number or null. Instants are ISO 8601.
 */
export interface Flat {
  /** More columns than the list reads, and the joins that they need. */
  readonly columns?: Table['columns']
  readonly joins?: SQL
  of(row: Row, links: Links): Readonly<Record<string, string | number | null>>
  /** The name of the schema of a flat item. */
  readonly item: string
  readonly schema: Schema
}

/** The id and the place of an item. The bbox is west, south, east, north. The geometry is null without a place. */
export interface ItemPlace {
  readonly id: string | number
  readonly bbox?: readonly number[]
  readonly geometry: object | null
}

/** The lists that exist once for each item of another list. */
export interface Under {
  readonly parent: Resource
  /** Returns the list under a row of the parent. */
  of(row: Row): Resource
}

/** Items of another list. The items of this list refer to them. */
export interface Included {
  readonly of: Resource
  /** Returns the id of the item that a row refers to. */
  referredBy(row: Row): number
}

/** Returns CSV columns whose path is their own name. */
export const plainFields = (names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, name]))

/** A list that is too long to read as a whole. `access` says how to read parts of it. */
export interface LargeResource extends Resource {
  readonly access: Access
}
