import type { Schema } from '../filters/lookups.ts'
import { isItems, LIST_FORMATS, mediaType } from '../formats/formats.ts'
import { ADDRESS, INTEGER, listOf, orNull, record, ref, STRING } from '../formats/schema.ts'
import { ANSWER_HEADERS } from '../request/headers.ts'
import type { Resource } from '../resource.ts'

/** The error answers: a description, and the headers that an answer always has. */
const ERRORS: Readonly<Record<number, readonly [description: string, headers?: readonly string[]]>> = {
  400: ['The parameters or the body have faults. The answer names all of them.'],
  401: ['The key is wrong, or the request needs a key.', ['WWW-Authenticate']],
  403: ['The key may not do this, or the client sent it over plain http.'],
  404: ['The item or page does not exist, or the caller may not see it.'],
  406: ['The service has no format that Accept names.'],
  408: ['The body took too long.'],
  409: ['The item exists already, or other items belong to it.'],
  412: ['The data has changed since the client read it.'],
  413: ['The body is too long.'],
  414: ['The address, or the address of the next page, is too long.'],
  415: ['The service does not accept the media type of the body.'],
  422: ['This Idempotency-Key was used for another request.'],
  429: ['Too many requests.', ['Retry-After']],
  500: ['The service failed.'],
  503: ['The service is busy. Send the same request again later.', ['Retry-After']],
}

/** The headers of an answer to a read. */
export const READ: readonly string[] = [
  'Allow',
  'Cache-Control',
  'ETag',
  'Last-Modified',
  'Preference-Applied',
  'X-D1-Bookmark',
]

/** Describes a success: its text, its headers and its body by media type. */
export const success = (description: string, headers: readonly string[], content?: Schema): Schema => ({
  description,
  headers: headersOf([...headers, 'X-Request-Id']),
  ...(content === undefined ? {} : { content }),
})

/** Returns references to the errors with these statuses. */
export const failures = (...statuses: readonly number[]): Schema =>
  Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]))

/** Describes a JSON body. */
export const json = (schema: Schema): Schema => ({ 'application/json': { schema } })

/** Describes the body of any other document, in JSON and HTML. */
export const document = (schema: Schema): Schema => ({ ...json(schema), 'text/html': { schema: STRING } })

/** Describes the body of a list or an item, in every format. */
export const content = (resource: Resource, kind: 'list' | 'item'): Schema =>
  Object.assign(
    document(ref(kind === 'list' ? `${resource.item}Page` : resource.item)),
    ...ITEMS.map((format) => ({ [mediaType(format)]: { schema: ref(format.schemas(resource)[kind][0]) } })),
  )

/** Returns the schemas of a list and its items, in every format. */
export const contentSchemas = (resource: Resource): Schema => ({
  ...resource.schemas,
  ...Object.assign({}, ...includedOf(resource).map(([, { of }]) => of.schemas)),
  [`${resource.item}Page`]: pageOf(resource),
  ...Object.fromEntries(ITEMS.flatMap((format) => Object.values(format.schemas(resource)))),
})

const ITEMS = LIST_FORMATS.filter(isItems)

/** Returns the components that the answers of all addresses refer to. */
export const answerComponents = (): Record<'responses' | 'headers', Schema> => ({
  responses: {
    304: success('The cached answer is still valid.', READ),
    ...Object.fromEntries(
      Object.entries(ERRORS).map(([status, [description, headers = []]]) => [
        status,
        success(
          description,
          headers,
          json(status === '400' ? { anyOf: [ref('Faults'), ref('Detail')] } : ref('Detail')),
        ),
      ]),
    ),
  },
  headers: Object.fromEntries(
    Object.entries(ANSWER_HEADERS)
      .filter(([, { untold }]) => !untold)
      .map(([name, { says, atTimes }]) => [name, { description: says, required: !atTimes, schema: STRING }]),
  ),
})

const DESCRIBED = { name: STRING, description: STRING, renders: listOf(STRING), parses: listOf(STRING) }

const QUERIED = {
  filters: {
    type: 'object',
    description: 'The filters, and the kind of value that each accepts.',
    additionalProperties: STRING,
  },
  parameters: listOf(STRING),
}

/** The schemas that all lists share. */
export const ANSWER_SCHEMAS: Readonly<Record<string, Schema>> = {
  Detail: record({ detail: STRING }, { description: 'The fault, and the value to enter.' }),
  Faults: {
    type: 'object',
    description:
      'The faults of each parameter, or of each member of a body by its path, such as features[3].properties.value.',
    additionalProperties: { type: 'array', items: STRING, minItems: 1 },
    minProperties: 1,
  },
  Description: record(DESCRIBED, { description: 'The formats and parameters of an address.' }),
  ListDescription: record({
    ...DESCRIBED,
    ...QUERIED,
    ordering: listOf(STRING),
    reads: STRING,
  }),
  SummaryDescription: record({ ...DESCRIBED, ...QUERIED }),
  Health: record({ status: { const: 'ok' } }),
  Readiness: record({ status: { const: 'ready' }, revision: INTEGER, version: STRING }),
}

const includedOf = ({ included = {} }: Resource) => Object.entries(included)

/**
 * Makes the schema of a page. It repeats the members of all pages, because many generators of clients ignore `allOf`.
 */
const pageOf = (resource: Resource): Schema => {
  const { properties, ...page } = record({
    count: { type: 'integer', minimum: 0, description: 'The number of items that match, on all pages.' },
    next: orNull(ADDRESS),
    previous: orNull(ADDRESS),
    results: listOf(ref(resource.item)),
  }) as { properties: object }
  const included = includedOf(resource).map(([name, { of }]) => [name, listOf(ref(of.item))])
  return { ...page, properties: { ...properties, ...Object.fromEntries(included) } }
}

const headersOf = (names: readonly string[]): Schema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
