import type { Schema } from '../filters/lookups.ts'
import { ADDRESS, record, ref } from '../formats/schema.ts'
import { FORM } from '../request/options.ts'
import type { Summarised } from '../request/summary.ts'
import type { Resource } from '../resource.ts'
import { content, document, failures, json, READ, success } from './answers.ts'
import {
  formOf,
  itemParameters,
  keyParameter,
  type Query,
  queryOf,
  references,
  rootParameters,
  summaryQueryOf,
} from './parameters.ts'
import { changesOf, emptiedOf, postOf } from './writing.ts'

/** The errors of a read at any address. */
const AT_READING = [400, 401, 403, 406, 414, 429, 500]

const LISTED = ['Content-Disposition', 'Link', 'X-Total-Count']

/** Describes the address of a list. */
export const listPath = (resource: Resource): Schema => {
  const answer = { says: 'A page, or the whole list.', headers: LISTED, body: content(resource, 'list') }
  const path = queryPath(resource, 'List', queryOf(resource), answer, 'ListDescription')
  return {
    ...(resource.under && { parameters: [keyParameter(resource.under.parent)] }),
    ...path,
    post: postOf(path.post, resource),
    ...emptiedOf(resource, queryOf(resource), idOf(resource.path), [tagOf(resource.path)]),
  }
}

/** Describes the address of a summary. */
export const summaryPath = (summarised: Summarised): Schema => {
  const answer = { says: 'The summary.', headers: [], body: document(ref('Summary')) }
  return queryPath(summarised, '', summaryQueryOf(summarised), answer, 'SummaryDescription')
}

/** Describes an address with filters: GET, HEAD, POST of a form, and OPTIONS. */
const queryPath = (
  { path, name, description }: Pick<Resource, 'path' | 'name' | 'description'>,
  kind: string,
  query: Query,
  { says, headers, body }: { says: string; headers: readonly string[]; body: Schema },
  about: string,
) => {
  const id = idOf(path)
  const tags = [tagOf(path)]
  const get = {
    tags,
    operationId: `${id}${kind}`,
    summary: name,
    description,
    parameters: references(query),
    responses: {
      200: success(says, [...READ, ...headers], body),
      ...failures(304, ...AT_READING, 404, 412, 503),
    },
  }
  return {
    get,
    head: headOf(get, id),
    post: {
      tags,
      operationId: `${id}Post`,
      summary: `${name} by a form`,
      description: 'The same query as a form. The body may be longer than an address.',
      requestBody: { content: { [FORM]: formOf(query) } },
      responses: {
        200: success(says, ['Allow', 'Cache-Control', ...headers], body),
        ...failures(...AT_READING, 404, 408, 413, 415, 503),
      },
    },
    options: optionsOf(tags, id, name, about, path.includes(':')),
  }
}

/** Describes the address of the items of a list. */
export const itemPath = (resource: Resource): Schema => {
  const { path, itemName } = resource
  const id = `${idOf(path)}Item`
  const tags = [tagOf(path)]
  const get = {
    tags,
    operationId: id,
    summary: itemName,
    parameters: itemParameters(),
    responses: {
      200: success('The item.', [...READ, 'Content-Disposition'], content(resource, 'item')),
      ...failures(304, ...AT_READING, 404, 412, 503),
    },
  }
  return {
    parameters: [resource.under?.parent, resource].flatMap((of) => (of === undefined ? [] : [keyParameter(of)])),
    get,
    head: headOf(get, id),
    ...changesOf(resource, id, tags),
    options: optionsOf(tags, id, itemName, 'Description', true),
  }
}

/** Describes an address above the lists. */
export const rootPath = (path: string, entries: Readonly<Record<string, string>>): Schema => {
  const id = path === '/' ? 'root' : `${idOf(path)}Root`
  const tags = ['roots']
  const addresses = record(Object.fromEntries(Object.keys(entries).map((name) => [name, ADDRESS])))
  const get = {
    tags,
    operationId: id,
    summary: `The addresses below ${path}`,
    parameters: rootParameters(),
    responses: {
      200: success('The name and the address of each.', ['Allow', 'Link'], document(addresses)),
      ...failures(...AT_READING),
    },
  }
  return { get, head: headOf(get, id), options: optionsOf(tags, id, path, 'Description', false) }
}

/** Describes an address that reports the health of the service. */
export const healthPath = (name: string, says: string, schema: string, ...statuses: number[]): Schema => {
  const get = {
    tags: ['health'],
    operationId: name,
    summary: says,
    responses: { 200: success(says, ['Cache-Control'], json(ref(schema))), ...failures(429, ...statuses) },
  }
  return { get, head: headOf(get, name) }
}

/** Returns the group of a path, such as `v3 events`. It has a list, its items and its summary. */
export const tagOf = (path: string): string => path.split('/').slice(2, 4).join(' ')

/** Returns the operation id of a path: `v3Events` for `/api/v3/events/`. */
const idOf = (path: string): string =>
  path
    .split('/')
    .slice(2, -1)
    .filter((part) => !part.startsWith(':'))
    .join(' ')
    .replace(/ (.)/g, (_, letter: string) => letter.toUpperCase())

interface Read {
  readonly tags: readonly string[]
  readonly summary: string
  readonly parameters?: readonly Schema[]
  readonly responses: Schema
}

/** Describes HEAD as GET without a body. */
const headOf = ({ responses, parameters, ...get }: Read, id: string): Schema => {
  const { content: _, ...bare } = responses[200] as Schema
  return {
    tags: get.tags,
    operationId: `${id}Head`,
    summary: `${get.summary.replace(/\.$/, '')} without the body`,
    ...(parameters === undefined ? {} : { parameters }),
    responses: { 200: bare, default: { description: 'The status and the headers of GET.' } },
  }
}

/** `isNamed`: a part of the address names an item. */
const optionsOf = (tags: readonly string[], id: string, name: string, schema: string, isNamed: boolean): Schema => ({
  tags,
  operationId: `${id}Describe`,
  summary: `Description of ${name}`,
  responses: {
    200: success('The formats and parameters of the address.', ['Allow'], document(ref(schema))),
    ...failures(401, ...(isNamed ? [404] : []), 406, 429),
  },
})
