import type { Schema } from '../filters/lookups.ts'
import { INTEGER, record, ref } from '../model/schema.ts'
import { FORM } from '../request/route.ts'
import type { Resource, WritableResource } from '../resource.ts'
import {
  AT_READING,
  bodyOf,
  changesOf,
  created,
  document,
  failures,
  get,
  json,
  OF_BODY,
  type OperationOutline,
  type Success,
  success,
  WRITTEN,
  write,
} from './operations.ts'
import { formOf, parameter, type Query, writtenKeysOf } from './parameters.ts'
import { bodyNames, itemsContent, jsonSchemas, newItems } from './schemas.ts'

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

/** Describes a query by a form, or new items. */
export const postOf = (about: OperationOutline, query: Query, resource: WritableResource): Schema => {
  const { item, writable } = resource
  const { types, examples } = writable
  const ids = ref(bodyNames(writable).ids)
  const body = content(resource, 'list')
  // The service answers with items, which have no total, if all of them are stored already.
  const answer = writable.keyed
    ? success(PAGE, [...POSTED, ...LISTED], {
        ...body,
        ...json({ anyOf: [...jsonSchemas(resource, 'list'), ref(item), ids] }),
      })
    : queried(resource)
  const form = postByForm(about, query, answer)
  return {
    ...form,
    summary: `${form.summary}, or new items`,
    description: `${form.description} A body in another media type has new items, and needs a key that may write. The service stores all of them, or none. An item with the id, url or code of a stored item is a 409.`,
    parameters: ['format', 'Idempotency-Key'].map(parameter),
    // Swagger UI begins with the first media type.
    requestBody: { content: { ...bodyOf(types, newItems(writable), examples.made), ...form.requestBody.content } },
    responses: {
      ...form.responses,
      201: created(document({ anyOf: [ref(item), ids, ref('Gone')] })),
      ...failures(409, 422),
    },
  }
}

/** Describes how to change and delete the items of a list. The result is empty for a list with fixed items. */
export const changesAt = ({ tags, operationId }: OperationOutline, resource: WritableResource): Schema => {
  const { item, itemName, writable } = resource
  const { items, types, examples, removing } = writable
  if (items === undefined) return {}
  const { made, changes } = bodyNames(writable)
  return changesOf({
    tags,
    ids: { put: `${operationId}Replace`, patch: `${operationId}Change`, delete: `${operationId}Delete` },
    itemName,
    parameters: [...writtenKeysOf(resource), 'format'].map(parameter),
    put: bodyOf(types, ref(made), examples.made),
    patch: bodyOf(types, ref(changes), examples.changed),
    changed: document(ref(item)),
    removing,
  })
}

/** Describes how to delete the matching items of a list. The result is empty for a list that forbids it. */
export const removeManyOf = (
  { tags, operationId, summary }: OperationOutline,
  query: Query,
  { filters, writable }: WritableResource,
): Schema => {
  if (writable.removeMany === undefined) return {}
  const all = {
    name: 'all',
    in: 'query',
    description: 'Deletes all items. It is required if there is no filter.',
    schema: { const: true },
  }
  const own = query.filter((each) => filters.has(each.name))
  const about = {
    tags,
    operationId: `${operationId}Empty`,
    summary: `Delete from ${summary}`,
    description:
      'Deletes the items that match the filters. If that takes too long, the answer is a 503. Then send the same request again to delete the rest.',
    parameters: [...['format', 'If-Match'].map(parameter), all, ...references(own)],
  }
  const answer = success('The number of deleted items.', WRITTEN, document(record({ deleted: INTEGER })))
  return { delete: write(about, { 200: answer }, [412]) }
}
