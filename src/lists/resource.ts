import { ADDRESS, record, type Schema } from '../base/schema.ts'
import type { Engine, Key as ItemKey, Row } from '../engine/engine.ts'
import { type FilterSet, listFilters } from '../filters/filter.ts'
import { type Control, controlsOf } from '../model/controls.ts'
import type { Fields, ToldFilter } from '../model/field.ts'
import {
  filtersOf,
  type ItemMember,
  membersOf,
  type Orderings,
  orderingsOf,
  readsOf,
  schemasOf,
  type View,
} from '../model/members.ts'
import type { ListName } from '../question/fields.ts'
import type { Writable } from '../store/writable.ts'

/** The last part of an item's address. */
interface Key {
  readonly name: string
  readonly description: string
  readonly schema: Schema
  readonly example: string | number
  /** How an item is named to write it. Absent: writing and reading have the same name. */
  readonly toWrite?: Omit<Key, 'name' | 'toWrite'>
}

/** A page has at most so many events, and so has an answer of /ogc. */
export const MAX_PAGE_SIZE = 10_000

/** The series whose events a list has. */
export interface Owner {
  readonly id: number
  readonly uuid: string
}

/** The declaration of a published list. All lists share the code in src/http. */
export interface Resource {
  /** Its name in a question. */
  readonly list: ListName
  /** The path from the root, with a slash at both ends. */
  readonly path: string
  /** The other list, if this one exists once for each item of it. `:name` in the path is the key of that item. */
  readonly under?: { readonly parent: Resource; readonly writableIn: (owner: Owner) => Writable }
  readonly name: string
  readonly itemName: string
  readonly description: string
  readonly filters: FilterSet
  /** The fields for people, with their filters and orders. */
  readonly controls: readonly Control[]
  readonly orderings: Orderings
  readonly maxPageSize: number
  /** Reads the last part of an item's address. Null: it names no item. */
  readonly find: (key: string) => ItemKey | null
  readonly key: Key
  /** The items in JSON, and in formats for programs that read tables. Instants of the latter are ISO 8601. */
  readonly view: View
  readonly flat: View
  /** The views of other lists that a page adds if `include` names them: each item that a row refers to. Absent: none. */
  readonly included?: Readonly<Record<string, View>>
  /** How clients create, change and delete items. Absent: the list is only read. */
  readonly writable?: Writable
  /** The schemas that those of the views refer to. */
  readonly schemas: Readonly<Record<string, Schema>>
  /** The members of a GeoJSON feature other than its properties (RFC 7946, 3.2). */
  readonly place: {
    of(row: Row): ItemPlace
    /** The schemas of these members. If an item has no bbox, its geometry is null. */
    readonly schemas: { readonly [N in keyof ItemPlace]: Schema }
  }
}

export type WritableResource = Resource & Required<Pick<Resource, 'writable'>>

export const isWritable = (resource: Resource): resource is WritableResource => resource.writable !== undefined

/** Returns a list as an engine offers it. A list of an engine that takes no writes is only read. */
export const offeredBy = (
  { takesWrites }: Pick<Engine, 'takesWrites'>,
  { writable, ...resource }: Resource,
): Resource => (writable === undefined || !takesWrites ? resource : { ...resource, writable })

/**
 * The id and the place of an item. The bbox is west, south, east, north. The geometry is null without a place. The id is
 * absent if the client does not choose it.
 */
interface ItemPlace {
  readonly id?: string | number
  readonly bbox?: readonly number[]
  readonly geometry: object | null
}

/** Reads the id in an address. Returns null if the text cannot be one. The greatest is 2^53 - 1, as in JSON. */
export const idIn = (text: string): { readonly id: number } | null => {
  const id = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(id) ? { id } : null
}

/** Returns the member with the address of an item in the list at a path. */
export const urlIn = <R extends object>(path: string, keyOf: (row: R) => string | number): ItemMember => ({
  name: 'url',
  schema: ADDRESS,
  write: (row: R, links) => links.to(`${path}${keyOf(row)}/`),
})

/** Returns the filters of a list, and its fields for people, with its orders. */
export const filteredBy = (
  fields: Fields,
  versions: readonly ('v3' | 'v4')[],
  told: Readonly<Record<string, ToldFilter>>,
  orderings: Resource['orderings'],
): Pick<Resource, 'filters' | 'controls' | 'orderings'> => {
  const filters = listFilters(told)
  return { filters, orderings, controls: controlsOf(fields, versions, { told, filters, orderings }) }
}

/** Returns the view whose items are objects with these members. Those of a feature are no properties. */
export const objectView = (name: string, reads: View['reads'], members: View['members']): View => ({
  name,
  schema: record(schemasOf(members.filter(({ inFeature }) => !inFeature))),
  isFeature: false,
  reads,
  members,
})

/**
 * Returns the parts of a list that follow from its fields. `item` is the name of the schema of its items. `more` are
 * filters that belong to no field.
 */
export const listOfFields = (
  fields: Fields,
  version: 'v3' | 'v4',
  item: string,
  path: string,
  url: ItemMember,
  more: Readonly<Record<string, ToldFilter>> = {},
) => {
  const view = objectView(item, readsOf(fields, version), [url, ...membersOf(fields, version)])
  const orderings = orderingsOf(fields, version)
  return {
    path,
    view,
    flat: view,
    schemas: {},
    ...filteredBy(fields, [version], { ...filtersOf(fields, version), ...more }, orderings),
  }
}
