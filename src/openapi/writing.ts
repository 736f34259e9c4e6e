import type { Schema } from '../filters/lookups.ts'
import { INTEGER, record, ref } from '../model/schema.ts'
import { FORM } from '../request/options.ts'
import type { Resource } from '../resource.ts'
import { type Answer, document, failures, json, success, WRITTEN } from './answers.ts'
import { bodyOf, idsOf, nameOf, newItems } from './bodies.ts'
import { formOf, type Query, references, writeParameters, writtenKeyParameters } from './listParameters.ts'
import { AT_READING, changesOf, OF_BODY, type OperationOutline, write } from './operations.ts'
import { content } from './schemas.ts'

/** The answer to a query of a list, and its headers. */
export const PAGE = 'A page, or the whole list.'
export const LISTED = ['Content-Disposition', 'Link']

const POSTED = ['Allow', 'Cache-Control']

/** Describes a query by a form. */
export const postByForm = ({ tags, operationId, summary }: OperationOutline, query: Query, answer: Answer) => ({
  tags,
  operationId: `${operationId}Post`,
  summary: `${summary} by a form`,
  description: 'The same query as a form. The body may be longer than an address.',
  requestBody: { content: { [FORM]: formOf(query) } },
  responses: { 200: answer, ...failures(...AT_READING, ...OF_BODY, 404, 503) },
})

/** Describes a query by a form, or new items. */
export const postOf = (about: OperationOutline, query: Query, resource: Resource): Schema => {
  const { item, writable } = resource
  const { types, examples } = writable
  const ids = ref(idsOf(writable))
  const body = content(resource, 'list')
  // The service answers with items, which have no total, if all of them are stored already.
  const answer = writable.keyed
    ? success(PAGE, [...POSTED, ...LISTED], { ...body, ...json({ anyOf: [ref(`${item}Page`), ref(item), ids] }) })
    : success(PAGE, [...POSTED, ...LISTED, 'X-Total-Count'], body)
  const form = postByForm(about, query, answer)
  return {
    ...form,
    summary: `${form.summary}, or new items`,
    description: `${form.description} A body in another media type has new items, and needs a key that may write. The service stores all of them, or none. An item with the id, url or code of a stored item is a 409.`,
    parameters: writeParameters('Idempotency-Key'),
    // Swagger UI begins with the first media type.
    requestBody: { content: { ...bodyOf(types, newItems(writable), examples.made), ...form.requestBody.content } },
    responses: { ...form.responses, 201: created(document({ anyOf: [ref(item), ids] })), ...failures(409, 422) },
  }
}

/** Describes the answer to new items. */
export const created = (content: Schema): Answer =>
  success('The new item. If there are several, their ids in order.', [...WRITTEN, 'Location'], content)

/** Describes how to change and delete the items of a list. The result is empty for a list with fixed items. */
export const changesAt = ({ tags, operationId }: OperationOutline, resource: Resource): Schema => {
  const { item, itemName, writable } = resource
  const { items, types, examples, removing } = writable
  if (items === undefined) return {}
  return changesOf({
    tags,
    ids: { put: `${operationId}Replace`, patch: `${operationId}Change`, delete: `${operationId}Delete` },
    itemName,
    parameters: [...writtenKeyParameters(resource), ...writeParameters()],
    put: bodyOf(types, ref(`New${nameOf(writable)}`), examples.made),
    patch: bodyOf(types, ref(`${nameOf(writable)}Changes`), examples.changed),
    changed: document(ref(item)),
    removing,
  })
}

/** Describes how to delete the matching items of a list. The result is empty for a list that forbids it. */
export const removeManyOf = (
  { tags, operationId, summary }: OperationOutline,
  query: Query,
  { filters, writable }: Resource,
): Schema => {
  if (writable.removeMany === undefined) return {}
  const all = {
    name: 'all',
    in: 'query',
    description: 'Deletes all items. It is required if there is no filter.',
    schema: { const: true },
  }
  const own = query.filter((each) => filters.has(each.name))
  return {
    delete: write(
      {
        tags,
        operationId: `${operationId}Empty`,
        summary: `Delete from ${summary}`,
        description:
          'Deletes the items that match the filters. If that takes too long, the answer is a 503. Then send the same request again to delete the rest.',
        parameters: [...writeParameters('If-Match'), all, ...references(own, [])],
      },
      { 200: success('The number of deleted items.', WRITTEN, document(record({ deleted: INTEGER }))) },
      [412],
    ),
  }
}
