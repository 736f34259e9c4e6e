import { type Format, LIST_FORMATS, mediaTypes } from '../formats/formats.ts'
import type { Resource } from '../resource.ts'
import { DEFAULT_PAGE_SIZE, parametersOf } from './request.ts'

/** What a list takes, what an item that is written, and what everything else does. */
export const LIST_METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS']
const WRITE_METHODS = ['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']
const EMPTIED_METHODS = ['GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS']
export const READ_METHODS = ['GET', 'HEAD', 'OPTIONS']

/** What a list takes. */
export const methodsOfList = ({ writable }: Resource): readonly string[] =>
  writable.removeMany === undefined ? LIST_METHODS : EMPTIED_METHODS

/** What an item of a list takes. */
export const methodsOfItem = ({ writable }: Resource): readonly string[] =>
  writable.items === undefined ? READ_METHODS : WRITE_METHODS

/** The media type of a query in the body of a POST. */
export const FORM = 'application/x-www-form-urlencoded'

/** What OPTIONS says of a list. */
export const describeList = (resource: Resource): object => ({
  ...describeQueries(resource, LIST_FORMATS, resource.writable.types),
  ordering: Object.keys(resource.orderings),
  parameters: parametersOf(resource),
})

/** What OPTIONS says of every address with filters, in the formats that it has. */
export const describeQueries = (
  { name, description, filters }: Pick<Resource, 'name' | 'description' | 'filters'>,
  formats: readonly Format[],
  written: readonly string[] = [],
): object => ({
  name,
  description,
  renders: mediaTypes(formats),
  parses: [FORM, ...written],
  filters: Object.fromEntries([...filters].map(([name, { kind }]) => [name, kind])),
})

/** What the page needs to know of a list for its controls, beside what OPTIONS says. */
export const describeControls = (resource: Resource): object => ({
  ...describeList(resource),
  choices: Object.fromEntries(
    [...resource.filters].flatMap(([name, { choices }]) => (choices ? [[name, choices]] : [])),
  ),
  page_size: [DEFAULT_PAGE_SIZE, resource.maxPageSize],
})

/** What OPTIONS says of an address without filters, an item or an API root: in the formats that it has, what it takes. */
export const describe = (
  name: string,
  description: string,
  formats: readonly Format[],
  parses: readonly string[] = [],
): object => ({
  name,
  description,
  renders: mediaTypes(formats),
  parses,
})
