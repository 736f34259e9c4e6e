import { type Described, listOf, ref, type Schema, STRING } from '../base/schema.ts'
import type { FilterParameter } from '../filters/filter.ts'
import { MAX_VALUES } from '../filters/lookups.ts'
import { FILES } from '../formats/downloads.ts'
import { STREAMED } from '../formats/formats.ts'
import { jsonFields } from '../formats/shown.ts'
import { REQUEST_HEADERS } from '../http/headers.ts'
import { DOCUMENT_OFFER, EVENTS_OFFER, LIST_OFFER, type Offer, SUMMARY_OFFER } from '../http/offer.ts'
import { DEFAULT_PAGE_SIZE, parametersOf } from '../http/page.ts'
import { ALL, localeOf, ZONE } from '../http/parameters.ts'
import { PARAMETERS } from '../http/summary.ts'
import { events } from '../lists/event.ts'
import type { Resource } from '../lists/resource.ts'
import { KEY_SCHEMA } from '../store/idempotency.ts'
import { capitalised } from './schemas.ts'

/** A comma list. */
export const COMMAS = { style: 'form', explode: false }

const isList = ({ type }: Schema): boolean => type === 'array'

/**
 * Describes a parameter of the query. Its example is inside the schema. Swagger UI would send an example beside the
 * schema with its first request.
 */
export const inQuery = (name: string, { description, schema, example }: Described): Schema => ({
  name,
  in: 'query',
  // An empty value counts as absent.
  allowEmptyValue: true,
  description: example === undefined ? description : `${description} For example \`${example}\`.`,
  ...(isList(schema) && COMMAS),
  schema: withExample(schema, example),
})

export const inPath = ({ name, description, schema, example }: Described & { readonly name: string }): Schema => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: withExample(schema, example),
})

const withExample = (schema: Schema, example: unknown): Schema =>
  example === undefined ? schema : { ...schema, examples: [example] }

/** The end of an address that names a format. */
export const EXTENSION = inPath({
  name: 'extension',
  description: 'The format.',
  schema: { type: 'string', enum: FILES },
  example: 'ndjson',
})

export const inHeader = (name: string, description: string, schema: Schema = STRING): Schema => ({
  name,
  in: 'header',
  description,
  schema,
})

export const HEADERS: Schema = Object.fromEntries(
  Object.entries(REQUEST_HEADERS).map(([name, says]) => [
    name,
    inHeader(name, says, name === 'Idempotency-Key' ? KEY_SCHEMA : STRING),
  ]),
)

/** Describes the parameter that names the format of an answer. */
export const formatOf = ({ named }: Offer, example?: string): Described => ({
  description: 'The format of the answer. It replaces the header Accept.',
  schema: { type: 'string', enum: Object.keys(named) },
  example,
})

/** Describes a filter. `schema` is the schema of one value. Parameters of members are one object. Swagger UI would send its example. */
export const filterOf = (
  { description, example, shape, schema, members }: FilterParameter,
  value = schema,
): Described => ({
  description,
  schema: shape(value),
  ...(members === undefined && { example }),
})

/** The parameters that all lists describe in one way. */
const COMMON = {
  format: formatOf(LIST_OFFER, 'json'),
  explain: {
    description:
      'With true, a page in JSON has its plan: `{"plan": ..., "envelope": ...}`. Only for callers who may see costs, and never cached.',
    schema: { type: 'boolean', default: false },
  },
  after: {
    description:
      'Begins after this event, in the order of the list, so that a download can continue. `count` still counts all that match. Enter the id of the last event, such as 4711. If `ordering` is not by the id, enter the time of the event in milliseconds, a comma and its id, such as 1517788800000,4711.',
    schema: { type: 'string', pattern: '^(-?\\d{1,16},)?\\d{1,16}$' },
  },
  consistent: {
    description:
      'For page_size=all. With true, the answer shows the data of one moment, and breaks off if the data changes. With false, it may miss events that are written meanwhile, and has no event twice.',
    schema: { type: 'boolean', default: false },
  },
  locale: localeOf('format'),
  timezone: ZONE,
  hint: { description: 'A part of the links `next` and `previous`. Do not change it.', schema: STRING },
  page: {
    description: 'The number of the page, from 1, or last for the last page.',
    schema: { anyOf: [{ type: 'integer', minimum: 1 }, { const: 'last' }], default: 1 },
    example: 'last',
  },
}

