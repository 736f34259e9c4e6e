import type { FilterParameter } from '../filters/filter.ts'
import type { Schema } from '../filters/lookups.ts'
import { DOCUMENT_FORMATS, formatNames, LIST_FORMATS, STREAMED } from '../formats/formats.ts'
import { type Described, ref, STRING } from '../model/schema.ts'
import { ALL, DEFAULT_PAGE_SIZE, INCLUDE, type LIST_PARAMETERS, listParametersOf } from '../request/page.ts'
import type { Summarised } from '../request/summary.ts'
import type { Resource } from '../resource.ts'
import { COMMAS, filterOf, formatOf, headersOf, inPath, inQuery, isList, parameter } from './parameters.ts'

type ListParameter = (typeof LIST_PARAMETERS)[number]

/** The parameters of all lists except filters. */
const SHARED: Readonly<Record<ListParameter, (resource: Resource) => Described>> = {
  format: () => formatOf(formatNames(LIST_FORMATS), 'json'),
  after: () => ({
    description:
      'Begins after this event, in the order of the list, so that a download can continue. `count` still counts all that match. Enter the id of the last event, such as 4711. If `ordering` is not by the id, enter the time of the event in milliseconds, a comma and its id, such as 1517788800000,4711.',
    schema: { type: 'string', pattern: '^(-?\\d{1,16},)?\\d{1,16}$' },
  }),
  consistent: () => ({
    description:
      'For page_size=all. With true, the answer shows the data of one moment, and breaks off if the data changes. With false, it may miss events that are written meanwhile, and has no event twice. A page always shows one moment.',
    schema: { type: 'boolean', default: false },
  }),
  hint: () => ({
    description: 'A part of the links `next` and `previous`. Do not change it.',
    schema: STRING,
  }),
  ordering: ({ orderings }) => ({
    description:
      'The field that orders the list. A - in front reverses the order. Items with equal values are in the order of their ids.',
    schema: {
      type: 'string',
      enum: Object.keys(orderings).flatMap((name) => [name, `-${name}`]),
      default: 'id',
    },
    example: '-id',
  }),
  page: () => ({
    description: 'The number of the page, from 1, or last for the last page.',
    schema: { anyOf: [{ type: 'integer', minimum: 1 }, { const: 'last' }], default: 1 },
    example: 'last',
  }),
  page_size: ({ maxPageSize }) => ({
    description: `The number of items on a page. The formats ${STREAMED.join(', ')} also accept ${ALL}.`,
    schema: {
      anyOf: [{ type: 'integer', minimum: 1, maximum: maxPageSize }, { const: ALL }],
      default: DEFAULT_PAGE_SIZE,
    },
    example: 100,
  }),
}

const READ_HEADERS = ['Prefer', 'If-Match', 'If-None-Match', 'If-Modified-Since', 'X-D1-Bookmark']

/** The component for `format` at an address that answers with a document. */
const DOCUMENT = 'document.format'

/** The parameters of an address with filters. `key` is the name of the component. */
export type Query = readonly { readonly name: string; readonly key: string; readonly described: Described }[]

/** Returns the parameters of a list. */
export const queryOf = (resource: Resource): Query => [
  ...listParametersOf(resource).map((name) => {
    const key = name === 'ordering' || name === 'page_size' ? `${resource.item}.${name}` : name
    return { name, key, described: SHARED[name](resource) }
  }),
  ...(resource.included === undefined ? [] : [includeOf(resource.item, Object.keys(resource.included))]),
  ...filtersOf(resource),
]

const includeOf = (item: string, names: readonly string[]) => ({
  name: INCLUDE,
  key: `${item}.${INCLUDE}`,
  described: {
    description:
      'Adds the objects that the items of a page refer to, each once, next to `results`. Only format=json and format=api accept it.',
    schema: { type: 'string', enum: names },
    example: names[0],
  },
})

/** Returns the parameters that have an effect on a summary. */
export const summaryQueryOf = (summarised: Summarised): Query => [
  { name: 'format', key: DOCUMENT, described: formatOf(formatNames(DOCUMENT_FORMATS), 'json') },
  ...Object.entries(summarised.parameters).map(([name, described]) => ({ name, key: name, described })),
  ...filtersOf(summarised.of),
]

/** Returns references to the parameters and headers of an address with filters. */
export const references = (query: Query, headers: readonly string[] = READ_HEADERS): Schema[] => [
  ...query.map(({ key }) => parameter(key)),
  ...headers.map(parameter),
]

/**
 * These functions return references: for an item, for an address above the lists, and for a write with its own header.
 */
export const itemParameters = (): Schema[] => ['format', ...READ_HEADERS].map(parameter)
export const rootParameters = (): Schema[] => [parameter(DOCUMENT)]
export const writeParameters = (...headers: readonly string[]): Schema[] =>
  ['format', 'Prefer', ...headers].map(parameter)

/** Refers to the parameter in the address of an item that is written, if it differs. It replaces the other. */
export const writtenKeyParameters = ({ key: { name, toWrite } }: Resource): Schema[] =>
  toWrite === undefined ? [] : [parameter(`written.${name}`)]

/** Makes the parameters that those refer to. */
export const writtenKeyComponents = (resources: readonly Resource[]): Schema =>
  Object.fromEntries(
    resources.flatMap(({ key: { name, toWrite } }) =>
      toWrite === undefined ? [] : [[`written.${name}`, inPath({ ...toWrite, name })]],
    ),
  )

/** Describes the form of a posted query. */
export const formOf = (query: Query): Schema => {
  const lists = query.filter(({ described }) => isList(described.schema)).map(({ name }) => [name, COMMAS])
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(query.map(({ name, described }) => [name, described.schema])),
      additionalProperties: false,
    },
    encoding: Object.fromEntries(lists),
  }
}

/** Returns every parameter that operations refer to. */
export const parameterComponents = (queries: readonly Query[]): Schema => ({
  ...headersOf(),
  ...Object.fromEntries(queries.flat().map(({ name, key, described }) => [key, inQuery(name, described)])),
})

/** Returns the schemas that parameters refer to, by the kind of value. */
export const valueSchemas = (resources: readonly Resource[]): Schema =>
  Object.fromEntries(
    resources
      .flatMap(({ filters }) => [...filters.values()])
      .filter(isNamed)
      .map(({ kind, schema }) => [nameOf(kind), schema]),
  )

const filtersOf = ({ item, filters }: Resource): Query =>
  Array.from(filters, ([name, filter]) => {
    const described = filterOf(filter, isNamed(filter) ? ref(nameOf(filter.kind)) : filter.schema)
    return { name, key: `${item}.${name}`, described }
  })

/** Returns true if a kind of value has a description. Its schema then gets a name. */
const isNamed = ({ schema }: FilterParameter): boolean => schema.description !== undefined

const nameOf = (kind: string): string => kind.replace(/(?:^| )(.)/g, (_, letter: string) => letter.toUpperCase())
