import type { Schema } from '../filters/lookups.ts'
import { INTEGER, record, ref } from '../model/schema.ts'
import type { WritableResource } from '../resource.ts'
import {
  bodyOf,
  changesOf,
  created,
  document,
  failures,
  json,
  type OperationOutline,
  success,
  WRITTEN,
  write,
} from './operations.ts'
import { parameter, type Query, writtenKeysOf } from './parameters.ts'
import { content, LISTED, PAGE, POSTED, postByForm, queried, references } from './queries.ts'
import { bodyNames, jsonSchemas, newItems } from './schemas.ts'

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
