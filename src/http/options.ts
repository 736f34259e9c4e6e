import { type FileFormat, mediaType } from '../formats/downloads.ts'
import { type Format, formatsOfList, ITEMS_FORMATS } from '../formats/formats.ts'
import type { Resource } from '../lists/resource.ts'
import { DEFAULT_PAGE_SIZE, fileParametersOf, parametersOf } from './page.ts'
import { FORM } from './route.ts'

/** The methods by kind of address. Clients may change some items, and empty some lists. */
export const LIST_METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS']
export const READ_METHODS = ['GET', 'HEAD', 'OPTIONS']

export const methodsOfList = ({ writable }: Resource): readonly string[] =>
  writable?.removeMany === undefined ? LIST_METHODS : ['GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS']

export const methodsOfItem = ({ writable }: Resource): readonly string[] =>
  writable?.items === undefined
    ? READ_METHODS
    : ['GET', 'PUT', 'PATCH', ...(writable.items.remove ? ['DELETE'] : []), 'HEAD', 'OPTIONS']

/** Describes an address for OPTIONS. `parses`: the media types of bodies. */
export const describe = (
  name: string,
  description: string,
  formats: readonly Format[],
  parses: readonly string[] = [],
): object => ({
  name,
  description,
  renders: [...new Set(formats.map(({ contentType }) => mediaType(contentType)))],
  parses,
})

/** Describes an address with filters. `written`: the media types of bodies that write. */
export const describeQueries = (
  { name, description, filters }: Pick<Resource, 'name' | 'description' | 'filters'>,
  formats: readonly Format[],
  written: readonly string[] = [],
): object => ({
  ...describe(name, description, formats, [FORM, ...written]),
  filters: Object.fromEntries([...filters].map(([name, { kind }]) => [name, kind])),
})

/** Describes a list, or its address in the format of a file. */
export const describeList = (resource: Resource, file?: FileFormat): object => ({
  ...(file === undefined
    ? describeQueries(resource, formatsOfList(resource), resource.writable?.types)
    : describeQueries(resource, [ITEMS_FORMATS[file]])),
  ordering: Object.keys(resource.orderings),
  parameters: file === undefined ? parametersOf(resource) : fileParametersOf(resource),
})

/** Describes a list for the controls of the HTML page, which need the titles, groups and columns of its fields. */
export const describeControls = (resource: Resource): object => ({
  ...describeList(resource),
  fields: resource.controls,
  page_size: [DEFAULT_PAGE_SIZE, resource.maxPageSize],
})
