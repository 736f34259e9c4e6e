import { MEDIA_TYPES } from './formats.ts'
import { LIST_PARAMETERS } from './plan.ts'
import type { Resource } from './resource.ts'

/** What OPTIONS says of a list. */
export const describeList = (resource: Resource): object => ({
  name: resource.name,
  description: resource.description,
  renders: MEDIA_TYPES,
  parses: ['application/x-www-form-urlencoded'],
  filters: Object.fromEntries([...resource.filters].map(([name, { kind }]) => [name, kind])),
  ordering: Object.keys(resource.orderings),
  parameters: LIST_PARAMETERS,
})

/** What OPTIONS says of an address without filters: an item or an API root. */
export const describe = (name: string, description: string): object => ({
  name,
  description,
  renders: MEDIA_TYPES,
  parses: [],
})
