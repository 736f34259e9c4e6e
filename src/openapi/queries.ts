import type { Schema } from '../filters/lookups.ts'
import { ref } from '../model/schema.ts'
import { FORM } from '../request/route.ts'
import type { Resource } from '../resource.ts'
import {
  AT_READING,
  document,
  failures,
  get,
  OF_BODY,
  type OperationOutline,
  type Success,
  success,
} from './operations.ts'
import { formOf, parameter, type Query } from './parameters.ts'
import { itemsContent, jsonSchemas } from './schemas.ts'

export const READ_HEADERS = ['If-Match', 'If-None-Match', 'If-Modified-Since', 'X-D1-Bookmark'].map(parameter)

/** The answer to a query of a list, and its headers. */
export const PAGE = 'A page, or the whole list.'
export const LISTED = ['Content-Disposition', 'Link']

export const POSTED = ['Allow', 'Cache-Control']

/** Returns the group of a path, such as `v3 events`. It has a list, its items and its summary. */
export const tagOf = (path: string): string => path.split('/').slice(2, 4).join(' ')

/** Returns the operation id of a path: `v3Events` for `/api/v3/events/`. */
export const idOf = (path: string): string =>
  path
    .split('/')
    .slice(2, -1)
    .filter((part) => !part.startsWith(':'))
    .join(' ')
    .replace(/ (.)/g, (_, letter: string) => letter.toUpperCase())

export const aboutOf = (path: string, summary: string, kind = ''): OperationOutline => ({
  tags: [tagOf(path)],
  operationId: `${idOf(path)}${kind}`,
  summary,
})

export const references = (query: Query): Schema[] => query.map(({ key }) => parameter(key))

/** Describes the body of a list or an item, in every format. */
export const content = (resource: Resource, kind: 'list' | 'item'): Schema => ({
  ...document({ anyOf: jsonSchemas(resource, kind) }),
  ...itemsContent(resource, kind),
})

/** Describes OPTIONS. `isNamed`: a part of the address names an item. */
export const optionsOf = ({ tags, operationId, summary }: OperationOutline, schema: string, isNamed = false): Schema =>
  get(
    { tags, operationId: `${operationId}Describe`, summary: `Description of ${summary}` },
    success('The formats and parameters of the address.', ['Allow'], document(ref(schema))),
    [401, ...(isNamed ? [404] : []), 406, 429],
  )

export const postByForm = (
  { tags, operationId, summary }: OperationOutline,
  query: Query,
  answer: Success,
  more: readonly number[] = [],
) => ({
  tags,
  operationId: `${operationId}Post`,
  summary: `${summary} by a form`,
  description: 'The same query as a form. The body may be longer than an address.',
  requestBody: { content: { [FORM]: formOf(query) } },
  responses: { 200: answer, ...failures(...AT_READING, ...OF_BODY, 404, 503, ...more) },
})

/** Describes the answer to a posted query. */
export const queried = (resource: Resource): Success =>
  success(PAGE, [...POSTED, ...LISTED, 'X-Total-Count'], content(resource, 'list'))
