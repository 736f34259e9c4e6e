import { version } from '../../package.json'
import { PRODUCT } from '../base/product.ts'
import { ref, type Schema, STRING } from '../base/schema.ts'
import { ANSWER_HEADERS, ERRORS } from '../http/headers.ts'
import { FORM } from '../http/route.ts'
import type { Writable } from '../store/writable.ts'
import { bodiesOf, bodyReferences, document } from './schemas.ts'

/** An operation without its bodies. A parameter is the name of a component, or a description. */
export interface OperationOutline {
  readonly tags: readonly string[]
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly (string | Schema)[]
}

/** The operations of an address, by method. */
export type PathItem = readonly [path: string, operations: Schema]

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

/** Describes a success: its text, its headers and its body by media type. */
export const success = (description: string, headers: readonly string[], content?: Schema) => ({
  description,
  headers: Object.fromEntries([...headers, 'X-Request-Id'].map((name) => [name, ref(name, 'headers')])),
  ...(content && { content }),
})

export type Success = ReturnType<typeof success>

/** Returns references to the errors with these statuses. */
const failures = (...statuses: readonly number[]): Schema =>
  Object.fromEntries(statuses.map((status) => [status, ref(String(status), 'responses')]))

const outlineOf = ({ parameters, ...about }: OperationOutline) => {
  const described = parameters?.map((each) => (typeof each === 'string' ? ref(each, 'parameters') : each))
  return { ...about, ...(described && { parameters: described }) }
}

/** Describes GET, by default of an address that reads data. */
export const get = (about: OperationOutline, answer: Success, errors: readonly number[] = OF_DATA) => ({
  ...outlineOf(about),
  responses: { 200: answer, ...failures(...errors) },
})

/** Describes HEAD as GET without a body. */
export const headOf = ({ description: _, responses, ...about }: ReturnType<typeof get>): Schema => {
  const { content: _body, ...bare } = responses[200]
  return {
    ...about,
    operationId: `${about.operationId.replace(/List$/, '')}Head`,
    summary: `${about.summary.replace(/\.$/, '')} without the body`,
    responses: { 200: bare, default: { description: 'The status and the headers of GET.' } },
  }
}

/** Describes POST as GET, with the same query as a form. The path has the parameters of `about`. */
export const postOf = (about: OperationOutline, answer: Success, form: Schema) => ({
  ...outlineOf(about),
  operationId: `${about.operationId.replace(/List$/, '')}Post`,
  summary: `${about.summary} by a form`,
  description: 'The same query as a form. The body may be longer than an address.',
  requestBody: { required: true, content: { [FORM]: form } },
  responses: { 200: answer, ...failures(...AT_READING, ...OF_BODY, 404, 503) },
})

/** Adds new items to a query by a form. `rules` are more rules for them. */
export const addTo = (
  form: ReturnType<typeof postOf>,
  { security: _, ...create }: ReturnType<typeof creationOf>,
  rules = '',
): Schema => ({
  ...form,
  ...create,
  description: `${form.description} A body in another media type has new items, and needs a key that may write. The service stores all of them, or none.${rules}`,
  // Swagger UI begins with the first media type.
  requestBody: { required: true, content: { ...create.requestBody?.content, ...form.requestBody.content } },
})

/** Describes OPTIONS. `isNamed`: a part of the address names an item. */
export const optionsOf = (
  { tags, operationId: id, summary }: OperationOutline,
  schema: string,
  isNamed = false,
): Schema =>
  get(
    { tags, operationId: `${id.replace(/List$/, '')}Describe`, summary: `Description of ${summary}` },
    success('The formats and parameters.', ['Allow'], document(ref(schema))),
    [401, ...(isNamed ? [404] : []), 406, 429],
  )

/** Describes a write. `errors` has the statuses that not every write can have. */
export const write = (about: OperationOutline, answers: Schema, errors: readonly number[], content?: Schema) => ({
  ...outlineOf(about),
  security: KEYS,
  ...(content && { requestBody: { required: true, content } }),
  responses: { ...answers, ...failures(...AT_WRITING, ...errors) },
})

