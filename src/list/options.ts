import { type Format, LIST_FORMATS, mediaTypes } from './formats.ts'
import { LIST_PARAMETERS } from './plan.ts'
import type { Resource } from './resource.ts'

/** What OPTIONS says of a list. */
export const describeList = (resource: Resource): object => ({
  name: resource.name,
  description: resource.description,
  renders: mediaTypes(LIST_FORMATS),
  parses: ['application/x-www-form-urlencoded'],
  filters: Object.fromEntries([...resource.filters].map(([name, { kind }]) => [name, kind])),
  ordering: Object.keys(resource.orderings),
  parameters: LIST_PARAMETERS,
})

/** What OPTIONS says of an address without filters: an item or an API root, in the formats that it has. */
export const describe = (name: string, description: string, formats: readonly Format[]): object => ({
  name,
  description,
  renders: mediaTypes(formats),
  parses: [],
})
