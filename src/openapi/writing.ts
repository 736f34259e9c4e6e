import type { Schema } from '../filters/lookups.ts'
import { INTEGER, record, ref } from '../formats/schema.ts'
import type { Resource } from '../resource.ts'
import type { Writable } from '../store/writable.ts'
import { document, failures, success } from './answers.ts'
import { idsOf, nameOf, newItems } from './bodies.ts'
import { type Query, references, writeParameters, writtenKeyParameters } from './parameters.ts'

/** The errors of a write at any address. */
const AT_WRITING = [400, 401, 403, 406, 414, 429, 500, 503]
const WRITTEN = ['Allow', 'Cache-Control', 'X-D1-Bookmark']
const KEYS = [{ bearer: [] }, { basic: [] }]

interface Post {
  readonly summary: string
  readonly description: string
  readonly requestBody: { readonly content: Schema }
  readonly responses: Schema
}

/** Adds new items to the operation that posts a query. */
export const postOf = (post: Post, { item, writable }: Resource): object => {
  return {
    ...post,
    summary: `${post.summary}, or new items`,
    description: `${post.description} A body in another media type has new items, and needs a key that may write. The service stores all of them, or none. An item with the id, url or code of a stored item is a 409.`,
    parameters: writeParameters('Idempotency-Key'),
    requestBody: {
      content: {
        // Swagger UI begins with the first media type.
        ...bodyOf(writable, 'made', newItems(writable)),
        ...post.requestBody.content,
      },
    },
    responses: {
      ...post.responses,
      ...(writable.keyed && { 200: changedToo(post.responses[200] as Schema, item, idsOf(writable)) }),
      201: success(
        'The new item. If there are several, their ids in order.',
        [...WRITTEN, 'Location'],
        document({ anyOf: [ref(item), ref(`${idsOf(writable)}`)] }),
      ),
      ...failures(403, 409, 422),
    },
  }
}

type Contents = Readonly<Record<string, { readonly schema: Schema }>>

/** Describes the 200 of a POST: the answer to a query, or to items that are all stored. */
const changedToo = (answer: Schema, item: string, ids: string): Schema => {
  const { content, headers, ...rest } = answer as { content: Contents; headers: Schema }
  // Only a page has a total.
  const { 'X-Total-Count': _, ...shared } = headers
  const page = content['application/json']?.schema ?? {}
  const either = { schema: { anyOf: [page, ref(item), ref(ids)] } }
  return { ...rest, headers: shared, content: { ...content, 'application/json': either } }
}

/** Describes how to change and delete the items of a list. The result is empty for a list with fixed items. */
export const changesOf = (resource: Resource, id: string, tags: readonly string[]): Schema => {
  const { item, itemName, writable } = resource
  if (writable.items === undefined) return {}
  const shared = { tags, security: KEYS }
  const parameters = [...writtenKeyParameters(resource), ...writeParameters('If-Match')]
  const asked = Object.entries(writable.removing ?? {})
  const changed = {
    200: success('The item after the change.', WRITTEN, document(ref(item))),
    ...failures(...AT_WRITING, 404, 408, 412, 413, 415),
  }
  return {
    put: {
      ...shared,
      operationId: `${id}Replace`,
      summary: `Replace ${itemName}`,
      description:
        'Clears the fields that the body leaves out, if the items of this list show them. Ignores read-only fields.',
      parameters,
      requestBody: { required: true, content: bodyOf(writable, 'made', ref(`New${nameOf(writable)}`)) },
      responses: changed,
    },
    patch: {
      ...shared,
      operationId: `${id}Change`,
      summary: `Change ${itemName}`,
      description: 'Changes only the fields of the body. Ignores read-only fields.',
      parameters,
      requestBody: { required: true, content: bodyOf(writable, 'changed', ref(`${nameOf(writable)}Changes`)) },
      responses: changed,
    },
    delete: {
      ...shared,
      operationId: `${id}Delete`,
      summary: `Delete ${itemName}`,
      parameters: [
        ...parameters,
        ...asked.map(([name, value]) => ({
          name,
          in: 'query',
          description: `Deletes its ${name} with it. Without this parameter the answer is a 409 if it has ${name}.`,
          schema: { const: value },
        })),
      ],
      responses: {
        204: success('The item is deleted.', WRITTEN),
        ...failures(...AT_WRITING, 404, 412, ...(asked.length > 0 ? [409] : [])),
      },
    },
  }
}

/** Describes how to delete the matching items of a list. The result is empty for a list that forbids it. */
export const emptiedOf = (
  { name, filters, writable }: Resource,
  query: Query,
  id: string,
  tags: readonly string[],
): Schema => {
  if (writable.removeMany === undefined) return {}
  const all = {
    name: 'all',
    in: 'query',
    description: 'Deletes all items. It is required if there is no filter.',
    schema: { const: true },
  }
  return {
    delete: {
      tags,
      security: KEYS,
      operationId: `${id}Empty`,
      summary: `Delete from ${name}`,
      description:
        'Deletes the items that match the filters. If that takes too long, the answer is a 503. Then send the same request again to delete the rest.',
      parameters: [
        ...writeParameters('If-Match'),
        all,
        ...references(
          query.filter((each) => filters.has(each.name)),
          [],
        ),
      ],
      responses: {
        200: success('The number of deleted items.', WRITTEN, document(record({ deleted: INTEGER }))),
        ...failures(...AT_WRITING, 404, 412),
      },
    },
  }
}

/** Describes a body in every media type. The example is beside the schema, where Swagger UI looks for it. */
const bodyOf = ({ types, examples }: Writable, of: 'made' | 'changed', schema: Schema): Schema =>
  Object.fromEntries(types.map((type) => [type, { schema, example: examples[of] }]))