/** How clients write a list and its items, in the words of a surface. The operations follow from it. */
export interface Writing {
  /** Null: the address stands for any list, so the schemas of its bodies are unknown. */
  readonly writable: Writable | null
  readonly tags: readonly string[]
  /** The ids of the operations. */
  readonly ids: Readonly<Record<'post' | 'put' | 'patch' | 'delete', string>>
  readonly itemName: string
  /** The parameters of POST, the parameters of an item, and further parameters of each write with a body. */
  readonly parameters: Readonly<Record<'list' | 'item' | 'body', readonly string[]>>
  /** Returns the media types of a body. */
  readonly typesOf: (method: string) => readonly string[]
  /** The body of the answer with a changed item. */
  readonly changed: Schema
  /** More answers, such as one that only this address gives. */
  readonly others?: Schema
}

/** Describes POST of items. `stored` is the answer if all are stored already. `made` is the body about new items. */
export const creationOf = (list: Writing, summary: string, stored: Success, made: Schema) => {
  const { writable, tags, ids, parameters, typesOf, others } = list
  const about = { tags, operationId: ids.post, summary }
  const created = success('The new item. If there are several, their ids in order.', [...WRITTEN, 'Location'], made)
  return write(
    { ...about, parameters: [...parameters.list, ...parameters.body, 'Idempotency-Key'] },
    { 200: stored, 201: created, ...others },
    [...OF_BODY, 409, 422],
    bodiesOf(typesOf('POST'), bodyReferences(writable).several, writable?.examples.made),
  )
}

/** Describes PUT, PATCH and DELETE of an item. The result lacks the methods that the list does not take. */
export const changesOf = (list: Writing): Schema => {
  const { writable, tags, ids, itemName, parameters, typesOf, changed, others } = list
  if (writable !== null && writable.items === undefined) return {}
  const bodies = bodyReferences(writable)
  const answers = { 200: success('The item after the change.', WRITTEN, changed), ...others }
  const errors = [...OF_BODY, 412]
  const ofBody = [...parameters.item, ...parameters.body, 'If-Match']
  const replacement = {
    tags,
    operationId: ids.put,
    summary: `Replace ${itemName}`,
    description:
      'Clears the fields that the body leaves out, if the items of this list show them. Ignores read-only fields.',
    parameters: ofBody,
  }
  const change = {
    tags,
    operationId: ids.patch,
    summary: `Change ${itemName}`,
    description: 'Changes only the fields of the body. Ignores read-only fields.',
    parameters: ofBody,
  }
  const { made, changed: after } = writable?.examples ?? {}
  return {
    put: write(replacement, answers, errors, bodiesOf(typesOf('PUT'), bodies.made, made)),
    patch: write(change, answers, errors, bodiesOf(typesOf('PATCH'), bodies.changes, after)),
    ...((writable === null || writable.items?.remove) && { delete: removalOf(list) }),
  }
}

/** Describes DELETE of an item. If the list has parameters for it, a DELETE without them may be a 409. */
const removalOf = ({ writable, tags, ids, itemName, parameters, others }: Writing): Schema => {
  const removing = writable === null ? {} : writable.removing
  const own = Object.entries(removing ?? {}).map(([name, value]) => ({
    name,
    in: 'query',
    description: `Deletes its ${name} with it. Without this parameter the answer is a 409 if it has ${name}.`,
    schema: { const: value },
  }))
  const about = { tags, operationId: ids.delete, summary: `Delete ${itemName}` }
  const answers = { 204: success('The item is deleted.', WRITTEN), ...others }
  const errors = removing === undefined ? [412] : [409, 412]
  return write({ ...about, parameters: [...parameters.item, 'If-Match', ...own] }, answers, errors)
}

/** Makes a document in OpenAPI 3.1. All its addresses begin with `base`. `errorOf` describes the body of an error. */
export const documentOf = (
  base: string,
  description: string,
  { components, ...outline }: { tags: readonly Schema[]; paths: Schema; components: Schema },
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
    info: { title: PRODUCT, version, description, license: { name: 'MIT', identifier: 'MIT' } },
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
