import { listFilters } from '../filters/filterSet.ts'
import { controlsOf } from '../model/controls.ts'
import type { Fields, ToldFilter } from '../model/field.ts'
import { filtersOf, type ItemMember, membersOf, orderingsOf, schemasOf } from '../model/members.ts'
import { readsOf } from '../model/rows.ts'
import { ADDRESS, record } from '../model/schema.ts'
import type { View } from '../model/view.ts'
import type { Resource } from './resource.ts'

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

/** Returns the view whose items are objects with these members. */
export const objectView = (name: string, reads: View['reads'], members: View['members']): View => ({
  name,
  schema: record(schemasOf(members)),
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
