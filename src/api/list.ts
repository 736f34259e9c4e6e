import { listFilters } from '../filters/complement.ts'
import { controlsOf } from '../model/controls.ts'
import type { Fields } from '../model/field.ts'
import { filtersOf, type ItemMember, membersOf, orderingsOf, schemasOf, writerOf } from '../model/members.ts'
import { columnsOf } from '../model/rows.ts'
import { ADDRESS, record } from '../model/schema.ts'

/** Returns the member with the address of an item in the list at a path. */
export const urlIn = <R extends object>(path: string, keyOf: (row: R) => string | number): ItemMember => ({
  name: 'url',
  schema: ADDRESS,
  write: (row: R, links) => links.to(`${path}${keyOf(row)}/`),
})

/** Returns the parts of a list that follow from its fields. `item` is the name of the schema of its items. */
export const listOfFields = <F extends Fields>(
  fields: F,
  version: 'v3' | 'v4',
  item: string,
  path: string,
  url: ItemMember,
) => {
  const members = [url, ...membersOf(fields, version)]
  const filters = listFilters(filtersOf(fields, version))
  const orderings = orderingsOf(fields, version)
  return {
    path,
    item,
    members,
    csv: members,
    columns: columnsOf(fields),
    filters,
    orderings,
    controls: controlsOf(fields, [version], { filters, orderings }),
    schemas: { [item]: record(schemasOf(members)) },
    serialize: writerOf(members),
  }
}
