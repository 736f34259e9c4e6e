import type { Schema } from '../filters/lookups.ts'
import { ADDRESS, INTEGER, record, ref } from '../model/schema.ts'
import { FORM } from '../request/route.ts'
import type { Summarised } from '../request/summary.ts'
import type { Resource } from '../resource.ts'
import {
  AT_READING,
  bodyOf,
  changesOf,
  created,
  document,
  failures,
  get,
  getAndHead,
  json,
  OF_BODY,
  OF_PINNED,
  type OperationOutline,
  READ,
  type Success,
  success,
  WRITTEN,
  write,
} from './operations.ts'
import {
  DOCUMENT_FORMAT,
  formOf,
  inPath,
  parameter,
  type Query,
  queryOf,
  summaryQueryOf,
  writtenKeysOf,
} from './parameters.ts'
import { bodyNames, itemsContent, newItems } from './schemas.ts'

const READ_HEADERS = ['Prefer', 'If-Match', 'If-None-Match', 'If-Modified-Since', 'X-D1-Bookmark'].map(parameter)

/** The answer to a query of a list, and its headers. */
const PAGE = 'A page, or the whole list.'
const LISTED = ['Content-Disposition', 'Link']

export const listPath = (resource: Resource): Schema => {
  const { path, name, description, under } = resource
  const about = aboutOf(path, name)
  const query = queryOf(resource)
  return {
    ...(under && { parameters: [inPath(under.parent.key)] }),
    ...getAndHead(
      { ...aboutOf(path, name, 'List'), description, parameters: [...references(query), ...READ_HEADERS] },
      success(PAGE, [...READ, ...LISTED, 'X-Total-Count'], content(resource, 'list')),
    ),
    post: postOf(about, query, resource),
    ...removeManyOf(about, query, resource),
    options: optionsOf(about, 'ListDescription', under !== undefined),
  }
}

export const summaryPath = (summarised: Summarised): Schema => {
  const { path, name, description } = summarised
  const about = aboutOf(path, name)
  const query = summaryQueryOf(summarised)
  const asked = { ...about, description, parameters: [...references(query), ...READ_HEADERS] }
  const answer = (headers: readonly string[]) => success('The summary.', headers, document(ref('Summary')))
  return {
    ...getAndHead(asked, answer(READ), OF_PINNED),
    post: postByForm(about, query, answer(POSTED), [409]),
    options: optionsOf(about, 'SummaryDescription'),
  }
}

export const itemPath = (resource: Resource): Schema => {
  const { path, itemName, under } = resource
  const about = aboutOf(path, itemName, 'Item')
  return {
    parameters: [...(under ? [under.parent.key] : []), resource.key].map(inPath),
    ...getAndHead(
      { ...about, parameters: [...['format', `${resource.item}.fields`].map(parameter), ...READ_HEADERS] },
      success('The item.', [...READ, 'Content-Disposition'], content(resource, 'item')),
    ),
    ...changesAt(about, resource),
    options: optionsOf(about, 'Description', true),
  }
}

export const rootPath = (path: string, entries: Readonly<Record<string, string>>): Schema => {
  const about = { tags: ['roots'], operationId: path === '/' ? 'root' : `${idOf(path)}Root`, summary: path }
  const addresses = record(Object.fromEntries(Object.keys(entries).map((name) => [name, ADDRESS])))
  return {
    ...getAndHead(
      { ...about, summary: `The addresses below ${path}`, parameters: [parameter(DOCUMENT_FORMAT)] },
      success('The name and the address of each.', ['Allow', 'Link'], document(addresses)),
      AT_READING,
    ),
    options: optionsOf(about, 'Description'),
  }
}

export const healthPath = (name: string, says: string, schema: string, ...statuses: number[]): Schema =>
  getAndHead(
    { tags: ['health'], operationId: name, summary: says },
    success(says, ['Cache-Control'], json(ref(schema))),
    [429, ...statuses],
  )

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

const aboutOf = (path: string, summary: string, kind = ''): OperationOutline => ({
  tags: [tagOf(path)],
  operationId: `${idOf(path)}${kind}`,
  summary,
})

const references = (query: Query): Schema[] => query.map(({ key }) => parameter(key))

/** Describes the body of a list or an item, in every format. */
const content = (resource: Resource, kind: 'list' | 'item'): Schema => ({
  ...document(ref(kind === 'list' ? `${resource.item}Page` : resource.item)),
  ...itemsContent(resource, kind),
})

/** Describes OPTIONS. `isNamed`: a part of the address names an item. */
const optionsOf = ({ tags, operationId, summary }: OperationOutline, schema: string, isNamed = false): Schema =>
  get(
    { tags, operationId: `${operationId}Describe`, summary: `Description of ${summary}` },
    success('The formats and parameters of the address.', ['Allow'], document(ref(schema))),
    [401, ...(isNamed ? [404] : []), 406, 429],
  )

const POSTED = ['Allow', 'Cache-Control']

const postByForm = (
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

/** Describes a query by a form, or new items. */
const postOf = (about: OperationOutline, query: Query, resource: Resource): Schema => {
  const { item, writable } = resource
  const { types, examples } = writable
  const ids = ref(bodyNames(writable).ids)
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
    parameters: ['format', 'Prefer', 'Idempotency-Key'].map(parameter),
    // Swagger UI begins with the first media type.
    requestBody: { content: { ...bodyOf(types, newItems(writable), examples.made), ...form.requestBody.content } },
    responses: { ...form.responses, 201: created(document({ anyOf: [ref(item), ids] })), ...failures(409, 422) },
  }
}

/** Describes how to change and delete the items of a list. The result is empty for a list with fixed items. */
const changesAt = ({ tags, operationId }: OperationOutline, resource: Resource): Schema => {
  const { item, itemName, writable } = resource
  const { items, types, examples, removing } = writable
  if (items === undefined) return {}
  const { made, changes } = bodyNames(writable)
  return changesOf({
    tags,
    ids: { put: `${operationId}Replace`, patch: `${operationId}Change`, delete: `${operationId}Delete` },
    itemName,
    parameters: [...writtenKeysOf(resource), 'format', 'Prefer'].map(parameter),
    put: bodyOf(types, ref(made), examples.made),
    patch: bodyOf(types, ref(changes), examples.changed),
    changed: document(ref(item)),
    removing,
  })
}

/** Describes how to delete the matching items of a list. The result is empty for a list that forbids it. */
const removeManyOf = (
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
  const about = {
    tags,
    operationId: `${operationId}Empty`,
    summary: `Delete from ${summary}`,
    description:
      'Deletes the items that match the filters. If that takes too long, the answer is a 503. Then send the same request again to delete the rest.',
    parameters: [...['format', 'Prefer', 'If-Match'].map(parameter), all, ...references(own)],
  }
  const answer = success('The number of deleted items.', WRITTEN, document(record({ deleted: INTEGER })))
  return { delete: write(about, { 200: answer }, [412]) }
}
