import { ref, type Schema, STRING } from '../base/schema.ts'
import { ANSWER_HEADERS, ERRORS } from '../http/headers.ts'
import type { Writable } from '../store/writable.ts'
import { parameter } from './parameters.ts'

/** An operation without its bodies. */
export interface OperationOutline {
  readonly tags: readonly string[]
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly Schema[]
}

/** The headers of an answer to a read, and to a write. */
export const READ = ['Allow', 'Cache-Control', 'ETag', 'Last-Modified', 'X-D1-Bookmark']
export const WRITTEN = ['Allow', 'Cache-Control', 'X-D1-Bookmark']

/** The errors of a read at any address, and of a read of data with its 304. */
export const AT_READING = [400, 401, 403, 406, 414, 429, 500]
const OF_DATA = [304, ...AT_READING, 404, 412, 503]
/** The errors of a write at any address, and of a body. */
const AT_WRITING = [...AT_READING, 404, 503, 507]
export const OF_BODY = [408, 413, 415]

const KEYS = [{ bearer: [] }, { basic: [] }]

export type Success = ReturnType<typeof success>

/** Describes a success: its text, its headers and its body by media type. */
export const success = (description: string, headers: readonly string[], content?: Schema) => ({
  description,
  headers: Object.fromEntries([...headers, 'X-Request-Id'].map((name) => [name, ref(name, 'headers')])),
  ...(content && { content }),
})

export const created = (content: Schema): Success =>
  success('The new item. If there are several, their ids in order.', [...WRITTEN, 'Location'], content)

/** Returns references to the errors with these statuses. */
export const failures = (...statuses: readonly number[]): Schema =>
  Object.fromEntries(statuses.map((status) => [status, ref(String(status), 'responses')]))

/** Describes a body with one media type, JSON by default. */
export const json = (schema: Schema, type = 'application/json'): Schema => ({ [type]: { schema } })

/** Describes the body of a document, in JSON and HTML. */
export const document = (schema: Schema, type?: string): Schema => ({
  ...json(schema, type),
  'text/html': { schema: STRING },
})

/** Describes a body in every media type. The example is beside the schema, where Swagger UI looks for it. */
export const bodiesOf = (types: readonly string[], schema: Schema, example?: object): Schema =>
  Object.fromEntries(types.map((type) => [type, { schema, example }]))

/** Describes GET, by default of an address that reads data. */
export const get = (about: OperationOutline, answer: Success, errors: readonly number[] = OF_DATA) => ({
  ...about,
  responses: { 200: answer, ...failures(...errors) },
})

/** Describes OPTIONS. `isNamed`: a part of the address names an item. */
export const optionsOf = ({ tags, operationId, summary }: OperationOutline, schema: string, isNamed = false): Schema =>
  get(
    { tags, operationId: `${operationId}Describe`, summary: `Description of ${summary}` },
    success('The formats and parameters of the address.', ['Allow'], document(ref(schema))),
    [401, ...(isNamed ? [404] : []), 406, 429],
  )

/** Describes GET, and HEAD as GET without a body. */
export const getAndHead = (about: OperationOutline, answer: Success, errors?: readonly number[]): Schema => {
  const { description: _, ...head } = about
  const { content: _body, ...bare } = answer
  return {
    get: get(about, answer, errors),
    head: {
      ...head,
      operationId: `${about.operationId.replace(/List$/, '')}Head`,
      summary: `${about.summary.replace(/\.$/, '')} without the body`,
      responses: { 200: bare, default: { description: 'The status and the headers of GET.' } },
    },
  }
}

/** Describes a write. `errors` has the statuses that not every write can have. */
export const write = (
  about: OperationOutline,
  answers: Schema,
  errors: readonly number[],
  content?: Schema,
): Schema => ({
  ...about,
  security: KEYS,
  ...(content && { requestBody: { required: true, content } }),
  responses: { ...answers, ...failures(...AT_WRITING, ...errors) },
})

/**
 * Describes PUT, PATCH and DELETE of an item. `put` and `patch` are the contents of the bodies, and `changed` of the
 * answer to them. Without `removing` DELETE has no parameters, and never answers with a 409.
 */
export const changesOf = (changes: {
  readonly tags: readonly string[]
  /** Without an id for DELETE, no item is deleted. */
  readonly ids: Readonly<Record<'put' | 'patch', string>> & { readonly delete: string | null }
  readonly itemName: string
  readonly parameters: readonly Schema[]
  /** More parameters of operations with a body. */
  readonly ofBody?: readonly Schema[]
  readonly put: Schema
  readonly patch: Schema
  readonly changed: Schema
  readonly removing: Writable['removing']
}): Schema => {
  const { tags, ids, itemName, parameters, ofBody = [], changed, removing } = changes
  const match = parameter('If-Match')
  const change = (method: 'put' | 'patch', verb: string, description: string) => {
    const about = { tags, operationId: ids[method], summary: `${verb} ${itemName}`, description }
    const answer = success('The item after the change.', WRITTEN, changed)
    const named = { ...about, parameters: [...parameters, ...ofBody, match] }
    return write(named, { 200: answer }, [...OF_BODY, 412], changes[method])
  }
  const toRemove = Object.entries(removing ?? {}).map(([name, value]) => ({
    name,
    in: 'query',
    description: `Deletes its ${name} with it. Without this parameter the answer is a 409 if it has ${name}.`,
    schema: { const: value },
  }))
  return {
    put: change(
      'put',
      'Replace',
      'Clears the fields that the body leaves out, if the items of this list show them. Ignores read-only fields.',
    ),
    patch: change('patch', 'Change', 'Changes only the fields of the body. Ignores read-only fields.'),
    ...(ids.delete !== null && {
      delete: write(
        {
          tags,
          operationId: ids.delete,
          summary: `Delete ${itemName}`,
          parameters: [...parameters, match, ...toRemove],
        },
        { 204: success('The item is deleted.', WRITTEN) },
        removing === undefined ? [412] : [409, 412],
      ),
    }),
  }
}

interface Outline {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: readonly Schema[]
  readonly paths: Schema
  readonly components: { readonly schemas: Schema; readonly parameters: Schema }
}

/** Makes a document in OpenAPI 3.1. All its addresses begin with `base`. `errorOf` describes the body of an error. */
export const documentOf = (
  base: string,
  { info, components, ...outline }: Outline,
  errorOf: (status: string) => Schema,
): Schema => {
  const errors = Object.entries(ERRORS).flatMap(([status, { says, headers = [] }]) =>
    says === null ? [] : [[status, success(says, headers, errorOf(status))]],
  )
  const headers = Object.entries(ANSWER_HEADERS).flatMap(([name, { says, atTimes, undeclared }]) =>
    undeclared ? [] : [[name, { description: says, required: !atTimes, schema: STRING }]],
  )
  return {
    openapi: '3.1.1',
    info: { ...info, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: base }],
    security: [{}, ...KEYS],
    ...outline,
    components: {
      ...components,
      responses: { 304: success('The cached answer is still valid.', READ), ...Object.fromEntries(errors) },
      headers: Object.fromEntries(headers),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A key.' },
        basic: { type: 'http', scheme: 'basic', description: 'The user name is `__key__`, and the password is a key.' },
      },
    },
  }
}
