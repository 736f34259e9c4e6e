import { INTEGER, record, ref, type Schema } from '../base/schema.ts'
import { FILES, filePath } from '../formats/downloads.ts'
import { fileParametersOf } from '../http/page.ts'
import { FORM } from '../http/route.ts'
import { SUMMARY } from '../http/summary.ts'
import { isWritable, type Resource, type WritableResource } from '../lists/resource.ts'
import { aboutOf, contentOf, itemPath, READ_HEADERS } from './items.ts'
import {
  AT_READING,
  bodiesOf,
  created,
  document,
  failures,
  getAndHead,
  json,
  OF_BODY,
  type OperationOutline,
  optionsOf,
  READ,
  type Success,
  success,
  WRITTEN,
  write,
} from './operations.ts'
import { type DescribedQuery, describedQuery, formOf, inPath, parameter, summaryQuery } from './parameters.ts'
import { ANY_OBJECT, bodyNames, itemsContent, jsonSchemas, newItems } from './schemas.ts'

const POSTED = ['Allow', 'Cache-Control']

/** Describes the answer with a page of a list, or with the whole list. */
const pageWith = (headers: readonly string[], content: Schema, total = ['X-Total-Count']): Success =>
  success('A page, or the whole list.', [...headers, 'Content-Disposition', 'Link', ...total], content)

const references = (query: DescribedQuery): Schema[] => query.map(({ key }) => parameter(key))

/** Describes an address with filters: GET, HEAD, and POST with the same query as a form. */
const queried = (
  about: OperationOutline,
  query: DescribedQuery,
  answer: (headers: readonly string[]) => Success,
  form: Schema = formOf(query),
) => {
  const { tags, operationId, summary } = about
  return {
    ...getAndHead({ ...about, parameters: [...references(query), ...READ_HEADERS] }, answer(READ)),
    post: {
      tags,
      operationId: `${operationId.replace(/List$/, '')}Post`,
      summary: `${summary} by a form`,
      description: 'The same query as a form. The body may be longer than an address.',
      requestBody: { required: true, content: { [FORM]: form } },
      responses: { 200: answer(POSTED), ...failures(...AT_READING, ...OF_BODY, 404, 503) },
    },
  }
}

/** Describes the query of a list in the formats of `content`. */
const listed = (about: OperationOutline, query: DescribedQuery, content: Schema, form?: Schema) =>
  queried(about, query, (headers) => pageWith(headers, content), form)

/** Describes the address of a list. */
const listPath = (resource: Resource): Schema => {
  const { path, name, description, under } = resource
  const about = aboutOf(path, name, 'List')
  const query = describedQuery(resource)
  const reads = listed({ ...about, description }, query, contentOf(resource, 'list'))
  return {
    ...reads,
    ...(isWritable(resource) && { post: addTo(reads.post, resource), ...removalFrom(resource, query) }),
    options: optionsOf(aboutOf(path, name), 'ListDescription', under !== undefined),
  }
}

/** Adds new items to a query by a form. */
const addTo = (form: ReturnType<typeof listed>['post'], resource: WritableResource): Schema => {
  const { view, writable } = resource
  const { types, examples, keyed } = writable
  const ids = ref(bodyNames(writable).ids)
  const newContent = bodiesOf(types, newItems(writable), examples.made)
  // The service answers with items, which have no total, if all of them are stored already.
  const content = {
    ...contentOf(resource, 'list'),
    ...json({ anyOf: [...jsonSchemas(resource, 'list'), ref(view.name), ids] }),
  }
  return {
    ...form,
    summary: `${form.summary}, or new items`,
    description: `${form.description} A body in another media type has new items, and needs a key that may write. The service stores all of them, or none. An item with the id, url or code of a stored item is a 409.`,
    parameters: ['format', 'Idempotency-Key'].map(parameter),
    // Swagger UI begins with the first media type.
    requestBody: { required: true, content: { ...newContent, ...form.requestBody.content } },
    responses: {
      ...form.responses,
      ...(keyed && { 200: pageWith(POSTED, content, []) }),
      // An item that makes a column wider has the member `widened`, too.
      201: created(document({ anyOf: [ref(view.name), ids, ref('Gone'), { ...ANY_OBJECT, required: ['widened'] }] })),
      ...failures(409, 422, 507),
    },
  }
}

/** Describes how to delete the matching items of a list. The result is empty for a list that forbids it. */
const removalFrom = ({ path, name, filters, writable }: WritableResource, query: DescribedQuery): Schema => {
  if (writable.removeMany === undefined) return {}
  const all = {
    name: 'all',
    in: 'query',
    description: 'Deletes all items. It is required if there is no filter.',
    schema: { const: true },
  }
  const own = query.filter((each) => filters.has(each.name))
  const about = {
    ...aboutOf(path, `Delete from ${name}`, 'Empty'),
    description:
      'Deletes the items that match the filters. If that takes too long, the answer is a 503. Then send the same request again to delete the rest.',
    parameters: [...['format', 'If-Match'].map(parameter), all, ...references(own)],
  }
  const answer = success('The number of deleted items.', WRITTEN, document(record({ deleted: INTEGER })))
  return { delete: write(about, { 200: answer }, [412]) }
}

/** The end of an address that names a format. */
const EXTENSION = inPath({
  name: 'extension',
  description: 'The format.',
  schema: { type: 'string', enum: FILES },
  example: 'ndjson',
})

/** Describes the addresses of a list that end with a format. They take the queries of the list. */
const filesPath = (resource: Resource): Schema => {
  const about = aboutOf(resource.path, `${resource.name} as a file`, 'File')
  const query = describedQuery(resource, fileParametersOf(resource))
  return {
    // The form of the list has the schema of each parameter.
    ...listed(about, query, itemsContent(resource, 'list'), { schema: ANY_OBJECT }),
    options: optionsOf(about, 'ListDescription', true),
  }
}

/** Describes the address of the summary of events. */
export const summaryPath = (): Schema => {
  const { path, name, description } = SUMMARY
  const about = aboutOf(path, name)
  const answer = (headers: readonly string[]) => success('The summary.', headers, document(ref('Summary')))
  return {
    ...queried({ ...about, description }, summaryQuery(), answer),
    options: optionsOf(about, 'SummaryDescription'),
  }
}

/** Describes the addresses of a list: its own, those that end with a format, and those of its items. */
export const listPaths = (resource: Resource): [path: string, operations: Schema][] => {
  const path = resource.path.replace(/:(\w+)/g, '{$1}')
  const { under, key } = resource
  const owner = under && [inPath(under.parent.key)]
  return [
    [path, { ...(owner && { parameters: owner }), ...listPath(resource) }],
    [filePath(path, '{extension}'), { parameters: [...(owner ?? []), EXTENSION], ...filesPath(resource) }],
    [`${path}{${key.name}}/`, { parameters: [...(owner ?? []), inPath(key)], ...itemPath(resource) }],
  ]
}