/** Describes the parameters of a list that each list describes in its own way. */
const variedOf = ({ orderings, filters, maxPageSize, included = {}, ...list }: Resource) => ({
  ...(list.list === 'events' && { format: formatOf(EVENTS_OFFER, 'json') }),
  fields: {
    description:
      'The members to show, such as the id or a property. The others are left out, but a feature keeps its type, its properties and its geometry, which may be null. Names are those of the format.',
    schema: listOf(STRING, 1, MAX_VALUES),
    example: jsonFields(list).slice(0, 2),
  },
  include: {
    description:
      'Adds the objects that the items of a page refer to, each once, next to `results`. Only format=json and format=api accept it.',
    schema: { type: 'string', enum: Object.keys(included) },
    example: Object.keys(included)[0],
  },
  ordering: {
    description:
      'The field that orders the list. A - in front reverses the order. Items with equal values are in the order of their ids.' +
      (filters.has('attributes') ? ' The service also takes an attribute, such as `attributes__mag`.' : ''),
    // Typed clients then find a wrong name. They have to cast the name of an attribute.
    schema: { type: 'string', enum: Object.keys(orderings).flatMap((name) => [name, `-${name}`]), default: 'id' },
    example: '-id',
  },
  page_size: {
    description: `The number of items on a page. The formats ${STREAMED.join(', ')} also accept ${ALL}.`,
    schema: {
      anyOf: [{ type: 'integer', minimum: 1, maximum: maxPageSize }, { const: ALL }],
      default: DEFAULT_PAGE_SIZE,
    },
    example: 100,
  },
})

/** The component for `format` at an address that answers with a document. */
export const DOCUMENT_FORMAT = 'document.format'

/** The parameters of an address with filters. `key` is the name of the component. */
export type DescribedQuery = readonly { readonly name: string; readonly key: string; readonly described: Described }[]

export const describedQuery = (resource: Resource, names = parametersOf(resource)): DescribedQuery => {
  const varied = variedOf(resource)
  const own: Readonly<Record<(typeof names)[number], Described>> = { ...COMMON, ...varied }
  const keyOf = (name: string) => (name in varied ? `${resource.view.name}.${name}` : name)
  const listed = names.map((name) => ({ name, key: keyOf(name), described: own[name] }))
  return [...listed, ...filtersOf(resource)]
}

const filtersOf = ({ view, filters }: Resource): DescribedQuery =>
  Array.from(filters, ([name, filter]) => {
    const described = filterOf(filter, isNamed(filter) ? ref(capitalised(filter.kind)) : filter.schema)
    return { name, key: `${view.name}.${name}`, described }
  })

/** Returns the parameters that have an effect on the summary of events. */
export const summaryQuery = (): DescribedQuery => [
  { name: 'format', key: 'summary.format', described: formatOf(SUMMARY_OFFER, 'json') },
  ...Object.entries(PARAMETERS).map(([name, described]) => ({ name, key: name, described })),
  ...filtersOf(events),
]

/** Returns true if a kind of value has a description. Its schema then gets a name. */
const isNamed = ({ schema }: FilterParameter): boolean => schema.description !== undefined

/** Returns the schemas that filters refer to, by the kind of value. */
export const valueSchemas = (resources: readonly Resource[]): Schema => {
  const filters = resources.flatMap(({ filters }) => [...filters.values()])
  return Object.fromEntries(filters.filter(isNamed).map(({ kind, schema }) => [capitalised(kind), schema]))
}

/** Returns every parameter that operations refer to. */
export const parameterComponents = (resources: readonly Resource[]): Schema => {
  const document = { name: 'format', key: DOCUMENT_FORMAT, described: formatOf(DOCUMENT_OFFER, 'json') }
  const queries = [...resources.flatMap((resource) => describedQuery(resource)), ...summaryQuery(), document]
  const written = resources.flatMap(({ key: { name, toWrite } }) => (toWrite ? [{ ...toWrite, name }] : []))
  return {
    ...HEADERS,
    ...Object.fromEntries(queries.map(({ name, key, described }) => [key, inQuery(name, described)])),
    ...Object.fromEntries(written.map((key) => [`written.${key.name}`, inPath(key)])),
  }
}

/** Describes the form of a posted query. */
export const formOf = (query: DescribedQuery): Schema => {
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
